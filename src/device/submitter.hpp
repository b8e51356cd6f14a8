// Records and submits work on an engine. Work is a list of plain values, so that a replayed device can execute it on
// shadow bytes and a checker can read the schedule. Never tracks lifetimes: every resource that a submission names
// lives until the submission's signal.
//
// Between two items of one submission the backend places the barriers that make the earlier one's writes visible to
// the later one; between submissions the timelines do. Images are in a layout that the backend tracks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device/descriptor_heap_source.hpp"
#include "device/resource_binder.hpp"
#include "device/timeline.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

// Direct3D 12's three queue types; Vulkan queue families by their flags.
enum class EngineKind : std::uint8_t { kGraphics, kCompute, kCopy };

enum class EnginePriority : std::uint8_t { kLow, kNormal, kHigh };

struct EngineId {
    std::uint32_t value = 0;  // position in Submitter::engines()
    friend constexpr auto operator<=>(EngineId, EngineId) = default;
};

struct EngineInfo {
    EngineKind kind = EngineKind::kGraphics;
    QueueFamilyIndex queue_family;  // Direct3D 12: 0
    std::uint32_t queue = 0;        // two engines with equal (queue_family, queue) share one queue
    std::string name = {};          // "graphics", "compute", "compute-low", ..., unique on the device
    EnginePriority priority = EnginePriority::kNormal;
    bool dedicated = false;          // not of the graphics queue's family; Direct3D 12: not of its type
    std::string priority_note = {};  // why the priority has no effect; empty where it is the driver's to heed
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

// Rows of texel blocks of one subresource; a count of 0: all of them.
struct BlockRows {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// Some rows alone: of colour formats, of a subresource without depth, on engines other than copy engines, whose
// granularity may be coarser (takes_rows() in image_planes.hpp).
struct CopyBufferToImage {
    ResourceId buffer;
    ResourceId image;
    std::uint64_t buffer_offset_bytes = 0;  // of the first of the rows
    ImageSubresource subresource;
    BlockRows rows = {};
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

// A render target view or depth stencil view, written in a heap of its kind, that an image is cleared through. The
// image is the view's. Direct3D 12: ClearRenderTargetView, ClearDepthStencilView. Vulkan: an empty rendering pass.
struct ClearRenderTarget {
    DescriptorHeapId heap;
    std::uint32_t index = 0;
    ResourceId image;
    std::array<std::uint32_t, 4> value{};  // as in ClearImage
};

struct ClearDepthStencil {
    DescriptorHeapId heap;
    std::uint32_t index = 0;
    ResourceId image;
    float depth = 0.0f;
    std::uint8_t stencil = 0;
};

struct PipelineId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(PipelineId, PipelineId) = default;
};

// The project's compute shaders. Each exists as SPIR-V, as cs_5_0 bytecode and as host code for a replayed device.
enum class ComputeProgram : std::uint8_t {
    // Reads one word through each descriptor of two tables and writes what it found through the last one, so that the
    // bytes prove where each descriptor pointed. See DispatchTables.
    kReadTables,
    kReadTablesStaticSampler,  // the same with a static (immutable) sampler: kNearest, kClampToEdge
};

// One thread group of kReadTables. Tables are ranges of one shader-visible heap:
//   static table:  0 constant buffer, 1 read-only buffer, 2 read-only image (R8G8B8A8_UNORM)
//   dynamic table: 0 constant buffer, 1 read-only buffer, 2 writable buffer
// The program writes kReadTablesWords words to the writable buffer from word `output_word` on: the first word of each
// of the four buffers read (static constant, static buffer, dynamic constant, dynamic buffer), then the texel, packed
// as stored, that the sampler gives at (1.25, 0.5) of mip 0.
// `reads` and `writes` name every resource that the tables point to.
inline constexpr std::uint32_t kStaticTableSize = 3;
inline constexpr std::uint32_t kDynamicTableSize = 3;
inline constexpr std::uint32_t kReadTablesWords = 5;

struct DispatchTables {
    PipelineId pipeline;
    DescriptorHeapId resource_heap;
    std::uint32_t static_table = 0;                // index of the first descriptor
    std::uint32_t dynamic_table = 0;               // index of the first descriptor
    std::optional<DescriptorHeapId> sampler_heap;  // empty: kReadTablesStaticSampler
    std::uint32_t sampler = 0;
    std::uint32_t output_word = 0;
    std::vector<ResourceId> reads;
    std::vector<ResourceId> writes;
};

// Each 32-bit word of the range becomes transform_word(source's word, key, rounds): the load grows with
// `rounds`; without any it is a copy by a shader. A compute dispatch. Both buffers have the usage STORAGE_BUFFER.
// Offsets are multiples of kShaderOffsetBytes, the size of 4. A buffer is transformed in place with equal offsets, and
// not otherwise.
inline constexpr std::uint64_t kShaderOffsetBytes = 256;

struct TransformBuffer {
    ResourceId source;
    ResourceId destination;
    std::uint64_t source_offset_bytes = 0;
    std::uint64_t destination_offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t key = 0;
    std::uint32_t rounds = 1;
};

// Draws a triangle that covers mip 0, layer 0 of a single-sampled 2D image of R8G8B8A8_UNORM through a render target
// view of that part; each fragment takes its texel from the buffer (tightly packed rows), which has the usage
// STORAGE_BUFFER. The offset is a multiple of kShaderOffsetBytes. Vulkan: a graphics pipeline. Direct3D 12: a copy into
// the image, since the project assembles compute programs alone.
struct DrawBuffer {
    DescriptorHeapId heap;
    std::uint32_t index = 0;
    ResourceId image;
    ResourceId source;
    std::uint64_t source_offset_bytes = 0;
};

struct CommandListId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(CommandListId, CommandListId) = default;
};

using Work = std::variant<FillBuffer, CopyBuffer, ClearImage, CopyBufferToImage, CopyImageToBuffer, CopyImage,
                          ClearRenderTarget, ClearDepthStencil, DispatchTables, TransformBuffer, DrawBuffer>;

// Of TimestampSource (device/timestamps.hpp).
struct TimestampPairId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(TimestampPairId, TimestampPairId) = default;
};

struct TimelinePoint {
    Timeline* timeline = nullptr;  // of the same device
    TimelineValue value;
};

// A hand-over of an exclusive resource between queue families (ResourceBinder::create_exclusive): bytes of a buffer, or
// an image as a whole (no range). Released by a submission to an engine of `from`, then acquired with the same values
// by one to an engine of `to` that waits for it; in between nobody may use it. Vulkan specification, queue family
// ownership transfer.
struct OwnershipTransfer {
    ResourceId resource;
    QueueFamilyIndex from;
    QueueFamilyIndex to;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

struct Submission {
    EngineId engine;
    std::span<const TimelinePoint> waits;
    std::span<const Work> work;
    std::span<const TimelinePoint> signals;
    std::span<const CommandListId> lists;  // recorded by the device's CommandRecorder; run in order after `work`
    std::span<const OwnershipTransfer> acquires = {};  // before all work
    std::span<const OwnershipTransfer> releases = {};  // after all work and lists
    // Written before and after `work`, of which there is some. One of this engine's that was read since it was last
    // named.
    std::optional<TimestampPairId> timestamps = {};
};

class Submitter {
public:
    virtual ~Submitter() = default;

    // At least one; engine 0 can do every kind of work.
    [[nodiscard]] virtual std::span<const EngineInfo> engines() const = 0;

    // Whether the device's own queues hold a wait that is submitted before its signal. Where not, submit() takes such a
    // submission all the same, and the host holds it back until the signal has been given.
    [[nodiscard]] virtual bool accepts_early_waits() const = 0;

    // Queues the submission and returns. Errors: kNotSupported (the engine cannot do the work), kDeviceLost,
    // kOutOfHostMemory, kOutOfDeviceMemory; nothing was queued then.
    [[nodiscard]] virtual Status submit(const Submission& submission) = 0;

    // Everything that was submitted is over, and every timeline reads what it was signalled with.
    [[nodiscard]] virtual Status wait_idle() = 0;
};

// What TransformBuffer does to one word, on the host: the shaders' loops compute the same. Pure.

// A linear congruential step; the constants are those of Numerical Recipes.
inline constexpr std::uint32_t kTransformFactor = 1664525;
inline constexpr std::uint32_t kTransformAddend = 1013904223;

[[nodiscard]] constexpr std::uint32_t transform_word(std::uint32_t word, std::uint32_t key, std::uint32_t rounds) {
    for (std::uint32_t round = 0; round < rounds; ++round) word = (word ^ key) * kTransformFactor + kTransformAddend;
    return word;
}

}  // namespace heapwright::device
