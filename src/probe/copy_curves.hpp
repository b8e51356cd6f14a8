// What a copy takes by its size, from 64 KiB to 1 GiB: on every engine, in every direction, of buffers and of images,
// by copy commands, by a compute shader and by the host where memory is mapped. Copies of one submission read and write
// places apart, so that no hazard orders them (Direct3D 12 still changes each image's state in between); those of
// buffers walk through more memory than caches hold where the device is quick.
// Sizes that memory or time do not allow are named in the curve.
#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "probe/engine_phases.hpp"

namespace heapwright::probe {

struct CopyCurveBounds {
    std::uint64_t memory_limit_bytes = 0;  // alive at once
    std::uint64_t host_limit_bytes = 0;    // of it, and of ordinary memory, in the host's
    std::uint64_t walked_bytes = 0;        // of each buffer that smaller copies walk through
};

// Until the phase's deadline, which memory and the first runs put off; the smallest size of each curve even beyond it,
// but nothing from the phase's last moment on. Errors: those that end the whole measurement.
[[nodiscard]] Status measure_copy_curves(device::Device& device, const EnginePhase& phase,
                                         const CopyCurveBounds& bounds);

}  // namespace heapwright::probe
