// Texts from folders and files, one at a time, so that thousands need the memory of a few. A folder gives every file
// below it of the kind that is looked for, sorted by path, but for hidden files and folders and those in node_modules.
// Thread-safe: several threads may ask for the next one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::compare {

struct SourcedText {
    std::string name;
    std::uint64_t position = 0;  // in the order of the source
    Result<std::string> text;    // or why it could not be read
};

enum class SourceFiles : std::uint8_t {
    kReports,  // of folders every *.json and *.ndjson; an NDJSON file gives one document a line, named "FILE:LINE"
    kAny,      // whole files, whatever their names
};

class ReportSource {
public:
    // Errors: kIoError for a path that does not exist or cannot be listed.
    [[nodiscard]] static Result<ReportSource> open(const std::vector<std::string>& paths,
                                                   SourceFiles files = SourceFiles::kReports);

    ReportSource(ReportSource&& other) noexcept;

    [[nodiscard]] std::optional<SourcedText> next();
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }

private:
    ReportSource(std::vector<std::filesystem::path> files, SourceFiles kind) : kind_(kind), files_(std::move(files)) {}

    std::mutex mutex_;
    SourceFiles kind_;
    std::vector<std::filesystem::path> files_;
    std::size_t file_ = 0;
    std::ifstream lines_;
    std::uint64_t line_ = 0;
    std::uint64_t position_ = 0;
};

// One text again, by the name that a source gave it.
[[nodiscard]] Result<std::string> read_named(const std::string& name);

}  // namespace heapwright::compare
