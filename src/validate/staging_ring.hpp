// A host-visible buffer used as a ring: space is taken at the head and comes back when the submission that uses it has
// completed. Uploads go through one, read-backs through another.
// Owns its device memory and buffer; the device outlives it and is idle when it is destroyed. Not thread-safe. Sizes in
// bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::validate {

enum class StagingDirection : std::uint8_t { kUpload, kReadback };

class StagingRing {
public:
    // Errors: kNotSupported when no host-visible memory type takes such a buffer; the device's own.
    [[nodiscard]] static Result<std::unique_ptr<StagingRing>> create(device::Device& device, StagingDirection direction,
                                                                     std::uint64_t capacity_bytes);
    ~StagingRing();
    StagingRing(const StagingRing&) = delete;
    StagingRing& operator=(const StagingRing&) = delete;

    // Offset of a range of 16-byte alignment; nothing when it is not free yet.
    [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size_bytes);
    // What was taken since the last mark belongs to the submission that signals `value`.
    void mark(TimelineValue value);
    void release_completed(TimelineValue completed);

    [[nodiscard]] std::uint64_t capacity_bytes() const { return bytes_.size(); }
    [[nodiscard]] device::ResourceId buffer() const { return buffer_; }
    [[nodiscard]] std::span<std::byte> bytes(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
        return bytes_.subspan(offset_bytes, size_bytes);
    }
    [[nodiscard]] Status flush(std::uint64_t offset_bytes, std::uint64_t size_bytes);
    [[nodiscard]] Status invalidate(std::uint64_t offset_bytes, std::uint64_t size_bytes);

private:
    explicit StagingRing(device::Device& device) : device_(device) {}

    struct Mark {
        TimelineValue value;
        std::uint64_t head = 0;
    };

    device::Device& device_;
    std::optional<device::AllocationId> heap_;
    bool has_buffer_ = false;
    device::ResourceId buffer_;
    std::span<std::byte> bytes_;
    std::uint64_t head_ = 0;  // positions only grow; an offset is a position modulo the capacity
    std::uint64_t tail_ = 0;
    std::deque<Mark> marks_;
};

}  // namespace heapwright::validate
