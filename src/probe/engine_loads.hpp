// Work of a kind for the measurements of engines, as much of it as asked for, and how much takes a given time. The
// resources live in the scratch memory. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "probe/engine_bench.hpp"
#include "probe/engine_scratch.hpp"

namespace heapwright::probe {

enum class LoadKind : std::uint8_t {
    kCompute,       // transforms of kSlotBytes; the amount is the rounds
    kUpload,        // copies of host_bytes() from host memory; the amount is how many, here and below
    kDownload,      // copies of host_bytes() to host memory
    kCopyOnDevice,  // copies of device_bytes()
    kDraw,          // triangles that take kSlotBytes of texels from a buffer
    kClear,         // clears of the same render target
};

// A report's word for it: "compute", "copy", "draw", "clear".
[[nodiscard]] std::string_view work_name(LoadKind kind);

// One slot of the ring between two engines: 65536 words, and 65536 texels.
inline constexpr std::uint64_t kSlotBytes = 256 * 1024;
inline constexpr std::uint32_t kRingSlots = 4;

struct LoadSizes {
    std::uint64_t host_bytes = 0;  // multiples of 256
    // What uploads come from in turn, a multiple of host_bytes: a device that keeps what it read of the host's memory
    // in a cache would copy the same bytes again faster than they ever reach it.
    std::uint64_t host_span_bytes = 0;
    // Where downloads go in turn, likewise: a device may join what it writes to the same bytes before it leaves a
    // cache.
    std::uint64_t host_back_bytes = 0;
    // What a copy on the device reads. What a cache of more than twice as much holds is measured as such.
    std::uint64_t device_bytes = 0;
    // Where copies on the device go in turn, a multiple of device_bytes, and where uploads go, of host_bytes: copies to
    // the same bytes would wait for each other.
    std::uint64_t device_span_bytes = 0;
    std::uint64_t uploaded_span_bytes = 0;
};

class EngineLoads {
public:
    // Without render targets (no graphics engine, no descriptors) draws and clears are kNotSupported, with the reason.
    [[nodiscard]] static Result<EngineLoads> create(device::Device& device, EngineScratch& scratch,
                                                    const LoadSizes& sizes);

    // Writes all that copies of the loads read and write: pages that nobody wrote cost other than those that hold
    // something.
    [[nodiscard]] Status write_all(EngineBench& bench);

    // Copies a few bytes through engine 0 and looks at them. Errors: kNotSupported when they did not arrive (a driver
    // without hardware behind it takes submissions and runs none: its times say nothing), the seams'.
    [[nodiscard]] Status check_that_work_runs(EngineBench& bench, EngineScratch& scratch);

    // Uploads and downloads begin where those of the call before ended.
    [[nodiscard]] Result<std::vector<device::Work>> of(LoadKind kind, std::uint64_t amount);

    // The bytes that a copy load moves.
    [[nodiscard]] std::uint64_t bytes_of(LoadKind kind, std::uint64_t amount) const;

    // How much of it takes about `target_ns` by itself on the engine; at least 1.
    // Errors: kNotSupported (the engine cannot do it), the seams'.
    [[nodiscard]] Result<std::uint64_t> amount_for(EngineBench& bench, std::size_t engine, LoadKind kind,
                                                   std::uint64_t target_ns);
    [[nodiscard]] Result<std::uint64_t> slot_uploads_for(EngineBench& bench, std::size_t engine,
                                                         std::uint64_t target_ns);

    // The halves of the two pipelines: into a slot of the ring, and from it.
    [[nodiscard]] Result<std::vector<device::Work>> compute_into(std::uint32_t slot, std::uint64_t rounds) const;
    [[nodiscard]] Result<std::vector<device::Work>> upload_into(std::uint32_t slot, std::uint64_t copies);
    [[nodiscard]] Result<std::vector<device::Work>> draw_from(std::uint32_t slot, std::uint64_t draws) const;

private:
    EngineLoads() = default;
    [[nodiscard]] Status make_render_target(device::Device& device, EngineScratch& scratch);
    enum class Walk : std::uint8_t { kStays, kDestinations };
    // `copy` so many times, each from the next bytes of the staging buffer, and where it walks to those of uploaded_.
    [[nodiscard]] std::vector<device::Work> uploads(device::CopyBuffer copy, std::uint64_t times, Walk to);

    LoadSizes sizes_;
    ScratchBuffer staging_;  // uploads come from it, in turn
    std::uint64_t next_staged_bytes_ = 0;
    ScratchBuffer uploaded_;  // and go here, in turn
    std::uint64_t next_uploaded_bytes_ = 0;
    ScratchBuffer readback_;  // downloads go here, in turn
    std::uint64_t next_read_back_bytes_ = 0;
    ScratchBuffer from_;  // on the device
    ScratchBuffer to_;    // on the device, in turn
    std::uint64_t next_copied_bytes_ = 0;
    ScratchBuffer words_;  // transformed in place
    ScratchBuffer ring_;   // of kRingSlots slots
    device::ResourceId image_;
    device::DescriptorHeapId view_;
    std::string no_render_target_;  // why not; empty where there is one
};

}  // namespace heapwright::probe
