// Which stored policy fits the running device best, and why the others do not. Pure and thread-safe.
// Beside it: the scaling of a policy to other heaps.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "loader/policy_folder.hpp"
#include "loader/running_device.hpp"

namespace heapwright::loader {

enum class MatchLevel : std::uint8_t { kExact = 1, kDriver = 2, kFamily = 3, kComputed = 4 };

struct Match {
    MatchLevel level = MatchLevel::kExact;
    std::size_t policy = 0;
    std::string reason;
};

struct MatchResult {
    std::optional<Match> best;
    std::vector<std::string> passed_over;  // "FILE: WHY", for each other policy
};

// Of policies that fit alike, one for `workload` is better; empty: the first by file name.
[[nodiscard]] MatchResult find_match(std::span<const StoredPolicy> policies, const RunningDevice& device,
                                     std::string_view workload);

// What keeps the policy's memory type indexes from meaning the same on the running device; empty: nothing.
[[nodiscard]] std::optional<std::string> layout_difference(const model::DevicePolicy& policy,
                                                           const RunningDevice& device);

// "580.159.4", as the vendor encodes it in driverVersion.
[[nodiscard]] std::string driver_version_text(std::uint32_t vendor_id, std::uint32_t version);

// A policy made for heaps of other sizes or budgets, on the running device's (contract/scaling.hpp), and what changed
// in words. Where one chunk for each bucket does not fit its heap even then, a warning of the policy says so. Pure and
// thread-safe.

// What changed, a line each; empty: nothing. The policy's heaps are as many as the device's.
[[nodiscard]] std::vector<std::string> scale(model::DevicePolicy& policy, const RunningDevice& device);

}  // namespace heapwright::loader
