// As many reports as one likes, made from real ones by varying what really varies between machines: heap sizes,
// budgets, driver versions, device names, bus addresses, times; and now and then the behaviour itself. Deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::test {

// The reports of this repository: probed ones (reports/) and imported ones (tests/golden/import). Those with sweeps are
// a hundred times as long.
[[nodiscard]] Result<std::vector<model::Report>> real_reports(const std::string& source_folder);

struct VariedReport {
    model::Report report;
    std::string behaviour;  // what the report was made from and what was changed
};

[[nodiscard]] VariedReport vary(const std::vector<model::Report>& real, std::uint64_t index);

}  // namespace heapwright::test
