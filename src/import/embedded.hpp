// The files of reports/known as they are in the program. Constant, so thread-safe.
#pragma once

#include <span>
#include <string_view>

namespace heapwright::import {

struct EmbeddedReport {
    std::string_view name;  // of the file, without ".json.gz"
    std::string_view gzip;
};

[[nodiscard]] std::string_view embedded_list();
[[nodiscard]] std::span<const EmbeddedReport> embedded_reports();

}  // namespace heapwright::import
