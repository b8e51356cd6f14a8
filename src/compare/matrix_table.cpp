#include "compare/matrix_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/detail/matrix_fields.hpp"
#include "core/text.hpp"
#include "model/detail/write.hpp"

namespace heapwright::model {

template <>
std::span<const std::string_view> names_of<compare::DriverApi>() {
    static constexpr std::array<std::string_view, 3> kNames{"vulkan", "d3d12", "all"};
    return kNames;
}

template <>
std::span<const std::string_view> names_of<compare::MatrixOutcome>() {
    static constexpr std::array<std::string_view, 5> kNames{"reported", "failed", "crashed", "timed_out", "absent"};
    return kNames;
}

}  // namespace heapwright::model

namespace heapwright::compare {
namespace {

bool is_there(const MatrixRow& row) {
    return row.outcome != MatrixOutcome::kAbsent;
}

bool gave_none(const MatrixRow& row) {
    return is_there(row) && row.outcome != MatrixOutcome::kReported;
}

std::string_view outcome_words(MatrixOutcome outcome) {
    return outcome == MatrixOutcome::kTimedOut ? "timed out" : model::name_of(outcome);
}

std::string exit_text(const MatrixRow& row) {
    return row.exit_code ? fmt::format("{}", *row.exit_code) : row.signal.value_or("");
}

// A table's cell is one line, and a bar within it would end it.
std::string cell(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        if (c == '|') result += '\\';
        result += c;
    }
    return result;
}

std::string line_of(const MatrixRow& row) {
    const std::string reason = row.reason.empty() ? "" : ": " + printable(row.reason);
    switch (row.outcome) {
        case MatrixOutcome::kFailed:
            return fmt::format("{}: failed{}{}", row.driver,
                               row.exit_code ? fmt::format(" with exit code {}", *row.exit_code) : "", reason);
        case MatrixOutcome::kCrashed:
            return fmt::format("{}: ended by {}{}", row.driver, row.signal.value_or(""), reason);
        default: return row.driver + reason;
    }
}

void add_line(std::string& lines, std::string_view line) {
    if (line.empty()) return;
    const std::string whole = fmt::format("{}\n", line);
    if (!lines.starts_with(whole) && lines.find("\n" + whole) == std::string::npos) lines += whole;
}

}  // namespace

MatrixRow row_of(const MatrixDriver& driver) {
    return {.driver = driver.id,
            .api = driver.api,
            .purpose = driver.purpose,
            .exit_code = {},
            .signal = {},
            .reason = driver.absent.value_or("")};
}

MatrixVerdict verdict_of(const std::vector<MatrixRow>& rows) {
    if (std::ranges::none_of(rows, is_there)) return MatrixVerdict::kNothingRan;
    return std::ranges::any_of(rows, gave_none) ? MatrixVerdict::kFailed : MatrixVerdict::kGood;
}

std::vector<std::string> failed_drivers(const std::vector<MatrixRow>& rows) {
    std::vector<std::string> failed;
    for (const MatrixRow& row : rows) {
        if (gave_none(row)) failed.push_back(row.driver);
    }
    return failed;
}

std::string table_json(const MatrixTable& table) {
    return model::detail::write_document(table, true);
}

std::string table_markdown(const MatrixTable& table) {
    std::string text =
        "| driver | API | outcome | exit code | seconds | devices | reason | for "
        "|\n|---|---|---|---|---|---|---|---|\n";
    for (const MatrixRow& row : table.rows) {
        const std::string seconds = is_there(row) ? fmt::format("{:.1f}", row.elapsed_seconds) : "";
        const std::string devices = row.outcome == MatrixOutcome::kReported ? fmt::format("{}", row.device_count) : "";
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(row.driver), model::name_of(row.api),
                            outcome_words(row.outcome), cell(exit_text(row)), seconds, devices, cell(row.reason),
                            cell(row.purpose));
    }
    if (!table.notes.empty()) text += '\n';
    for (const std::string& note : table.notes) text += fmt::format("- {}\n", cell(note));
    return text;
}

std::string skipped_lines(const MatrixTable& table, std::string_view earlier) {
    std::string lines;
    while (!earlier.empty()) {
        const std::size_t end = std::min(earlier.find('\n'), earlier.size());
        add_line(lines, earlier.substr(0, end));
        earlier.remove_prefix(std::min(end + 1, earlier.size()));
    }
    for (const MatrixRow& row : table.rows) {
        if (row.outcome != MatrixOutcome::kReported) add_line(lines, line_of(row));
    }
    for (const std::string& note : table.notes) add_line(lines, printable(note));
    return lines;
}

}  // namespace heapwright::compare
