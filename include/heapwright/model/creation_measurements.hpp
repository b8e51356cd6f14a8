// How many objects a driver creates and destroys a second, by one thread and by several at once: part of what a probe
// says anew on every run. Some drivers take turns, so that several threads are slower together than one alone.
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::model {

enum class CreatedObject : std::uint8_t {
    kImage,
    kBuffer,
    kMemory,       // allocated and freed
    kDescriptors,  // a descriptor pool with one set; Direct3D 12: a descriptor heap
};

// So many threads at once, each of which creates an object and destroys it again and again. Pairs of all threads
// together a second.
struct CreationPoint {
    std::uint32_t threads = 1;
    std::uint32_t samples = 0;
    std::uint64_t pairs_per_s = 0;  // the median
    std::uint64_t least_pairs_per_s = 0;
    std::uint64_t most_pairs_per_s = 0;
};

struct CreationCurve {
    CreatedObject object = CreatedObject::kImage;
    std::string description;  // of the object: "2D image of 256x256, R8G8B8A8_UNORM, sampled"
    // Whether VkPhysicalDeviceMemoryPriorityFeaturesEXT::memoryPriority was switched on, which costs some drivers most
    // of their rate; nothing else differs.
    bool memory_priority = false;
    std::vector<CreationPoint> points;  // ascending in threads, from one
};

struct CreationMeasurements {
    std::uint32_t processors = 1;  // that the host's threads run on
    std::vector<CreationCurve> curves;
    std::optional<MachineLoad> load;   // empty where the system does not say
    std::uint64_t total_ns = 0;        // what measuring took
    std::vector<std::string> skipped;  // what was not measured, and why
};

// Whether the least and the highest rate lie within a twentieth of the median.
[[nodiscard]] bool settled(const CreationPoint& point);

// Null where it was not measured.
[[nodiscard]] const CreationCurve* find_curve(const CreationMeasurements& measured, CreatedObject object,
                                              bool memory_priority);

// The fewest threads whose rate comes within a tenth of the highest: more gain nothing, or lose. 0 without points.
[[nodiscard]] std::uint32_t serving_threads(const CreationCurve& curve);

}  // namespace heapwright::model
