// What became of every driver of a matrix, a row each, and its forms for machines and people. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/matrix_driver.hpp"

namespace heapwright::compare {

enum class MatrixOutcome : std::uint8_t {
    kReported,  // a report is there
    kFailed,    // it came to its end without one
    kCrashed,   // a signal ended it
    kTimedOut,  // it was ended at the time limit
    kAbsent,    // the machine lacks it; nothing was run
};

struct MatrixRow {
    std::string driver;  // its id
    DriverApi api = DriverApi::kVulkan;
    std::string purpose;
    MatrixOutcome outcome = MatrixOutcome::kAbsent;
    std::optional<std::int64_t> exit_code;  // of a process that came to its end by itself
    std::optional<std::string> signal;      // "SIGSEGV (signal 11)": kCrashed alone
    double elapsed_seconds = 0;
    std::uint64_t device_count = 0;  // of the report
    std::string reason;  // why there is no report; of a report, which of the driver's devices is missing or crashed
};

// `driver`'s row before anything is known of it.
[[nodiscard]] MatrixRow row_of(const MatrixDriver& driver);

struct MatrixTable {
    std::string tool_version;
    std::vector<MatrixRow> rows;     // in the order of the list
    std::vector<std::string> notes;  // what was not compared, and why
};

enum class MatrixVerdict : std::uint8_t {
    kGood,       // every driver that is there gave a report
    kFailed,     // at least one gave none
    kNothingRan  // there is no driver
};

[[nodiscard]] MatrixVerdict verdict_of(const std::vector<MatrixRow>& rows);

// The ids of the drivers that are there and gave no report.
[[nodiscard]] std::vector<std::string> failed_drivers(const std::vector<MatrixRow>& rows);

[[nodiscard]] std::string table_json(const MatrixTable& table);
[[nodiscard]] std::string table_markdown(const MatrixTable& table);

// What was not probed or compared and why, one line each: "swiftshader: failed with exit code 3: REASON". Lines of
// `earlier`, such as other machines' of the same matrix, come first; none stands there twice.
[[nodiscard]] std::string skipped_lines(const MatrixTable& table, std::string_view earlier = {});

}  // namespace heapwright::compare
