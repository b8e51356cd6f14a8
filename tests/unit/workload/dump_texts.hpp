// Texts of dumps for the tests, and the check that a dump's workload is one that the program takes.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"
#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"
#include "workload/read.hpp"

namespace heapwright::test {

inline std::string dump_case(const std::string& name) {
    const auto text = read_file(source_path("tests/golden/import/cases/" + name));
    REQUIRE(text);
    return *text;
}

inline std::string put(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

inline std::string utf16(const std::string& text, bool big, bool mark) {
    std::string bytes;
    const auto unit = [&](char high, char low) {
        bytes += big ? high : low;
        bytes += big ? low : high;
    };
    if (mark) unit('\xfe', '\xff');
    for (const char c : text) unit('\0', c);
    return bytes;
}

inline model::Workload good_workload(const workload::Dump& dump) {
    model::Workload workload = workload::workload_from_dump(dump, "dump");
    const auto read = workload::read_checked_workload(model::write(workload), "dump");
    INFO((read ? std::string() : to_string(read.error())));
    REQUIRE(read);
    return workload;
}

}  // namespace heapwright::test
