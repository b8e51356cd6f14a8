#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string_view>

#include "heapwright/model/fact_name.hpp"
#include "vulkan/fact_tables.hpp"

using namespace heapwright;

namespace {

bool holds(const vulkan::FactStructure& structure, std::string_view name) {
    return std::ranges::any_of(structure.members,
                               [&](const vulkan::FactMember& member) { return name == member.name; });
}

bool is_asked_for(std::string_view name) {
    const auto here = [&](const vulkan::FactStructure& structure) { return holds(structure, name); };
    return here(vulkan::limits_structure()) || here(vulkan::sparse_properties_structure()) ||
           here(vulkan::core_features_structure()) || std::ranges::any_of(vulkan::property_structures(), here) ||
           std::ranges::any_of(vulkan::feature_structures(), here);
}

}  // namespace

TEST_CASE("Every fact of Vulkan that decides something is one that the probe asks for") {
    CHECK_FALSE(is_asked_for("maxMemoryAlocationSize"));
    for (const char* name : model::kVulkanFactNames) {
        INFO(name);
        CHECK(is_asked_for(name));
    }
}
