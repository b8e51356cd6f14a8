// The Vulkan Memory Allocator's default pools, as vk_mem_alloc.h 3.2.1 runs them: see policy/vma_rule.hpp for the
// sizes. Blocks are searched in order, which is sorted towards ascending free bytes by one swap an operation; of two
// empty blocks one goes back. Inside a block the project's own two-level allocator takes its allocator's place.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/vma_rule.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"
#include "heapwright/validate/baseline_memory.hpp"
#include "heapwright/validate/baselines.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kGranule = 16;

struct Block {
    device::HeapId heap;
    std::uint64_t size_bytes = 0;
    suballoc::TlsfAllocator space;

    [[nodiscard]] std::uint64_t free_bytes() const { return space.capacity() - space.used(); }
};

struct Made {
    device::ResourceId resource;
    Block* block = nullptr;  // empty: a dedicated allocation
    suballoc::SuballocationHandle handle;
    std::uint32_t memory_type = 0;
    std::uint64_t size_bytes = 0;
};

class VmaDefault final : public AllocatorUnderTest {
public:
    VmaDefault(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes),
          most_allocations_(device.facts().limit("maxMemoryAllocationCount").value_or(~0ull)),
          granularity_(device.facts().limit("bufferImageGranularity").value_or(1)),
          blocks_(device.facts().memory_types.size()) {}

    ~VmaDefault() override {
        (void)collect(TimelineValue{~0ull});
        for (auto& blocks : blocks_) {
            for (const auto& block : blocks) memory_.give_back_block(block->heap, block->size_bytes);
        }
    }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use) override {
        HEAPWRIGHT_ASSIGN(const auto requirements, memory_.device().resources().requirements(description));
        Error last{.code = ErrorCode::kNotSupported, .message = "no memory type serves this use"};
        for (const std::uint32_t type : memory_.types(requirements, use)) {
            auto made = create_in(type, description, requirements);
            if (made) return made;
            last = std::move(made.error());
        }
        return fail(std::move(last));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return create(description, use);
    }
    void release(const Created& created, TimelineValue last_use) override { releases_.add(last_use, created.token); }
    Status collect(TimelineValue completed) override {
        releases_.collect(completed, [this](std::uint64_t token) { end(made_[token]); });
        return {};
    }
    Status validate_invariants() const override {
        for (const auto& blocks : blocks_) {
            for (const auto& block : blocks) HEAPWRIGHT_TRY(block->space.validate_invariants());
        }
        return {};
    }

private:
    using Blocks = std::vector<std::unique_ptr<Block>>;

    [[nodiscard]] std::uint64_t preferred_bytes(std::uint32_t memory_type) {
        const model::DeviceReport& facts = memory_.device().facts();
        return policy::vma_block_bytes(facts.heaps[facts.memory_types[memory_type].heap_index].size_bytes);
    }

    Result<Created> create_in(std::uint32_t type, const model::ResourceDescription& description,
                              const model::MemoryRequirements& requirements) {
        const bool few_left = memory_.allocations() > most_allocations_ / 4 * 3;
        const bool wants_own =
            requirements.dedicated != model::Dedicated::kNone || requirements.size_bytes > preferred_bytes(type) / 2;
        if (requirements.dedicated == model::Dedicated::kRequired || (wants_own && !few_left)) {
            auto own = create_own(type, description, requirements);
            if (own || requirements.dedicated == model::Dedicated::kRequired) return own;
        }
        auto placed = create_placed(type, description, requirements);
        if (placed || wants_own || few_left) return placed;
        return create_own(type, description, requirements);
    }

    Result<Created> create_own(std::uint32_t type, const model::ResourceDescription& description,
                               const model::MemoryRequirements& requirements) {
        HEAPWRIGHT_ASSIGN(const auto resource, memory_.create_dedicated(description, type, requirements.size_bytes));
        return keep({.resource = resource, .memory_type = type, .size_bytes = requirements.size_bytes});
    }

    Result<Created> create_placed(std::uint32_t type, const model::ResourceDescription& description,
                                  const model::MemoryRequirements& requirements) {
        const bool optimal = model::resource_class(description, false) != model::ResourceClass::kLinear;
        const std::uint64_t page = optimal ? std::max<std::uint64_t>(granularity_, 1) : 1;
        const std::uint64_t alignment = std::max(requirements.alignment_bytes, page);
        const auto size = checked_align_up(requirements.size_bytes, page);
        const std::uint64_t preferred = preferred_bytes(type);
        if (!size || *size > preferred) {
            return fail(Error{.code = ErrorCode::kOutOfDeviceMemory,
                              .message = "larger than a block",
                              .value = requirements.size_bytes,
                              .limit = preferred});
        }
        Blocks& blocks = blocks_[type];
        for (auto& block : blocks) {
            if (block->free_bytes() < *size) continue;
            if (const auto range = block->space.allocate(*size, alignment))
                return bind(type, *block, *range, description);
        }
        std::uint64_t largest = 0;
        for (const auto& block : blocks) largest = std::max(largest, block->size_bytes);
        std::uint64_t bytes = policy::vma_next_block_bytes(preferred, largest, *size);
        auto heap = memory_.take_block(type, bytes);
        while (!heap && bytes > preferred / 8 && bytes / 2 >= *size) {
            bytes /= 2;
            heap = memory_.take_block(type, bytes);
        }
        if (!heap) return fail(std::move(heap.error()));
        auto space = suballoc::TlsfAllocator::create({.capacity = bytes, .granule = kGranule});
        if (!space) {
            memory_.give_back_block(*heap, bytes);
            return fail(std::move(space.error()));
        }
        blocks.push_back(
            std::make_unique<Block>(Block{.heap = *heap, .size_bytes = bytes, .space = std::move(*space)}));
        const auto range = blocks.back()->space.allocate(*size, alignment);
        if (!range) return fail(ErrorCode::kOutOfDeviceMemory, "an empty block did not hold the request");
        return bind(type, *blocks.back(), *range, description);
    }

    Result<Created> bind(std::uint32_t type, Block& block, const suballoc::Suballocation& range,
                         const model::ResourceDescription& description) {
        auto resource = memory_.device().resources().create_placed(description, block.heap, range.offset);
        if (!resource) {
            block.space.free(range.handle);
            return fail(std::move(resource.error()));
        }
        sort_a_little(blocks_[type]);
        return keep({.resource = *resource,
                     .block = &block,
                     .handle = range.handle,
                     .memory_type = type,
                     .size_bytes = range.size});
    }

    Created keep(Made made) {
        made_.push_back(made);
        return {.resource = made.resource, .token = made_.size() - 1};
    }

    void end(const Made& made) {
        if (made.block == nullptr) return memory_.destroy_dedicated(made.resource, made.size_bytes);
        memory_.device().resources().destroy(made.resource);
        Blocks& blocks = blocks_[made.memory_type];
        const bool had_empty = std::ranges::any_of(blocks, [](const auto& block) { return block->space.is_empty(); });
        made.block->space.free(made.handle);
        auto surplus = blocks.end();
        if (had_empty && made.block->space.is_empty())
            surplus = std::ranges::find_if(blocks, [&](const auto& block) { return block.get() == made.block; });
        else if (had_empty && blocks.back()->space.is_empty())
            surplus = blocks.end() - 1;
        if (surplus != blocks.end()) {
            memory_.give_back_block((*surplus)->heap, (*surplus)->size_bytes);
            blocks.erase(surplus);
        }
        sort_a_little(blocks);
    }

    static void sort_a_little(Blocks& blocks) {
        for (std::size_t i = 1; i < blocks.size(); ++i) {
            if (blocks[i - 1]->free_bytes() <= blocks[i]->free_bytes()) continue;
            std::swap(blocks[i - 1], blocks[i]);
            return;
        }
    }

    BaselineMemory memory_;
    std::uint64_t most_allocations_;
    std::uint64_t granularity_;
    std::vector<Blocks> blocks_;  // by memory type
    std::vector<Made> made_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_vma_default(device::Device& device, const model::DevicePolicy& policy,
                                                             std::uint64_t memory_limit_bytes) {
    return std::make_unique<VmaDefault>(device, policy, memory_limit_bytes);
}

}  // namespace heapwright::validate
