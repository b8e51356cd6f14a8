#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "compare/sweep_difference.hpp"
#include "core/text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::SweepChange;
using model::SweepProperty;

std::vector<std::string> segments(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t at = 1; at <= path.size();) {
        const std::size_t slash = std::min(path.find('/', at), path.size());
        parts.push_back(path.substr(at, slash - at));
        at = slash + 1;
    }
    return parts;
}

// "R8G8B8A8_UNORM", with what is not ordinary about it: "BC1_RGBA_UNORM_BLOCK linear, full mip chain".
std::string image_name(const std::vector<std::string>& parts) {
    std::string name = parts.at(1);
    if (parts.at(2) != "optimal") append(name, " ", parts[2]);
    if (parts.at(3) != "2d") append(name, " ", parts[3]);
    if (parts.at(5) == "full_mips") name += " with mips";
    if (parts.at(6) != "layers_1") name += fmt::format(" {} layers", parts[6].substr(7));
    if (parts.at(7) != "samples_1") name += fmt::format(" {} samples", parts[7].substr(8));
    return name;
}

std::string subject(const std::vector<std::string>& cases) {
    std::set<std::string> formats;
    std::vector<std::string> names;
    std::set<std::string> seen;
    std::size_t buffers = 0;
    for (const std::string& path : cases) {
        const auto parts = segments(path);
        if (parts.at(0) == "buffer_sweep") {
            ++buffers;
            if (seen.insert(parts.at(1)).second) names.push_back(parts[1] + " buffers");
            continue;
        }
        formats.insert(parts.at(1));
        const std::string name = image_name(parts);
        if (seen.insert(name).second) names.push_back(name);
    }
    constexpr std::size_t kListed = 3;
    if (buffers == cases.size() && buffers > kListed) return fmt::format("buffers of {} usages", buffers);
    std::string text;
    for (std::size_t index = 0; index < std::min(names.size(), kListed); ++index) append(text, ", ", names[index]);
    if (names.size() > kListed) {
        text += fmt::format(" and {}{}", counted(cases.size() - kListed, "more case"),
                            formats.size() > 1 ? fmt::format(" of {} formats", formats.size()) : "");
    }
    return text;
}

// The size at which "Vulkan Memory Allocation (Part 1 of N)" compares drivers.
constexpr std::array<std::uint64_t, 2> kComparedExtent{128, 16};

// The example: of the points that left the powers of two the memory article's own, or else the one that grew most;
// where there are none, the first.
std::string sizes(const SweepChange& change) {
    const auto* example = &change.points.front();
    double largest = 0;
    for (const auto& point : change.points) {
        const bool leaves_powers = std::has_single_bit(point[2]) && !std::has_single_bit(point[3]) &&
                                   std::has_single_bit(point[0]) && std::has_single_bit(point[1]);
        if (!leaves_powers) continue;
        const bool is_sources = point[0] == kComparedExtent[0] && point[1] == kComparedExtent[1];
        const double ratio = static_cast<double>(point[3]) / static_cast<double>(point[2]);
        if (!is_sources && ratio <= largest) continue;
        largest = is_sources ? std::numeric_limits<double>::max() : ratio;
        example = &point;
    }
    const auto& point = *example;
    const std::string at =
        point[1] == 0 ? counted(point[0], "byte takes", "bytes take") : fmt::format("{}x{} takes", point[0], point[1]);
    return fmt::format("size times {} ({}{} {} instead of {})", change.to,
                       largest > 0 ? "powers of two to sizes that are none: " : "", at, point[3], point[2]);
}

std::string what(const SweepChange& change) {
    switch (change.property) {
        case SweepProperty::kAlignmentBytes: return fmt::format("alignment {} to {}", change.from, change.to);
        case SweepProperty::kSizeBytes: return sizes(change);
        case SweepProperty::kMemoryTypes: return fmt::format("memory types {} to {}", change.from, change.to);
        case SweepProperty::kDedicated: return fmt::format("dedicated allocation {} to {}", change.from, change.to);
        default: return change.to;
    }
}

// Of the whole sweep, and of none of its cases.
bool is_of_a_sweep(const SweepChange& change) {
    return change.property == SweepProperty::kCases || change.property == SweepProperty::kPoints;
}

// "12 sizes of the image sweep are only in the baseline".
std::string of_a_sweep(const SweepChange& change) {
    const bool gone = change.to == kNotSwept;
    const std::string_view sweep = change.cases.front() == "/image_sweep" ? "image" : "buffer";
    return fmt::format("{} of the {} sweep: {}", gone ? change.from : change.to, sweep,
                       gone ? "only in the baseline" : "not in the baseline");
}

}  // namespace

std::vector<SweepChange> group_changes(std::vector<SweepChange> changes) {
    std::vector<SweepChange> groups;
    // Sizes of different formats differ by the same ratios at other bytes; points of those are the first case's.
    std::map<std::tuple<SweepProperty, std::string, std::string, ChangeStatus, std::string, std::string>, std::size_t>
        positions;
    for (SweepChange& change : changes) {
        const auto key =
            std::tuple{change.property, change.from, change.to, change.status, change.reason, change.condition};
        const auto [position, is_new] = positions.try_emplace(key, groups.size());
        if (is_new)
            groups.push_back(std::move(change));
        else
            groups[position->second].cases.push_back(std::move(change.cases.front()));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const SweepChange& one, const SweepChange& other) {
        if (one.status != other.status) return severity(one.status) > severity(other.status);
        return one.cases.size() > other.cases.size();
    });
    for (SweepChange& group : groups) {
        if (is_of_a_sweep(group))
            group.statement = of_a_sweep(group);
        else
            group.statement = fmt::format("{} for {} {}", what(group), subject(group.cases), group.condition);
    }
    return groups;
}

}  // namespace heapwright::compare
