// The memory that copies of one size at a time read and write, each in the next place of it, round and round. Not
// thread-safe; the scratch memory outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/engine_measurements.hpp"
#include "probe/engine_scratch.hpp"

namespace heapwright::probe {

inline constexpr std::uint64_t kSmallestCopy = 64 * kKiB;
inline constexpr std::uint64_t kCopyGrowth = 4;

// The side of a square image of R8G8B8A8_UNORM of that size: 128 texels of the smallest, twice as many of each next.
[[nodiscard]] std::uint32_t side_of(std::uint64_t bytes);

// What lies at the ends of the copies.
struct CopyEnds {
    model::CopyDirection direction = model::CopyDirection::kUpload;
    bool images = false;   // at the device's ends, where others have buffers
    bool mapped = false;   // the device's memory is a type that the host maps
    bool by_host = false;  // from ordinary memory to mapped memory, or back
    bool shaders = false;  // buffers are storage buffers, too
};

class CopyPlaces {
public:
    // Buffers of `span_bytes` at each end that has one, at least for one copy. Errors: EngineScratch's.
    [[nodiscard]] static Result<CopyPlaces> create(EngineScratch& scratch, const CopyEnds& ends, std::uint64_t bytes,
                                                   std::uint64_t span_bytes);

    // Whether copies of that size find room in the buffers.
    [[nodiscard]] bool takes(std::uint64_t bytes) const { return bytes <= span_bytes_; }
    void change_size(std::uint64_t bytes);
    // Images of the size at hand, no more than `most` at each end; `scratch` holds nothing else, and those of the size
    // before go.
    [[nodiscard]] Status make_images(EngineScratch& scratch, std::uint64_t most);

    [[nodiscard]] std::uint64_t most_in_a_row() const;

    // Writes all that copies will read and write, once, so that no page of it is one that nobody ever wrote. Of images
    // what make_images() made.
    [[nodiscard]] std::vector<device::Work> first_touch();

    // So many copies by commands, or by a compute shader.
    [[nodiscard]] std::vector<device::Work> copies(bool by_shader, std::uint64_t times);
    [[nodiscard]] Status copy_by_host(EngineScratch& scratch, std::uint64_t times);

private:
    CopyPlaces(const CopyEnds& ends, std::uint64_t bytes, std::uint64_t span_bytes)
        : ends_(ends), bytes_(bytes), span_bytes_(span_bytes) {}
    [[nodiscard]] Status add_images(EngineScratch& scratch, std::uint64_t most,
                                    std::vector<device::ResourceId>& images) const;
    [[nodiscard]] device::Work next_copy(bool by_shader);

    CopyEnds ends_;
    std::uint64_t bytes_;       // of a copy
    std::uint64_t span_bytes_;  // of a buffer
    std::uint64_t next_ = 0;    // copy, of all
    ScratchBuffer from_;
    ScratchBuffer to_;      // the mapped one where the host copies
    ScratchBuffer texels_;  // that source images are first filled from
    std::vector<device::ResourceId> from_images_;
    std::vector<device::ResourceId> to_images_;
    std::vector<std::byte> ordinary_;  // the host's other end
};

}  // namespace heapwright::probe
