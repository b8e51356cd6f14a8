// Each preset over numbers and on the software driver that the environment names: the same place for every resource,
// the same device memory taken and given back in the same order, the same peaks. Memory is capped, so that what a
// large application meets under pressure is met here as well.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "../../unit/policy/played_pool.hpp"
#include "policy/advise.hpp"
#include "vulkan/capability_source.hpp"
#include "workload/read.hpp"
#include "workload/stream.hpp"

using namespace heapwright;

namespace {

constexpr std::uint64_t kMemoryLimitBytes = 512ull << 20;
constexpr std::uint64_t kPackedBytes = 256ull << 20;
constexpr std::size_t kMostOperations = 6000;

// One resource of every hint must fit what is packed.
model::Workload without_huge(model::Workload hints) {
    std::erase_if(hints.buffers, [](const auto& hint) { return hint.largest_bytes > kPackedBytes / 4; });
    return hints;
}

std::vector<workload::Operation> operations_of(const model::Workload& hints) {
    const auto scale = workload::scale_to_fit(hints, kPackedBytes);
    REQUIRE(scale);
    auto stream = workload::ResourceStream::create(hints, hints.seed, *scale);
    REQUIRE(stream);
    std::vector<workload::Operation> operations;
    while (operations.size() < kMostOperations) {
        auto next = stream->next();
        if (!next) break;
        operations.push_back(std::move(*next));
    }
    return operations;
}

}  // namespace

TEST_CASE("the presets simulated over numbers are what the memory pool does on a software driver") {
    const char* icd = std::getenv("HEAPWRIGHT_ICD_LAVAPIPE");
    if (icd == nullptr) SKIP("HEAPWRIGHT_ICD_LAVAPIPE is not set");
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    auto source = vulkan::create_capability_source({.validation_layers = false});
    REQUIRE(source);
    REQUIRE((*source)->adapters().size() == 1);
    std::size_t presets = 0;
    for (const std::string_view name : workload::preset_names()) {
        INFO("preset " << name);
        const auto preset = workload::preset(name);
        REQUIRE(preset);
        const model::Workload hints = without_huge(*preset);
        const auto report = (*source)->read(0, {.workload = &hints});
        REQUIRE(report);
        const auto policy = policy::advise(*report, hints);
        REQUIRE(policy);
        auto device = (*source)->open(0, {});
        REQUIRE(device);
        const auto operations = operations_of(hints);
        const policy::SimulatedPoolOptions options{.memory_limit_bytes = kMemoryLimitBytes};
        const auto simulated = policy::simulate_pool(
            (*device)->facts(), *policy, operations,
            [&](const model::ResourceDescription& one) { return (*device)->resources().requirements(one); }, options);
        REQUIRE(simulated);
        const auto in_chunks = std::ranges::count_if(
            simulated->places, [](const policy::SimulatedPlace& place) { return !place.error && !place.alone; });
        CHECK(in_chunks > 100);
        test::check_agreement(*simulated, test::play_on(**device, *policy, operations, options));
        ++presets;
    }
    CHECK(presets == workload::preset_names().size());
}
