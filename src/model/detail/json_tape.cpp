#include "model/detail/json_tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

namespace heapwright::model::detail {
namespace {

// nlohmann's message without its prefix "[json.exception.parse_error.101] parse error at line 1, column 5: ".
std::string reason_of(const std::exception& error) {
    const std::string_view text = error.what();
    const std::size_t colon = text.find(": ");
    return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

// Of the last of `offset` bytes, both from 1. A line end belongs to the line that it ends.
std::string position_of(std::string_view text, std::size_t offset) {
    std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t line_end = before.ends_with('\n') ? 1 : 0;
    before.remove_suffix(line_end);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    return fmt::format("line {}, column {}", line, before.size() - (before.rfind('\n') + 1) + line_end);
}

// How much the tape of a text holds at most, counted without parsing it.
struct TapeSize {
    std::uint64_t values = 1;
    std::uint64_t string_bytes = 0;
    std::uint64_t keys = 0;

    // The keys of one object are sorted to find a repeated one.
    [[nodiscard]] std::uint64_t bytes() const {
        return values * sizeof(Node) + string_bytes + keys * sizeof(std::string_view);
    }
};

// Of the position after a comment that begins at `at`, which is `at` where none does.
std::size_t after_comment(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
    if (!rest.starts_with("/*")) return at;
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
}

TapeSize count_values(std::string_view text, bool with_comments) {
    TapeSize size;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
            case ',':
            case '[':
            case '{': ++size.values; break;
            case ':': ++size.keys; break;
            case '"': {
                const std::size_t start = ++at;
                while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? std::size_t{2} : std::size_t{1};
                size.string_bytes += std::min(at, text.size()) - start;
                break;
            }
            case '/':
                if (!with_comments) break;
                // The loop goes on behind it.
                if (const std::size_t end = after_comment(text, at); end != at) at = end - 1;
                break;
            default: break;
        }
    }
    return size;
}

}  // namespace

class TapeBuilder {
public:
    TapeBuilder(JsonTape& tape, const TapeSize& size) : tape_(tape) {
        tape_.nodes_.reserve(size.values);
        tape_.strings_.reserve(size.string_bytes);
    }

    [[nodiscard]] const std::string& reason() const { return reason_; }
    [[nodiscard]] std::size_t offset() const { return offset_; }

    bool null() { return add(NodeKind::kNull), true; }
    bool boolean(bool value) { return add(NodeKind::kBool).number = value ? 1 : 0, true; }
    bool number_integer(std::int64_t value) { return add(NodeKind::kNegative).negative = value, true; }
    bool number_unsigned(std::uint64_t value) { return add(NodeKind::kUnsigned).number = value, true; }
    bool number_float(double value, const std::string& literal) {
        const bool integer = literal.find_first_of(".eE") == std::string::npos;
        add(integer ? NodeKind::kTooLarge : NodeKind::kReal).real = value;
        return true;
    }
    bool string(std::string& value) {
        Node& node = add(NodeKind::kString);
        node.text_offset = tape_.strings_.size();
        node.text_length = static_cast<std::uint32_t>(value.size());
        tape_.strings_ += value;
        return true;
    }
    static bool binary(std::vector<std::uint8_t>&) { return false; }
    bool start_object(std::size_t) { return open(NodeKind::kObject); }
    bool start_array(std::size_t) { return open(NodeKind::kArray); }
    bool end_object() {
        const std::uint32_t index = open_.back();
        if (!keys_are_distinct(index)) return false;
        return close();
    }
    bool end_array() { return close(); }
    bool key(std::string& value) {
        key_offset_ = tape_.strings_.size();
        key_length_ = static_cast<std::uint32_t>(value.size());
        tape_.strings_ += value;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const std::exception& error) {
        reason_ = reason_of(error);
        offset_ = position;
        return false;
    }

private:
    Node& add(NodeKind kind) {
        if (!open_.empty()) ++tape_.nodes_[open_.back()].child_count;
        const auto next = static_cast<std::uint32_t>(tape_.nodes_.size() + 1);
        Node& node = tape_.nodes_.emplace_back();
        node.kind = kind;
        node.key_offset = key_offset_;
        node.key_length = key_length_;
        node.next = next;
        key_length_ = 0;
        return node;
    }

    bool open(NodeKind kind) {
        if (open_.size() == JsonTape::kMaxDepth) {
            reason_ = fmt::format("nested deeper than {} levels", JsonTape::kMaxDepth);
            return false;
        }
        const auto index = static_cast<std::uint32_t>(tape_.nodes_.size());
        add(kind).child_count = 0;
        open_.push_back(index);
        return true;
    }

    bool close() {
        tape_.nodes_[open_.back()].next = static_cast<std::uint32_t>(tape_.nodes_.size());
        open_.pop_back();
        return true;
    }

    bool keys_are_distinct(std::uint32_t object) {
        const auto end = static_cast<std::uint32_t>(tape_.nodes_.size());
        const std::uint64_t count = tape_.nodes_[object].child_count;
        constexpr std::uint64_t kFew = 24;
        if (count > kFew) return many_keys_are_distinct(object, end, count);
        for (std::uint32_t index = object + 1; index < end; index = tape_.nodes_[index].next) {
            const std::string_view name = tape_.key(tape_.nodes_[index]);
            for (std::uint32_t other = object + 1; other < index; other = tape_.nodes_[other].next) {
                if (tape_.key(tape_.nodes_[other]) == name) return repeated(name);
            }
        }
        return true;
    }

    bool many_keys_are_distinct(std::uint32_t object, std::uint32_t end, std::uint64_t count) {
        std::vector<std::string_view> names;
        names.reserve(count);
        for (std::uint32_t index = object + 1; index < end; index = tape_.nodes_[index].next)
            names.push_back(tape_.key(tape_.nodes_[index]));
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        return twice == names.end() || repeated(*twice);
    }

    bool repeated(std::string_view name) {
        reason_ = fmt::format("key \"{}\" stands twice in one object", name);
        return false;
    }

    JsonTape& tape_;
    std::vector<std::uint32_t> open_;
    std::uint64_t key_offset_ = 0;
    std::uint32_t key_length_ = 0;
    std::string reason_;
    std::size_t offset_ = 0;
};

std::string_view to_string(NodeKind kind) {
    switch (kind) {
        case NodeKind::kNull: return "null";
        case NodeKind::kBool: return "a boolean";
        case NodeKind::kUnsigned: return "an integer";
        case NodeKind::kNegative: return "a negative integer";
        case NodeKind::kTooLarge: return "an integer beyond 64 bits";
        case NodeKind::kReal: return "a number with a fraction";
        case NodeKind::kString: return "a string";
        case NodeKind::kArray: return "an array";
        case NodeKind::kObject: return "an object";
    }
    return "unknown";
}

Result<JsonTape> JsonTape::parse(std::string_view text, std::string_view source, bool with_comments) {
    constexpr std::size_t kMaxTextBytes = 1ull << 31;  // node indices have 32 bits
    if (text.size() > kMaxTextBytes) {
        return fail({.code = ErrorCode::kParseError,
                     .message = "text is too long",
                     .where = std::string(source),
                     .value = text.size(),
                     .limit = kMaxTextBytes});
    }
    const TapeSize size = count_values(text, with_comments);
    const std::uint64_t budget_bytes = JsonTape::budget_bytes(text.size());
    if (size.bytes() > budget_bytes) {
        return fail({.code = ErrorCode::kParseError,
                     .message = fmt::format("its {} values take more memory than a text of its size may", size.values),
                     .where = std::string(source),
                     .value = size.bytes(),
                     .limit = budget_bytes});
    }
    JsonTape tape;
    tape.spare_bytes_ = budget_bytes - size.bytes();
    TapeBuilder builder(tape, size);
    try {
        constexpr bool kToTheEnd = true;
        if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json,
                                      kToTheEnd, with_comments)) {
            return tape;
        }
    } catch (const std::exception& error) {
        return fail(ErrorCode::kParseError, reason_of(error), std::string(source));
    }
    std::string where(source);
    if (builder.offset() != 0) where += ": " + position_of(text, builder.offset());
    return fail(ErrorCode::kParseError, builder.reason(), std::move(where));
}

}  // namespace heapwright::model::detail
