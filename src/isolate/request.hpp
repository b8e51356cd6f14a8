// What a person may ask of the stages that need a driver: which devices, how much of each, and of a probe how deep it
// goes. The command line binds its options into these structs, and the message to the worker carries what concerns it
// as the field tables say. So a new option of a probe is one member with its row here, its CLI option, and its user in
// isolate/worker.cpp, which is the one place that runs a probe. What a validation may be asked is in
// validate/request.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/detail/codec.hpp"

namespace heapwright::isolate {

// For each device.
struct DeviceLimits {
    std::optional<std::uint64_t> memory_limit_bytes;  // empty: the default of isolate/memory_limit.hpp
    std::uint64_t time_limit_ns = 600'000'000'000;    // of one stage
};

enum class ApiChoice : std::uint8_t { kVulkan, kD3d12, kAll };

struct DeviceChoice {
    ApiChoice apis = ApiChoice::kAll;
    std::vector<std::string> selectors;  // see model/selection.hpp; empty: every device
    std::vector<std::string> icd_files;  // empty: every driver of the machine
    DeviceLimits limits;
};

struct ProbeRequest {
    bool timing = true;  // measure what allocations cost and how the engines work together, which allocates memory
};

}  // namespace heapwright::isolate

namespace heapwright::model::detail {

template <>
struct Fields<isolate::DeviceLimits> {
    using S = isolate::DeviceLimits;
    static constexpr std::string_view kName = "device_limits";
    static constexpr auto list =
        std::tuple{field("memory_limit_bytes", &S::memory_limit_bytes), field("time_limit_ns", &S::time_limit_ns)};
};
static_assert(kHasRowForEveryMember<isolate::DeviceLimits>);

template <>
struct Fields<isolate::ProbeRequest> {
    using S = isolate::ProbeRequest;
    static constexpr std::string_view kName = "probe_request";
    static constexpr auto list = std::tuple{field("timing", &S::timing)};
};
static_assert(kHasRowForEveryMember<isolate::ProbeRequest>);

}  // namespace heapwright::model::detail
