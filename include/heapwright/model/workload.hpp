// The workload's hints: what an application will ask of the allocator, in which sizes, counts and lifetimes.
// Written by hand, taken from a preset, or captured as a trace. Plain values, pure functions; sizes in bytes, extents
// in texels.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/document.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::model {

// Who touches the memory, and how.
enum class MemoryUse : std::uint8_t {
    kDeviceOnly,  // the device alone reads and writes
    kUpload,      // the host writes once, the device copies from it
    kReadback,    // the device writes, the host reads
    kStreaming,   // the host writes every frame, the device reads in place
};

enum class Lifetime : std::uint8_t {
    kPersistent,  // lives as long as the application
    kLevel,       // created and destroyed in groups
    kStreaming,   // comes and goes one by one
    kFrame,       // lives for one frame
};

enum class SizeDistribution : std::uint8_t {
    kUniform,      // every value between the bounds equally likely
    kLogUniform,   // every doubling equally likely
    kPowersOfTwo,  // every power of two between the bounds equally likely
};

// How the host touches memory that it sees.
enum class HostAccess : std::uint8_t {
    kSequential,  // it writes in ascending order and never reads: write-combined memory is good
    kRandom,      // it reads, or writes here and there: only cached memory is fast
};

// Whether resources get memory of their own.
enum class OwnMemory : std::uint8_t {
    kAuto,    // as the driver and the policy say
    kAlways,  // each has its own
    kNever,   // in chunks, unless the driver requires memory of its own
};

// What only some devices or APIs have. A hint that requires what the device lacks is left out by plan, with its share
// told first.
enum class Capability : std::uint8_t {
    kAccelerationStructures,  // VK_KHR_acceleration_structure; D3D12_OPTIONS5.RaytracingTier
    kLazilyAllocatedMemory,   // VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT
    kTextureCompressionBc,    // textureCompressionBC; every Direct3D 12 device
    kTextureCompressionEtc2,  // textureCompressionETC2
    kTextureCompressionAstc,  // textureCompressionASTC_LDR
};

struct ImageHint {
    Format format = Format::kR8G8B8A8Unorm;
    ImageTiling tiling = ImageTiling::kOptimal;
    Flags usage = image_usage::kSampled | image_usage::kTransferDst;
    // Either exact extents, or sides drawn from [smallest_side, largest_side] when `extents` is empty.
    std::vector<std::array<std::uint32_t, 2>> extents;
    std::uint32_t smallest_side = 16;
    std::uint32_t largest_side = 1024;
    SizeDistribution distribution = SizeDistribution::kPowersOfTwo;
    bool full_mips = false;
    std::uint32_t array_layers = 1;
    std::uint32_t samples = 1;
    std::uint32_t count = 1;  // alive at the same time, at the peak
    Lifetime lifetime = Lifetime::kStreaming;
    MemoryUse memory_use = MemoryUse::kDeviceOnly;
    std::optional<std::uint32_t> depth;       // a 3D image of so many slices; without it the image is 2D
    std::optional<std::uint32_t> mip_levels;  // at most; smaller extents have their full chain. Instead of full_mips
    Flags flags = 0;                          // image_creation bits
    std::optional<HostAccess> host_access;    // only where memory_use lets the host see the memory
    OwnMemory dedicated = OwnMemory::kAuto;
    std::optional<std::uint32_t> importance;  // 0 to 100; where memory is short, the least important moves first
    std::vector<Capability> needs;            // "requires" in documents
};

struct BufferHint {
    Flags usage = buffer_usage::kVertex | buffer_usage::kTransferDst;
    std::uint64_t smallest_bytes = 256;
    std::uint64_t largest_bytes = 1 << 20;
    SizeDistribution distribution = SizeDistribution::kLogUniform;
    std::uint32_t count = 1;
    Lifetime lifetime = Lifetime::kStreaming;
    MemoryUse memory_use = MemoryUse::kDeviceOnly;
    std::optional<HostAccess> host_access;
    OwnMemory dedicated = OwnMemory::kAuto;
    std::optional<std::uint32_t> importance;
    std::vector<Capability> needs;
    bool splittable = false;  // one may be made as several smaller buffers that hold the same data together
};

// What the application binds: descriptors alive at the same time, and those that a frame uses once.
struct BindingHint {
    std::uint32_t recording_contexts = 8;  // that record commands at the same time
    std::uint32_t static_descriptors =
        65'536;  // CBV, SRV and UAV in shader-visible heaps, of static and mutable variables
    std::uint32_t dynamic_descriptors_per_frame = 32'768;
    std::uint32_t dynamic_descriptors_per_draw = 8;
    std::uint32_t static_samplers_visible = 64;  // distinct, in shader-visible heaps
    std::uint32_t dynamic_samplers_per_frame = 128;
    std::uint32_t render_target_views = 128;
    std::uint32_t depth_stencil_views = 32;
};

// What the host writes for the device to copy or read in the same frame.
struct UploadHint {
    std::optional<std::uint64_t> bytes_per_frame;  // empty: what a frame renews
    std::uint64_t largest_bytes = 32ull << 20;     // one upload
};

// What the application takes at most, whatever the budget allows. 0: no cap.
struct MemoryCaps {
    std::uint64_t device_local_bytes = 0;  // of all device local heaps together
    std::uint64_t host_bytes = 0;          // of all other heaps together
};

struct Workload {
    DocumentHeader header;
    std::string name;
    std::string description;
    std::uint64_t seed = 1;
    std::uint64_t frame_budget_ns = 16'666'667;  // 60 Hz
    std::uint32_t frames_in_flight = 3;
    std::uint32_t steps_per_frame = 20;  // resources destroyed and created again in one frame
    std::uint32_t churn_steps = 20'000;  // in all
    double reserve_share = 0.1;          // of each heap's budget, left to other processes
    std::vector<ImageHint> images;
    std::vector<BufferHint> buffers;
    BindingHint bindings;
    UploadHint uploads;
    std::optional<MemoryCaps> caps;
};

// A hint that is planned and played nowhere, because it requires what the device lacks.
struct HintLeftOut {
    std::string hint;               // "images/3": its place in the workload
    std::vector<Capability> lacks;  // of what it requires
    double bytes_share = 0;         // of the workload's packed bytes
    std::uint64_t resources = 0;
};

// The hints by what the device lacks of what they require, "acceleration structures".
[[nodiscard]] std::map<std::string, std::vector<std::string>> hints_by_lack(const std::vector<HintLeftOut>& left_out);

// "by plan without 38% of the bytes (buffers/0, buffers/1: no acceleration structures)"; empty: all of it is planned.
[[nodiscard]] std::string left_out_text(const std::vector<HintLeftOut>& left_out);

// The use that a hint's memory is planned for. What the host reads out of order must be cached, whoever writes it, so
// it is ranked as memory that is read back.
template <class Hint>
[[nodiscard]] MemoryUse planned_use(const Hint& hint) {
    return hint.host_access == HostAccess::kRandom ? MemoryUse::kReadback : hint.memory_use;
}

// Mip levels of an image of this extent.
[[nodiscard]] std::uint32_t mip_levels_of(const ImageHint& hint, std::uint32_t width, std::uint32_t height);

// The image of this extent that the hint asks for.
[[nodiscard]] ImageDescription describe(const ImageHint& hint, std::uint32_t width, std::uint32_t height);

}  // namespace heapwright::model
