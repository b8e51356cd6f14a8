// Policies side by side: one row a figure, one column a policy, in units for people. A bucket stands in the row of its
// name, so that two policies that divide memory differently show what the other lacks. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/render/report_document.hpp"

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

}  // namespace heapwright::render
