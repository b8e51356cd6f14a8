// A policy as the configuration of an engine or allocator. Every output says the version that it was checked against
// and how much changed on the way. The account beside it has the table of the target's settings, and lists what was
// rounded or clamped, which policy values the target cannot express and which of its settings the policy says nothing
// about. Nothing is invented: a setting without a policy value is left out. Pure and thread-safe.
// Source of the settings: each project's own headers and documentation, in the version that the target names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::exporting {

struct TargetSummary {
    std::string_view name;    // "vma"
    std::string_view title;   // "Vulkan Memory Allocator"
    std::string_view form;    // "C++ header"
    std::string_view ending;  // of its file's name: ".hpp"
    std::string_view checked_against;
    std::optional<model::Api> api;  // empty: policies of either API
};

struct Exported {
    std::string text;
    std::vector<std::string> changes;          // clamps and roundings
    std::vector<std::string> not_expressible;  // "not expressible in X: VALUE: WHY"
    std::vector<std::string> left_out;         // settings that the policy says nothing about
    std::vector<std::string> account;          // all of it in lines, with the settings and where each value comes from
};

[[nodiscard]] std::vector<TargetSummary> targets();

// The target's settings as a table: key, unit, range, rounding rule, the policy value it comes from, default.
// Errors: kInvalidArgument naming the known targets.
[[nodiscard]] Result<std::string> settings_table(std::string_view target);

// Errors: kInvalidArgument for an unknown target or one of the other API; kOutOfRange for a device that the policy does
// not hold.
[[nodiscard]] Result<Exported> export_policy(const model::Policy& policy, std::size_t device, std::string_view target);

}  // namespace heapwright::exporting
