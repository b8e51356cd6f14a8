// What an earlier run left in the folder that a run writes into: under its own names nothing may look like this run's.
// Not thread-safe.
#pragma once

#include <filesystem>
#include <string>

#include "heapwright/core/result.hpp"

namespace heapwright::cli {

inline constexpr const char* kRunDocuments[] = {"report.json", "policy.json", "validation.json"};

// Renames the documents of an earlier run: NAME.previous if it came to its end (there is a validation.json), else
// NAME.unfinished. They replace an older set of their kind as a whole, so that no set is ever mixed from two runs, and
// one that ended early replaces none that did not. Of a link what it points to is moved, and the link stays; what is no
// file stays. Says what it did, empty for nothing. Errors: kIoError.
[[nodiscard]] Result<std::string> set_earlier_run_aside(const std::filesystem::path& folder);

}  // namespace heapwright::cli
