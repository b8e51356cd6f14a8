// Each allocation of host memory that a call of the pool makes fails once, the first, the second and so on.
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine.hpp"
#include "resources.hpp"

namespace {

void* take(std::size_t size, std::size_t alignment) {
    heapwright::test::HostMemory& memory = heapwright::test::host_memory();
    if (memory.failing >= 0 && memory.made++ == memory.failing) throw std::bad_alloc();
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* const taken = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (taken == nullptr) throw std::bad_alloc();
    return taken;
}

}  // namespace

void* operator new(std::size_t size) {
    return take(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace heapwright::test {
namespace {

// SwiftShader takes host memory by operator new itself.
constexpr const char* kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS"};

using Allocations = std::vector<vulkan::PoolAllocation>;

struct Call {
    const char* name;
    std::function<Allocations(vulkan::DevicePool&)> prepare;  // before host memory fails
    std::function<Status(vulkan::DevicePool&, const Allocations&)> run;
    bool is_all_or_nothing = true;  // else what was done by then stays done
};

template <class Made>
Status status_of(const Made& made) {
    return made ? Status() : Status(fail(made.error()));
}

Allocations buffers(vulkan::DevicePool& pool, int count, const vulkan::AllocationOptions& options) {
    Allocations made;
    for (int i = 0; i < count; ++i) {
        const auto buffer = pool.create_buffer(BufferInfo(100'000, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT).info, options);
        REQUIRE(buffer);
        made.push_back(buffer->allocation);
    }
    return made;
}

std::vector<Call> all_calls() {
    const auto nothing = [](vulkan::DevicePool&) { return Allocations(); };
    std::vector<Call> calls;
    for (const bool dedicated : {false, true}) {
        const vulkan::AllocationOptions upload{.use = model::MemoryUse::kUpload, .dedicated = dedicated};
        const vulkan::AllocationOptions options{.dedicated = dedicated};
        const auto one = [options](vulkan::DevicePool& pool) { return buffers(pool, 1, options); };
        calls.push_back({"create_buffer", nothing, [upload](vulkan::DevicePool& pool, const Allocations&) {
                             const BufferInfo info(1000, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
                             return status_of(pool.create_buffer(info.info, upload));
                         }});
        calls.push_back({"create_image", nothing, [options](vulkan::DevicePool& pool, const Allocations&) {
                             return status_of(pool.create_image(ImageInfo(64, 64).info, options));
                         }});
        calls.push_back({"allocate", nothing, [options](vulkan::DevicePool& pool, const Allocations&) {
                             return status_of(pool.allocate({.size = 512, .alignment = 256, .memoryTypeBits = ~0u},
                                                            model::ResourceClass::kLinear, options));
                         }});
        calls.push_back({"map", one, [](vulkan::DevicePool& pool, const Allocations& live) {
                             return status_of(pool.map(live[0]));
                         }});
        calls.push_back(
            {"free", one, [](vulkan::DevicePool& pool, const Allocations& live) { return pool.free(live[0]); }});
        calls.push_back({"free_after", one, [](vulkan::DevicePool& pool, const Allocations& live) {
                             return pool.free_after(live[0], TimelineValue{1});
                         }});
        calls.push_back({"collect",
                         [options](vulkan::DevicePool& pool) {
                             for (const vulkan::PoolAllocation allocation : buffers(pool, 200, options))
                                 REQUIRE(pool.free_after(allocation, TimelineValue{1}));
                             return Allocations();
                         },
                         [](vulkan::DevicePool& pool, const Allocations&) { return pool.collect(TimelineValue{1}); },
                         false});
    }
    calls.push_back({"trim",
                     [](vulkan::DevicePool& pool) {
                         for (const vulkan::PoolAllocation allocation : buffers(pool, 3, {}))
                             REQUIRE(pool.free(allocation));
                         return Allocations();
                     },
                     [](vulkan::DevicePool& pool, const Allocations&) {
                         static_cast<void>(pool.trim());
                         return Status();
                     },
                     false});
    return calls;
}

std::uint64_t used_bytes(const vulkan::DevicePool& pool) {
    std::uint64_t used = 0;
    for (const pool::HeapFigures& heap : pool.figures().heaps) used += heap.used_bytes;
    return used;
}

void check_all_gone() {
    CHECK(call_counts().memories == 0);
    CHECK(call_counts().buffers == 0);
    CHECK(call_counts().images == 0);
}

// Whether the allocation was made, and failed.
bool fails_at(const Engine& engine, const model::DevicePolicy& policy, const Call& call, std::int64_t failing) {
    auto made = vulkan::DevicePool::create(engine.device(), policy);
    REQUIRE(made);
    vulkan::DevicePool& pool = **made;
    const Allocations live = call.prepare(pool);
    const std::size_t live_before = pool.live_allocations();
    const std::uint64_t used_before = used_bytes(pool);
    const std::int64_t resources_before = call_counts().buffers + call_counts().images;
    bool has_thrown = false;
    Status done;
    host_memory() = {.made = 0, .failing = failing};
    try {
        done = call.run(pool, live);
    } catch (const std::bad_alloc&) {
        has_thrown = true;
    }
    const bool has_failed = std::exchange(host_memory(), {}).made > failing;
    const Status books = pool.validate_invariants();
    CHECK((books ? std::string() : to_string(books.error())) == "");
    if (has_thrown) {
        if (call.is_all_or_nothing) {
            CHECK(pool.live_allocations() == live_before);
            CHECK(used_bytes(pool) == used_before);
            CHECK(call_counts().buffers + call_counts().images == resources_before);
        }
        CHECK(call.run(pool, live));
    } else {
        CHECK(done);
    }
    CHECK(pool.collect(TimelineValue{1}));
    CHECK(pool.figures().pending_releases == 0);
    made->reset();
    check_all_gone();
    return has_failed;
}

TEST_CASE("no allocation of host memory that fails loses anything", "[device]") {
    Engine engine(GENERATE(from_range(kDrivers)), false);
    auto first = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(first);
    const model::DevicePolicy policy = (*first)->policy();
    first->reset();
    std::int64_t failed = 0;
    for (const Call& call : all_calls()) {
        INFO(call.name);
        for (std::int64_t failing = 0; fails_at(engine, policy, call, failing); ++failing) ++failed;
    }
    CHECK(failed > 20);
}

TEST_CASE("the pool's end takes no host memory", "[device]") {
    Engine engine(GENERATE(from_range(kDrivers)), false);
    auto pool = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(pool);
    for (const bool dedicated : {false, true}) {
        const Allocations made = buffers(**pool, 100, {.dedicated = dedicated});
        for (std::size_t i = 0; i < made.size(); i += 2) REQUIRE((*pool)->free_after(made[i], TimelineValue{i + 1}));
    }
    host_memory() = {.made = 0, .failing = 0};
    pool->reset();
    CHECK(std::exchange(host_memory(), {}).made == 0);
    check_all_gone();
}

}  // namespace
}  // namespace heapwright::test
