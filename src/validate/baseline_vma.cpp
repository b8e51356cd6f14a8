// The Vulkan Memory Allocator's default pools, as vk_mem_alloc.h 3.2.1 runs them: policy/vma.hpp decides,
// this takes and gives back the memory and makes the resources. Memory types in the order of the policy's ranking.
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/vma.hpp"
#include "validate/baseline_memory.hpp"
#include "validate/baselines.hpp"

namespace heapwright::validate {
namespace {

class VmaBlocks final : public policy::VmaAllocator::Blocks {
public:
    explicit VmaBlocks(BaselineMemory& memory) : memory_(memory) {}

    Status take(std::uint64_t block, std::uint32_t memory_type, std::uint64_t size_bytes) override {
        HEAPWRIGHT_ASSIGN(const device::AllocationId heap, memory_.take_block(memory_type, size_bytes));
        heaps_.emplace(block, heap);
        return {};
    }
    void give_back(std::uint64_t block, std::uint32_t, std::uint64_t size_bytes) override {
        memory_.give_back_block(heaps_.at(block), size_bytes);
        heaps_.erase(block);
    }
    std::uint64_t allocations() const override { return memory_.allocations(); }
    [[nodiscard]] device::AllocationId heap_of(std::uint64_t block) const { return heaps_.at(block); }

private:
    BaselineMemory& memory_;
    std::unordered_map<std::uint64_t, device::AllocationId> heaps_;
};

class VmaDefault final : public AllocatorUnderTest {
public:
    VmaDefault(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes), blocks_(memory_), allocator_(device.facts(), blocks_) {}

    ~VmaDefault() override {
        (void)release_completed(TimelineValue{~0ull});
        allocator_.give_back_blocks();
    }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory own_memory) override {
        HEAPWRIGHT_ASSIGN(auto requirements, memory_.device().resources().requirements(description));
        // VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT
        if (own_memory == model::OwnMemory::kAlways) requirements.dedicated = model::Dedicated::kRequired;
        Made made;
        HEAPWRIGHT_ASSIGN(
            made.place, allocator_.allocate(
                            memory_.types(requirements, use, description),
                            {.requirements = requirements,
                             .is_optimal = model::resource_class(description, false) != model::ResourceClass::kLinear},
                            [&](std::uint32_t type) -> Status {
                                HEAPWRIGHT_ASSIGN(made.resource,
                                                  memory_.create_dedicated(description, type, requirements.size_bytes));
                                return {};
                            }));
        if (const auto& in_block = made.place.in_block) {
            auto resource = memory_.device().resources().create_placed(description, blocks_.heap_of(in_block->block),
                                                                       in_block->offset_bytes);
            if (!resource) {
                allocator_.free(made.place);
                return fail(std::move(resource.error()));
            }
            made.resource = *resource;
        }
        made_.push_back(made);
        return Created{.resource = made.resource, .token = made_.size() - 1};
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
    struct Made {
        device::ResourceId resource;
        policy::VmaAllocator::Place place;
    };

    void end(const Made& made) {
        if (made.place.in_block)
            memory_.device().resources().destroy(made.resource);
        else
            memory_.destroy_dedicated(made.resource, made.place.size_bytes);
        allocator_.free(made.place);
    }

    BaselineMemory memory_;
    VmaBlocks blocks_;
    policy::VmaAllocator allocator_;
    std::vector<Made> made_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_vma_default(device::Device& device, const model::DevicePolicy& policy,
                                                             std::uint64_t memory_limit_bytes) {
    return std::make_unique<VmaDefault>(device, policy, memory_limit_bytes);
}

}  // namespace heapwright::validate
