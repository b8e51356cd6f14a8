#include "heapwright/model/validation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/names.hpp"

namespace heapwright::model {

std::string name_of_baseline(std::string_view scenario, Baseline baseline) {
    return fmt::format("{}/{}", scenario, name_of(baseline));
}

std::optional<Baseline> baseline_of(const ScenarioResult& run) {
    const std::size_t slash = run.name.rfind('/');
    if (slash == std::string::npos) return std::nullopt;
    const auto names = names_of<Baseline>();
    const auto found = std::ranges::find(names, std::string_view(run.name).substr(slash + 1));
    if (found == names.end()) return std::nullopt;
    return static_cast<Baseline>(found - names.begin());
}

}  // namespace heapwright::model
