// Compares the reports of a matrix: each driver's versions with each other, and all with an earlier matrix.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "compare/matrix_table.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::cli {

// What is read and written lies in `folder`, the reports in its folder reports.
struct MatrixReports {
    std::filesystem::path folder;
    std::vector<std::string> names;  // of the reports: their files' without ".json"
};

// Errors: kNoDevice when there is no report; kIoError.
[[nodiscard]] Result<MatrixReports> find_matrix_reports(const std::filesystem::path& folder);

// Takes away what an earlier matrix left of what the comparisons write, and writes, where two versions of a driver are
// there, comparison.{txt,json,md,xml} and step-summary.md. What was not compared, and why, goes to `notes`.
[[nodiscard]] Status compare_matrix_versions(const MatrixReports& reports, const model::Workload& workload,
                                             std::vector<std::string>& notes);

struct BaselineChoice {
    std::string folder;  // of the reports of an earlier matrix
    std::string allow_file;
    bool strict = false;
};

// Writes comparison-with-baseline.{txt,json,md,xml}, annotations.txt and step-summary.md; nothing where the two folders
// have no report in common.
[[nodiscard]] Result<compare::Outcome> compare_matrix_with_baseline(const MatrixReports& reports,
                                                                    const BaselineChoice& baseline,
                                                                    const model::Workload& workload,
                                                                    std::vector<std::string>& notes);

// Probes the drivers of a matrix, one after another, because measured costs must not disturb each other. Each is a
// process of its own with its own environment, so that what one does to its process is nobody else's.

struct DriverRun {
    std::filesystem::path reports;  // gets ID.json, and ID.log where the driver's process said something
    std::uint64_t timeout_ns = 0;   // of each driver
};

// A report that an earlier matrix left under the driver's name is renamed to ID.json.previous first, whatever becomes
// of this one. What a driver does wrong is in its row. Errors: kIoError for the folder, kInterrupted.
[[nodiscard]] Result<compare::MatrixRow> run_driver(const compare::MatrixDriver& driver, const DriverRun& run);

}  // namespace heapwright::cli
