#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the installed library exports, and what it calls.

    check_symbols.py <nm> <folder of libtern.a or libtern.so> <folder of the installed headers> [--own]

A shared library exports what the public headers declare as TERN_API, and nothing else, neither of Tern's
inside nor of its dependencies. Tern's code calls nothing that ends the process or prints by itself; bytes
that the user asked for (verbose lines) are written with fwrite. That is checked in a static library, and with
--own in a shared one: it holds no bundled oneDNN.
"""

import pathlib
import re
import subprocess
import sys

FORBIDDEN_CALLS = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail",
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "perror",
    "__printf_chk", "__fprintf_chk", "__vfprintf_chk",
    "std::cout", "std::cerr", "std::clog", "std::ios_base::Init::Init()",
}  # fmt: skip


def nm(tool, library, *options):
    command = [tool, "--demangle", "--format=posix", *options, str(library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # "name type value size", and the name may hold blanks; undefined symbols have no value.
    return re.findall(r"^(.+?) [A-Za-z] *(?:[0-9a-f]+ ?[0-9a-f]*)?$", output, re.M)


def public_names(include):
    """Names of the classes and functions that are TERN_API."""
    text = "".join(file.read_text() for file in sorted(include.glob("tern/*.hpp")))
    text = re.sub(r"//.*", "", text)
    classes = set(re.findall(r"\b(?:class|struct)\s+TERN_API\s+(\w+)", text))
    functions = set(re.findall(r"\bTERN_API\s+[\w:\s*&]*?(\w+)\s*\(", text))
    return classes, functions, set(re.findall(r"\w+", text))


def is_public(symbol, classes, functions, words):
    name = re.sub(r"^(typeinfo|typeinfo name|vtable) for ", "", symbol)
    about_class = name != symbol
    name = re.sub(r"\[abi:\w+\]", "", name).split("(")[0]
    parts = name.split("::")
    if parts[0] != "tern":
        return False
    parts = parts[2:] if parts[1:2] == ["graph"] and len(parts) > 2 else parts[1:]
    if about_class:
        return len(parts) == 1 and parts[0] in classes
    if len(parts) == 1:
        return parts[0] in functions
    # A member of a public class that the headers speak of; of an operator only that word.
    return len(parts) == 2 and parts[0] in classes and re.match(r"~?(\w*)", parts[1])[1] in words


def check_exports(tool, library, include):
    declared = public_names(include)
    exported = nm(tool, library, "--dynamic", "--defined-only")
    if not any(symbol.startswith("tern::graph::graph::") for symbol in exported):
        return [f"{library}: exports no tern::graph::graph"]
    print(f"{library.name}: {len(exported)} symbols exported")
    return [
        f"{library}: exports {symbol}" for symbol in exported if not is_public(symbol, *declared)
    ]


def check_calls(tool, library, *options):
    messages = []
    for symbol in nm(tool, library, "--undefined-only", *options):
        name = re.sub(r"@.*", "", symbol)
        if name in FORBIDDEN_CALLS:
            messages.append(f"{library}: calls {name}")
    return messages


def main():
    tool, folder, include = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    own_code_only = "--own" in sys.argv[4:]
    archive, shared = folder / "libtern.a", folder / "libtern.so"
    messages = []
    if shared.exists():
        messages += check_exports(tool, shared, include)
        if own_code_only:
            messages += check_calls(tool, shared, "--dynamic")
    elif archive.exists():
        messages += check_calls(tool, archive)
    else:
        messages.append(f"{folder}: no libtern")
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
