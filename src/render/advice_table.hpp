// Tables of policies: side by side by figure, and a line for each of many devices.
//
// Policies side by side: one row a figure, one column a policy, in units for people. A bucket stands in the row of its
// name, so that two policies that divide memory differently show what the other lacks. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "render/overview.hpp"
#include "render/report_document.hpp"

namespace heapwright::render {

struct PolicyRow {
    std::string group;  // "Buckets"; rows of one group follow each other
    std::string name;
    std::vector<std::string> cells;  // one a policy; empty: that policy has none
    bool differs = false;
};

struct PolicyTable {
    std::vector<std::string> policies;  // the heads of the columns: "H100 80GB HBM3, general-engine"
    std::vector<std::string> files;
    std::vector<PolicyRow> rows;
};

// Every device of every policy among the documents, in their order.
[[nodiscard]] PolicyTable policy_table(std::span<const ReportDocument> documents);

// The advice for many devices as one table: a line a device, in units for people, and which of them one policy would
// serve. Rows are small, so that thousands can be kept. Pure and thread-safe.

struct AdviceRow {
    std::string device;
    std::string driver;  // "NVIDIA 576.40"
    std::string source;  // the report's file, or "known:amd-steam-deck-radv"
    model::Api api = model::Api::kVulkan;
    std::string workload;                 // "general-engine", of a part "general-engine@82%"
    bool is_part = false;                 // because the device does not hold all of it
    std::uint64_t least_chunk_bytes = 0;  // of the buckets in use, the first chunk
    std::uint64_t most_chunk_bytes = 0;
    std::uint64_t own_memory_above_bytes = 0;
    std::uint64_t upload_ring_bytes = 0;
    std::optional<double> mean_waste;
    std::optional<std::uint64_t> worst_frame_ns;  // spent on memory; empty: nothing tells the costs
    std::uint64_t frame_budget_ns = 0;
    bool fits = true;
    std::string capacity;              // "needs 1.7 GiB of 1.8 GiB usable", or what is missing
    std::vector<std::string> assumed;  // "sizes and alignments", "the costs of device memory"
    std::string remark;                // what of the report is not the reader's device; empty: nothing
};

[[nodiscard]] AdviceRow advice_row(const model::DevicePolicy& policy, std::string device, std::string workload);

// Devices that the first one's chunk sizes and thresholds serve as well as each one's own, but for 5 points of waste;
// by position in the rows. One alone is none. The memory types are each device's own.
using SharedPolicies = std::vector<std::vector<std::size_t>>;

// At most `most` lines of devices; "-v" has all.
[[nodiscard]] std::string advice_table(std::span<const AdviceRow> rows, const SharedPolicies& shared,
                                       const ScreenStyle& style, std::size_t most, std::string_view next = {});

// The same for programs: a list of devices with the figures in bytes, nanoseconds and shares.
[[nodiscard]] std::string advice_document(std::span<const AdviceRow> rows, const SharedPolicies& shared);

}  // namespace heapwright::render
