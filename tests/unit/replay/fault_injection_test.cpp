#include <catch2/catch_test_macros.hpp>

#include "../replay/replay_report.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

const model::BufferDescription kBuffer{.size_bytes = 4096, .usage = kBufferUsage};

std::unique_ptr<FaultyDevice> faulty(const FaultPlan& plan) {
    auto device = open_replay(small_report());
    REQUIRE(device);
    return inject_faults(std::move(*device), plan);
}

// Uses every seam function once and gives everything back on each way out.
Status use_everything(Device& device) {
    struct Guard {
        Device& device;
        std::vector<AllocationId> allocations = {};
        std::vector<ResourceId> resources = {};
        std::vector<DescriptorHeapId> descriptor_heaps = {};
        std::vector<CommandAllocatorId> allocators = {};
        std::vector<PipelineId> pipelines = {};
        ~Guard() {
            for (const DescriptorHeapId heap : descriptor_heaps) device.descriptors()->destroy(heap);
            for (const CommandAllocatorId allocator : allocators) device.recorder()->destroy(allocator);
            for (const PipelineId pipeline : pipelines) device.recorder()->destroy(pipeline);
            for (const ResourceId resource : resources) device.resources().destroy(resource);
            for (const AllocationId memory : allocations) device.memory().free(memory);
        }
    } guard{device};
    HEAPWRIGHT_ASSIGN(const auto timeline, device.create_timeline(0));
    HEAPWRIGHT_TRY(device.memory().budgets());
    HEAPWRIGHT_TRY(device.resources().requirements(kBuffer));
    HEAPWRIGHT_ASSIGN(const auto memory, device.memory().allocate({.memory_type = {1}, .size_bytes = kMib}));
    guard.allocations.push_back(memory);
    HEAPWRIGHT_TRY(device.memory().map(memory));
    HEAPWRIGHT_TRY(device.memory().flush(memory, 0, 64));
    HEAPWRIGHT_TRY(device.memory().invalidate(memory, 0, 64));
    HEAPWRIGHT_ASSIGN(const auto placed, device.resources().create_placed(kBuffer, memory, 0));
    guard.resources.push_back(placed);
    HEAPWRIGHT_ASSIGN(const auto dedicated, device.resources().create_dedicated(kBuffer, {1}, 0.5f));
    guard.resources.push_back(dedicated);
    HEAPWRIGHT_TRY(device.resources().map_dedicated(dedicated));
    const Work copy = CopyBuffer{.source = placed, .destination = dedicated, .size_bytes = 4096};
    const TimelinePoint wait{timeline.get(), {1}};
    const TimelinePoint signal{timeline.get(), {2}};
    HEAPWRIGHT_TRY(timeline->signal({1}));
    HEAPWRIGHT_TRY(device.submitter().submit({.waits = {&wait, 1}, .work = {&copy, 1}, .signals = {&signal, 1}}));
    HEAPWRIGHT_TRY(timeline->wait({2}, 0));
    HEAPWRIGHT_TRY(timeline->completed());
    HEAPWRIGHT_TRY(timeline->signal_event({2}, CompletionEvent()));

    DescriptorHeapSource& descriptors = *device.descriptors();
    HEAPWRIGHT_ASSIGN(const auto views, descriptors.create({.kind = DescriptorHeapKind::kSampler, .capacity = 2}));
    guard.descriptor_heaps.push_back(views);
    HEAPWRIGHT_TRY(descriptors.write(views, 0, SamplerDescription{}));
    HEAPWRIGHT_TRY(descriptors.copy(views, 1, views, 0, 1));
    HEAPWRIGHT_ASSIGN(const auto allocator, device.recorder()->create_allocator({}));
    guard.allocators.push_back(allocator);
    HEAPWRIGHT_TRY(device.recorder()->record(allocator, {&copy, 1}));
    HEAPWRIGHT_TRY(device.recorder()->reset(allocator));
    HEAPWRIGHT_ASSIGN(const auto pipeline, device.recorder()->create_pipeline(ComputeProgram::kReadTables));
    guard.pipelines.push_back(pipeline);
    return device.submitter().wait_idle();
}

}  // namespace

TEST_CASE("without a plan every call passes through and is counted") {
    const auto device = faulty({});
    REQUIRE(use_everything(*device));
    const auto counters = device->counters();
    CHECK(counters.injected == 0);
    CHECK(counters.submissions == 1);
    CHECK(counters.nothing_alive());
    for (std::size_t i = 0; i < kSeamCallCount; ++i) {
        CAPTURE(to_string(static_cast<SeamCall>(i)));
        CHECK(counters.calls[i] == 1);
    }
}

TEST_CASE("each call fails in turn with the planned code, and nothing leaks") {
    std::uint64_t at = 1;
    for (;; ++at) {
        CAPTURE(at);
        const auto device = faulty({.fail_at = at, .code = ErrorCode::kOutOfHostMemory});
        const auto status = use_everything(*device);
        const auto counters = device->counters();
        CHECK(counters.nothing_alive());
        auto& replay = dynamic_cast<ReplayDevice&>(device->inner());
        CHECK(replay.counters().source_allocations == 0);
        CHECK(replay.counters().resources == 0);
        CHECK(replay.counters().timelines == 0);
        CHECK(replay.counters().descriptor_heaps == 0);
        CHECK(replay.counters().command_allocators == 0);
        CHECK(replay.counters().pipelines == 0);
        CHECK(device->take_validation_messages().empty());
        if (counters.injected == 0) {
            CHECK(status);
            break;
        }
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::kOutOfHostMemory);
    }
    CHECK(at == kSeamCallCount + 1);
}

TEST_CASE("a plan for one kind of call leaves the others alone") {
    const auto device = faulty({.fail_at = 2, .only = SeamCall::kAllocate, .keep_failing = true});
    REQUIRE(device->resources().requirements(kBuffer));
    REQUIRE(device->resources().requirements(kBuffer));
    const auto memory = device->memory().allocate({.memory_type = {1}, .size_bytes = kMib});
    REQUIRE(memory);
    for (int i = 0; i < 3; ++i) {
        CHECK(device->memory().allocate({.memory_type = {1}, .size_bytes = kMib}).error().code ==
              ErrorCode::kOutOfDeviceMemory);
    }
    CHECK(device->counters().injected == 3);
    CHECK_FALSE(device->counters().nothing_alive());
    device->memory().free(*memory);
    CHECK(device->counters().nothing_alive());
}

TEST_CASE("memory runs out after so many live bytes or allocations, and comes back") {
    const auto by_bytes = faulty({.oom_after_bytes = 2 * kMib});
    const auto first = by_bytes->memory().allocate({.memory_type = {0}, .size_bytes = 2 * kMib - 4096});
    REQUIRE(first);
    const auto dedicated = by_bytes->resources().create_dedicated(kBuffer, {0}, 0.5f);
    REQUIRE(dedicated);
    CHECK(by_bytes->memory().allocate({.memory_type = {0}, .size_bytes = 1}).error().code ==
          ErrorCode::kOutOfDeviceMemory);
    CHECK(by_bytes->resources().create_dedicated(kBuffer, {0}, 0.5f).error().code == ErrorCode::kOutOfDeviceMemory);
    by_bytes->resources().destroy(*dedicated);
    CHECK(by_bytes->memory().allocate({.memory_type = {0}, .size_bytes = 1}));

    const auto by_count = faulty({.oom_after_allocations = 1});
    REQUIRE(by_count->resources().create_dedicated(kBuffer, {0}, 0.5f));
    CHECK(by_count->memory().allocate({.memory_type = {0}, .size_bytes = 1}).error().code ==
          ErrorCode::kOutOfDeviceMemory);
}

TEST_CASE("a lost device stays lost") {
    const auto device = faulty({.device_lost_at = 2});
    const auto timeline = device->create_timeline(0).value();
    CompletionEvent awaited;
    REQUIRE(timeline->signal_event({1}, awaited));
    REQUIRE(use_everything(*device));
    CHECK_FALSE(awaited.is_signalled());
    CHECK(use_everything(*device).error().code == ErrorCode::kDeviceLost);
    CHECK(awaited.is_signalled());
    CHECK(timeline->signal_event({1}, CompletionEvent()).error().code == ErrorCode::kDeviceLost);
    CHECK(device->memory().budgets().error().code == ErrorCode::kDeviceLost);
    auto counters = device->counters();
    CHECK(--counters.timelines == 0);  // the one above
    CHECK(counters.nothing_alive());
}

TEST_CASE("a slow allocation takes simulated time") {
    ManualClock clock;
    const auto device = faulty({.slow_allocation_ns = 5'000'000, .clock = &clock});
    REQUIRE(device->memory().allocate({.memory_type = {1}, .size_bytes = kMib}));
    REQUIRE(device->resources().create_dedicated(kBuffer, {1}, 0.5f));
    CHECK(clock.now_ns() == 10'000'000);
}

TEST_CASE("a timeline of the device behind is not one of the faulty device") {
    const auto device = faulty({});
    const auto timeline = device->inner().create_timeline(0).value();
    const TimelinePoint point{timeline.get(), {1}};
    CHECK(device->submitter().submit({.signals = {&point, 1}}).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a plan is read from a command line") {
    const auto plan = parse_fault_plan("oom-after=64MiB,device-lost-at=3,slow-allocation=5ms,fail=create-placed:7");
    REQUIRE(plan);
    CHECK(plan->oom_after_bytes == 64 * kMib);
    CHECK(plan->device_lost_at == 3);
    CHECK(plan->slow_allocation_ns == 5'000'000);
    CHECK(plan->only == SeamCall::kCreatePlaced);
    CHECK(plan->fail_at == 7);
    CHECK(parse_fault_plan("oom-after-allocations=8").value().oom_after_allocations == 8);
    CHECK(parse_fault_plan("fail=17").value().fail_at == 17);
    CHECK(parse_fault_plan("pass-waits-from=2").value().pass_waits_from == 2);
    for (const char* wrong : {"", "oom-after", "oom-after=", "oom-after=5MB", "oom-after=-1", "fail=nothing:1",
                              "fail=map:", "fail=0", "fail=map:0", "device-lost-at=0", "pass-waits-from=0", "unknown=1",
                              "oom-after=1,", "oom-after=99999999999999999GiB"}) {
        CAPTURE(wrong);
        CHECK(parse_fault_plan(wrong).error().code == ErrorCode::kInvalidArgument);
    }
}
