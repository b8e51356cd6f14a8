#include "core/byte_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "core/checked.hpp"
#include "core/count_text.hpp"

namespace heapwright {
namespace {

// The bytes of a unit, or nothing where there is no such unit.
std::optional<std::uint64_t> unit_bytes(std::string unit) {
    constexpr std::string_view kPrefixes = "kmgtpe";
    std::ranges::transform(unit, unit.begin(), [](unsigned char letter) { return std::tolower(letter); });
    if (unit.empty() || unit == "b") return 1;
    const std::size_t power = kPrefixes.find(unit.front());
    const std::string_view rest = std::string_view(unit).substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) return std::nullopt;
    return 1ull << (10 * (power + 1));
}

}  // namespace

std::string byte_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return counted(bytes, "byte");
    auto scaled = static_cast<double>(bytes);
    std::string_view unit;
    for (const std::string_view next : kUnits) {
        if (scaled < 1024) break;
        scaled /= 1024;
        unit = next;
    }
    return fmt::format("{:.4g} {}", scaled, unit);
}

Result<std::uint64_t> parse_byte_count(std::string_view text) {
    const auto refuse = [&](ErrorCode code, std::string_view why) {
        return fail(code, fmt::format("'{}' {}", text, why));
    };
    constexpr std::string_view kExpected = "is no size as 4096, 512MiB or 1.5GiB";
    const char* const end = text.data() + text.size();
    std::uint64_t whole = 0;
    auto [next, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc::result_out_of_range) return refuse(ErrorCode::kOutOfRange, "does not fit 64 bits");
    if (error != std::errc{}) return refuse(ErrorCode::kInvalidArgument, kExpected);
    double fraction = 0;
    if (next != end && *next == '.') {
        const auto digits = std::from_chars(next, end, fraction, std::chars_format::fixed);
        if (digits.ec != std::errc{}) return refuse(ErrorCode::kInvalidArgument, kExpected);
        next = digits.ptr;
    }
    if (next != end && *next == ' ') ++next;
    const auto factor = unit_bytes(std::string(next, end));
    if (!factor) return refuse(ErrorCode::kInvalidArgument, kExpected);
    const auto product = checked_mul(whole, *factor);
    const auto bytes = product
                           ? checked_add(*product, static_cast<std::uint64_t>(fraction * static_cast<double>(*factor)))
                           : std::nullopt;
    if (!bytes) return refuse(ErrorCode::kOutOfRange, "does not fit 64 bits");
    return *bytes;
}

}  // namespace heapwright
