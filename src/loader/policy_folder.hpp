// Every policy of a folder, and what stood beside them and is none. Immutable after reading.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::loader {

// One device's policy of one file.
struct StoredPolicy {
    std::string file;  // its name, without the folder
    model::DocumentHeader header;
    std::string workload_name;
    model::DevicePolicy device;
};

struct PolicyFolder {
    std::vector<StoredPolicy> policies;  // by file name, then in the file's order
    std::vector<std::string> skipped;    // "FILE: WHY"
};

// Files named *.json, not those of folders below. Errors: kIoError when the folder cannot be read.
[[nodiscard]] Result<PolicyFolder> read_policy_folder(const std::filesystem::path& folder);

}  // namespace heapwright::loader
