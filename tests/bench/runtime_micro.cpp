// The descriptor heaps, release queues and the upload heap of the runtime, one operation at a time (Google Benchmark).
// "without_api": a descriptor heap source that does nothing, so that the figure is the stack's own, locks included.
// "with_api": the same with the descriptor written, on a replayed device; and on the Vulkan driver that
// HEAPWRIGHT_BENCH_ICD names, through Vulkan and through Direct3D 12, where it is set.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "../unit/replay/replay_report.hpp"
#include "core/file.hpp"
#include "core/random.hpp"
#include "d3d12/capability_source.hpp"
#include "dynamic_scaling.hpp"
#include "frame/cpu_descriptor_heap.hpp"
#include "frame/dynamic_suballocations_manager.hpp"
#include "frame/release_queues.hpp"
#include "frame/render_device.hpp"
#include "frame/upload_heap.hpp"
#include "heapwright/model/json.hpp"
#include "no_source.hpp"
#include "replay/device.hpp"
#include "vulkan/capability_source.hpp"

namespace {

using namespace heapwright;
using bench::NoSource;
using device::DescriptorHeapKind;

constexpr std::size_t kLive = 25'000;
constexpr std::uint64_t kObjectsInFrame = 1000;
constexpr std::uint64_t kFramesInFlight = 3;

// One view replaced by another, at kLive live ones, a frame every kObjectsInFrame.
template <class Write>
void replace_views(benchmark::State& state, device::DescriptorHeapSource& source, DescriptorHeapKind kind,
                   std::uint32_t page, Write&& write) {
    frame::FrameClock clock;
    frame::CPUDescriptorHeap heap(source, clock, kind, page);
    std::vector<frame::DescriptorHeapAllocation> live;
    for (std::size_t i = 0; i < kLive; ++i) live.push_back(std::move(*heap.allocate()));
    Random random(1);
    std::uint64_t count = 0;
    for (auto _ : state) {
        frame::DescriptorHeapAllocation& place = live[static_cast<std::size_t>(random.below(kLive))];
        place.reset();
        place = std::move(*heap.allocate());
        write(place);
        if (++count % kObjectsInFrame == 0) {
            clock.advance();
            heap.release_completed(TimelineValue{clock.next() < kFramesInFlight ? 0 : clock.next() - kFramesInFlight});
        }
    }
    live.clear();
    heap.release_completed(TimelineValue{~0ull});
}

void view_pair_without_api(benchmark::State& state) {
    NoSource source;
    replace_views(state, source, DescriptorHeapKind::kCbvSrvUav, 8192, [](const auto&) {});
}
BENCHMARK(view_pair_without_api);

void static_table_pair_without_api(benchmark::State& state) {
    NoSource source;
    frame::FrameClock clock;
    const auto heap = *frame::GPUDescriptorHeap::create(
        source, clock, {.capacity = 1 << 20, .dynamic_capacity = 1 << 19, .dynamic_chunk = 256});
    std::vector<frame::DescriptorHeapAllocation> live;
    Random random(1);
    for (std::size_t i = 0; i < kLive; ++i)
        live.push_back(std::move(*heap->allocate(1 + static_cast<std::uint32_t>(random.below(8)))));
    std::uint64_t count = 0;
    for (auto _ : state) {
        frame::DescriptorHeapAllocation& place = live[static_cast<std::size_t>(random.below(kLive))];
        place.reset();
        place = std::move(*heap->allocate(1 + static_cast<std::uint32_t>(random.below(8))));
        if (++count % kObjectsInFrame == 0) {
            clock.advance();
            heap->release_completed(TimelineValue{clock.next() < kFramesInFlight ? 0 : clock.next() - kFramesInFlight});
        }
    }
}
BENCHMARK(static_table_pair_without_api);

void view_pair_with_api_replayed(benchmark::State& state) {
    const auto device = *replay::open_replay(test::small_report(), {.interpolate = true});
    device::DescriptorHeapSource& source = *device->descriptors();
    replace_views(state, source, DescriptorHeapKind::kSampler, 8192, [&](const auto& place) {
        benchmark::DoNotOptimize(source.write(place.heap(), place.first_index(), device::SamplerDescription{}));
    });
}
BENCHMARK(view_pair_with_api_replayed);

using OpenSource = Result<std::unique_ptr<device::CapabilitySource>> (*)(const char* icd);

Result<std::unique_ptr<device::CapabilitySource>> open_vulkan(const char* icd) {
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    return vulkan::create_capability_source({});
}

Result<std::unique_ptr<device::CapabilitySource>> open_d3d12(const char* icd) {
    return d3d12::create_capability_source({.icd_files = {icd}});
}

void view_pair_with_api(benchmark::State& state, OpenSource open) {
    const char* icd = std::getenv("HEAPWRIGHT_BENCH_ICD");
    if (icd == nullptr) {
        state.SkipWithError("HEAPWRIGHT_BENCH_ICD is not set");
        return;
    }
    auto source = open(icd);
    auto opened = source ? (*source)->open(0, {}) : Result<std::unique_ptr<device::Device>>(tl::unexpect, Error{});
    if (!opened || (*opened)->descriptors() == nullptr) {
        state.SkipWithError("the driver has no descriptor heaps");
        return;
    }
    device::Device& device = **opened;
    const model::BufferDescription constants{
        .size_bytes = 65'536, .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst};
    const auto requirements = device.resources().requirements(constants);
    const std::uint32_t types = requirements ? requirements->memory_type_bits : 0;
    const auto buffer = device.resources().create_dedicated(
        constants, MemoryTypeIndex{static_cast<std::uint32_t>(std::countr_zero(types | 1u << 31))}, 0.5f);
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
BENCHMARK_CAPTURE(view_pair_with_api, vulkan, open_vulkan);
BENCHMARK_CAPTURE(view_pair_with_api, d3d12, open_d3d12);

// Rows of three in one context; chunks of 4096, a frame of 8192 rows, then all chunks go back at once.
constexpr std::uint64_t kRowsInFrame = 8192;

void dynamic_row(benchmark::State& state) {
    NoSource source;
    frame::FrameClock clock;
    const auto heap = *frame::GPUDescriptorHeap::create(
        source, clock, {.capacity = 1 << 20, .dynamic_capacity = 1 << 19, .dynamic_chunk = 4096});
    frame::DynamicSuballocationsManager context(*heap, 0);
    std::uint64_t count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(context.allocate(3));
        if (++count == kRowsInFrame) [[unlikely]] {
            count = 0;
            context.discard(TimelineValue{1});
            heap->release_completed(TimelineValue{1});
        }
    }
}
BENCHMARK(dynamic_row);

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// All threads against one, turn by turn in one run; the medians of the turns. On a machine with other work more threads
// also get more of its time, and threads of one core share it: `cores_give` is the same ratio of threads that share
// nothing at all, taken in the same turns, and `of_that` how much of it is reached. `per_cpu_s` compares rows for the
// processor time that the threads really got.
template <class Measure>
void against_one_thread(benchmark::State& state, Measure&& measure) {
    constexpr int kTurns = 15;
    constexpr double kSeconds = 0.02;
    const auto threads = static_cast<std::uint32_t>(state.range(0));
    std::vector<double> one;
    std::vector<double> all;
    std::vector<double> ratio;
    std::vector<double> cores_give;
    std::vector<double> per_cpu_s;
    double rows = 0.0;
    double locks = 0.0;
    for (auto _ : state) {
        for (int turn = 0; turn < kTurns; ++turn) {
            const bench::Throughput alone = measure(1, kSeconds);
            const bench::Throughput together = measure(threads, kSeconds);
            const bench::Throughput nothing =
                bench::measure_dynamic_rows(bench::Sharing::kNothing, 1, kRowsInFrame, kSeconds);
            const bench::Throughput most =
                bench::measure_dynamic_rows(bench::Sharing::kNothing, threads, kRowsInFrame, kSeconds);
            if (alone.refused + together.refused != 0) state.SkipWithError("the heap was too small");
            one.push_back(alone.rows_per_s);
            all.push_back(together.rows_per_s);
            ratio.push_back(together.rows_per_s / alone.rows_per_s);
            cores_give.push_back(most.rows_per_s / nothing.rows_per_s);
            per_cpu_s.push_back(together.rows_per_cpu_s / alone.rows_per_cpu_s);
            rows += together.rows_per_s * kSeconds;
            locks += static_cast<double>(together.locks);
        }
    }
    state.counters["cores"] = std::thread::hardware_concurrency();
    state.counters["Mrows/s_one"] = median(one) * 1e-6;
    state.counters["Mrows/s_all"] = median(all) * 1e-6;
    state.counters["ratio"] = median(ratio);
    state.counters["cores_give"] = median(cores_give);
    state.counters["of_that"] = median(ratio) / median(cores_give);
    state.counters["per_cpu_s"] = median(per_cpu_s);
    state.counters["locks/row"] = locks / rows;
}

void dynamic_rows_of_threads(benchmark::State& state, bench::Sharing sharing, std::uint64_t rows_in_frame) {
    against_one_thread(state, [&](std::uint32_t threads, double seconds) {
        return bench::measure_dynamic_rows(sharing, threads, rows_in_frame, seconds);
    });
}
BENCHMARK_CAPTURE(dynamic_rows_of_threads, contexts, bench::Sharing::kContexts, kRowsInFrame)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);
BENCHMARK_CAPTURE(dynamic_rows_of_threads, contexts_longer_frames, bench::Sharing::kContexts, 8 * kRowsInFrame)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);
BENCHMARK_CAPTURE(dynamic_rows_of_threads, control_one_lock, bench::Sharing::kOneLock, kRowsInFrame)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);
BENCHMARK_CAPTURE(dynamic_rows_of_threads, control_one_cache_line, bench::Sharing::kOneLine, kRowsInFrame)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);

enum class RecordedBy : std::uint8_t { kContexts, kRecorderAlone };

// With the API's own command lists, so it needs a driver and a policy that was made for it.
void recording_of_threads(benchmark::State& state, OpenSource open, std::uint64_t rows_in_frame,
                          RecordedBy by = RecordedBy::kContexts) {
    const char* icd = std::getenv("HEAPWRIGHT_BENCH_ICD");
    const char* file = std::getenv("HEAPWRIGHT_BENCH_POLICY");
    if (icd == nullptr || file == nullptr) {
        state.SkipWithError("HEAPWRIGHT_BENCH_ICD or HEAPWRIGHT_BENCH_POLICY is not set");
        return;
    }
    const auto skip = [&](const Error& error) { state.SkipWithError(to_string(error).c_str()); };
    const auto text = read_file(file);
    if (!text) return skip(text.error());
    const auto policy = model::read_policy(*text, file);
    if (!policy) return skip(policy.error());
    const auto source = open(icd);
    if (!source) return skip(source.error());
    const auto device = (*source)->open(0, {});
    if (!device) return skip(device.error());
    const auto render = frame::RenderDevice::create(**device, policy->devices[0], {});
    if (!render) return skip(render.error());
    std::vector<device::ResourceId> buffers;
    for (int i = 0; i < 40; ++i) {
        const auto made = (*device)->resources().create_dedicated(
            model::BufferDescription{.size_bytes = 256,
                                     .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst},
            MemoryTypeIndex{policy->devices[0].buckets[0].memory_type}, 0.5f);
        if (!made) return skip(made.error());
        buffers.push_back(*made);
    }
    against_one_thread(state, [&](std::uint32_t threads, double seconds) {
        if (by == RecordedBy::kRecorderAlone)
            return bench::measure_recorder(**device, buffers, threads, rows_in_frame, seconds);
        return bench::measure_recording(**render, buffers, threads, rows_in_frame, seconds);
    });
    for (const device::ResourceId buffer : buffers) (*device)->resources().destroy(buffer);
}
BENCHMARK_CAPTURE(recording_of_threads, vulkan, open_vulkan, 256)->RangeMultiplier(2)->Range(2, 16)->Iterations(1);
BENCHMARK_CAPTURE(recording_of_threads, vulkan_longer_lists, open_vulkan, 2048)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);
BENCHMARK_CAPTURE(recording_of_threads, control_vulkan_recorder, open_vulkan, 256, RecordedBy::kRecorderAlone)
    ->RangeMultiplier(2)
    ->Range(2, 16)
    ->Iterations(1);
BENCHMARK_CAPTURE(recording_of_threads, d3d12, open_d3d12, 256)->RangeMultiplier(2)->Range(2, 16)->Iterations(1);

// A context's release: noted without a lock, paired with the list as a batch, purged once a frame.
void deferred_release(benchmark::State& state) {
    frame::LockedReleaseQueue<device::ResourceId> queue;
    std::vector<device::ResourceId> released;
    std::uint64_t frame = 0;
    std::uint64_t sum = 0;
    std::uint64_t id = 0;
    for (auto _ : state) {
        released.push_back(device::ResourceId{++id});
        if (released.size() == kObjectsInFrame) [[unlikely]] {
            queue.push_all(TimelineValue{++frame}, released);
            queue.release_completed(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight},
                                    [&](device::ResourceId ended) { sum += ended.value; });
        }
    }
    benchmark::DoNotOptimize(sum);
}
BENCHMARK(deferred_release);

// The same by a thread without a context: a lock for each object.
void deferred_release_from_any_thread(benchmark::State& state) {
    frame::LockedReleaseQueue<device::ResourceId> queue;
    std::uint64_t frame = 1;
    std::uint64_t sum = 0;
    std::uint64_t id = 0;
    for (auto _ : state) {
        queue.push(TimelineValue{frame}, device::ResourceId{++id});
        if (id % kObjectsInFrame == 0) [[unlikely]] {
            ++frame;
            queue.release_completed(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight},
                                    [&](device::ResourceId ended) { sum += ended.value; });
        }
    }
    benchmark::DoNotOptimize(sum);
}
BENCHMARK(deferred_release_from_any_thread);

struct Uploads {
    Uploads()
        : device(*replay::open_replay(test::small_report(), {.interpolate = true})),
          timeline(*device->create_timeline(~0ull >> 1)) {
        constexpr std::uint32_t kTypes[] = {1, 2};
        heap = *frame::UploadHeap::create(*device, *timeline, kTypes,
                                          {.ring_bytes = 16 << 20, .page_bytes = 4 << 20, .most_bytes = 64 << 20});
    }
    void end_frame() {
        benchmark::DoNotOptimize(heap->finish_frame(TimelineValue{++frame}));
        heap->release_completed(TimelineValue{frame < kFramesInFlight ? 0 : frame - kFramesInFlight});
    }

    std::unique_ptr<replay::ReplayDevice> device;
    std::unique_ptr<device::Timeline> timeline;
    std::unique_ptr<frame::UploadHeap> heap;
    std::uint64_t frame = 0;
};

void upload_in_context(benchmark::State& state) {
    Uploads uploads;
    frame::ContextUploads context(*uploads.heap, 1);
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
