#include "heapwright/compare/fail_on.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "heapwright/compare/glob.hpp"

namespace heapwright::compare {
namespace {

constexpr std::string_view kHeapSize = "heap_size";
constexpr std::string_view kHeapSizePath = "/heaps/*/size_bytes";

// "4096", "0x1000".
std::optional<double> value_of(std::string_view text) {
    if (text.starts_with("0x")) {
        std::uint64_t bits = 0;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
        if (error == std::errc{} && end == text.data() + text.size()) return static_cast<double>(bits);
        return std::nullopt;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// to / from; nothing for values that are no numbers.
std::optional<double> ratio_of(const model::FieldChange& change) {
    if (change.test) return change.test->ratio;
    if (change.to.empty()) return 0;
    const auto from = value_of(change.from);
    const auto to = value_of(change.to);
    if (!from || !to || *from <= 0) return std::nullopt;
    return *to / *from;
}

bool is_broken(const FailOn& bound, const model::FieldChange& change) {
    if (!matches_path(bound.path, change.path)) return false;
    if (!bound.ratio) return true;
    const auto ratio = ratio_of(change);
    return ratio && (bound.below ? *ratio < *bound.ratio : *ratio > *bound.ratio);
}

}  // namespace

Result<FailOn> parse_fail_on(std::string_view text) {
    const std::size_t sign = text.find_last_of("<>");
    FailOn bound{.path = std::string(text.substr(0, sign))};
    if (bound.path == kHeapSize) bound.path = kHeapSizePath;
    if (!bound.path.starts_with('/')) {
        return fail(
            ErrorCode::kInvalidArgument,
            fmt::format("\"{}\" is no path; paths begin with \"/\", as \"/heaps/*/size_bytes<0.5\"", bound.path));
    }
    if (sign == std::string_view::npos) return bound;
    bound.below = text[sign] == '<';
    bound.ratio = value_of(text.substr(sign + 1));
    if (!bound.ratio || !std::isfinite(*bound.ratio) || *bound.ratio < 0)
        return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no ratio, as 0.5", text.substr(sign + 1)));
    return bound;
}

void enforce(std::span<const FailOn> bounds, model::FieldChange& change) {
    for (const FailOn& bound : bounds) {
        if (!is_broken(bound, change)) continue;
        change.status = model::ChangeStatus::kRegressed;
        change.reason = bound.ratio
                            ? fmt::format("{} {:g} times the baseline's", bound.below ? "below" : "above", *bound.ratio)
                            : "must not differ";
        return;
    }
}

}  // namespace heapwright::compare
