#include <catch2/catch_test_macros.hpp>

#include <cstring>

#include "replay/device.hpp"
#include "replay_report.hpp"

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

std::unique_ptr<ReplayDevice> open(const ReplayOptions& options = {}) {
    auto device = open_replay(small_report(), options);
    REQUIRE(device);
    return std::move(*device);
}

}  // namespace

TEST_CASE("budgets, heap sizes and the allocation limits are enforced") {
    const auto device = open();
    MemorySource& memory = device->memory();
    const auto first = memory.allocate({.memory_type = {0}, .size_bytes = 30 * kGib});
    REQUIRE(first);
    CHECK(memory.allocate({.memory_type = {2}, .size_bytes = 10 * kGib + 1}).error().code ==
          ErrorCode::kOutOfDeviceMemory);
    const auto second = memory.allocate({.memory_type = {2}, .size_bytes = 10 * kGib});
    REQUIRE(second);
    CHECK(memory.budgets().value().at(0).usage_bytes == 40 * kGib);
    CHECK(memory.budgets().value().at(0).budget_bytes == 40 * kGib);
    CHECK(device->counters().allocated_bytes == 40 * kGib);
    CHECK(device->counters().shadow_bytes == 0);
    memory.free(*first);
    memory.free(*second);
    CHECK(device->counters().allocated_bytes == 0);

    CHECK(memory.allocate({.memory_type = {0}, .size_bytes = 32 * kGib + 1}).error().code ==
          ErrorCode::kInvalidArgument);
    CHECK(memory.allocate({.memory_type = {0}, .size_bytes = 0}).error().code == ErrorCode::kInvalidArgument);
    CHECK(memory.allocate({.memory_type = {3}, .size_bytes = 1}).error().code == ErrorCode::kInvalidArgument);
    CHECK(device->counters().source_allocations == 0);

    std::vector<AllocationId> many;
    for (int i = 0; i < 64; ++i) many.push_back(memory.allocate({.memory_type = {0}, .size_bytes = 4096}).value());
    CHECK(memory.allocate({.memory_type = {0}, .size_bytes = 4096}).error().code == ErrorCode::kTooManyObjects);
    const model::BufferDescription buffer{.size_bytes = 256, .usage = kBufferUsage};
    CHECK(device->resources().create_dedicated(buffer, {0}, 0.5f).error().code == ErrorCode::kTooManyObjects);
    memory.free(many.back());
    const auto dedicated = device->resources().create_dedicated(buffer, {0}, 0.5f);
    REQUIRE(dedicated);
    CHECK(memory.allocate({.memory_type = {0}, .size_bytes = 4096}).error().code == ErrorCode::kTooManyObjects);
    device->resources().destroy(*dedicated);
    CHECK(device->take_validation_messages().empty());
}

TEST_CASE("without budgets the heap size is the limit") {
    const auto device = open({.enforce_budget = false});
    CHECK(device->memory().allocate({.memory_type = {1}, .size_bytes = kGib}));
    CHECK(device->memory().budgets().value().at(1).budget_bytes == kGib);
    CHECK(device->memory().allocate({.memory_type = {1}, .size_bytes = 1}).error().code ==
          ErrorCode::kOutOfDeviceMemory);
}

TEST_CASE("a budget of 0 is unknown and one above its heap is the heap's size: the device answers with what it gives") {
    model::DeviceReport report = small_report();
    report.run.heap_budgets[0].budget_bytes = 0;
    report.run.heap_budgets[1].budget_bytes = ~0ull;
    const auto device = open_replay(report, {});
    REQUIRE(device);
    const auto budgets = (*device)->memory().budgets().value();
    for (std::size_t heap = 0; heap < budgets.size(); ++heap)
        CHECK(budgets[heap].budget_bytes == report.heaps[heap].size_bytes);
    CHECK((*device)->memory().allocate({.memory_type = {1}, .size_bytes = kGib}));
    CHECK((*device)->memory().allocate({.memory_type = {1}, .size_bytes = 1}).error().code ==
          ErrorCode::kOutOfDeviceMemory);
    CHECK((*device)->memory().allocate({.memory_type = {0}, .size_bytes = kGib}));
}

TEST_CASE("simulated time follows the cost curve") {
    ManualClock clock;
    const auto device = open({.clock = &clock});
    const auto cost = [&](std::uint32_t type, std::uint64_t size_bytes) {
        const std::uint64_t before = clock.now_ns();
        REQUIRE(device->memory().allocate({.memory_type = {type}, .size_bytes = size_bytes}));
        return clock.now_ns() - before;
    };
    CHECK(cost(0, 4096) == 400'000);
    CHECK(cost(0, 64 * 1024) == 400'000);
    CHECK(cost(0, 64 * kMib) == 1'900'000);
    CHECK(cost(0, kGib) == 28'000'000);
    // Half way between 64 KiB and 64 MiB on both logarithmic axes: the geometric mean of the two costs.
    CHECK(cost(0, 2 * kMib) == 871'780);
    CHECK(cost(0, 2 * kGib) > 40'000'000);
    CHECK(cost(1, kMib) == 0);  // no curve for this type
    const auto memory = device->memory().allocate({.memory_type = {0}, .size_bytes = kMib});
    REQUIRE(memory);
    const std::uint64_t before = clock.now_ns();
    device->memory().free(*memory);
    CHECK(clock.now_ns() - before == 100'000);
}

TEST_CASE("only host-visible memory is mapped, always at the same place") {
    const auto device = open();
    const auto local = device->memory().allocate({.memory_type = {0}, .size_bytes = kMib}).value();
    CHECK(device->memory().map(local).error().code == ErrorCode::kNotSupported);
    const auto host = device->memory().allocate({.memory_type = {1}, .size_bytes = kMib}).value();
    const auto bytes = device->memory().map(host).value();
    REQUIRE(bytes.size() == kMib);
    bytes.back() = std::byte{7};
    CHECK(device->memory().map(host).value().data() == bytes.data());
    CHECK(device->memory().flush(host, 0, kMib));
    CHECK(device->memory().flush(host, 1, kMib).error().code == ErrorCode::kInvalidArgument);
    CHECK(device->memory().invalidate(AllocationId{99}, 0, 1).error().code == ErrorCode::kInvalidArgument);
    CHECK(device->memory().map(AllocationId{99}).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("what a validation layer would say is said") {
    const auto device = open();
    const auto memory = device->memory().allocate({.memory_type = {1}, .size_bytes = kMib}).value();
    const model::BufferDescription buffer{.size_bytes = 256, .usage = kBufferUsage};
    const auto misaligned = device->resources().create_placed(buffer, memory, 8).value();
    const auto wrong_type = device->resources().create_placed(sampled_image(16, 16), memory, 4096).value();
    CHECK(device->resources().create_placed(buffer, memory, kMib - 255).error().code == ErrorCode::kInvalidArgument);
    CHECK(device->take_validation_messages().size() == 2);
    CHECK(device->take_validation_messages().empty());
    device->memory().free(memory);
    device->resources().destroy(misaligned);
    device->resources().destroy(wrong_type);
    device->resources().destroy(wrong_type);
    device->memory().free(memory);
    CHECK(device->take_validation_messages().size() == 3);
    CHECK(device->counters().resources == 0);
    CHECK(device->counters().source_allocations == 0);
}

TEST_CASE("the bytes taken from the system are bounded") {
    const auto device = open({.shadow_limit_bytes = 2 * kMib});
    const auto memory = device->memory().allocate({.memory_type = {2}, .size_bytes = 20 * kGib}).value();
    const model::BufferDescription buffer{.size_bytes = 16 * kMib, .usage = kBufferUsage};
    const auto refused = device->resources().create_placed(buffer, memory, 0);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kOutOfHostMemory);
    CHECK(device->counters().shadow_bytes == 0);
    const model::BufferDescription smaller{.size_bytes = kMib, .usage = kBufferUsage};
    const auto placed = device->resources().create_placed(smaller, memory, 10 * kGib);
    REQUIRE(placed);
    CHECK(device->counters().shadow_bytes == 2 * kMib);  // a large page
    CHECK(device->resources().create_dedicated(smaller, {1}, 0.5f).error().code == ErrorCode::kOutOfHostMemory);
    CHECK(device->counters().allocated_bytes == 20 * kGib);

    // Device-local bytes count when work writes them.
    const auto local = device->memory().allocate({.memory_type = {0}, .size_bytes = kGib}).value();
    const auto target = device->resources().create_placed(smaller, local, 0).value();
    const Work fill = FillBuffer{.buffer = target, .size_bytes = 4096, .value = 1};
    CHECK(device->submitter().submit({.work = {&fill, 1}}).error().code == ErrorCode::kOutOfHostMemory);
    device->resources().destroy(*placed);
    device->memory().free(memory);
    CHECK(device->counters().shadow_bytes == 0);
    const auto dedicated = device->resources().create_dedicated(smaller, {1}, 0.5f);
    REQUIRE(dedicated);
    CHECK(device->counters().shadow_bytes == kMib);  // no more than the allocation has
    device->resources().destroy(*dedicated);
    CHECK(device->submitter().submit({.work = {&fill, 1}}));
    CHECK(device->counters().shadow_bytes == 2 * kMib);
}

TEST_CASE("an allocation beyond the host's address space holds resources, and no bytes") {
    constexpr std::uint64_t kHuge = 1ull << 62;
    model::DeviceReport report = small_report();
    report.heaps[0].size_bytes = kHuge;
    report.run.heap_budgets.clear();
    for (model::Fact& limit : report.limits) {
        if (limit.name == "maxMemoryAllocationSize") limit.value = kHuge;
    }
    const auto device = open_replay(report).value();
    const auto memory = device->memory().allocate({.memory_type = {2}, .size_bytes = kHuge}).value();
    const model::BufferDescription buffer{.size_bytes = kMib, .usage = kBufferUsage};
    const auto placed = device->resources().create_placed(buffer, memory, kHuge / 2);
    REQUIRE(placed);
    CHECK(device->memory().map(memory).error().code == ErrorCode::kOutOfHostMemory);
    const Work fill = FillBuffer{.buffer = *placed, .size_bytes = 4096, .value = 1};
    CHECK(device->submitter().submit({.work = {&fill, 1}}).error().code == ErrorCode::kOutOfHostMemory);
    device->resources().destroy(*placed);
    device->memory().free(memory);
    CHECK(device->memory().allocate({.memory_type = {2}, .size_bytes = kGib}));
    CHECK(device->take_validation_messages().empty());
}

TEST_CASE("bytes that several resources share are taken from the system once") {
    const auto device = open({.interpolate = true});
    const auto memory = device->memory().allocate({.memory_type = {2}, .size_bytes = 32 * kMib}).value();
    const auto place = [&](std::uint64_t offset_mib, std::uint64_t size_mib) {
        const model::BufferDescription buffer{.size_bytes = size_mib * kMib, .usage = kBufferUsage};
        REQUIRE(device->resources().create_placed(buffer, memory, offset_mib * kMib));
        return device->counters().shadow_bytes / kMib;
    };
    CHECK(place(8, 4) == 4);
    CHECK(place(16, 4) == 8);
    CHECK(place(4, 2) == 10);
    CHECK(place(9, 1) == 10);
    CHECK(place(6, 12) == 16);  // 6 to 8 and 12 to 16 are new
    CHECK(place(0, 16) == 20);
}
