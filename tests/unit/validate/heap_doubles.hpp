// Shader-visible heaps that break one rule each, for RenderDeviceOptions::make_visible_heap.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "frame/gpu_descriptor_heap.hpp"

namespace heapwright::test {

template <class Double>
class HeapDouble : public frame::GPUDescriptorHeap {
public:
    HeapDouble(device::DescriptorHeapSource& source, const frame::FrameClock& clock,
               const frame::VisibleHeapLayout& layout, device::DescriptorHeapId heap)
        : GPUDescriptorHeap(source, clock, layout, heap) {}

    static Result<std::unique_ptr<frame::GPUDescriptorHeap>> make(device::DescriptorHeapSource& source,
                                                                  const frame::FrameClock& clock,
                                                                  const frame::VisibleHeapLayout& layout) {
        HEAPWRIGHT_ASSIGN(const auto heap,
                          source.create({.kind = layout.kind, .capacity = layout.capacity, .shader_visible = true}));
        auto made = std::make_unique<Double>(source, clock, layout, heap);
        HEAPWRIGHT_TRY(made->set_up());
        return made;
    }

protected:
    Status set_up() { return this->make_parts(); }
    [[nodiscard]] frame::DescriptorHeapAllocation without_owner(const frame::DescriptorRange& range) const {
        return {nullptr, facts_, range};
    }

private:
    frame::DescriptorHeapFacts facts_{};
};

// Hands chunks to two contexts, which record on threads of their own.
class TwiceHandedHeap final : public HeapDouble<TwiceHandedHeap> {
public:
    using HeapDouble::HeapDouble;

    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        const std::lock_guard lock(mutex_);
        const std::thread::id thread = std::this_thread::get_id();
        if (last_ && last_->count == count && last_thread_ != thread) {
            const frame::DescriptorRange range = *last_;
            last_.reset();
            return without_owner(range);
        }
        auto made = GPUDescriptorHeap::allocate_dynamic(count);
        if (made) last_ = frame::DescriptorRange{.first = made->first_index(), .count = made->count()};
        last_thread_ = thread;
        return made;
    }
    std::uint64_t take_chunks_ahead(std::uint32_t, std::vector<frame::DescriptorHeapAllocation>&) override { return 0; }

private:
    std::mutex mutex_;
    std::optional<frame::DescriptorRange> last_;
    std::thread::id last_thread_;
};

// Waits for one queue before each request, for a moment.
class OneQueueHeap final : public HeapDouble<OneQueueHeap> {
public:
    using HeapDouble::HeapDouble;

    void wait_for(const device::TimelinePoint& point) { point_ = point; }
    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        if (point_.timeline != nullptr) HEAPWRIGHT_TRY(point_.timeline->wait(point_.value, 20'000'000));
        return GPUDescriptorHeap::allocate_dynamic(count);
    }

private:
    device::TimelinePoint point_;
};

// Takes dynamic chunks from the whole heap instead of the dynamic part.
class NoBoundaryHeap final : public HeapDouble<NoBoundaryHeap> {
public:
    using HeapDouble::HeapDouble;

    Status set_up() {
        HEAPWRIGHT_TRY(make_parts());
        HEAPWRIGHT_ASSIGN(whole_, frame::DescriptorHeapAllocationManager::create_in(
                                      source(), heap(), 0, layout().capacity,
                                      {.manager_id = kDynamicManager, .chunk = layout().dynamic_chunk}));
        return {};
    }

    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        const std::lock_guard lock(mutex_);
        const auto range = whole_->allocate(count);
        if (!range) return fail(ErrorCode::kExhausted, "the whole heap is in use");
        return without_owner(*range);
    }
    std::uint64_t take_chunks_ahead(std::uint32_t, std::vector<frame::DescriptorHeapAllocation>&) override { return 0; }

private:
    std::mutex mutex_;
    std::unique_ptr<frame::DescriptorHeapAllocationManager> whole_;
};

// What is freed of the static part waits for nothing.
class HastyTablesHeap final : public HeapDouble<HastyTablesHeap> {
public:
    using HeapDouble::HeapDouble;
    void free(const frame::DescriptorRange& range) override { GPUDescriptorHeap::free(range, TimelineValue{}); }
    void free(const frame::DescriptorRange& range, frame::ReleasePoint) override { free(range); }
};

// Dynamic chunks that go back wait for nothing.
class HastyChunksHeap final : public HeapDouble<HastyChunksHeap> {
public:
    using HeapDouble::HeapDouble;
    void free_all(std::span<const frame::DescriptorRange> ranges, frame::ReleasePoint) override {
        GPUDescriptorHeap::free_all(ranges, TimelineValue{});
    }
};

// Dynamic chunks do not go back.
class KeptChunksHeap final : public HeapDouble<KeptChunksHeap> {
public:
    using HeapDouble::HeapDouble;
    void free_all(std::span<const frame::DescriptorRange>, frame::ReleasePoint) override {}
};

// Chunks count as free while they are in use; they go back with the frame.
class UncountedChunksHeap final : public HeapDouble<UncountedChunksHeap> {
public:
    using HeapDouble::HeapDouble;
    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        HEAPWRIGHT_ASSIGN(auto made, GPUDescriptorHeap::allocate_dynamic(count));
        const frame::DescriptorRange range = made.take_range();
        free(range);
        return without_owner(range);
    }
    std::uint64_t take_chunks_ahead(std::uint32_t, std::vector<frame::DescriptorHeapAllocation>&) override { return 0; }
};

// Whoever asks for more than a chunk gets a chunk, and is told that it is as much as was asked for.
class EqualChunksHeap final : public HeapDouble<EqualChunksHeap> {
public:
    using HeapDouble::HeapDouble;
    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        if (count <= layout().dynamic_chunk) return GPUDescriptorHeap::allocate_dynamic(count);
        HEAPWRIGHT_ASSIGN(auto chunk, GPUDescriptorHeap::allocate_dynamic(layout().dynamic_chunk));
        const std::uint32_t first = chunk.first_index();
        chunks_.push_back(std::move(chunk));
        return without_owner({.first = first, .count = count});
    }

private:
    std::vector<frame::DescriptorHeapAllocation> chunks_;
};

// Keeps one call for a chunk inside until it is let go.
class StoppingHeap final : public HeapDouble<StoppingHeap> {
public:
    using HeapDouble::HeapDouble;
    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        is_inside_.release();
        may_leave_.acquire();
        return GPUDescriptorHeap::allocate_dynamic(count);
    }
    void wait_until_inside() { is_inside_.acquire(); }
    void let_go() { may_leave_.release(); }

private:
    std::binary_semaphore is_inside_{0};
    std::binary_semaphore may_leave_{0};
};

}  // namespace heapwright::test
