// What happened when a policy was run on a device (or on a replayed report): per scenario what was done, what was
// checked, what was found wrong, and the figures. Bytes and counts are stable for a seed; times are volatile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::model {

enum class Verdict : std::uint8_t {
    kValidated,  // every check passed on the device itself
    kReplayed,   // every check passed on a replayed report
    kFailed,
    kInconclusive,  // stopped by a limit or an interruption before the checks were complete
    kNotSupported,  // the device lacks what the scenario needs; the reason says what
};

// One diagnostic per kind of fault.
enum class Fault : std::uint8_t {
    kOverlap,
    kMisalignment,
    kWrongMemoryType,
    kGranularityConflict,
    kEarlyReuse,
    kStaleBytes,
    kOutsideChunk,
    kLeak,
    kApiError,
    kValidationLayer,
    kInvariant,
};

struct ValidationFinding {
    Fault fault = Fault::kOverlap;
    std::uint64_t step = 0;
    std::string resource;   // what it was about
    std::string statement;  // what was expected and what was seen, with values
};

struct ScenarioCounts {
    std::uint64_t operations = 0;  // creations and destructions
    std::uint64_t failures = 0;    // requests that the allocator refused although the policy admits them
    std::uint64_t peak_images = 0;
    std::uint64_t peak_buffers = 0;
    std::uint64_t verified_resources = 0;
    std::uint64_t verified_bytes = 0;
    std::uint64_t dedicated_allocations = 0;
    std::uint64_t device_allocations = 0;  // chunks and dedicated, at the peak
    std::uint64_t device_allocation_calls = 0;
};

struct ScenarioMemory {
    std::uint64_t peak_used_bytes = 0;      // bytes asked for
    std::uint64_t peak_reserved_bytes = 0;  // bytes taken from the device
    double mean_waste = 0;                  // mean over the run of (reserved - used) / used
    double mean_fragmentation = 0;          // mean over the run of 1 - largest free range / free bytes, by chunk
};

struct LatencyFigures {
    std::uint64_t samples = 0;
    std::uint64_t p50_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t worst_ns = 0;
};

struct ScenarioVolatile {
    LatencyFigures allocate;  // suballocation and any chunk that it had to take, without the API's create and bind
    LatencyFigures free;
    LatencyFigures create;  // the whole creation of a resource
    std::uint64_t worst_frame_ns = 0;
    std::uint64_t total_ns = 0;
};

struct ScenarioResult {
    std::string name;
    std::uint64_t seed = 0;
    Verdict verdict = Verdict::kInconclusive;
    std::string reason;
    ScenarioCounts counts;
    ScenarioMemory memory;
    std::vector<ValidationFinding> findings;  // at most kMaxFindings; findings_total says how many there were
    std::uint64_t findings_total = 0;
    ScenarioVolatile run;
};

inline constexpr std::uint32_t kMaxFindings = 64;

struct DeviceValidation {
    DeviceIdentity identity;
    bool replayed = false;
    std::uint64_t interpolated_requirements = 0;  // distinct resources that the replayed report had no entry for
    bool validation_layers = false;
    std::uint64_t memory_limit_bytes = 0;
    std::vector<ScenarioResult> scenarios;
    // The mixed workload again, the same operations in the same run, with another allocator in the policy's place:
    // "mixed-workload/one-each", ".../source-rule", ".../vma-default". No part of the verdict. Empty unless asked for.
    std::vector<ScenarioResult> baselines;
    Verdict verdict = Verdict::kInconclusive;
    std::string reason;
};

struct Validation {
    DocumentHeader header;
    std::vector<DeviceValidation> devices;
    DocumentVolatile run;
};

}  // namespace heapwright::model
