// What parent and worker tell each other: the request as one JSON text, made and read from the field tables of
// isolate/detail/request_fields.hpp; the answers as frames. Parent and child are one program, so a message that cannot
// be read is a broken pipe (kIoError), not a user's mistake. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"
#include "isolate/request.hpp"
#include "validate/request.hpp"

namespace heapwright::isolate {

// A driver that a child opens alone.
struct Target {
    model::Api api = model::Api::kVulkan;
    std::vector<std::string> icd_files;  // empty: the loader's own choice
    // D3D12 on Linux runs on a Vulkan device; empty: the runtime's choice.
    std::optional<std::uint32_t> vulkan_device_index;
    std::optional<model::DeviceIdentity> vulkan_device;  // and what it says of itself
};

// A step of a probe (device/capability_source.hpp) that is left out because the driver ended the process there.
struct SkippedStep {
    std::uint32_t position = 0;  // of the device, in this driver's order
    std::string stage;
    std::uint64_t index = 0;
    bool and_later = false;  // and all that follow in its stage
    std::string reason;

    friend bool operator==(const SkippedStep&, const SkippedStep&) = default;
};

// With neither a probe nor a validation the worker only says which devices there are. Never both.
struct WorkerRequest {
    Target target;
    std::vector<std::string> selectors;  // empty: every device
    std::uint32_t first_index = 0;       // the global index of this driver's first device
    std::vector<std::uint32_t> skip;     // positions, in this driver's order, that crashed or had their turn before
    std::vector<SkippedStep> skipped_steps;
    DeviceLimits limits;
    std::optional<ProbeRequest> probe;
    std::optional<validate::ValidationRequest> validation;
    std::string workload;  // a document, empty when there is none
    std::string policy;    // a document, for a validation
};

// The step in which a worker closes a device. A process that is told to leave it out leaves every device open.
inline constexpr const char* kClosing = "closing a device";

// Frame kinds. D, F, V, C and E are about the device whose S came last.
inline constexpr char kFrameAdapters = 'A';    // a report document whose devices have an identity alone
inline constexpr char kFrameStarted = 'S';     // decimal position of the device that is worked on from here on
inline constexpr char kFrameFacts = 'F';       // a report document with one device: what is known so far, in case of a
                                               // crash; the next F or D replaces it
inline constexpr char kFrameDevice = 'D';      // a report document with one device, complete
inline constexpr char kFrameValidation = 'V';  // a validation document with one device
inline constexpr char kFrameScenario = 'C';    // the same with one scenario that is done, in case of a crash
inline constexpr char kFrameError = 'E';       // an error; before the first S it is about the driver
inline constexpr char kFrameProgress = 'P';    // "0.25 stage"
inline constexpr char kFrameEnd = 'X';  // all that was asked is done; without it the process was ended by somebody

[[nodiscard]] std::string encode(const WorkerRequest& request);
[[nodiscard]] Result<WorkerRequest> decode_request(std::string_view text);

[[nodiscard]] std::string encode(const Error& error);
[[nodiscard]] Error decode_error(std::string_view text);

// When and where a document was made.

[[nodiscard]] model::DocumentVolatile run_facts();

}  // namespace heapwright::isolate
