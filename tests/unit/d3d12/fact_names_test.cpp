#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string_view>

#include "d3d12/facts.hpp"
#include "heapwright/model/fact_name.hpp"

using namespace heapwright;

namespace {

bool is_asked_for(std::string_view name) {
    return std::ranges::any_of(d3d12::feature_structures(), [&](const d3d12::FeatureStructure& structure) {
        return std::ranges::any_of(structure.members,
                                   [&](const d3d12::FeatureMember& member) { return name == member.name; });
    });
}

}  // namespace

TEST_CASE("Every fact of Direct3D 12 that decides something is one that the probe asks for") {
    CHECK_FALSE(is_asked_for("MaxViewDescriptorHeapSise"));
    for (const char* name : model::kD3d12FactNames) {
        INFO(name);
        CHECK(is_asked_for(name));
    }
}
