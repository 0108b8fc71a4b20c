// SPDX-License-Identifier: Apache-2.0
#include "driver/command_line.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "driver/option_list.hpp"
#include "driver/option_values.hpp"
#include "formats/file.hpp"

namespace tern::driver {
namespace {

/// Bounds what batch files that include one another again and again can ask for.
constexpr std::size_t max_tokens = 1'000'000;
constexpr std::size_t max_batches = 10'000;
constexpr std::size_t max_batch_depth = 30;

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class command_line_reader {
public:
    run_plan read(const std::vector<std::string> &arguments) {
        std::size_t at = read_before_driver(arguments);
        for (; at < arguments.size() && !plan_.help; ++at)
            read_token(arguments[at]);
        return std::move(plan_);
    }

private:
    /// Global options up to --graph or --onnx. Returns the position behind it.
    std::size_t read_before_driver(const std::vector<std::string> &arguments) {
        if (arguments.empty()) fail_usage(1, "no arguments; try benchtern --help");
        for (std::size_t at = 0; at < arguments.size(); ++at) {
            const std::string &token = arguments[at];
            if (token == "--graph" || token == "--onnx") {
                plan_.settings.onnx = token == "--onnx";
                return at + 1;
            }
            if (token == "--help") {
                plan_.help = true;
                return at + 1;
            }
            if (!read_value_option(token, global_options()))
                fail_usage(1, "expected a global option or --graph (or --onnx), found '{}'{}",
                        token,
                        goes_behind_graph(token) ? ": this option goes behind --graph or --onnx"
                                                 : suggestion(token));
        }
        fail_usage(1, "no driver given: --graph is missing (or --onnx)");
    }

    std::span<const value_option> own_options() const {
        return plan_.settings.onnx ? onnx_options() : graph_options();
    }

    static bool goes_behind_graph(std::string_view token) {
        std::string_view name = name_in(token);
        return name == "case" || name == "batch" || name == "reset"
               || find_option(token, graph_options()) != nullptr
               || find_option(token, onnx_options()) != nullptr;
    }

    static std::string_view name_in(std::string_view token) {
        if (token.substr(0, 2) != "--") return {};
        return token.substr(2, token.find('=') - 2);
    }

    static const value_option *find_option(
            std::string_view token, std::span<const value_option> options) {
        std::string_view name = name_in(token);
        for (const value_option &option : options)
            if (option.name == name) return &option;
        return nullptr;
    }

    bool read_value_option(const std::string &token, std::span<const value_option> options) {
        option_target target{plan_.settings, alternatives_};
        std::string_view text = token;
        if (text.substr(0, 2) == "-v" && options.data() == global_options().data()) {
            read_value_option("--verbose=" + token.substr(2), options);
            return true;
        }
        const value_option *option = find_option(text, options);
        if (option == nullptr) return false;
        std::size_t equals = text.find('=');
        if (equals == std::string_view::npos)
            fail_usage(1, "option --{}: expected --{}={}", option->name, option->name,
                    option->value_name);
        option->set(text.substr(equals + 1), target);
        return true;
    }

    void read_token(const std::string &token) {
        if (++tokens_ > max_tokens) fail_usage(1, "more than {} options", max_tokens);
        constexpr std::string_view case_option = "--case=";
        constexpr std::string_view batch_option = "--batch=";
        if (token == "--help")
            plan_.help = true;
        else if (token == "--reset")
            alternatives_ = case_alternatives();
        else if (token.compare(0, case_option.size(), case_option) == 0)
            add_case(token.substr(case_option.size()));
        else if (token.compare(0, batch_option.size(), batch_option) == 0)
            read_batch(token.substr(batch_option.size()));
        else if (!read_value_option(token, global_options())
                 && !read_value_option(token, own_options()))
            fail_unknown(token);
    }

    void add_case(const std::string &name) {
        if (name.empty()) fail_usage(1, "option --case: expected a file name, found nothing");
        plan_.cases.push_back({files_.find(name), alternatives_, plan_.settings});
    }

    void read_batch(const std::string &name) {
        if (name.empty()) fail_usage(1, "option --batch: expected a file name, found nothing");
        std::string path = files_.find(name);
        std::error_code ignored;
        std::string identity = std::filesystem::weakly_canonical(path, ignored).string();
        if (std::find(open_batches_.begin(), open_batches_.end(), identity) != open_batches_.end())
            fail_usage(1, "option --batch: {} includes itself", path);
        if (open_batches_.size() == max_batch_depth)
            fail_usage(1, "option --batch: {}: nested deeper than {} files", path, max_batch_depth);
        if (++batches_ > max_batches)
            fail_usage(1, "option --batch: {}: more than {} files", path, max_batches);
        std::string text;
        try {
            text = formats::read_file(path);
        } catch (const error &failure) {
            fail_usage(1, "option --batch: {}", failure.message);
        }
        files_.add_folder_of(path);
        open_batches_.push_back(identity);
        for (const std::string &token : batch_tokens(text))
            read_token(token);
        open_batches_.pop_back();
    }

    static std::string suggestion(std::string_view token) {
        std::vector<std::string_view> similar = similar_options(name_in(token));
        if (similar.empty()) return "";
        std::string text = similar.size() == 1 ? "\nThe most similar option is:"
                                               : "\nThe most similar options are:";
        for (std::string_view name : similar)
            text += format_text("\n        {}", name);
        return text;
    }

    [[noreturn]] void fail_unknown(std::string_view token) const {
        std::string_view name = name_in(token);
        const std::string_view driver = plan_.settings.onnx ? "onnx" : "graph";
        if (find_option(token, plan_.settings.onnx ? graph_options() : onnx_options()))
            fail_usage(2, "option --{}: the driver --{} does not have it", name, driver);
        if (!name.empty() && is_other_benchdnn_option(name))
            fail_usage(2, "option --{}: benchdnn has it, this release of benchtern does not", name);
        if (!name.empty())
            fail_usage(
                    2, "unknown option for '{}' driver: '{}'.{}", driver, token, suggestion(token));
        if (!token.empty() && token[0] == '-')
            fail_usage(2, "options begin with two dashes; found '{}'", token);
        fail_usage(2, "unexpected argument '{}'; a {} is given as --case=FILE", token,
                plan_.settings.onnx ? "model" : "graph file");
    }

    run_plan plan_;
    case_alternatives alternatives_;
    file_search files_;
    std::vector<std::string> open_batches_;
    std::size_t tokens_ = 0;
    std::size_t batches_ = 0;
};

} // namespace

run_plan parse_command_line(const std::vector<std::string> &arguments) {
    return command_line_reader().read(arguments);
}

std::vector<std::string> batch_tokens(std::string_view text) {
    std::vector<std::string> tokens;
    bool glue = false;
    std::size_t at = 0;
    while (at < text.size()) {
        if (is_space(text[at])) {
            ++at;
            continue;
        }
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_space(text[end]))
            ++end;
        std::string token(text.substr(at, end - at));
        at = end;
        bool glue_next = token.back() == '\\';
        if (glue_next) token.pop_back();
        if (glue && !tokens.empty())
            tokens.back() += token;
        else if (!token.empty())
            tokens.push_back(std::move(token));
        glue = glue_next;
    }
    return tokens;
}

std::string help_text() {
    std::string text =
            "Usage: benchtern [global options] --graph [options] --case=FILE ...\n"
            "       benchtern [global options] --onnx [options] --case=PATH ...\n\n"
            "Runs graph cases in benchdnn's format, or ONNX models: PATH is a model, a folder "
            "with\n"
            "model.onnx and test_data_set_N in it, or a tree of such folders.\n"
            "Options act on the --case tokens behind them.\n"
            "A comma separates alternatives of an option; every combination runs.\n\n"
            "Global options:\n";
    auto list = [&](std::span<const value_option> options) {
        for (const value_option &option : options)
            text += format_text(
                    "    --{}={}\n        {}\n", option.name, option.value_name, option.help);
    };
    list(global_options());
    text += "    --help\n        this text\n\nOptions behind --graph:\n"
            "    --case=FILE\n        run a graph file\n"
            "    --batch=FILE\n        read options from a file\n"
            "    --reset\n        forget the options below\n";
    list(graph_options());
    text += "\nOptions behind --onnx: --case, --batch and --reset, and\n";
    list(onnx_options());
    text += "\nThe manual is docs/driver.md.\n";
    return text;
}

} // namespace tern::driver
