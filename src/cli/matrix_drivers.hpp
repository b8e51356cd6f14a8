// Probes the drivers of a matrix, one after another, because measured costs must not disturb each other. Each is a
// process of its own with its own environment, so that what one does to its process is nobody else's.
#pragma once

#include <cstdint>
#include <filesystem>

#include "compare/matrix_table.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::cli {

struct DriverRun {
    std::filesystem::path reports;  // gets ID.json, and ID.log where the driver's process said something
    std::uint64_t timeout_ns = 0;   // of each driver
};

// A report that an earlier matrix left under the driver's name is renamed to ID.json.previous first, whatever becomes
// of this one. What a driver does wrong is in its row. Errors: kIoError for the folder, kInterrupted.
[[nodiscard]] Result<compare::MatrixRow> run_driver(const compare::MatrixDriver& driver, const DriverRun& run);

}  // namespace heapwright::cli
