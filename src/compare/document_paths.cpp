#include "compare/document_paths.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>

#include "compare/case_path.hpp"
#include "compare/cost_figures.hpp"
#include "compare/engine_difference.hpp"
#include "compare/field_difference.hpp"

namespace heapwright::compare {
namespace {

using model::SweepProperty;

constexpr SweepProperty kOfACase[] = {SweepProperty::kAlignmentBytes, SweepProperty::kSizeBytes,
                                      SweepProperty::kMemoryTypes,    SweepProperty::kDedicated,
                                      SweepProperty::kSupport,        SweepProperty::kCase};

void add_sweeps(const model::DeviceReport& device, std::vector<std::string>& paths) {
    const auto add = [&](const auto& sweep, const std::string& root) {
        for (const auto& entry : sweep.cases) {
            for (const SweepProperty property : kOfACase)
                paths.push_back(fmt::format("{}/{}", case_path(entry), name_of(property)));
        }
        paths.push_back(root + "/cases");
        paths.push_back(root + "/points");
    };
    add(device.image_sweep, "/image_sweep");
    add(device.buffer_sweep, "/buffer_sweep");
}

}  // namespace

std::vector<std::string> paths_of(const LoadedDocument& document, bool costs) {
    std::vector<std::string> paths{"/"};
    std::visit(
        [&](const auto& held) {
            for (const auto& device : held.devices) {
                std::ranges::move(field_paths(device), std::back_inserter(paths));
                if constexpr (std::is_same_v<std::decay_t<decltype(device)>, model::DeviceReport>) {
                    add_sweeps(device, paths);
                    paths.insert(paths.end(), {"/volatile/heap_budgets", "/volatile/engines"});
                    std::ranges::move(engine_paths(device, costs), std::back_inserter(paths));
                    if (!costs) continue;
                    paths.emplace_back("/volatile/memory_cost");
                    std::ranges::move(cost_paths(device), std::back_inserter(paths));
                }
            }
            if constexpr (requires { held.failures; }) {
                for (const model::ProbeFailure& failure : held.failures)
                    paths.push_back("/failures/" + failure.last_call);
            }
        },
        document.document);
    return paths;
}

}  // namespace heapwright::compare
