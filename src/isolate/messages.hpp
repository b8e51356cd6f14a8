// What parent and worker tell each other: the request as one JSON text, the answers as frames.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::isolate {

enum class WorkerTask : std::uint8_t { kProbe, kValidate };

struct WorkerRequest {
    WorkerTask task = WorkerTask::kProbe;
    model::Api api = model::Api::kVulkan;
    std::int64_t vulkan_device_index = -1;  // D3D12 on Linux: the Vulkan device to work on; -1: the runtime's choice
    std::string vulkan_device;              // and what it says of itself: a report document with an identity alone
    std::vector<std::string> icd_files;     // empty: the loader's own choice
    std::vector<std::string> selectors;     // empty: every device
    std::uint32_t first_index = 0;          // the global index of this driver's first device
    std::vector<std::uint32_t> skip;        // positions, in this driver's order, that crashed before
    bool identity_only = false;             // enumerate, read nothing
    bool measure_memory_cost = false;
    bool validation_layers = false;
    bool allow_other_device = false;
    bool baselines = false;
    std::vector<std::string> scenarios;  // by name; empty: all
    std::uint64_t seed = 0;
    std::uint64_t memory_limit_bytes = 0;  // 0: the default of memory_limit.hpp
    std::uint64_t time_limit_ns = ~0ull;
    std::string workload;  // JSON text, empty when there is none
    std::string policy;    // JSON text, for kValidate
};

// Frame kinds.
inline constexpr char kFrameAdapters = 'A';    // a report document whose devices have an identity alone
inline constexpr char kFrameStarted = 'S';     // decimal position of the device that is worked on from here on
inline constexpr char kFrameFacts = 'F';       // a report document with one device, without its sweep
inline constexpr char kFrameDevice = 'D';      // a report document with one device
inline constexpr char kFrameValidation = 'V';  // a validation document with one device
inline constexpr char kFrameError = 'E';       // an error about the started device, or about the driver before that
inline constexpr char kFrameProgress = 'P';    // "0.25 stage"
inline constexpr char kFrameEnd = 'X';  // all that was asked is done; without it the process was ended by somebody

[[nodiscard]] std::string encode(const WorkerRequest& request);
[[nodiscard]] Result<WorkerRequest> decode_request(std::string_view text);

[[nodiscard]] std::string encode(const Error& error);
[[nodiscard]] Error decode_error(std::string_view text);

}  // namespace heapwright::isolate
