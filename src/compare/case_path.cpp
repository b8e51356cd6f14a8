#include "heapwright/compare/case_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/model/names.hpp"

namespace heapwright::compare {

std::string flags_text(model::Flags flags, std::span<const model::FlagName> names) {
    std::string text;
    for (int bit = 0; bit < 32; ++bit) {
        const model::Flags mask = model::Flags{1} << bit;
        if ((flags & mask) == 0) continue;
        const auto named = std::ranges::find(names, mask, &model::FlagName::bit);
        if (!text.empty()) text += '|';
        text += named == names.end() ? fmt::format("BIT_{}", bit) : std::string(named->name);
    }
    return text.empty() ? "NONE" : text;
}

std::string case_path(const model::ImageCase& entry) {
    return fmt::format("/image_sweep/{}/{}/{}/{}/{}/layers_{}/samples_{}", name_of(entry.format), name_of(entry.tiling),
                       name_of(entry.dimension), flags_text(entry.usage, model::image_usage_names()),
                       entry.full_mips ? "full_mips" : "one_mip", entry.array_layers, entry.samples);
}

std::string case_path(const model::BufferCase& entry) {
    return fmt::format("/buffer_sweep/{}", flags_text(entry.usage, model::buffer_usage_names()));
}

}  // namespace heapwright::compare
