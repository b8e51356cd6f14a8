#include "compare/documents.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>

#include "compare/cost_figures.hpp"
#include "compare/creation_difference.hpp"
#include "compare/engine_difference.hpp"
#include "compare/field_difference.hpp"
#include "core/file.hpp"
#include "core/path.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/names.hpp"

namespace heapwright::compare {

model::DocumentKind LoadedDocument::kind() const {
    constexpr std::array kKinds{model::DocumentKind::kReport, model::DocumentKind::kPolicy,
                                model::DocumentKind::kValidation};
    return kKinds[document.index()];
}

std::vector<model::DeviceIdentity> LoadedDocument::identities() const {
    std::vector<model::DeviceIdentity> result;
    std::visit(
        [&](const auto& held) {
            for (const auto& device : held.devices) result.push_back(device.identity);
        },
        document);
    return result;
}

Result<LoadedDocument> load_document(std::string_view text, std::string_view file) {
    HEAPWRIGHT_ASSIGN(const model::DocumentKind kind, model::document_kind(text, file));
    LoadedDocument loaded{.file = std::string(file)};
    switch (kind) {
        case model::DocumentKind::kReport: {
            HEAPWRIGHT_ASSIGN(model::Report report, model::read_report(text, file));
            loaded.stable_hash = model::stable_hash(report);
            loaded.host = report.run.host;
            loaded.document = std::move(report);
            return loaded;
        }
        case model::DocumentKind::kPolicy: {
            HEAPWRIGHT_ASSIGN(model::Policy policy, model::read_policy(text, file));
            loaded.stable_hash = model::stable_hash(policy);
            loaded.host = policy.run.host;
            loaded.document = std::move(policy);
            return loaded;
        }
        case model::DocumentKind::kValidation: {
            HEAPWRIGHT_ASSIGN(loaded.document, model::read_validation(text, file));
            return loaded;
        }
        case model::DocumentKind::kWorkload:
        case model::DocumentKind::kComparison:
        case model::DocumentKind::kWhatIf: break;
    }
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a {} cannot be compared; reports, policies and validations can", name_of(kind)),
                std::string(file));
}

std::string device_key(const model::DeviceIdentity& identity) {
    return fmt::format("{}/{}/{:04x}:{:04x}", name_of(identity.api), identity.driver_id, identity.vendor_id,
                       identity.device_id);
}

model::Report baseline_of(const std::vector<LoadedDocument>& documents) {
    model::Report baseline;
    baseline.header.tool_version = kVersion;
    for (const LoadedDocument& loaded : documents) {
        const auto* report = std::get_if<model::Report>(&loaded.document);
        if (report == nullptr) continue;
        baseline.header.sources.push_back({.kind = model::DocumentKind::kReport, .stable_hash = loaded.stable_hash});
        for (const model::DeviceReport& device : report->devices) {
            baseline.devices.push_back(device);
            baseline.devices.back().run = {};
        }
    }
    std::ranges::sort(baseline.header.sources, {}, &model::SourceDocument::stable_hash);
    std::ranges::stable_sort(baseline.devices, {}, [](const model::DeviceReport& device) {
        return device_key(device.identity) + " " + device.identity.driver_info;
    });
    return baseline;
}

namespace {

using model::SweepProperty;

constexpr SweepProperty kOfACase[] = {SweepProperty::kAlignmentBytes, SweepProperty::kSizeBytes,
                                      SweepProperty::kMemoryTypes,    SweepProperty::kDedicated,
                                      SweepProperty::kSupport,        SweepProperty::kCase};

void add_sweeps(const model::DeviceReport& device, std::vector<std::string>& paths) {
    const auto add = [&](const auto& sweep, const std::string& root) {
        for (const auto& entry : sweep.cases) {
            for (const SweepProperty property : kOfACase)
                paths.push_back(fmt::format("{}/{}", case_path(entry), name_of(property)));
        }
        paths.push_back(root + "/cases");
        paths.push_back(root + "/points");
    };
    add(device.image_sweep, "/image_sweep");
    add(device.buffer_sweep, "/buffer_sweep");
}

}  // namespace

std::vector<std::string> paths_of(const LoadedDocument& document, bool costs) {
    std::vector<std::string> paths{"/"};
    std::visit(
        [&](const auto& held) {
            for (const auto& device : held.devices) {
                std::ranges::move(field_paths(device), std::back_inserter(paths));
                if constexpr (std::is_same_v<std::decay_t<decltype(device)>, model::DeviceReport>) {
                    add_sweeps(device, paths);
                    paths.insert(paths.end(), {"/volatile/heap_budgets", "/volatile/engines", "/volatile/creations"});
                    std::ranges::move(creation_paths(device, costs), std::back_inserter(paths));
                    std::ranges::move(engine_paths(device, costs), std::back_inserter(paths));
                    if (!costs) continue;
                    paths.emplace_back("/volatile/memory_cost");
                    std::ranges::move(cost_paths(device), std::back_inserter(paths));
                }
            }
            if constexpr (requires { held.failures; }) {
                for (const model::ProbeFailure& failure : held.failures)
                    paths.push_back("/failures/" + failure.last_call);
            }
        },
        document.document);
    return paths;
}

namespace {

bool is_lines(const std::filesystem::path& path) {
    return path.extension() == ".ndjson" || path.extension() == ".jsonl";
}

bool is_document(const std::filesystem::path& path) {
    return path.extension() == ".json" || is_lines(path);
}

// Below a folder that was named: what others keep there is not looked for reports.
bool is_left_out(const std::filesystem::directory_entry& entry) {
    const std::string name = path_text(entry.path().filename());
    return name.starts_with('.') || (name == "node_modules" && entry.is_directory());
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder, SourceFiles kind) {
    std::vector<std::filesystem::path> found;
    const std::filesystem::recursive_directory_iterator end;
    for (std::filesystem::recursive_directory_iterator at(folder); at != end; ++at) {
        if (is_left_out(*at)) {
            at.disable_recursion_pending();
        } else if (at->is_regular_file() && (kind == SourceFiles::kAny || is_document(at->path()))) {
            found.push_back(at->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool is_blank(const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

Result<ReportSource> ReportSource::open(const std::vector<std::string>& paths, SourceFiles kind) {
    std::vector<std::filesystem::path> files;
    try {
        for (const std::string& name : paths) {
            const std::filesystem::path path = path_of(name);
            if (!std::filesystem::exists(path)) return fail(ErrorCode::kIoError, "does not exist", name);
            if (!std::filesystem::is_directory(path)) {
                files.push_back(path);
                continue;
            }
            std::vector<std::filesystem::path> found = files_below(path, kind);
            std::move(found.begin(), found.end(), std::back_inserter(files));
        }
    } catch (const std::exception& error) {
        return fail(ErrorCode::kIoError, fmt::format("cannot be listed: {}", error.what()));
    }
    return ReportSource(std::move(files), kind);
}

ReportSource::ReportSource(ReportSource&& other) noexcept
    : kind_(other.kind_),
      files_(std::move(other.files_)),
      file_(other.file_),
      lines_(std::move(other.lines_)),
      line_(other.line_),
      position_(other.position_) {}

std::optional<SourcedText> ReportSource::next() {
    std::unique_lock lock(mutex_);
    while (file_ < files_.size()) {
        const std::filesystem::path path = files_[file_];
        if (kind_ == SourceFiles::kAny || !is_lines(path)) {
            ++file_;
            const std::uint64_t position = position_++;
            lock.unlock();  // files are read side by side
            return SourcedText{.name = path_text(path), .position = position, .text = read_file(path)};
        }
        if (!lines_.is_open()) {
            lines_.open(path, std::ios::binary);
            line_ = 0;
            if (!lines_.is_open()) {
                ++file_;
                lines_.clear();
                return SourcedText{.name = path_text(path),
                                   .position = position_++,
                                   .text = fail(ErrorCode::kIoError, "cannot be opened", path_text(path))};
            }
        }
        std::string line;
        if (std::getline(lines_, line)) {
            ++line_;
            if (is_blank(line)) continue;
            return SourcedText{
                .name = fmt::format("{}:{}", path_text(path), line_), .position = position_++, .text = std::move(line)};
        }
        lines_.close();
        lines_.clear();
        ++file_;
    }
    return std::nullopt;
}

Result<std::string> read_named(const std::string& name) {
    const std::size_t colon = name.rfind(':');
    std::uint64_t wanted = 0;
    const bool lined = colon != std::string::npos && is_lines(name.substr(0, colon)) &&
                       std::from_chars(name.data() + colon + 1, name.data() + name.size(), wanted).ec == std::errc{};
    if (!lined) return read_file(name);
    std::ifstream lines(path_of(name.substr(0, colon)), std::ios::binary);
    std::string line;
    for (std::uint64_t at = 0; at < wanted; ++at) {
        if (!std::getline(lines, line)) return fail(ErrorCode::kIoError, "cannot be read again", name);
    }
    return line;
}

}  // namespace heapwright::compare
