// The reports that lie in the repository, for tests that change one thing in a real one.
#pragma once

#include <string>

#include "compare/documents.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::test {

// "radv-navi10-mesa-25.0.7": read from reports/.
[[nodiscard]] model::Report committed_report(const std::string& name);

[[nodiscard]] compare::LoadedDocument loaded(model::Report report, const std::string& file);
[[nodiscard]] compare::LoadedDocument loaded_policy(model::Policy policy, const std::string& file);

// Doubles the alignment of every answer for one format.
void double_alignment(model::DeviceReport& device, model::Format format);

}  // namespace heapwright::test
