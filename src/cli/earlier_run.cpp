#include "heapwright/cli/earlier_run.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "heapwright/core/path.hpp"

namespace heapwright::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

fs::path aside_of(const fs::path& document, std::string_view kind) {
    fs::path aside = document;
    aside += fmt::format(".{}", kind);
    return aside;
}

Status move_file(const fs::path& document, const fs::path& aside) {
    std::error_code error;
    const bool is_link = fs::is_symlink(document, error);
    const fs::path from = is_link ? fs::canonical(document, error) : document;
    if (!error) fs::rename(from, aside, error);
    if (error && is_link) {  // on another file system
        error.clear();
        fs::copy_file(from, aside, fs::copy_options::overwrite_existing, error);
        if (!error) fs::remove(from, error);
    }
    if (!error) return {};
    return fail(
        ErrorCode::kIoError,
        fmt::format("an earlier run's cannot be renamed to {}: {}", path_text(aside.filename()), error.message()),
        path_text(document));
}

}  // namespace

Result<std::string> set_earlier_run_aside(const fs::path& folder) {
    const auto is_there = [&](const char* name) { return is_file(folder / name); };
    if (std::ranges::none_of(kRunDocuments, is_there)) return std::string();
    const std::string_view kind = is_there("validation.json") ? "previous" : "unfinished";
    std::string moved;
    // The verdict first: were this to be cut off, no verdict would be left beside another run's report.
    for (auto name = std::rbegin(kRunDocuments); name != std::rend(kRunDocuments); ++name) {
        const fs::path document = folder / *name;
        const fs::path aside = aside_of(document, kind);
        if (is_file(document)) {
            HEAPWRIGHT_TRY(move_file(document, aside));
            moved += fmt::format("{}{}", moved.empty() ? "" : ", ", path_text(aside.filename()));
        } else if (std::error_code error; fs::remove(aside, error), error) {
            return fail(ErrorCode::kIoError, "an older run's cannot be removed: " + error.message(), path_text(aside));
        }
    }
    return fmt::format("what an earlier run left in {} is now {}", path_text(folder), moved);
}

}  // namespace heapwright::cli
