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

// Of a file, or of a text. Fails the test where it cannot be imported, or where the report cannot be read again.
[[nodiscard]] model::Report imported(std::string_view name);
[[nodiscard]] model::Report imported_text(std::string_view text);

[[nodiscard]] bool is_absent(const model::DeviceReport& device, std::string_view pointer);
[[nodiscard]] bool has_finding(const model::DeviceReport& device, std::string_view id);
// Of the first finding of this kind; empty: there is none.
[[nodiscard]] std::string statement_of(const model::DeviceReport& device, std::string_view id);

}  // namespace heapwright::test
