// Records and submits work on an engine. Work is a list of plain values, so that a replayed device can execute it on
// shadow bytes and a checker can read the schedule. Never tracks lifetimes: every resource that a submission names
// lives until the submission's signal.
//
// Between two items of one submission the backend places the barriers that make the earlier one's writes visible to
// the later one; between submissions the timelines do. Images are in a layout that the backend tracks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/device/resource_binder.hpp"
#include "heapwright/device/timeline.hpp"

namespace heapwright::device {

// Direct3D 12's three queue types; Vulkan queue families by their flags.
enum class EngineKind : std::uint8_t { kGraphics, kCompute, kCopy };

struct EngineId {
    std::uint32_t value = 0;  // position in Submitter::engines()
    friend constexpr auto operator<=>(EngineId, EngineId) = default;
};

struct EngineInfo {
    EngineKind kind = EngineKind::kGraphics;
    QueueFamilyIndex queue_family;  // Direct3D 12: 0
    std::uint32_t queue = 0;        // two engines with equal (queue_family, queue) share one queue
};

// offset_bytes and size_bytes are multiples of 4.
struct FillBuffer {
    ResourceId buffer;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t value = 0;
};

struct CopyBuffer {
    ResourceId source;
    ResourceId destination;
    std::uint64_t source_offset_bytes = 0;
    std::uint64_t destination_offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

// Clears every mip level and layer. `value` holds the four channel words as the format's class reads them
// (float bits, or unsigned integers); a depth format takes value[0] as float bits and value[1] as stencil.
struct ClearImage {
    ResourceId image;
    std::array<std::uint32_t, 4> value{};
};

// One subresource and aspect, tightly packed rows at `buffer_offset_bytes` (a multiple of the texel block size and 4).
// `stencil_aspect` picks the stencil of a combined format, whose texels are then one byte.
struct ImageSubresource {
    std::uint32_t mip_level = 0;
    std::uint32_t array_layer = 0;
    bool stencil_aspect = false;
};

struct CopyBufferToImage {
    ResourceId buffer;
    ResourceId image;
    std::uint64_t buffer_offset_bytes = 0;
    ImageSubresource subresource;
};

struct CopyImageToBuffer {
    ResourceId image;
    ResourceId buffer;
    std::uint64_t buffer_offset_bytes = 0;
    ImageSubresource subresource;
};

// Every mip level and layer; both images have the same description.
struct CopyImage {
    ResourceId source;
    ResourceId destination;
};

using Work = std::variant<FillBuffer, CopyBuffer, ClearImage, CopyBufferToImage, CopyImageToBuffer, CopyImage>;

struct TimelinePoint {
    Timeline* timeline = nullptr;  // of the same device
    TimelineValue value;
};

struct Submission {
    EngineId engine;
    std::span<const TimelinePoint> waits;
    std::span<const Work> work;
    std::span<const TimelinePoint> signals;
};

class Submitter {
public:
    virtual ~Submitter() = default;

    // At least one; engine 0 can do every kind of work.
    [[nodiscard]] virtual std::span<const EngineInfo> engines() const = 0;

    // Queues the submission and returns. Errors: kNotSupported (the engine cannot do the work), kDeviceLost,
    // kOutOfHostMemory, kOutOfDeviceMemory; nothing was queued then.
    [[nodiscard]] virtual Status submit(const Submission& submission) = 0;

    [[nodiscard]] virtual Status wait_idle() = 0;
};

}  // namespace heapwright::device
