// An allocator with one fault on purpose, for the checks to find. Without a fault it is plain and right: one device
// allocation a class, two-level bins, everything released behind its timeline value.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/checked.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"
#include "validate/allocator_under_test.hpp"

namespace heapwright::test {

enum class Defect {
    kNone,
    kOverlap,             // now and then the offset of a live resource
    kMisaligned,          // now and then half an alignment beside the right offset
    kWrongMemoryType,     // now and then the heap of a type that the device does not admit
    kGranularityIgnored,  // buffers and images in one heap, 16 bytes apart
    kReusedEarly,         // released memory is free at once
    kOutsideChunk,        // now and then beyond the end of the heap
    kLeaked,              // now and then a release is forgotten
};

class BrokenAllocator final : public validate::AllocatorUnderTest {
public:
    static constexpr std::uint64_t kHeapBytes = 64ull << 20;
    static constexpr std::uint64_t kOneIn = 50;

    BrokenAllocator(device::Device& device, Defect defect) : device_(device), defect_(defect) {}
    ~BrokenAllocator() override {
        for (const Space& space : spaces_) device_.memory().free(space.memory);
    }

    [[nodiscard]] Status open() {
        const std::uint32_t types[] = {0, 0, 1};  // optimal, linear, wrong for images
        for (const std::uint32_t type : types) {
            HEAPWRIGHT_ASSIGN(auto memory, device_.memory().allocate(
                                               {.memory_type = MemoryTypeIndex{type}, .size_bytes = kHeapBytes}));
            auto ranges = suballoc::TlsfAllocator::create({.capacity = kHeapBytes, .granule = 16});
            spaces_.push_back({memory, std::move(*ranges)});
        }
        return {};
    }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory /*own_memory*/) override {
        HEAPWRIGHT_ASSIGN(const auto requirements, device_.resources().requirements(description));
        const bool is_image = std::holds_alternative<model::ImageDescription>(description);
        std::size_t which = is_image || defect_ == Defect::kGranularityIgnored ? 0 : 1;
        if (use != model::MemoryUse::kDeviceOnly) which = 2;
        const bool now = ++creations_ % kOneIn == 0;
        if (now && is_image && defect_ == Defect::kWrongMemoryType) which = 2;
        const auto range = spaces_[which].ranges.allocate(requirements.size_bytes, requirements.alignment_bytes);
        if (!range) return fail(ErrorCode::kOutOfDeviceMemory, "the test allocator is full");

        std::uint64_t offset = range->offset;
        if (now && defect_ == Defect::kOverlap && last_live_) offset = *last_live_;
        if (now && defect_ == Defect::kMisaligned) offset += requirements.alignment_bytes / 2;
        if (now && defect_ == Defect::kOutsideChunk) offset = kHeapBytes - align_down(requirements.size_bytes / 2, 16);
        auto resource = device_.resources().create_placed(description, spaces_[which].memory, offset);
        if (!resource) {
            spaces_[which].ranges.free(range->handle);
            return fail(resource.error());
        }
        if (is_image && which == 0) last_live_ = offset;
        slots_.push_back({*resource, which, range->handle});
        return Created{.resource = *resource, .token = slots_.size() - 1};
    }
    Result<Created> create_dedicated(const model::ResourceDescription&, model::MemoryUse) override {
        return fail(ErrorCode::kNotSupported, "the test allocator has no dedicated allocations");
    }

    void release(const Created& created, TimelineValue last_use) override {
        if (defect_ == Defect::kLeaked && ++releases_ % kOneIn == 0) return;
        if (defect_ == Defect::kReusedEarly) {
            end(created.token);
        } else {
            pending_.push(last_use, created.token);
        }
        last_live_.reset();
    }
    Status release_completed(TimelineValue completed) override {
        pending_.release_completed(completed, [this](std::uint64_t token) { end(token); });
        return {};
    }
    Status validate_invariants() const override {
        for (const Space& space : spaces_) HEAPWRIGHT_TRY(space.ranges.validate_invariants());
        return {};
    }

private:
    struct Space {
        device::AllocationId memory;
        suballoc::TlsfAllocator ranges;
    };
    struct Slot {
        device::ResourceId resource;
        std::size_t space = 0;
        suballoc::SuballocationHandle handle;
    };

    void end(std::uint64_t token) {
        device_.resources().destroy(slots_[token].resource);
        spaces_[slots_[token].space].ranges.free(slots_[token].handle);
    }

    device::Device& device_;
    Defect defect_;
    std::vector<Space> spaces_;
    std::vector<Slot> slots_;
    suballoc::ReleaseQueue<std::uint64_t> pending_;
    std::optional<std::uint64_t> last_live_;
    std::uint64_t creations_ = 0;
    std::uint64_t releases_ = 0;
};

inline validate::AllocatorFactory broken(Defect defect) {
    return [defect](device::Device& device, const model::DevicePolicy&,
                    std::uint64_t) -> Result<std::unique_ptr<validate::AllocatorUnderTest>> {
        auto allocator = std::make_unique<BrokenAllocator>(device, defect);
        HEAPWRIGHT_TRY(allocator->open());
        return allocator;
    };
}

}  // namespace heapwright::test
