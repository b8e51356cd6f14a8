#include "validate/staging_ring.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kAlignmentBytes = 16;  // every texel block size divides it

// Host visible is a must; uploads want coherent memory, read-backs cached memory. Nothing exotic.
std::optional<std::uint32_t> best_memory_type(const model::DeviceReport& facts, std::uint32_t memory_type_bits,
                                              StagingDirection direction) {
    namespace property = model::memory_property;
    constexpr model::Flags kExotic = property::kProtected | property::kLazilyAllocated | property::kDeviceCoherentAmd |
                                     property::kDeviceUncachedAmd | property::kRdmaCapableNv;
    std::optional<std::uint32_t> best;
    int best_score = -1;
    for (std::uint32_t type = 0; type < facts.memory_types.size() && type < 32; ++type) {
        const model::Flags flags = facts.memory_types[type].property_flags;
        if ((memory_type_bits >> type & 1u) == 0 || (flags & property::kHostVisible) == 0 || (flags & kExotic) != 0)
            continue;
        const bool cached = (flags & property::kHostCached) != 0;
        int score = (flags & property::kHostCoherent) != 0 ? 2 : 0;
        if (cached == (direction == StagingDirection::kReadback)) score += 4;
        if ((flags & property::kDeviceLocal) == 0) score += 1;
        if (score > best_score) {
            best_score = score;
            best = type;
        }
    }
    return best;
}

}  // namespace

Result<std::unique_ptr<StagingRing>> StagingRing::create(device::Device& device, StagingDirection direction,
                                                         std::uint64_t capacity_bytes) {
    const std::uint64_t capacity = align_up(capacity_bytes, 65536);
    const model::BufferDescription description{
        .size_bytes = capacity, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device.resources().requirements(description));
    const auto memory_type = best_memory_type(device.facts(), requirements.memory_type_bits, direction);
    if (!memory_type) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = "no host-visible memory type takes a staging buffer",
                          .where = "memory_type_bits",
                          .value = requirements.memory_type_bits});
    }
    std::unique_ptr<StagingRing> ring(new StagingRing(device));
    HEAPWRIGHT_ASSIGN(ring->heap_, device.memory().allocate({.memory_type = MemoryTypeIndex{*memory_type},
                                                             .size_bytes = requirements.size_bytes}));
    HEAPWRIGHT_ASSIGN(ring->buffer_, device.resources().create_placed(description, *ring->heap_, 0));
    ring->has_buffer_ = true;
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, device.memory().map(*ring->heap_));
    ring->bytes_ = bytes.first(capacity);
    return ring;
}

StagingRing::~StagingRing() {
    if (has_buffer_) device_.resources().destroy(buffer_);
    if (heap_) device_.memory().free(*heap_);
}

std::optional<std::uint64_t> StagingRing::take(std::uint64_t size_bytes) {
    const std::uint64_t capacity = capacity_bytes();
    std::uint64_t position = align_up(head_, kAlignmentBytes);
    if (position % capacity + size_bytes > capacity) position = (position / capacity + 1) * capacity;
    if (position + size_bytes - tail_ > capacity) return std::nullopt;
    head_ = position + size_bytes;
    return position % capacity;
}

void StagingRing::mark(TimelineValue value) {
    if (marks_.empty() ? head_ == tail_ : head_ == marks_.back().head) return;
    marks_.push_back({.value = value, .head = head_});
}

void StagingRing::release_completed(TimelineValue completed) {
    while (!marks_.empty() && marks_.front().value <= completed) {
        tail_ = marks_.front().head;
        marks_.pop_front();
    }
    // An empty ring begins anew, so that a request of the whole capacity always finds room.
    if (marks_.empty() && tail_ == head_) head_ = tail_ = 0;
}

Status StagingRing::flush(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return device_.memory().flush(*heap_, offset_bytes, size_bytes);
}

Status StagingRing::invalidate(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return device_.memory().invalidate(*heap_, offset_bytes, size_bytes);
}

}  // namespace heapwright::validate
