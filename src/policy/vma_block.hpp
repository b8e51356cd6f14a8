// One block of the Vulkan Memory Allocator, offsets alone: where its default strategy places a request, step by step as
// the allocator itself does it, so that a block is full for it exactly when it is full here.
//   bins: 4 below 257 bytes, then 32 an octave; the list of a bin is last in, first out
//   the free range at the end of the block is kept apart and asked only when the bins above have nothing
//   bufferImageGranularity up to 256: optimal images are padded to it; above: pages know what kind lies on them
// Sizes in bytes. Move-only value; not thread-safe. Requests of size 0 are not allowed.
// Source: vk_mem_alloc.h 3.2.1, VmaBlockMetadata_TLSF and VmaBlockBufferImageGranularity.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heapwright::policy {

class VmaBlock {
public:
    struct Place {
        std::uint32_t range = 0;
        std::uint64_t offset_bytes = 0;
    };

    VmaBlock(std::uint64_t size_bytes, std::uint64_t granularity_bytes);

    [[nodiscard]] std::optional<Place> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                                bool is_optimal);
    void free(std::uint32_t range);

    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t free_bytes() const { return binned_bytes_ + ranges_[last_].size; }
    [[nodiscard]] bool is_empty() const { return ranges_[last_].offset == 0; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::uint32_t kOctaves = 58;

    struct Range {
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint32_t before = kNone;
        std::uint32_t after = kNone;
        std::uint32_t previous_free = kNone;
        std::uint32_t next_free = kNone;
        bool is_free = false;
    };
    struct Bin {
        std::uint32_t octave = 0;
        std::uint32_t step = 0;
    };
    struct Fit {
        std::uint32_t range = kNone;
        std::uint64_t offset = 0;
    };
    // A page of bufferImageGranularity bytes: what lies on it first decides what may join.
    struct Page {
        bool is_optimal = false;
        std::uint16_t count = 0;
    };
    struct Request {
        std::uint64_t size = 0;
        std::uint64_t alignment = 1;
        bool is_optimal = false;
    };

    [[nodiscard]] static Bin bin_of(std::uint64_t size);
    [[nodiscard]] static std::uint32_t list_of(Bin bin);
    [[nodiscard]] std::uint32_t first_list_from(std::uint64_t size) const;
    [[nodiscard]] Fit fit_in_list(std::uint32_t list, const Request& request) const;
    [[nodiscard]] Fit fit(std::uint32_t range, const Request& request) const;
    [[nodiscard]] Fit find(const Request& request) const;
    [[nodiscard]] bool has_pages() const { return !pages_.empty(); }
    [[nodiscard]] bool conflicts(std::uint64_t page, bool is_optimal) const {
        return pages_[page].count != 0 && pages_[page].is_optimal != is_optimal;
    }
    void count_pages(const Range& range, bool is_optimal, int change);
    [[nodiscard]] std::uint32_t take_range();
    void insert(std::uint32_t range);
    void remove(std::uint32_t range);
    void merge_with_previous(std::uint32_t range);

    std::uint64_t size_bytes_;
    std::uint64_t granularity_bytes_;
    std::vector<Range> ranges_;
    std::vector<std::uint32_t> spare_;
    std::vector<std::uint32_t> heads_;
    std::vector<Page> pages_;
    std::array<std::uint32_t, kOctaves> steps_ = {};  // of each octave, a bit a filled list
    std::uint64_t octaves_ = 0;
    std::uint32_t last_ = 0;  // the free range at the end, in no list; may be of size 0
    std::uint64_t binned_bytes_ = 0;
    std::uint64_t binned_count_ = 0;
};

}  // namespace heapwright::policy
