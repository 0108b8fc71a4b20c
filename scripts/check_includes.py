#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: the parts of src/ and their order are the tables below.

    scripts/check_includes.py [root of the source tree]

Prints file:line messages and exits 1 when a rule is broken.
"""

import pathlib
import re
import sys

# --- the rules ---------------------------------------------------------------------------------

# Folder below src/ -> what of src/ it may include beside itself: folders, or single headers. What
# is not listed may not be included.
MAY_INCLUDE = {
    "base": [],
    "ir": ["base"],
    "ops": ["ir", "base"],
    "kernels": ["base"],
    # The loops are what a primitive that cannot run falls back to.
    "primitives": ["kernels/select/select.hpp", "base"],
    # Only to say in the verbose header which instructions the loops use.
    "runtime": ["ops", "ir", "base", "kernels/select/select.hpp"],
    "compiler": ["runtime", "primitives", "kernels", "ops", "ir", "base"],
    "formats": ["ops", "ir", "base"],
    # Only the writers: what the library dumps.
    "api": ["formats/json/graph_file.hpp", "formats/dot/graph_dot.hpp", "compiler", "runtime",
            "primitives", "kernels", "ops", "ir", "base"],
    # The driver does what any user can: it runs graphs through the public headers.
    "driver": ["formats", "ops", "ir", "base"],
}

# The vocabulary, which every part shares. The other public headers are for those listed: below
# them nothing knows the public classes.
SHARED_PUBLIC = {"tern/types.hpp", "tern/value.hpp", "tern/value_type.hpp", "tern/version.hpp",
                 "tern/export.hpp"}
MAY_INCLUDE_PUBLIC = {"api", "driver"}
PUBLIC_BELOW = {
    "tern/engine.hpp": ["src/runtime/engine_state.hpp"],  # takes the allocator's function types
}

# Third-party headers, by how the name begins -> files (by how the path begins) that may include
# them.
LIBRARIES = {
    "oneapi/tbb": ["src/base/parallel."],
    "tbb/": ["src/base/parallel."],
    "hwy/": ["src/kernels/", "src/base/cpu."],
    "oneapi/dnnl": ["src/primitives/"],
    "dnnl": ["src/primitives/"],
    "omp.h": ["src/primitives/"],
    "nlohmann/": ["src/formats/", "src/driver/"],
    "fmt/": ["src/"],
}

# Functions that only some files may call.
CALLS = {
    "getenv": ["src/runtime/environment.cpp", "src/driver/"],
}

# Folders whose parts may have folders of their own.
NESTED = {"kernels", "formats"}

# --- the check ---------------------------------------------------------------------------------

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_0-9]+$")  # <vector>: no folder, no ending
LINE_COMMENT = re.compile(r"//.*")


def begins(name, beginnings):
    return any(name.startswith(beginning) for beginning in beginnings)


def check_own(path, part, name, root):
    """An include of a header of Tern's, by its quoted name."""
    if name.startswith("tern/"):
        if part == "include" or part in MAY_INCLUDE_PUBLIC:
            return None
        if name in SHARED_PUBLIC or name.endswith(".def") or path in PUBLIC_BELOW.get(name, []):
            return None
        return f"src/{part} may not include the public header {name}"
    if part == "include":
        return f'a public header includes only the standard library and "tern/...", not "{name}"'
    if not (root / "src" / name).is_file():
        return f'"{name}" is not a path below src/'
    other = name.split("/")[0]
    if other == part or other in MAY_INCLUDE[part] or name in MAY_INCLUDE[part]:
        return None
    return f"src/{part} may not include {name}"


def check_library(path, part, name):
    """An include of anybody else's header, in angle brackets."""
    if STANDARD.match(name):
        return None
    if part == "include":
        return f"a public header includes only the standard library, not <{name}>"
    for library, files in LIBRARIES.items():
        if name.startswith(library):
            if begins(path, files):
                return None
            return f"<{name}> may be included only in {', '.join(files)}"
    if name.startswith("tern/"):
        return f'<{name}> is one of Tern\'s own: write "{name}"'
    return None  # headers of the system


def check_line(path, part, line, root):
    match = INCLUDE.match(line)
    if match:
        bracket, name = match.groups()
        if bracket == '"':
            return check_own(path, part, name, root)
        return check_library(path, part, name)
    code = LINE_COMMENT.sub("", line)
    for function, files in CALLS.items():
        if re.search(rf"\b{function}\s*\(", code) and not begins(path, files):
            return f"{function} may be called only in {', '.join(files)}"
    return None


def check_place(path):
    """Where a file lies: src/<part>/<file>, or one folder deeper where that is allowed."""
    folders = path.split("/")[1:-1]
    if len(folders) == 0 or folders[0] not in MAY_INCLUDE:
        return f"no part of src/ that {pathlib.Path(__file__).name} knows"
    if len(folders) > (2 if folders[0] in NESTED else 1):
        return "too many folders below src/"
    return None


def check_tree(root):
    messages = []
    for folder in ("include", "src"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in {".hpp", ".cpp", ".def", ".in"}:
                continue
            path = file.relative_to(root).as_posix()
            wrong_place = check_place(path) if folder == "src" else None
            if wrong_place:
                messages.append(f"{path}:1: {wrong_place}")
                continue
            part = path.split("/")[1] if folder == "src" else "include"
            for number, line in enumerate(file.read_text().splitlines(), 1):
                wrong = check_line(path, part, line, root)
                if wrong:
                    messages.append(f"{path}:{number}: {wrong}")
    return messages


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    messages = check_tree(root.resolve())
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
