#include "workload/detail/dump_json.hpp"

#include <fmt/format.h>

namespace heapwright::workload::detail {

using model::detail::NodeKind;

std::optional<std::string_view> DumpJson::text() const {
    if (node().kind != NodeKind::kString) return std::nullopt;
    return tape_->text(node());
}

std::optional<std::uint64_t> DumpJson::number() const {
    if (node().kind != NodeKind::kUnsigned) return std::nullopt;
    return node().number;
}

DumpJson DumpJson::at(std::uint32_t child, std::uint64_t position) const {
    DumpJson value(*tape_, source_);
    value.parent_ = this;
    value.index_ = child;
    value.position_ = position;
    return value;
}

std::string_view DumpJson::key() const {
    return parent_ != nullptr && parent_->is_object() ? tape_->key(node()) : std::string_view{};
}

std::optional<DumpJson> DumpJson::find(std::string_view key) const {
    if (!is_object()) return std::nullopt;
    std::uint32_t child = index_ + 1;
    for (std::uint64_t i = 0; i < node().child_count; ++i) {
        if (tape_->key(tape_->node(child)) == key) return at(child, i);
        child = tape_->node(child).next;
    }
    return std::nullopt;
}

std::string DumpJson::pointer() const {
    if (parent_ == nullptr) return {};
    std::string pointer = parent_->pointer();
    pointer += '/';
    if (parent_->is_array()) return pointer + std::to_string(position_);
    for (const char c : key()) {  // RFC 6901
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
    return pointer;
}

std::string DumpJson::where() const {
    const std::string place = pointer();
    return place.empty() ? std::string(source_) : fmt::format("{}: {}", source_, place);
}

tl::unexpected<Error> DumpJson::error(std::string message, ErrorCode code, std::optional<std::uint64_t> value,
                                      std::optional<std::uint64_t> limit) const {
    return fail({.code = code, .message = std::move(message), .where = where(), .value = value, .limit = limit});
}

Result<DumpJson> DumpJson::require(std::string_view key) const {
    if (const auto value = find(key)) return *value;
    return error(fmt::format("missing key \"{}\"", key));
}

Result<std::uint64_t> DumpJson::require_number(std::string_view key, std::uint64_t limit) const {
    HEAPWRIGHT_ASSIGN(const auto number, number_of(key, limit));
    if (!number) return error(fmt::format("missing key \"{}\"", key));
    return *number;
}

Result<std::optional<std::uint64_t>> DumpJson::number_of(std::string_view key, std::uint64_t limit) const {
    const auto value = find(key);
    if (!value) return std::optional<std::uint64_t>();
    const auto number = value->number();
    if (!number) {
        return value->error(
            fmt::format("expected a whole number from 0, here is {}", model::detail::to_string(value->node().kind)));
    }
    if (*number > limit) return value->error("number too large", ErrorCode::kOutOfRange, *number, limit);
    return number;
}

std::string DumpJson::text_of(std::string_view key) const {
    const auto value = find(key);
    return value ? std::string(value->text().value_or("")) : std::string();
}

}  // namespace heapwright::workload::detail
