#include "probe/engine_scratch.hpp"

#include <bit>
#include <optional>

#include "probe/cost_fit.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::probe {
namespace {

namespace property = model::memory_property;

struct Wish {
    model::Flags required = 0;
    model::Flags liked = 0;
    model::Flags disliked = 0;
};

Wish wish_of(ScratchUse use) {
    switch (use) {
        case ScratchUse::kDevice: return {.liked = property::kDeviceLocal, .disliked = property::kHostVisible};
        case ScratchUse::kUpload:
            return {.required = property::kHostVisible,
                    .liked = property::kHostCoherent,
                    .disliked = property::kDeviceLocal | property::kHostCached};
        case ScratchUse::kReadback:
            return {.required = property::kHostVisible,
                    .liked = property::kHostCoherent | property::kHostCached,
                    .disliked = property::kDeviceLocal};
        case ScratchUse::kMapped:
            return {.required = property::kDeviceLocal | property::kHostVisible,
                    .liked = property::kHostCoherent,
                    .disliked = property::kHostCached};
    }
    return {};
}

}  // namespace

void EngineScratch::clear() {
    // A device that was lost is idle too.
    (void)device_.submitter().wait_idle();
    for (const device::DescriptorHeapId heap : views_) device_.descriptors()->destroy(heap);
    for (const device::ResourceId resource : resources_) device_.resources().destroy(resource);
    for (const device::AllocationId memory : allocations_) device_.memory().free(memory);
    views_.clear();
    resources_.clear();
    allocations_.clear();
    used_bytes_ = 0;
}

Result<MemoryTypeIndex> EngineScratch::type_for(ScratchUse use, std::uint32_t memory_type_bits) const {
    const Wish wish = wish_of(use);
    const auto& types = device_.facts().memory_types;
    std::optional<std::uint32_t> best;
    int best_score = 0;
    for (std::uint32_t i = 0; i < types.size() && i < 32; ++i) {
        const model::Flags flags = types[i].property_flags;
        if ((memory_type_bits >> i & 1u) == 0 || !is_measurable(types[i])) continue;
        if ((flags & wish.required) != wish.required) continue;
        const int score = std::popcount(flags & wish.liked) - std::popcount(flags & wish.disliked);
        if (best && score <= best_score) continue;
        best = i;
        best_score = score;
    }
    if (best) return MemoryTypeIndex{*best};
    return fail(Error{.code = ErrorCode::kNotSupported,
                      .message = "no memory type takes this resource for its use",
                      .where = "memory_type_bits",
                      .value = memory_type_bits});
}

Status EngineScratch::reserve(std::uint64_t size_bytes) {
    if (size_bytes > limit_bytes_ - used_bytes_) {
        return fail(Error{.code = ErrorCode::kExhausted,
                          .message = "the measurement's memory limit is reached",
                          .where = {},
                          .value = size_bytes,
                          .limit = limit_bytes_ - used_bytes_});
    }
    used_bytes_ += size_bytes;
    return {};
}

Result<ScratchBuffer> EngineScratch::buffer(ScratchUse use, std::uint64_t size_bytes, model::Flags usage) {
    const model::BufferDescription description{.size_bytes = size_bytes, .usage = usage};
    HEAPWRIGHT_ASSIGN(const auto requirements, device_.resources().requirements(description));
    HEAPWRIGHT_ASSIGN(const MemoryTypeIndex type, type_for(use, requirements.memory_type_bits));
    HEAPWRIGHT_TRY(reserve(requirements.size_bytes));
    auto memory = device_.memory().allocate({.memory_type = type,
                                             .size_bytes = requirements.size_bytes,
                                             .device_address = device_.facts().feature("bufferDeviceAddress")});
    if (!memory) return fail(judge_allocation(device_, type, requirements.size_bytes, std::move(memory.error())));
    allocations_.push_back(*memory);
    ScratchBuffer buffer{.resource = {}, .memory = *memory, .size_bytes = requirements.size_bytes, .bytes = {}};
    HEAPWRIGHT_ASSIGN(buffer.resource, device_.resources().create_placed(description, *memory, 0));
    resources_.push_back(buffer.resource);
    if (use != ScratchUse::kDevice) {
        HEAPWRIGHT_ASSIGN(buffer.bytes, device_.memory().map(*memory));
    }
    return buffer;
}

Result<device::ResourceId> EngineScratch::image(const model::ImageDescription& description) {
    HEAPWRIGHT_ASSIGN(const auto requirements, device_.resources().requirements(description));
    HEAPWRIGHT_ASSIGN(const MemoryTypeIndex type, type_for(ScratchUse::kDevice, requirements.memory_type_bits));
    HEAPWRIGHT_TRY(reserve(requirements.size_bytes));
    auto resource = device_.resources().create_dedicated(description, type, 0.5f);
    if (!resource) return fail(judge_allocation(device_, type, requirements.size_bytes, std::move(resource.error())));
    resources_.push_back(*resource);
    return *resource;
}

Result<device::DescriptorHeapId> EngineScratch::render_target_view(device::DescriptorHeapSource& descriptors,
                                                                   device::ResourceId image) {
    HEAPWRIGHT_ASSIGN(const device::DescriptorHeapId heap,
                      descriptors.create({.kind = device::DescriptorHeapKind::kRtv, .capacity = 1}));
    views_.push_back(heap);
    HEAPWRIGHT_TRY(descriptors.write(heap, 0, device::RenderTargetView{.image = image}));
    return heap;
}

Status EngineScratch::flush(const ScratchBuffer& buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return device_.memory().flush(buffer.memory, offset_bytes, size_bytes);
}

Status EngineScratch::invalidate(const ScratchBuffer& buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return device_.memory().invalidate(buffer.memory, offset_bytes, size_bytes);
}

}  // namespace heapwright::probe
