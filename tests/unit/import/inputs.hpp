// The real files in tests/golden/import/input, and those in tests/golden/import/cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::test {

[[nodiscard]] const std::vector<std::string>& input_names();
[[nodiscard]] std::string input_text(std::string_view name);
[[nodiscard]] std::string case_text(std::string_view name);

// Fails the test when the file cannot be imported.
[[nodiscard]] model::Report imported(std::string_view name);

[[nodiscard]] bool is_absent(const model::DeviceReport& device, std::string_view pointer);
[[nodiscard]] bool has_finding(const model::DeviceReport& device, std::string_view id);

}  // namespace heapwright::test
