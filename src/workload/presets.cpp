#include "heapwright/workload/presets.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/core/nearest_word.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/workload_presets.hpp"

namespace heapwright::workload {

std::vector<std::string_view> preset_names() {
    std::vector<std::string_view> names;
    for (const auto& entry : generated::kPresets) names.push_back(entry.name);
    return names;
}

Result<std::string_view> preset_text(std::string_view name) {
    const auto* entry = std::find_if(std::begin(generated::kPresets), std::end(generated::kPresets),
                                     [name](const auto& preset) { return preset.name == name; });
    if (entry != std::end(generated::kPresets)) return entry->text;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no workload preset \"{}\"; known are {}{}", name, fmt::join(preset_names(), ", "),
                            nearest_word_hint(name, preset_names())),
                "workload");
}

Result<model::Workload> preset(std::string_view name) {
    HEAPWRIGHT_ASSIGN(const auto text, preset_text(name));
    return model::read_workload(text, fmt::format("preset {}", name));
}

}  // namespace heapwright::workload
