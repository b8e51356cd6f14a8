// Samplers that change at run time: identical ones share one descriptor, kept in the CPU heap and, as a table of one,
// in the static part of the shader-visible sampler heap. The descriptor is free again when the last user of it is gone
// and the device has passed it. Samplers that never change belong into the pipeline (static samplers) and need no
// descriptor at all.
// Thread-safe. Errors: kTooManyObjects or kExhausted with how many distinct samplers and users there are, and
// kInvalidArgument for a level of detail that is not a number; everything handed out before stays good. Ownership: the
// heaps outlive it, and it outlives its references. Source: "Managing Descriptor Heaps" (Diligent Engine), discussion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "frame/cpu_descriptor_heap.hpp"
#include "frame/gpu_descriptor_heap.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

class SamplerCache {
    struct Entry {
        DescriptorHeapAllocation cpu;
        DescriptorHeapAllocation visible;
        std::uint64_t users = 0;
    };
    struct Hash {
        std::size_t operator()(const device::SamplerDescription& sampler) const noexcept;
    };
    using Map = std::unordered_map<device::SamplerDescription, Entry, Hash>;

public:
    // Move-only; the user of one descriptor.
    class Reference {
    public:
        Reference() = default;
        Reference(Reference&& other) noexcept
            : cache_(std::exchange(other.cache_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}
        Reference& operator=(Reference&& other) noexcept {
            std::swap(cache_, other.cache_);
            std::swap(entry_, other.entry_);
            return *this;
        }
        Reference(const Reference&) = delete;
        Reference& operator=(const Reference&) = delete;
        ~Reference() {
            if (cache_ != nullptr) cache_->leave(*entry_);
        }

        // Where a table that is copied together finds it, and its place in the shader-visible heap.
        [[nodiscard]] const DescriptorHeapAllocation& cpu() const { return entry_->second.cpu; }
        [[nodiscard]] std::uint32_t visible_index() const { return entry_->second.visible.first_index(); }

    private:
        friend class SamplerCache;
        Reference(SamplerCache& cache, Map::value_type& entry) : cache_(&cache), entry_(&entry) {}
        SamplerCache* cache_ = nullptr;
        Map::value_type* entry_ = nullptr;
    };

    SamplerCache(device::DescriptorHeapSource& source, CPUDescriptorHeap& cpu, GPUDescriptorHeap& visible)
        : source_(source), cpu_(cpu), visible_(visible) {}
    SamplerCache(const SamplerCache&) = delete;
    SamplerCache& operator=(const SamplerCache&) = delete;

    [[nodiscard]] Result<Reference> get(const device::SamplerDescription& sampler);

    struct Figures {
        std::uint64_t distinct = 0;
        std::uint64_t users = 0;
        std::uint64_t peak_distinct = 0;
        std::uint64_t shared = 0;  // requests that an existing descriptor served
    };
    [[nodiscard]] Figures figures() const;

private:
    void leave(Map::value_type& entry);
    [[nodiscard]] Result<Entry> make(const device::SamplerDescription& sampler);
    [[nodiscard]] Error with_figures(Error error) const;

    device::DescriptorHeapSource& source_;
    CPUDescriptorHeap& cpu_;
    GPUDescriptorHeap& visible_;
    mutable std::mutex mutex_;
    Map entries_;  // elements keep their address
    Figures figures_;
};

}  // namespace heapwright::frame
