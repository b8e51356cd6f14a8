// The Vulkan Memory Allocator's default pools, as vk_mem_alloc.h 3.2.1 runs them: policy/vma_pool.hpp places, this
// takes and gives back the memory. Memory types in the order of the policy's ranking; the budget is four fifths of a
// heap, which is what the allocator assumes without VK_EXT_memory_budget.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "heapwright/policy/vma_pool.hpp"
#include "heapwright/validate/baseline_memory.hpp"
#include "heapwright/validate/baselines.hpp"

namespace heapwright::validate {
namespace {

struct Made {
    device::ResourceId resource;
    std::optional<policy::VmaPool::Place> place;  // empty: a dedicated allocation
    std::uint32_t memory_type = 0;
    std::uint64_t size_bytes = 0;
};

class VmaDefault final : public AllocatorUnderTest {
public:
    VmaDefault(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes),
          facts_(device.facts()),
          most_allocations_(facts_.limit("maxMemoryAllocationCount").value_or(~0ull)),
          atom_bytes_(facts_.limit("nonCoherentAtomSize").value_or(1)),
          reserved_(facts_.heaps.size()) {
        const std::uint64_t granularity = facts_.limit("bufferImageGranularity").value_or(1);
        for (const model::MemoryType& type : facts_.memory_types)
            pools_.emplace_back(facts_.heaps[type.heap_index].size_bytes, granularity);
    }

    ~VmaDefault() override {
        (void)release_completed(TimelineValue{~0ull});
        for (const auto& pool : pools_) {
            for (const auto& block : pool.blocks()) memory_.give_back_block(heaps_.at(block.block), block.size_bytes);
        }
    }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory own_memory) override {
        HEAPWRIGHT_ASSIGN(auto requirements, memory_.device().resources().requirements(description));
        // VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT
        if (own_memory == model::OwnMemory::kAlways) requirements.dedicated = model::Dedicated::kRequired;
        Error last{.code = ErrorCode::kNotSupported, .message = "no memory type serves this use"};
        for (const std::uint32_t type : memory_.types(requirements, use)) {
            auto made = create_in(type, description, requirements);
            if (made) return made;
            last = std::move(made.error());
        }
        return fail(std::move(last));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return create(description, use, model::OwnMemory::kAlways);
    }
    void release(const Created& created, TimelineValue last_use) override { releases_.add(last_use, created.token); }
    Status release_completed(TimelineValue completed) override {
        releases_.release_completed(completed, [this](std::uint64_t token) { end(made_[token]); });
        return {};
    }
    Status validate_invariants() const override { return {}; }

private:
    [[nodiscard]] std::uint64_t& reserved_of(std::uint32_t type) {
        return reserved_[facts_.memory_types[type].heap_index];
    }
    [[nodiscard]] std::uint64_t budget_of(std::uint32_t type) const {
        return facts_.heaps[facts_.memory_types[type].heap_index].size_bytes * 8 / 10;
    }
    [[nodiscard]] std::uint64_t free_of(std::uint32_t type) {
        const std::uint64_t budget = budget_of(type);
        return budget - std::min(budget, reserved_of(type));
    }

    Result<Created> create_in(std::uint32_t type, const model::ResourceDescription& description,
                              const model::MemoryRequirements& requirements) {
        if (requirements.dedicated == model::Dedicated::kRequired) return create_own(type, description, requirements);
        const bool few_left =
            most_allocations_ < 0xFFFFFFFFull / 4 && memory_.allocations() > most_allocations_ * 3 / 4;
        const bool wants_own = !few_left && (requirements.dedicated != model::Dedicated::kNone ||
                                             pools_[type].prefers_dedicated(requirements.size_bytes));
        if (wants_own) {
            if (auto own = create_own(type, description, requirements)) return own;
        }
        auto placed = create_placed(type, description, requirements);
        if (placed || wants_own) return placed;
        return create_own(type, description, requirements);
    }

    Result<Created> create_own(std::uint32_t type, const model::ResourceDescription& description,
                               const model::MemoryRequirements& requirements) {
        HEAPWRIGHT_ASSIGN(const auto resource, memory_.create_dedicated(description, type, requirements.size_bytes));
        reserved_of(type) += requirements.size_bytes;
        return keep({.resource = resource, .place = {}, .memory_type = type, .size_bytes = requirements.size_bytes});
    }

    Result<Created> create_placed(std::uint32_t type, const model::ResourceDescription& description,
                                  const model::MemoryRequirements& requirements) {
        namespace property = model::memory_property;
        const model::Flags flags = facts_.memory_types[type].property_flags;
        const bool is_non_coherent = (flags & property::kHostVisible) != 0 && (flags & property::kHostCoherent) == 0;
        const policy::VmaRequest request{
            .size_bytes = requirements.size_bytes,
            .alignment_bytes = std::max(requirements.alignment_bytes, is_non_coherent ? atom_bytes_ : 1),
            .is_optimal = model::resource_class(description, false) != model::ResourceClass::kLinear};
        auto place = pools_[type].allocate(request);
        if (!place) {
            HEAPWRIGHT_ASSIGN(place, place_in_new_block(type, request));
        }
        auto resource =
            memory_.device().resources().create_placed(description, heaps_.at(place->block), place->offset_bytes);
        if (!resource) {
            free(type, *place);
            return fail(std::move(resource.error()));
        }
        return keep(
            {.resource = *resource, .place = place, .memory_type = type, .size_bytes = requirements.size_bytes});
    }

    Result<std::optional<policy::VmaPool::Place>> place_in_new_block(std::uint32_t type,
                                                                     const policy::VmaRequest& request) {
        policy::VmaPool& pool = pools_[type];
        Error last{.code = ErrorCode::kOutOfDeviceMemory,
                   .message = "no block of the default sizes holds it within the budget",
                   .value = request.size_bytes,
                   .limit = std::min(pool.preferred_block_bytes(), free_of(type))};
        if (!pool.fits_a_block(request.size_bytes) || free_of(type) < request.size_bytes) return fail(std::move(last));
        for (const std::uint64_t bytes : pool.new_block_sizes(request.size_bytes)) {
            if (bytes > free_of(type)) continue;
            auto heap = memory_.take_block(type, bytes);
            if (!heap) {
                last = std::move(heap.error());
                continue;
            }
            const std::uint64_t block = next_block_++;
            heaps_.emplace(block, *heap);
            reserved_of(type) += bytes;
            if (auto place = pool.allocate_in_new_block(block, bytes, request)) return place;
            return fail(ErrorCode::kOutOfDeviceMemory, "an empty block did not hold the request");
        }
        return fail(std::move(last));
    }

    Created keep(Made made) {
        made_.push_back(made);
        return {.resource = made.resource, .token = made_.size() - 1};
    }

    void end(const Made& made) {
        if (made.place) {
            memory_.device().resources().destroy(made.resource);
            free(made.memory_type, *made.place);
            return;
        }
        memory_.destroy_dedicated(made.resource, made.size_bytes);
        reserved_of(made.memory_type) -= made.size_bytes;
    }

    void free(std::uint32_t type, const policy::VmaPool::Place& place) {
        const auto block = pools_[type].free(place, reserved_of(type) >= budget_of(type));
        if (!block) return;
        memory_.give_back_block(heaps_.at(block->block), block->size_bytes);
        heaps_.erase(block->block);
        reserved_of(type) -= block->size_bytes;
    }

    BaselineMemory memory_;
    const model::DeviceReport& facts_;
    std::uint64_t most_allocations_;
    std::uint64_t atom_bytes_;
    std::vector<policy::VmaPool> pools_;                   // by memory type
    std::map<std::uint64_t, device::AllocationId> heaps_;  // by block
    std::vector<std::uint64_t> reserved_;                  // by heap
    std::uint64_t next_block_ = 0;
    std::vector<Made> made_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_vma_default(device::Device& device, const model::DevicePolicy& policy,
                                                             std::uint64_t memory_limit_bytes) {
    return std::make_unique<VmaDefault>(device, policy, memory_limit_bytes);
}

}  // namespace heapwright::validate
