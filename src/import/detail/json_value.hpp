// A place in a parsed JSON text, for reading files whose layout is not ours: every access may find nothing.
// Refers to the tape and the source name that it was made with. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "model/detail/json_tape.hpp"

namespace heapwright::imports::detail {

class JsonValue {
public:
    JsonValue(const model::detail::JsonTape& tape, std::string_view source) : tape_(&tape), source_(source) {}

    [[nodiscard]] bool is_object() const { return node().kind == model::detail::NodeKind::kObject; }
    [[nodiscard]] bool is_array() const { return node().kind == model::detail::NodeKind::kArray; }
    [[nodiscard]] bool is_bool() const { return node().kind == model::detail::NodeKind::kBool; }
    // Members of an object or items of an array; 0 for anything else.
    [[nodiscard]] std::uint64_t size() const;

    // Nothing when this is no object or has no such key.
    [[nodiscard]] std::optional<JsonValue> find(std::string_view key) const;
    // The value under several keys, each below the one before.
    template <class... Keys>
    [[nodiscard]] std::optional<JsonValue> find(std::string_view key, Keys... more) const {
        const auto child = find(key);
        return child ? child->find(std::string_view(more)...) : std::nullopt;
    }

    // Calls visit(key, value) for each member, or visit("", value) for each item; stops at the first error.
    template <class Visit>
    Status for_each(Visit&& visit) const {
        std::uint32_t child = index_ + 1;
        for (std::uint64_t i = 0; i < size(); ++i) {
            const JsonValue value = at(child, i);
            HEAPWRIGHT_TRY(visit(is_object() ? tape_->key(tape_->node(child)) : std::string_view{}, value));
            child = tape_->node(child).next;
        }
        return {};
    }

    // An unsigned integer, a real without fraction, a boolean (0 or 1), or a text that holds one of these.
    [[nodiscard]] std::optional<std::uint64_t> number() const;
    [[nodiscard]] std::optional<std::string_view> text() const;

    // For messages: a text in quotes, a number, "an object"; cut after a line's worth.
    [[nodiscard]] std::string shown() const;

    // "/pointer/to/this"; empty at the root.
    [[nodiscard]] const std::string& pointer() const { return pointer_; }
    // "SOURCE: /pointer/to/this".
    [[nodiscard]] std::string where() const;
    [[nodiscard]] tl::unexpected<Error> error(std::string message, ErrorCode code = ErrorCode::kSchemaViolation,
                                              std::optional<std::uint64_t> value = {},
                                              std::optional<std::uint64_t> limit = {}) const;

    // The same with an error in place of nothing.
    [[nodiscard]] Result<JsonValue> require(std::string_view key) const;
    [[nodiscard]] Result<std::uint64_t> require_number(std::string_view key, std::uint64_t limit) const;

private:
    [[nodiscard]] const model::detail::Node& node() const { return tape_->node(index_); }
    [[nodiscard]] JsonValue at(std::uint32_t child, std::uint64_t position) const;

    const model::detail::JsonTape* tape_;
    std::string_view source_;
    std::uint32_t index_ = 0;
    std::string pointer_;
};

// Of a value that may be missing: nothing, or an empty text, where it is not what is asked for.
[[nodiscard]] std::string text_of(const std::optional<JsonValue>& value);
[[nodiscard]] std::optional<std::uint32_t> number32(const std::optional<JsonValue>& value);
// "0c0f..." of an array of `count` bytes.
[[nodiscard]] std::string hex_of(const std::optional<JsonValue>& array, std::size_t count);

}  // namespace heapwright::imports::detail
