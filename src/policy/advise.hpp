// (report, workload) -> policy: the rules of this folder, one after another. Pure and thread-safe.
//   limits -> heaps -> memory types -> demand -> capacity -> dedicated -> M, humongous -> separation
//   -> buckets and chunks, by simulation -> feasibility -> default buckets -> what to expect
// Every number of the policy carries its reason, the inputs it was computed from and the alternatives that lost.
// A workload that does not fit still gets a policy, whose capacity says so first.
// Errors: kNotSupported when no memory type can serve a use of the workload, or when none of its hints can be served;
// kNoDevice for a device without memory types; kOutOfRange for a device index that the report does not hold. What is
// merely missing becomes a warning.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/simulation.hpp"

namespace heapwright::policy {

enum class ChunkRuleName : std::uint8_t {
    kSimulated,  // buckets and chunks as the simulation finds them best (optimise.hpp)
    kSource,     // max(M, H / K), buckets by class and alignment: the rule of "Vulkan Memory Allocation"
};

struct AdviseOptions {
    ChunkRuleName rule = ChunkRuleName::kSimulated;
    SampleOptions sample;                        // how much is simulated: time against the figures' accuracy
    const model::Validation* learned = nullptr;  // of an earlier policy for the workload; null: none (learned.hpp)
    // What a command line names the workload by, for the command that a warning asks for; empty: its name. A view.
    std::string_view workload_argument{};
    model::HumongousRule humongous = model::HumongousRule::kOwnMemory;
    // Heaps, memory types and capacity, and nothing else.
    bool capacity_alone = false;
    // False: the policy says nothing of what to expect, which takes most of the time. For whoever only allocates by it.
    bool with_expectations = true;
};

// `device_index` is the device's position in the report, for the pointers of the decisions' inputs.
[[nodiscard]] Result<model::DevicePolicy> advise(const model::DeviceReport& device, const model::Workload& workload,
                                                 std::size_t device_index = 0, const AdviseOptions& options = {});

// One device policy for each selected device (all of them when `device_indexes` is empty), in that order. The header
// names the report and the workload by their hashes. kInvalidArgument where what is to be learned from is of other
// devices or of another workload.
[[nodiscard]] Result<model::Policy> advise(const model::Report& report, const model::Workload& workload,
                                           std::span<const std::size_t> device_indexes = {},
                                           const AdviseOptions& options = {});

}  // namespace heapwright::policy
