#include "loader/policy_folder.hpp"

#include <algorithm>
#include <system_error>

#include "core/file.hpp"
#include "core/path.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::loader {
namespace {

constexpr std::uint64_t kMostPolicyBytes = 64ull << 20;  // most of it the workload, of which nothing is kept

Result<std::vector<std::filesystem::path>> json_files(const std::filesystem::path& folder) {
    std::error_code code;
    std::vector<std::filesystem::path> files;
    std::filesystem::directory_iterator entry(folder, code);
    for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
        if (entry->path().extension() != ".json") continue;
        // What cannot be asked is tried, and then named.
        std::error_code ignored;
        if (!entry->is_directory(ignored)) files.push_back(entry->path());
    }
    if (code) return fail(ErrorCode::kIoError, "cannot be read: " + code.message(), path_text(folder));
    std::sort(files.begin(), files.end());
    return files;
}

Result<model::Policy> read_one(const std::filesystem::path& file) {
    const std::string name = path_text(file.filename());
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(file, kMostPolicyBytes));
    HEAPWRIGHT_ASSIGN(const model::DocumentKind kind, model::document_kind(text, name));
    if (kind != model::DocumentKind::kPolicy) return fail(ErrorCode::kNotSupported, "another kind of document", name);
    return model::read_policy(text, name);
}

}  // namespace

Result<PolicyFolder> read_policy_folder(const std::filesystem::path& folder) {
    HEAPWRIGHT_ASSIGN(const auto files, json_files(folder));
    PolicyFolder read;
    for (const std::filesystem::path& file : files) {
        const std::string name = path_text(file.filename());
        auto policy = read_one(file);
        if (!policy) {
            Error error = std::move(policy.error());
            if (error.where.empty()) error.where = name;
            read.skipped.push_back(to_string(error));
            continue;
        }
        for (model::DevicePolicy& device : policy->devices) {
            read.policies.push_back({.file = name,
                                     .header = policy->header,
                                     .workload_name = policy->workload_name,
                                     .device = std::move(device)});
        }
    }
    return read;
}

}  // namespace heapwright::loader
