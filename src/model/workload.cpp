#include "heapwright/model/workload.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "model/names.hpp"

namespace heapwright::model {

std::uint32_t mip_levels_of(const ImageHint& hint, std::uint32_t width, std::uint32_t height) {
    if (!hint.full_mips && !hint.mip_levels) return 1;
    const std::uint32_t full = full_mip_chain(width, height, hint.depth.value_or(1));
    return hint.full_mips ? full : std::min(full, *hint.mip_levels);
}

ImageDescription describe(const ImageHint& hint, std::uint32_t width, std::uint32_t height) {
    return {.format = hint.format,
            .tiling = hint.tiling,
            .dimension = hint.depth ? ImageDimension::k3d : ImageDimension::k2d,
            .usage = hint.usage,
            .width = width,
            .height = height,
            .depth = hint.depth.value_or(1),
            .mip_levels = mip_levels_of(hint, width, height),
            .array_layers = hint.array_layers,
            .samples = hint.samples,
            .flags = hint.flags};
}

std::map<std::string, std::vector<std::string>> hints_by_lack(const std::vector<HintLeftOut>& left_out) {
    std::map<std::string, std::vector<std::string>> hints;
    for (const HintLeftOut& one : left_out) {
        std::vector<std::string_view> names;
        for (const Capability lack : one.lacks) names.push_back(name_of(lack));
        std::string lacks = fmt::format("{}", fmt::join(names, ", "));
        std::ranges::replace(lacks, '_', ' ');
        hints[lacks].push_back(one.hint);
    }
    return hints;
}

std::string left_out_text(const std::vector<HintLeftOut>& left_out) {
    if (left_out.empty()) return {};
    double share = 0;
    for (const HintLeftOut& one : left_out) share += one.bytes_share;
    std::vector<std::string> parts;
    for (const auto& [lack, hints] : hints_by_lack(left_out))
        parts.push_back(fmt::format("{}: no {}", fmt::join(hints, ", "), lack));
    return fmt::format("by plan without {} of the bytes ({})", share_text(share), fmt::join(parts, " and "));
}

}  // namespace heapwright::model
