#include "workload/recording_line.hpp"

#include <fmt/format.h>

#include <charconv>

namespace heapwright::workload {

std::string_view take_recorded_line(std::string_view& text) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::string_view RecordingLine::field() {
    ++column_;
    if (at_end_) refuse("the line ends here, and a field is expected");
    const auto comma = rest_.find(',');
    const std::string_view taken = rest_.substr(0, comma);
    at_end_ = comma == std::string_view::npos;
    rest_ = at_end_ ? std::string_view{} : rest_.substr(comma + 1);
    return taken;
}

std::uint64_t RecordingLine::number(std::uint64_t smallest, std::uint64_t largest) {
    const std::string_view text = field();
    std::uint64_t value = smallest;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= smallest && value <= largest) return value;
    refuse(fmt::format("\"{}\" is not a number from {} to {}", text.substr(0, 40), smallest, largest));
    return smallest;
}

std::uint32_t RecordingLine::small_number(std::uint32_t smallest, std::uint32_t largest) {
    return static_cast<std::uint32_t>(number(smallest, largest));
}

std::optional<std::uint64_t> RecordingLine::parse_address(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    if (text.empty() || text == "(nil)") return 0;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::uint64_t RecordingLine::address() {
    const std::string_view text = field();
    if (const auto value = parse_address(text)) return *value;
    refuse(fmt::format("\"{}\" is no address in hexadecimal", text.substr(0, 40)));
    return 0;
}

void RecordingLine::refuse(std::string message) {
    if (error_) return;
    error_ = Error{.code = ErrorCode::kParseError,
                   .message = std::move(message),
                   .where = fmt::format("{}:{}:{}", source_, number_, column_)};
}

Status RecordingLine::finish() {
    if (error_) return fail(std::move(*error_));
    return {};
}

}  // namespace heapwright::workload
