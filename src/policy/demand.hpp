// The workload's hints as the driver sees them: what each part of each hint asks for in size, alignment and memory
// types, and how much of it lives at the peak. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/resource_sizing.hpp"

namespace heapwright::policy {

// Resources of one hint that the driver answers alike.
struct Demand {
    std::string hint;  // "images/3"
    std::string what;  // "images/3 (R8G8B8A8_UNORM 2048x2048)"; a buffer's is its hint
    model::ResourceClass resource_class = model::ResourceClass::kLinear;
    model::MemoryUse use = model::MemoryUse::kDeviceOnly;
    model::Lifetime lifetime = model::Lifetime::kStreaming;
    bool transient_attachment = false;
    model::OwnMemory own_memory = model::OwnMemory::kAuto;  // what the hint asks; `requirements` follows it
    std::optional<std::uint32_t> importance;                // the hint's, 0 to 100
    bool device_writes = false;                             // attachments and storage; not what is only copied to
    model::MemoryRequirements requirements;                 // of the largest of them
    double count = 0;      // in use at the same time, at the peak; parts of a distribution have fractions
    double in_flight = 0;  // given up beyond these, and still used by frames in flight
    double mean_bytes = 0;
    model::Statement beyond_limit;  // limits of the device that all of these pass; they have no requirements then
    std::optional<model::ExceededLimit> too_large;  // the first, where it is one of bytes, by the largest
    std::uint64_t other_sizes = 0;                  // of these, beyond what `what` names
    model::DecisionInput evidence;                  // where the requirements stand in the report
    std::vector<model::DecisionInput> hint_inputs;  // what of the hint decides the largest size

    [[nodiscard]] double held_bytes() const { return (count + in_flight) * mean_bytes; }

    // Of these resources so many, with their part of what frames in flight still use. `part`: at most `count`.
    [[nodiscard]] Demand part_of(double part) const {
        Demand taken = *this;
        taken.count = part;
        taken.in_flight = count > 0 ? in_flight * (part / count) : 0;
        return taken;
    }
};

struct DemandList {
    std::vector<Demand> parts;
    std::uint64_t unanswered_points = 0;  // of the workload's points those that the report does not answer
    model::Statement assumed;             // which hints' sizes are, and how; empty: none
    model::Statement warnings;            // sizes that are not the driver's own answer, hints that it does not support
    std::map<std::string, model::Statement, std::less<>> why_not;  // by hint: why the device has none at any size
};

// What to run on the device so that its report holds every point of a workload. `workload` is a preset's name or a
// file.
[[nodiscard]] std::string probe_command(std::string_view workload);

[[nodiscard]] DemandList list_demand(const Context& context);

// "buffers/0 cannot be served: 8 GiB are more than maxBufferSize (4 GiB)".
[[nodiscard]] model::Claim unserved(const std::string& what, const model::ExceededLimit& exceeded);

// Direct3D 12 resource heap tier 1 keeps render targets apart from other textures.
[[nodiscard]] bool separates_render_targets(const model::DeviceReport& device);

}  // namespace heapwright::policy
