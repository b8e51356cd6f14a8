#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine.hpp"
#include "resources.hpp"

namespace heapwright::test {
namespace {

// Every way into memory; what fails is left out.
void use(const Engine& engine, vulkan::DevicePool& pool) {
    std::vector<vulkan::PoolAllocation> made;
    for (const model::MemoryUse kind : {model::MemoryUse::kUpload, model::MemoryUse::kDeviceOnly}) {
        for (const bool dedicated : {false, true}) {
            if (auto buffer = pool.create_buffer(BufferInfo(3000, VK_BUFFER_USAGE_TRANSFER_SRC_BIT).info,
                                                 {.use = kind, .dedicated = dedicated})) {
                made.push_back(buffer->allocation);
            }
        }
    }
    if (auto image = pool.create_image(ImageInfo(32, 32).info)) made.push_back(image->allocation);
    if (auto image = pool.create_image(ImageInfo(32, 32).info, {.dedicated = true})) made.push_back(image->allocation);
    if (auto memory = pool.allocate({.size = 512, .alignment = 256, .memoryTypeBits = ~0u},
                                    model::ResourceClass::kLinear, {.use = model::MemoryUse::kReadback})) {
        made.push_back(memory->allocation);
    }
    VkBuffer own = VK_NULL_HANDLE;
    const BufferInfo info(777, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    REQUIRE(engine.function<PFN_vkCreateBuffer>("vkCreateBuffer")(engine.handle(), &info.info, nullptr, &own) ==
            VK_SUCCESS);
    const auto bound = pool.bind_buffer(own, info.info);
    engine.function<PFN_vkDestroyBuffer>("vkDestroyBuffer")(engine.handle(), own, nullptr);
    if (bound) made.push_back(bound->allocation);
    CHECK(pool.validate_invariants());
    CHECK(pool.live_allocations() == made.size());
    for (std::size_t i = 0; i < made.size(); i += 2) CHECK(pool.free(made[i]));
    for (std::size_t i = 1; i < made.size(); i += 2) CHECK(pool.free_after(made[i], TimelineValue{1}));
    CHECK(pool.collect(TimelineValue{1}));
    CHECK(pool.live_allocations() == 0);
    CHECK(pool.validate_invariants());
}

TEST_CASE("no call of the driver that fails leaves anything behind", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    auto first = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(first);
    const model::DevicePolicy policy = (*first)->policy();
    call_counts().calls = 0;
    use(engine, **first);
    const std::int64_t calls = call_counts().calls;
    first->reset();
    CHECK(calls > 15);
    for (std::int64_t failing = 0; failing < calls; ++failing) {
        INFO("the call that fails: " << failing);
        auto pool = vulkan::DevicePool::create(engine.device(), policy);
        REQUIRE(pool);
        call_counts().calls = 0;
        call_counts().failing = failing;
        use(engine, **pool);
        CHECK(call_counts().calls > failing);
        call_counts().failing = -1;
        pool->reset();
        CHECK(call_counts().memories == 0);
        CHECK(call_counts().buffers == 0);
        CHECK(call_counts().images == 0);
    }
    CHECK(engine.messages() == std::vector<std::string>{});
}

}  // namespace
}  // namespace heapwright::test
