// Documents to compare, of whichever kind they are. Pure and thread-safe.
// Beside it: the paths that an allow-list may name, and texts from folders and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::compare {

struct LoadedDocument {
    std::string file;
    std::string stable_hash;  // empty for validations
    std::string host;         // where it was made; empty when unknown
    std::variant<model::Report, model::Policy, model::Validation> document;

    [[nodiscard]] model::DocumentKind kind() const;
    [[nodiscard]] std::vector<model::DeviceIdentity> identities() const;
};

// Errors: those of the strict readers; kInvalidArgument for a kind that cannot be compared.
[[nodiscard]] Result<LoadedDocument> load_document(std::string_view text, std::string_view file);

// What makes two entries one device: driver id, vendor, device and API. Never a position, a name or a version.
[[nodiscard]] std::string device_key(const model::DeviceIdentity& identity);

// Every device of some reports in one, sorted by key and version, without what differs from run to run: two probes of
// one driver on one machine give the same bytes.
[[nodiscard]] model::Report baseline_of(const std::vector<LoadedDocument>& documents);

// Every path that a comparison of a document may speak of, whatever differs: fields, sweep cases with their properties,
// measured figures (without `costs` only whether they are there), failures and devices. Pure and thread-safe.

[[nodiscard]] std::vector<std::string> paths_of(const LoadedDocument& document, bool costs = true);

// Texts from folders and files, one at a time, so that thousands need the memory of a few. A folder gives every file
// below it of the kind that is looked for, sorted by path, but for hidden files and folders and those in node_modules.
// Thread-safe: several threads may ask for the next one.

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
