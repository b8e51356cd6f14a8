// How many images, buffers, device allocations and descriptor pools a device creates and destroys a second, by one
// thread and by several at once, measured through the seams. Everything is given back at the end.
// Vulkan: vkCreateImage and vkCreateBuffer without memory, vkAllocateMemory, vkCreateDescriptorPool with one set.
// Direct3D 12: CreatePlacedResource, CreateHeap, CreateDescriptorHeap.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/creation_measurements.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::probe {

struct CreationOptions {
    // How the device was opened: descriptors do not depend on it and are measured without alone.
    bool memory_priority = false;
    std::uint32_t processors = 0;                // threads go up to this many, at most kMostThreads; 0: the machine's
    std::uint64_t time_budget_ns = 500'000'000;  // what is not begun by then is in `skipped`
    std::uint64_t span_ns = 2'000'000;           // in which pairs are counted
    std::uint32_t samples = 5;                   // of each figure; they alternate between the numbers of threads
    Clock* clock = nullptr;                      // steady time when null; outlives the call; read by all threads
    std::function<void(std::string_view stage, double share)> progress;  // may be empty
    FailureFunction on_failure;                                          // may be empty
};

inline constexpr std::uint32_t kMostThreads = 16;

// Adds its curves to `result`, and what could not be measured with its reason to `skipped`.
// Errors: kInterrupted, kDeviceLost.
[[nodiscard]] Status measure_creations(device::Device& device, const CreationOptions& options,
                                       model::CreationMeasurements& result);

}  // namespace heapwright::probe
