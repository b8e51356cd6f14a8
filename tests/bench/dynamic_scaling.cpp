#include "dynamic_scaling.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/cache_line.hpp"
#include "frame/dynamic_suballocations_manager.hpp"
#include "no_source.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint32_t kRow = 3;
constexpr std::uint32_t kChunk = 4096;
constexpr std::uint32_t kCapacity = 1u << 23;

double thread_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct alignas(kCacheLineBytes) Counted {
    std::uint64_t rows = 0;
    std::uint64_t locks = 0;
    std::uint64_t locks_before = 0;  // the manager's, at the end of the frame before
    std::uint64_t refused = 0;
    double cpu_seconds = 0.0;
};

// What the threads share in one of the ways; play() makes the rows of one frame.
class Contexts {
public:
    Contexts(std::uint32_t threads, std::uint64_t rows_in_frame) : rows_in_frame_(rows_in_frame) {
        heap_ = std::move(*frame::GPUDescriptorHeap::create(
            source_, clock_, {.capacity = kCapacity, .dynamic_capacity = kCapacity - 1024, .dynamic_chunk = kChunk}));
        for (std::uint32_t i = 0; i < threads; ++i)
            contexts_.push_back(std::make_unique<frame::DynamicSuballocationsManager>(*heap_, i));
    }
    void play_row(std::uint32_t thread, Counted& counted) {
        auto made = contexts_[thread]->allocate(kRow);
        benchmark::DoNotOptimize(made);
        if (!made) [[unlikely]]
            ++counted.refused;
    }
    // As after a submission that is over: the chunks go back as a whole and are free again.
    void end_frame(std::uint32_t thread, Counted& counted) {
        contexts_[thread]->discard(TimelineValue{1});
        heap_->release_completed(TimelineValue{1});
        const std::uint64_t before = std::exchange(counted.locks_before, contexts_[thread]->locks_taken());
        counted.locks += counted.locks_before - before + 2;
    }
    void play(std::uint32_t thread, Counted& counted) {
        for (std::uint64_t row = 0; row < rows_in_frame_; ++row) play_row(thread, counted);
        end_frame(thread, counted);
    }

private:
    std::uint64_t rows_in_frame_;
    NoSource source_;
    frame::FrameClock clock_;
    std::unique_ptr<frame::GPUDescriptorHeap> heap_;
    std::vector<std::unique_ptr<frame::DynamicSuballocationsManager>> contexts_;
};

class OneLock {
public:
    OneLock(std::uint32_t, std::uint64_t rows_in_frame) : rows_in_frame_(rows_in_frame), inner_(1, rows_in_frame) {}
    void play(std::uint32_t, Counted& counted) {
        for (std::uint64_t row = 0; row < rows_in_frame_; ++row) {
            const std::lock_guard lock(mutex_);
            inner_.play_row(0, counted);
            if (++rows_ % rows_in_frame_ == 0) inner_.end_frame(0, counted);
        }
    }

private:
    std::uint64_t rows_in_frame_;
    std::mutex mutex_;
    Contexts inner_;
    std::uint64_t rows_ = 0;
};

// A cursor for each thread, `kBytes` apart.
template <std::size_t kBytes>
class Cursors {
public:
    Cursors(std::uint32_t threads, std::uint64_t rows_in_frame) : rows_in_frame_(rows_in_frame), cursors_(threads) {}
    void play(std::uint32_t thread, Counted&) {
        std::atomic<std::uint32_t>& cursor = cursors_[thread].next;
        for (std::uint64_t row = 0; row < rows_in_frame_; ++row) {
            const std::uint32_t next = cursor.load(std::memory_order_relaxed) + kRow;
            cursor.store(next < kCapacity ? next : 0, std::memory_order_relaxed);
        }
    }

private:
    struct alignas(kBytes) Cursor {
        std::atomic<std::uint32_t> next{0};
    };
    std::uint64_t rows_in_frame_;
    std::vector<Cursor> cursors_;
};

device::CopyBuffer copy_of(std::span<const device::ResourceId> buffers, std::uint64_t row, std::uint32_t thread) {
    const std::size_t half = buffers.size() / 2;
    return {.source = buffers[(row + thread * 37) % half],
            .destination = buffers[half + (row * 7 + thread) % half],
            .size_bytes = 64};
}

class Recorder {
public:
    Recorder(device::Device& device, std::span<const device::ResourceId> buffers, std::uint32_t threads,
             std::uint64_t rows_in_frame)
        : recorder_(*device.recorder()), threads_(threads) {
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            for (std::uint64_t row = 0; row < rows_in_frame; ++row)
                threads_[thread].work.push_back(copy_of(buffers, row, thread));
        }
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() {
        for (const OfThread& one : threads_) {
            if (one.allocator) recorder_.destroy(*one.allocator);
        }
    }
    void play(std::uint32_t thread, Counted& counted) {
        OfThread& mine = threads_[thread];
        if (!mine.allocator) mine.allocator = recorder_.create_allocator(device::EngineId{0});
        if (!mine.allocator || !recorder_.record(*mine.allocator, mine.work) || !recorder_.reset(*mine.allocator))
            ++counted.refused;
    }

private:
    struct alignas(kCacheLineBytes) OfThread {
        Result<device::CommandAllocatorId> allocator = fail(ErrorCode::kInvalidArgument, "none yet");
        std::vector<device::Work> work;
    };
    device::CommandRecorder& recorder_;
    std::vector<OfThread> threads_;
};

class Recording {
public:
    Recording(frame::RenderDevice& render, std::span<const device::ResourceId> buffers, std::uint64_t rows_in_frame)
        : render_(render), buffers_(buffers), rows_in_frame_(rows_in_frame) {}
    void play(std::uint32_t thread, Counted& counted) {
        frame::DeviceContext& context = render_.take_deferred();
        for (std::uint64_t row = 0; row < rows_in_frame_; ++row) {
            if (!context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, kRow)) [[unlikely]]
                ++counted.refused;
            context.record(copy_of(buffers_, row, thread));
        }
        if (!context.close()) ++counted.refused;
        render_.give_back(context);
        // As a program's main thread: what the lists of a frame took comes back at its end.
        if (thread == 0 && !render_.finish_frame()) ++counted.refused;
    }

private:
    frame::RenderDevice& render_;
    std::span<const device::ResourceId> buffers_;
    std::uint64_t rows_in_frame_;
};

template <class Shared>
Throughput measure(Shared&& shared, std::uint32_t threads, std::uint64_t rows_in_frame, double seconds) {
    std::vector<Counted> counted(threads);
    std::atomic<bool> over{false};
    std::barrier together(static_cast<std::ptrdiff_t>(threads) + 1);
    std::vector<std::jthread> running;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
            Counted mine;
            shared.play(thread, mine);  // the first chunks and the vectors' memory
            mine = {.locks_before = mine.locks_before};
            together.arrive_and_wait();
            const double from = thread_cpu_seconds();
            while (!over.load(std::memory_order_relaxed)) {
                shared.play(thread, mine);
                mine.rows += rows_in_frame;
            }
            mine.cpu_seconds = thread_cpu_seconds() - from;
            counted[thread] = mine;
        });
    }
    together.arrive_and_wait();
    const auto from = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    over.store(true, std::memory_order_relaxed);
    running.clear();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - from;

    Throughput sum;
    double cpu_seconds = 0.0;
    for (const Counted& one : counted) {
        sum.rows_per_s += static_cast<double>(one.rows);
        sum.locks += one.locks;
        sum.refused += one.refused;
        cpu_seconds += one.cpu_seconds;
    }
    sum.rows_per_cpu_s = sum.rows_per_s / cpu_seconds;
    sum.rows_per_s /= passed.count();
    return sum;
}

}  // namespace

Throughput measure_dynamic_rows(Sharing sharing, std::uint32_t threads, std::uint64_t rows_in_frame, double seconds) {
    switch (sharing) {
        case Sharing::kContexts: return measure(Contexts(threads, rows_in_frame), threads, rows_in_frame, seconds);
        case Sharing::kOneLock: return measure(OneLock(threads, rows_in_frame), threads, rows_in_frame, seconds);
        case Sharing::kOneLine:
            return measure(Cursors<sizeof(std::uint32_t)>(threads, rows_in_frame), threads, rows_in_frame, seconds);
        case Sharing::kNothing:
            return measure(Cursors<kCacheLineBytes>(threads, rows_in_frame), threads, rows_in_frame, seconds);
    }
    return {};
}

Throughput measure_recording(frame::RenderDevice& render, std::span<const device::ResourceId> buffers,
                             std::uint32_t threads, std::uint64_t rows_in_frame, double seconds) {
    return measure(Recording(render, buffers, rows_in_frame), threads, rows_in_frame, seconds);
}

Throughput measure_recorder(device::Device& device, std::span<const device::ResourceId> buffers, std::uint32_t threads,
                            std::uint64_t rows_in_frame, double seconds) {
    return measure(Recorder(device, buffers, threads, rows_in_frame), threads, rows_in_frame, seconds);
}

}  // namespace heapwright::bench
