#include "import/detail/json_value.hpp"

#include <fmt/format.h>

#include "import/detail/number_limits.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"

namespace heapwright::imports::detail {

using model::detail::NodeKind;

std::uint64_t JsonValue::size() const {
    return is_object() || is_array() ? node().child_count : 0;
}

JsonValue JsonValue::at(std::uint32_t child, std::uint64_t position) const {
    JsonValue value = *this;
    value.index_ = child;
    value.pointer_ += '/';
    if (is_object()) {
        value.pointer_ += tape_->key(tape_->node(child));
    } else {
        value.pointer_ += std::to_string(position);
    }
    return value;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
    if (!is_object()) return std::nullopt;
    std::uint32_t child = index_ + 1;
    for (std::uint64_t i = 0; i < size(); ++i) {
        if (tape_->key(tape_->node(child)) == key) return at(child, i);
        child = tape_->node(child).next;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> JsonValue::number() const {
    constexpr double kTwoTo64 = 18446744073709551616.0;
    const model::detail::Node& here = node();
    switch (here.kind) {
        case NodeKind::kBool:
        case NodeKind::kUnsigned: return here.number;
        case NodeKind::kReal: {
            if (!(here.real >= 0 && here.real < kTwoTo64)) return std::nullopt;
            const auto whole = static_cast<std::uint64_t>(here.real);
            if (static_cast<double>(whole) != here.real) return std::nullopt;
            return whole;
        }
        case NodeKind::kString: return parse_number(tape_->text(here));
        default: return std::nullopt;
    }
}

std::optional<std::string_view> JsonValue::text() const {
    if (node().kind != NodeKind::kString) return std::nullopt;
    return tape_->text(node());
}

std::string JsonValue::shown() const {
    if (const auto text = this->text()) return quoted_start(*text);
    if (is_bool()) return number() == 0 ? "false" : "true";
    if (const auto value = number()) return fmt::format("{}", *value);
    if (node().kind == NodeKind::kNegative) return fmt::format("{}", node().negative);
    if (node().kind == NodeKind::kReal) return fmt::format("{}", node().real);
    return std::string(model::detail::to_string(node().kind));
}

std::string JsonValue::where() const {
    return pointer_.empty() ? std::string(source_) : fmt::format("{}: {}", source_, pointer_);
}

tl::unexpected<Error> JsonValue::error(std::string message, ErrorCode code, std::optional<std::uint64_t> value,
                                       std::optional<std::uint64_t> limit) const {
    return fail({.code = code, .message = std::move(message), .where = where(), .value = value, .limit = limit});
}

Result<JsonValue> JsonValue::require(std::string_view key) const {
    if (auto value = find(key)) return *value;
    return error(fmt::format("missing key \"{}\"", key));
}

Result<std::uint64_t> JsonValue::require_number(std::string_view key, std::uint64_t limit) const {
    HEAPWRIGHT_ASSIGN(const JsonValue value, require(key));
    const auto number = value.number();
    if (!number) return value.error(fmt::format("expected a whole number from 0, here is {}", value.shown()));
    if (*number > limit) return value.error("number too large", ErrorCode::kOutOfRange, *number, limit);
    return *number;
}

std::string text_of(const std::optional<JsonValue>& value) {
    return value ? std::string(value->text().value_or("")) : std::string();
}

std::optional<std::uint32_t> number32(const std::optional<JsonValue>& value) {
    const auto number = value ? value->number() : std::nullopt;
    if (!number || *number > kMax32) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::string hex_of(const std::optional<JsonValue>& array, std::size_t count) {
    if (!array || !array->is_array() || array->size() != count) return {};
    std::string text;
    const Status read = array->for_each([&text](std::string_view, const JsonValue& item) -> Status {
        const auto byte = item.number();
        if (!byte || *byte > 0xff) return item.error("no byte");
        text += fmt::format("{:02x}", *byte);
        return {};
    });
    return read ? text : std::string();
}

}  // namespace heapwright::imports::detail
