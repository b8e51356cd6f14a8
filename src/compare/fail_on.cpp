#include "compare/fail_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "compare/glob.hpp"

namespace heapwright::compare {
namespace {

constexpr std::string_view kHeapSize = "heap_size";
constexpr std::string_view kHeapSizePath = "/heaps/*/size_bytes";

struct Unit {
    std::string_view name;
    double factor;
};
constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1e3},       {"ms", 1e6},      {"s", 1e9},     {"bytes", 1},
                           {"KiB", 0x1p10},   {"MiB", 0x1p20},   {"GiB", 0x1p30},  {"bytes/s", 1}, {"KiB/s", 0x1p10},
                           {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30}, {"TiB/s", 0x1p40}};

// "4096", "0x1000", "1.25 ms", "65 GiB/s"; of "4 of 112" the first.
std::optional<double> value_of(std::string_view text) {
    if (text.starts_with("0x")) {
        std::uint64_t bits = 0;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
        if (error == std::errc{} && end == text.data() + text.size()) return static_cast<double>(bits);
        return std::nullopt;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (rest.empty() || rest.starts_with(" of ")) return value;
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    const auto unit = std::ranges::find(kUnits, rest, &Unit::name);
    if (unit == std::end(kUnits)) return std::nullopt;
    return value * unit->factor;
}

// to / from, the least and the most of them; nothing for values that are no numbers. What is gone is nothing of it.
std::optional<std::pair<double, double>> ratios_of(std::string_view from_text, std::string_view to_text) {
    if (to_text.empty()) return std::pair{0.0, 0.0};
    constexpr std::string_view kRange = " to ";
    const std::size_t range = to_text.find(kRange);
    const auto from = value_of(from_text);
    const auto least = value_of(to_text.substr(0, range));
    const auto most = range == std::string_view::npos ? least : value_of(to_text.substr(range + kRange.size()));
    if (!from || !least || !most || *from <= 0) return std::nullopt;
    return std::pair{*least / *from, *most / *from};
}

bool is_broken(const FailOn& bound, const std::optional<std::pair<double, double>>& ratios) {
    if (!bound.ratio) return true;
    return ratios && (bound.below ? ratios->first < *bound.ratio : ratios->second > *bound.ratio);
}

template <class Change>
void enforce_on(std::span<const FailOn> bounds, std::string_view path,
                const std::optional<std::pair<double, double>>& ratios, Change& change) {
    for (const FailOn& bound : bounds) {
        if (!matches_path(bound.path, path) || !is_broken(bound, ratios)) continue;
        change.status = model::ChangeStatus::kRegressed;
        change.reason = bound.ratio
                            ? fmt::format("{} {:g} times the baseline's", bound.below ? "below" : "above", *bound.ratio)
                            : "must not differ";
        return;
    }
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
    const std::string_view ratio = text.substr(sign + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(ratio.data(), ratio.data() + ratio.size(), value);
    if (error == std::errc{} && end == ratio.data() + ratio.size()) bound.ratio = value;
    if (!bound.ratio || !std::isfinite(*bound.ratio) || *bound.ratio < 0)
        return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no ratio, as 0.5", text.substr(sign + 1)));
    return bound;
}

void enforce(std::span<const FailOn> bounds, model::FieldChange& change) {
    auto ratios = ratios_of(change.from, change.to);
    if (change.test) ratios = std::pair{change.test->ratio, change.test->ratio};
    enforce_on(bounds, change.path, ratios, change);
}

void enforce(std::span<const FailOn> bounds, model::SweepChange& change) {
    const auto ratios = ratios_of(change.from, change.to);
    for (const std::string& path : change.cases) {
        enforce_on(bounds, fmt::format("{}/{}", path, name_of(change.property)), ratios, change);
        if (change.status == model::ChangeStatus::kRegressed) return;
    }
}

std::vector<std::string> without_match(std::span<const FailOn> bounds, const std::vector<std::string>& paths) {
    std::vector<std::string> unmatched;
    for (const FailOn& bound : bounds) {
        // Of what may yet fail.
        if (bound.path.starts_with("/failures/") || bound.path.starts_with("/volatile/engines/skipped/")) continue;
        const bool matches =
            std::ranges::any_of(paths, [&](const std::string& path) { return matches_path(bound.path, path); });
        if (!matches) unmatched.push_back(bound.path);
    }
    return unmatched;
}

}  // namespace heapwright::compare
