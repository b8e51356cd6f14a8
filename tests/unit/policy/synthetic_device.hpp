// Made-up devices and workloads for the tests of the policy rules. The radv-like one has a small BAR heap, AMD's
// device-coherent types and an alignment of 65536 for images with both sides at least 128.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::test {

[[nodiscard]] model::DeviceReport radv_like_device();

// Heaps and types; sizes rest on packed bytes.
[[nodiscard]] model::DeviceReport bare_device(std::vector<model::MemoryHeap> heaps,
                                              std::vector<model::MemoryType> types);

// Nothing reserved for others, and no hint.
[[nodiscard]] model::Workload empty_workload();

// Any device: up to 16 heaps and 32 types, tiny and huge, with and without limits, budgets and sweep.
[[nodiscard]] model::DeviceReport random_device(Random& random);

// Five engines, a second one for copies and one of low priority, on which everything beside draws pays.
[[nodiscard]] model::EngineMeasurements measured_engines();

// A driver that takes turns over images, and over buffers with memoryPriority.
[[nodiscard]] model::CreationMeasurements measured_creations();

// Textures, render targets and buffers for every memory use.
[[nodiscard]] model::Workload small_workload();

[[nodiscard]] model::Workload random_workload(Random& random);

void set_limit(model::DeviceReport& device, const char* name, std::uint64_t value);
void remove_limit(model::DeviceReport& device, const char* name);

}  // namespace heapwright::test
