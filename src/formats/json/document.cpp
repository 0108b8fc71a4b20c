// SPDX-License-Identifier: Apache-2.0
#include "formats/json/document.hpp"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tern::formats {
namespace {

/// Hands out the text byte by byte and tells the handler how far the parser has come, which the
/// parser itself only tells in its own errors.
class counting_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    counting_iterator(const char *at, const char **reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    counting_iterator &operator++() {
        *reached_ = ++at_;
        return *this;
    }
    counting_iterator operator++(int) {
        counting_iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const counting_iterator &a, const counting_iterator &b) {
        return a.at_ == b.at_;
    }
    friend bool operator!=(const counting_iterator &a, const counting_iterator &b) {
        return !(a == b);
    }

private:
    const char *at_;
    const char **reached_;
};

/// Builds the tree out of the parser's events. The stack of open lists and objects is explicit; its
/// depth is bounded, so that destroying the tree is, too.
class tree_builder final : public nlohmann::json_sax<nlohmann::json> {
public:
    tree_builder(std::string_view text, const std::string &name, const char *const &reached)
        : text_(text),
          name_(name),
          reached_(reached) {}

    json_value take() { return std::move(root_); }

    bool null() override { return add({}); }
    bool boolean(bool value) override {
        json_value leaf;
        leaf.type = json_value::kind::boolean;
        leaf.truth = value;
        return add(std::move(leaf));
    }
    bool number_integer(std::int64_t value) override {
        json_value leaf;
        leaf.type = json_value::kind::integer;
        leaf.integer = value;
        leaf.natural = static_cast<std::uint64_t>(value);
        leaf.real = static_cast<double>(value);
        return add(std::move(leaf));
    }
    bool number_unsigned(std::uint64_t value) override {
        if (value <= static_cast<std::uint64_t>(INT64_MAX))
            return number_integer(static_cast<std::int64_t>(value));
        json_value leaf;
        leaf.type = json_value::kind::unsigned_integer;
        leaf.natural = value;
        leaf.real = static_cast<double>(value);
        return add(std::move(leaf));
    }
    bool number_float(double value, const std::string &written) override {
        json_value leaf;
        leaf.type = json_value::kind::real;
        leaf.real = value;
        leaf.text = written;
        return add(std::move(leaf));
    }
    bool string(std::string &value) override {
        json_value leaf;
        leaf.type = json_value::kind::string;
        leaf.text = std::move(value);
        return add(std::move(leaf));
    }
    bool binary(nlohmann::json::binary_t &) override { return false; }

    bool start_object(std::size_t) override { return open(json_value::kind::object); }
    bool start_array(std::size_t) override { return open(json_value::kind::list); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string &value) override {
        json_value &object = *open_.back();
        if (std::find(object.keys.begin(), object.keys.end(), value) != object.keys.end())
            fail_here(format_text("key \"{}\" is given twice in one object", value));
        if (object.keys.size() == max_json_keys)
            fail_here(format_text("an object has more than {} keys", max_json_keys));
        object.keys.push_back(std::move(value));
        return true;
    }

    bool parse_error(std::size_t position, const std::string &,
            const nlohmann::json::exception &error) override {
        // The library's text begins with its own code and position; ours stands first.
        std::string_view what = error.what();
        what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
        if (what.substr(0, 11) == "parse error")
            what.remove_prefix(std::min(what.find(": ") + 2, what.size()));
        fail(status::invalid_arguments, "{}: malformed JSON: {}",
                position_in(text_, name_, position == 0 ? 0 : position - 1), what);
    }

private:
    std::size_t offset() const {
        // After a number the parser has already read one byte more.
        auto at = static_cast<std::size_t>(reached_ - text_.data());
        while (at > 0 && std::string_view(" \t\r\n,]}").find(text_[at - 1]) != std::string::npos)
            --at;
        return at == 0 ? 0 : at - 1;
    }

    [[noreturn]] void fail_here(const std::string &what) const {
        fail(status::invalid_arguments, "{}: {}", position_in(text_, name_, offset()), what);
    }

    /// Puts a value where it belongs and returns its place.
    json_value &place(json_value &&value) {
        if (++count_ > max_json_values)
            fail_here(format_text("more than {} values", max_json_values));
        value.offset = offset();
        if (open_.empty()) return root_ = std::move(value);
        open_.back()->items.push_back(std::move(value));
        return open_.back()->items.back();
    }

    bool add(json_value &&value) {
        place(std::move(value));
        return true;
    }

    bool open(json_value::kind kind) {
        if (open_.size() == max_json_depth)
            fail_here(format_text("nested deeper than {} levels", max_json_depth));
        json_value branch;
        branch.type = kind;
        // An open value's address stays: only the innermost open value's items grow.
        open_.push_back(&place(std::move(branch)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    const std::string &name_;
    const char *const &reached_;
    json_value root_;
    std::vector<json_value *> open_;
    std::size_t count_ = 0;
};

} // namespace

const json_value *json_value::find(std::string_view key) const {
    auto at = std::find(keys.begin(), keys.end(), key);
    return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

bool json_value::is_number() const {
    return type == kind::integer || type == kind::unsigned_integer || type == kind::real;
}

std::string describe(const json_value &value) {
    switch (value.type) {
        case json_value::kind::null: return "null";
        case json_value::kind::boolean: return value.truth ? "true" : "false";
        case json_value::kind::integer: return format_text("the number {}", value.integer);
        case json_value::kind::unsigned_integer: return format_text("the number {}", value.natural);
        case json_value::kind::real: return format_text("the number {}", value.text);
        case json_value::kind::list: return format_text("a list of {}", value.items.size());
        case json_value::kind::object: return "an object";
        case json_value::kind::string: break;
    }
    constexpr std::size_t longest = 60;
    if (value.text.size() <= longest) return format_text("the string \"{}\"", value.text);
    return format_text("the string \"{}...\"", value.text.substr(0, longest));
}

json_value parse_json(std::string_view text, const std::string &name) {
    // Said here, because the library's words for it differ between its versions.
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        fail(status::invalid_arguments, "{}: malformed JSON: the file is empty",
                position_in(text, name, 0));
    const char *reached = text.data();
    tree_builder builder(text, name, reached);
    counting_iterator begin(text.data(), &reached);
    counting_iterator end(text.data() + text.size(), &reached);
    // Every failure throws out of the builder.
    nlohmann::json::sax_parse(begin, end, &builder);
    return builder.take();
}

std::string position_in(std::string_view text, const std::string &name, std::size_t offset) {
    std::string_view before = text.substr(0, std::min(offset, text.size()));
    auto line = std::count(before.begin(), before.end(), '\n') + 1;
    std::size_t newline = before.rfind('\n');
    std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return format_text("{}:{}:{}", name, line, column);
}

} // namespace tern::formats
