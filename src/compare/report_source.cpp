#include "compare/report_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>

#include "core/file.hpp"
#include "core/path.hpp"

namespace heapwright::compare {
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
