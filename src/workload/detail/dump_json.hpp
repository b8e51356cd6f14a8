// A place in a dump's JSON. It knows its parents, so that a pointer is spelled only for an error: a dump has a million
// values. Refers to the tape, the source and its parent, which outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "model/detail/json_tape.hpp"

namespace heapwright::workload::detail {

inline constexpr std::uint64_t kMostBytes = 1ull << 48;

class DumpJson {
public:
    DumpJson(const model::detail::JsonTape& tape, std::string_view source) : tape_(&tape), source_(source) {}

    [[nodiscard]] bool is_object() const { return node().kind == model::detail::NodeKind::kObject; }
    [[nodiscard]] bool is_array() const { return node().kind == model::detail::NodeKind::kArray; }
    [[nodiscard]] std::optional<std::string_view> text() const;
    [[nodiscard]] std::optional<std::uint64_t> number() const;

    // Nothing when this is no object or has no such key.
    [[nodiscard]] std::optional<DumpJson> find(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }

    // visit(key, value) for each member, visit("", value) for each item; stops at the first error.
    template <class Visit>
    Status for_each(Visit&& visit) const {
        if (!is_object() && !is_array()) return error("expected an object or a list");
        std::uint32_t child = index_ + 1;
        for (std::uint64_t i = 0; i < node().child_count; ++i) {
            const DumpJson value = at(child, i);
            HEAPWRIGHT_TRY(visit(value.key(), value));
            child = tape_->node(child).next;
        }
        return {};
    }

    // "/pointer/to/this", and with the source before it.
    [[nodiscard]] std::string pointer() const;
    [[nodiscard]] std::string where() const;
    [[nodiscard]] tl::unexpected<Error> error(std::string message, ErrorCode code = ErrorCode::kSchemaViolation,
                                              std::optional<std::uint64_t> value = {},
                                              std::optional<std::uint64_t> limit = {}) const;

    [[nodiscard]] Result<DumpJson> require(std::string_view key) const;
    // A whole number under the key, up to `limit`.
    [[nodiscard]] Result<std::uint64_t> require_number(std::string_view key, std::uint64_t limit) const;
    // The same, or nothing without the key.
    [[nodiscard]] Result<std::optional<std::uint64_t>> number_of(std::string_view key, std::uint64_t limit) const;
    [[nodiscard]] std::string text_of(std::string_view key) const;

private:
    [[nodiscard]] const model::detail::Node& node() const { return tape_->node(index_); }
    [[nodiscard]] std::string_view key() const;
    [[nodiscard]] DumpJson at(std::uint32_t child, std::uint64_t position) const;

    const model::detail::JsonTape* tape_;
    std::string_view source_;
    const DumpJson* parent_ = nullptr;
    std::uint32_t index_ = 0;
    std::uint64_t position_ = 0;
};

}  // namespace heapwright::workload::detail
