// Budgets of the moment: what happens where others take a heap, what is counted while it is under way, and what the
// pages of a chunk look like once they were touched.
#include "memory_in_front.hpp"
#include "pool_scene.hpp"

#include <functional>
#include <map>

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;
using pool::OnBudgetPressure;

namespace {

// Heap 0's budget is the test's; its usage is what was allocated, as a driver counts it: after the call.
class CountedBudget final : public MemoryInFront {
public:
    using MemoryInFront::MemoryInFront;

    std::uint64_t budget_bytes = 64 * kMib;
    std::uint64_t usage_bytes = 0;
    std::function<void()> while_allocating;
    std::vector<std::uint64_t> flushed_bytes;

    using MemoryInFront::memory;

private:
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        if (const auto hook = std::exchange(while_allocating, nullptr)) hook();
        auto made = MemoryInFront::allocate(request);
        if (made && request.memory_type.value != 1) {
            usage_bytes += request.size_bytes;
            sizes_[made->value] = request.size_bytes;
        }
        return made;
    }
    void free(device::AllocationId memory) override {
        if (const auto size = sizes_.find(memory.value); size != sizes_.end()) usage_bytes -= size->second;
        sizes_.erase(memory.value);
        MemoryInFront::free(memory);
    }
    Result<std::vector<model::HeapBudget>> budgets() override {
        HEAPWRIGHT_ASSIGN(auto all, MemoryInFront::budgets());
        all[0] = {.budget_bytes = budget_bytes, .usage_bytes = usage_bytes};
        return all;
    }
    Status flush(device::AllocationId memory, std::uint64_t offset, std::uint64_t size) override {
        CHECK(offset == 0);
        flushed_bytes.push_back(size);
        return MemoryInFront::flush(memory, offset, size);
    }

    std::map<std::uint64_t, std::uint64_t> sizes_;
};

struct PressureScene {
    explicit PressureScene(pool::PoolOptions options = {})
        : replay(*replay::open_replay(small_report(), {})), device(*replay) {
        model::DevicePolicy policy = pool_policy();
        policy.memory_uses[3].memory_types.value = {2, 1};
        auto made = pool::MemoryPool::create(device, policy, options);
        REQUIRE(made);
        pool = std::move(*made);
    }
    [[nodiscard]] Result<pool::Placement> streamed(std::uint64_t size_bytes) const {
        return pool->allocate(needs(size_bytes), ResourceClass::kLinear, MemoryUse::kStreaming);
    }
    void free(const pool::Placement& placement) const {
        pool->release(placement, {});
        REQUIRE(pool->release_completed({}));
    }
    // An empty chunk of 8 MiB in heap 0, and a budget that has no byte beyond it.
    void fill() {
        const auto image = pool->allocate(needs(kMib, 1024), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
        REQUIRE(image);
        free(*image);
        REQUIRE(pool->figures().buckets[kSmallImages].empty_chunks == 1);
        device.budget_bytes = device.usage_bytes;
    }
    [[nodiscard]] std::uint64_t empty_chunks() const { return pool->figures().buckets[kSmallImages].empty_chunks; }

    std::unique_ptr<replay::ReplayDevice> replay;
    CountedBudget device;
    std::unique_ptr<pool::MemoryPool> pool;
};

}  // namespace

TEST_CASE("under budget pressure the pool evicts, spills or fails, as its options say") {
    SECTION("evict: empty chunks go back, and the request stays in its memory type") {
        PressureScene scene;
        scene.fill();
        const auto made = scene.streamed(kMib);
        REQUIRE(made);
        CHECK(made->memory_type.value == 2);
        CHECK(scene.empty_chunks() == 0);
        // Nothing is left to give back: the next memory type.
        scene.device.budget_bytes = kMib;
        REQUIRE(scene.streamed(3 * kMib));
        const auto spilled = scene.streamed(3 * kMib);
        REQUIRE(spilled);
        CHECK(spilled->memory_type.value == 1);
        check_sound(*scene.pool);
    }
    SECTION("spill: nothing goes back, and the request goes to the next memory type") {
        PressureScene scene({.on_budget_pressure = OnBudgetPressure::kSpill});
        scene.fill();
        const auto made = scene.streamed(kMib);
        REQUIRE(made);
        CHECK(made->memory_type.value == 1);
        CHECK(scene.empty_chunks() == 1);
        check_sound(*scene.pool);
    }
    SECTION("fail: what goes back goes back, and the request does not go elsewhere") {
        PressureScene scene({.on_budget_pressure = OnBudgetPressure::kFail});
        scene.fill();
        REQUIRE(scene.streamed(4 * kMib));
        CHECK(scene.empty_chunks() == 0);
        scene.device.budget_bytes = scene.device.usage_bytes;
        const auto failed = scene.streamed(kMib);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == ErrorCode::kOverBudget);
        CHECK(failed.error().limit == std::optional(scene.device.usage_bytes));
        // The policy's own limits are no budget of the moment: they spill as ever.
        scene.device.budget_bytes = 0;
        CHECK(scene.streamed(kMib));
        check_sound(*scene.pool);
    }
}

TEST_CASE("the application is told of the pressure, without a lock held, and what it gives back serves the request") {
    std::vector<pool::BudgetPressure> told;
    std::function<void()> react;
    PressureScene scene({.budget_reserve_share = 0.5,
                         .on_budget_pressure = OnBudgetPressure::kFail,
                         .tell_budget_pressure = [&](const pool::BudgetPressure& pressure) {
                             told.push_back(pressure);
                             if (const auto act = std::exchange(react, nullptr)) act();
                         }});
    const auto cache = scene.streamed(4 * kMib);
    REQUIRE(cache);
    CHECK(told.empty());
    scene.device.budget_bytes = 8 * kMib;  // half of it is left to others, and in use
    CHECK(scene.streamed(4 * kMib).error().code == ErrorCode::kOverBudget);
    REQUIRE_FALSE(told.empty());
    CHECK(told.front().heap == 0);
    CHECK(told.front().budget_bytes == 4 * kMib);
    CHECK(told.front().usage_bytes == 4 * kMib);
    CHECK(told.front().wanted_bytes == 4 * kMib);
    // Releases and collects from inside: the pool holds no lock.
    react = [&] {
        scene.free(*cache);
        CHECK(scene.pool->trim() == 4 * kMib);
    };
    CHECK(scene.streamed(4 * kMib));
    check_sound(*scene.pool);
    // Others take more: told at a collection, with nothing wanted.
    told.clear();
    scene.device.budget_bytes = kMib;
    for (int frame = 0; frame < 20; ++frame) REQUIRE(scene.pool->release_completed({}));
    REQUIRE_FALSE(told.empty());
    CHECK(told.front().wanted_bytes == 0);
    CHECK(told.front().usage_bytes == 4 * kMib);
}

TEST_CASE("a budget of 0 is unknown and forbids nothing") {
    PressureScene scene({.on_budget_pressure = OnBudgetPressure::kFail});
    scene.device.budget_bytes = 0;
    scene.device.usage_bytes = 100 * kMib;
    CHECK(scene.streamed(4 * kMib));
    for (int frame = 0; frame < 20; ++frame) REQUIRE(scene.pool->release_completed({}));
    check_sound(*scene.pool);
}

TEST_CASE("two that take memory at once cannot both have the same room of the budget") {
    const auto replay = *replay::open_replay(small_report(), {});
    CountedBudget device(*replay);
    device.budget_bytes = 6 * kMib;
    pool::BudgetedMemory memory(device.facts(), device.memory(), pool_policy(), ~0ull, {});
    std::optional<ErrorCode> second;
    // The second asks while the driver is at work for the first, whose bytes its usage lacks.
    device.while_allocating = [&] {
        const auto taken = memory.take({.memory_type = {0}, .size_bytes = 4 * kMib});
        if (!taken) second = taken.error().code;
    };
    REQUIRE(memory.take({.memory_type = {0}, .size_bytes = 4 * kMib}));
    CHECK(second == ErrorCode::kOverBudget);
    CHECK(memory.state().reserved_bytes == 4 * kMib);
    // What is made no longer counts as under way.
    CHECK(memory.take({.memory_type = {0}, .size_bytes = 2 * kMib}));
    CHECK(memory.state().allocations == 2);
}

TEST_CASE("touched pages are flushed, so that no late eviction meets what the device wrote") {
    const auto replay = *replay::open_replay(small_report(), {});
    CountedBudget device(*replay);
    pool::BudgetedMemory memory(device.facts(), device.memory(), pool_policy(), ~0ull, {});
    const auto mapped = memory.take({.memory_type = {1}, .size_bytes = kMib});
    REQUIRE(mapped);
    memory.touch(*mapped);
    CHECK(device.flushed_bytes == std::vector<std::uint64_t>{kMib});
    // Memory that cannot be mapped is left alone.
    const auto hidden = memory.take({.memory_type = {0}, .size_bytes = kMib});
    REQUIRE(hidden);
    memory.touch(*hidden);
    CHECK(device.flushed_bytes.size() == 1);
}

TEST_CASE("memory beside the pool's is charged to the same limits") {
    const PoolScene scene;
    pool::BudgetedMemory& accounts = scene.pool->accounts();
    const auto page = accounts.take_beside({.memory_type = {1}, .size_bytes = 60 * kMib});
    REQUIRE(page);
    const auto figures = scene.pool->figures();
    CHECK(figures.heaps[1].reserved_bytes == 60 * kMib);
    CHECK(figures.heaps[1].beside_bytes == 60 * kMib);
    CHECK(figures.beside_allocations == 1);
    check_sound(*scene.pool);
    const auto readback = scene.pool->allocate(needs(5 * kMib / 2), ResourceClass::kLinear, MemoryUse::kReadback);
    CHECK(readback);
    CHECK_FALSE(scene.pool->allocate(needs(5 * kMib / 2), ResourceClass::kLinear, MemoryUse::kReadback));
    accounts.give_back_beside(*page, MemoryTypeIndex{1}, 60 * kMib);
    CHECK(scene.pool->allocate(needs(5 * kMib / 2), ResourceClass::kLinear, MemoryUse::kReadback));
    CHECK(scene.pool->figures().beside_allocations == 0);
    check_sound(*scene.pool);
}
