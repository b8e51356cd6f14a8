// The descriptor heaps, release queues and the upload heap of the runtime, one operation at a time (Google Benchmark).
// "without_api": a descriptor heap source that does nothing, so that the figure is the stack's own, locks included.
// "with_api": the same with the descriptor written, on a replayed device; and on the Vulkan driver that
// HEAPWRIGHT_BENCH_ICD names, where it is set.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "../unit/device/replay_report.hpp"
#include "heapwright/core/random.hpp"
#include "heapwright/device/replay_device.hpp"
#include "heapwright/runtime/cpu_descriptor_heap.hpp"
#include "heapwright/runtime/dynamic_suballocations_manager.hpp"
#include "heapwright/runtime/release_queues.hpp"
#include "heapwright/runtime/upload_heap.hpp"
#include "heapwright/vulkan/capability_source.hpp"

namespace {

using namespace heapwright;
using device::DescriptorHeapKind;

constexpr std::size_t kLive = 25'000;
constexpr std::uint64_t kObjectsInFrame = 1000;
constexpr std::uint64_t kFramesInFlight = 3;

class NoSource final : public device::DescriptorHeapSource {
public:
    const device::DescriptorFormChoice& form() const override { return form_; }
    std::optional<std::uint64_t> stated_limit(DescriptorHeapKind, bool) const override { return std::nullopt; }
    Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest&) override {
        return device::DescriptorHeapId{1};
    }
    void destroy(device::DescriptorHeapId) override {}
    device::DescriptorHeapAddresses addresses(device::DescriptorHeapId) const override { return {}; }
    Status write(device::DescriptorHeapId, std::uint32_t, const device::Descriptor&) override { return {}; }
    Status copy(device::DescriptorHeapId, std::uint32_t, device::DescriptorHeapId, std::uint32_t,
                std::uint32_t) override {
        return {};
    }

private:
    device::DescriptorFormChoice form_;
};

// One view replaced by another, at kLive live ones, a frame every kObjectsInFrame.
template <class Write>
void replace_views(benchmark::State& state, device::DescriptorHeapSource& source, DescriptorHeapKind kind,
                   std::uint32_t page, Write&& write) {
    runtime::CommandListClock clock;
    runtime::CPUDescriptorHeap heap(source, clock, kind, page);
    std::vector<runtime::DescriptorHeapAllocation> live;
    for (std::size_t i = 0; i < kLive; ++i) live.push_back(std::move(*heap.allocate()));
    Random random(1);
    std::uint64_t count = 0;
    for (auto _ : state) {
        runtime::DescriptorHeapAllocation& place = live[static_cast<std::size_t>(random.below(kLive))];
        place.reset();
        place = std::move(*heap.allocate());
        write(place);
        if (++count % kObjectsInFrame == 0) {
            clock.advance();
            heap.release_stale(TimelineValue{clock.next() < kFramesInFlight ? 0 : clock.next() - kFramesInFlight});
        }
    }
    live.clear();
    heap.release_stale(TimelineValue{~0ull});
}

void view_pair_without_api(benchmark::State& state) {
    NoSource source;
    replace_views(state, source, DescriptorHeapKind::kCbvSrvUav, 8192, [](const auto&) {});
}
BENCHMARK(view_pair_without_api);

void static_table_pair_without_api(benchmark::State& state) {
    NoSource source;
    runtime::CommandListClock clock;
    const auto heap = *runtime::GPUDescriptorHeap::create(
        source, clock, {.capacity = 1 << 20, .dynamic_capacity = 1 << 19, .dynamic_chunk = 256});
    std::vector<runtime::DescriptorHeapAllocation> live;
    Random random(1);
    for (std::size_t i = 0; i < kLive; ++i)
        live.push_back(std::move(*heap->allocate(1 + static_cast<std::uint32_t>(random.below(8)))));
    std::uint64_t count = 0;
    for (auto _ : state) {
        runtime::DescriptorHeapAllocation& place = live[static_cast<std::size_t>(random.below(kLive))];
        place.reset();
        place = std::move(*heap->allocate(1 + static_cast<std::uint32_t>(random.below(8))));
        if (++count % kObjectsInFrame == 0) {
            clock.advance();
            heap->release_stale(TimelineValue{clock.next() < kFramesInFlight ? 0 : clock.next() - kFramesInFlight});
        }
    }
}
BENCHMARK(static_table_pair_without_api);

void view_pair_with_api_replayed(benchmark::State& state) {
    const auto device = *device::open_replay(test::small_report(), {.interpolate = true});
    device::DescriptorHeapSource& source = *device->descriptors();
    replace_views(state, source, DescriptorHeapKind::kSampler, 8192, [&](const auto& place) {
        benchmark::DoNotOptimize(source.write(place.heap(), place.first_index(), device::SamplerDescription{}));
    });
}
BENCHMARK(view_pair_with_api_replayed);

void view_pair_with_api_vulkan(benchmark::State& state) {
    const char* icd = std::getenv("HEAPWRIGHT_BENCH_ICD");
    if (icd == nullptr) {
        state.SkipWithError("HEAPWRIGHT_BENCH_ICD is not set");
        return;
    }
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    auto source = vulkan::create_capability_source({});
    auto opened = source ? (*source)->open(0, {}) : Result<std::unique_ptr<device::Device>>(tl::unexpect, Error{});
    if (!opened || (*opened)->descriptors() == nullptr) {
        state.SkipWithError("the driver has no descriptor heaps");
        return;
    }
    device::Device& device = **opened;
    const auto buffer = device.resources().create_dedicated(
        model::BufferDescription{.size_bytes = 65'536,
                                 .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst},
        MemoryTypeIndex{0}, 0.5f);
    if (!buffer) {
        state.SkipWithError("no buffer");
        return;
    }
    replace_views(state, *device.descriptors(), DescriptorHeapKind::kCbvSrvUav, 8192, [&](const auto& place) {
        benchmark::DoNotOptimize(device.descriptors()->write(
            place.heap(), place.first_index(), device::ConstantBufferView{.buffer = *buffer, .size_bytes = 256}));
    });
    device.resources().destroy(*buffer);
}
BENCHMARK(view_pair_with_api_vulkan);

// Rows of three in a context of each thread; chunks of 4096, a frame of 8192 rows, then all chunks go back at once.
void dynamic_row(benchmark::State& state) {
    constexpr std::uint64_t kRows = 8192;
    static NoSource source;
    static runtime::CommandListClock clock;
    static std::unique_ptr<runtime::GPUDescriptorHeap> heap;
    if (state.thread_index() == 0) {
        heap = *runtime::GPUDescriptorHeap::create(
            source, clock, {.capacity = 1 << 23, .dynamic_capacity = (1 << 23) - 1024, .dynamic_chunk = 4096});
    }
    std::unique_ptr<runtime::DynamicSuballocationsManager> context;
    std::uint64_t count = 0;
    for (auto _ : state) {
        // Made here: the loop's start is where the threads meet, and the heap is there only then.
        if (!context) [[unlikely]]
            context = std::make_unique<runtime::DynamicSuballocationsManager>(
                *heap, static_cast<std::uint32_t>(state.thread_index()));
        benchmark::DoNotOptimize(context->allocate(3));
        if (++count == kRows) [[unlikely]] {
            count = 0;
            context->discard(TimelineValue{1});
            if (state.thread_index() == 0) heap->release_stale(TimelineValue{1});
        }
    }
    context.reset();
}
BENCHMARK(dynamic_row)->ThreadRange(1, 16)->UseRealTime();

// A context's release: noted without a lock, paired with the list as a batch, purged once a frame.
void deferred_release(benchmark::State& state) {
    runtime::LockedReleaseQueue<device::ResourceId> queue;
    std::vector<device::ResourceId> released;
    std::uint64_t frame = 0;
    std::uint64_t sum = 0;
    std::uint64_t id = 0;
    for (auto _ : state) {
        released.push_back(device::ResourceId{++id});
        if (released.size() == kObjectsInFrame) [[unlikely]] {
            queue.push_all(TimelineValue{++frame}, released);
            queue.purge(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight},
                        [&](device::ResourceId ended) { sum += ended.value; });
        }
    }
    benchmark::DoNotOptimize(sum);
}
BENCHMARK(deferred_release);

// The same by a thread without a context: a lock for each object.
void deferred_release_from_any_thread(benchmark::State& state) {
    runtime::LockedReleaseQueue<device::ResourceId> queue;
    std::uint64_t frame = 1;
    std::uint64_t sum = 0;
    std::uint64_t id = 0;
    for (auto _ : state) {
        queue.push(TimelineValue{frame}, device::ResourceId{++id});
        if (id % kObjectsInFrame == 0) [[unlikely]] {
            ++frame;
            queue.purge(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight},
                        [&](device::ResourceId ended) { sum += ended.value; });
        }
    }
    benchmark::DoNotOptimize(sum);
}
BENCHMARK(deferred_release_from_any_thread);

struct Uploads {
    Uploads()
        : device(*device::open_replay(test::small_report(), {.interpolate = true})),
          timeline(*device->create_timeline(~0ull >> 1)) {
        constexpr std::uint32_t kTypes[] = {1, 2};
        heap = *runtime::UploadHeap::create(*device, *timeline, kTypes,
                                            {.ring_bytes = 16 << 20, .page_bytes = 4 << 20, .most_bytes = 64 << 20});
    }
    void end_frame() {
        benchmark::DoNotOptimize(heap->finish_frame(TimelineValue{++frame}));
        heap->release_stale(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight});
    }

    std::unique_ptr<device::ReplayDevice> device;
    std::unique_ptr<device::Timeline> timeline;
    std::unique_ptr<runtime::UploadHeap> heap;
    std::uint64_t frame = 0;
};

void upload_in_context(benchmark::State& state) {
    Uploads uploads;
    runtime::ContextUploads context(*uploads.heap, 1);
    std::uint64_t count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(context.allocate(256, 256));
        if (++count == kObjectsInFrame) [[unlikely]] {
            count = 0;
            context.discard();
            uploads.end_frame();
        }
    }
}
BENCHMARK(upload_in_context);

void upload_from_any_thread(benchmark::State& state) {
    Uploads uploads;
    std::uint64_t count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(uploads.heap->allocate(256, 256));
        if (++count == kObjectsInFrame) [[unlikely]] {
            count = 0;
            uploads.end_frame();
        }
    }
}
BENCHMARK(upload_from_any_thread);

}  // namespace
