// The committed table of what each scenario of descriptors and of several engines must check at least on each driver,
// and how the latter are laid out there. A row that names a
// reason in its last column says that the driver cannot run the scenario; no other row may be "not supported".
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/model/validation.hpp"
#include "test_paths.hpp"

namespace heapwright::test {

struct ExpectedScenario {
    std::string driver;
    std::string scenario;
    std::uint64_t descriptors = 0;
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    std::uint64_t descriptors_reached = 0;
    // Of several engines; exactly, or as the least where the policy's own parameters are played beside the document's.
    std::uint64_t submissions = 0;
    std::uint64_t queues = 0;
    std::uint64_t early_waits = 0;
    std::string not_supported;  // part of the reason that the scenario gives; empty: it must pass
};

inline std::vector<ExpectedScenario> expected_scenarios() {
    const char* elsewhere = std::getenv("HEAPWRIGHT_EXPECTED_SCENARIOS");
    std::ifstream file(elsewhere != nullptr ? elsewhere
                                            : test::source_path("tests/device/validate/expected_scenarios.csv"));
    REQUIRE(file);
    std::vector<ExpectedScenario> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream text(line);
        ExpectedScenario row;
        std::string descriptors, bytes, frames, reached, submissions, queues, early_waits;
        std::getline(text, row.driver, ',');
        std::getline(text, row.scenario, ',');
        std::getline(text, descriptors, ',');
        std::getline(text, bytes, ',');
        std::getline(text, frames, ',');
        std::getline(text, reached, ',');
        std::getline(text, submissions, ',');
        std::getline(text, queues, ',');
        std::getline(text, early_waits, ',');
        std::getline(text, row.not_supported);
        row.descriptors = std::stoull(descriptors);
        row.bytes = std::stoull(bytes);
        row.frames = std::stoull(frames);
        row.descriptors_reached = std::stoull(reached);
        row.submissions = std::stoull(submissions);
        row.queues = std::stoull(queues);
        row.early_waits = std::stoull(early_waits);
        rows.push_back(std::move(row));
    }
    return rows;
}

inline std::string words(const model::ScenarioResult& result) {
    std::string text = result.name + ": " + result.reason;
    for (const model::ValidationFinding& finding : result.findings)
        text += "\n  " + finding.resource + ": " + finding.statement;
    if (result.engines) {
        for (const std::string& note : result.engines->notes) text += "\n  " + note;
    }
    if (result.bindings) text += "\n  " + result.bindings->descriptor_form_reason + "\n  " + result.bindings->limits;
    return text;
}

// The engine article's, always.
inline void check_parameters(const model::EngineFigures& seen) {
    for (const model::ScenarioParameter& parameter : seen.parameters) {
        if (parameter.name == "ring_length") CHECK(parameter.value == 3);
        if (parameter.name == "cpu_latency") CHECK(parameter.value == 3);
        if (parameter.name == "compute_graphics_latency") CHECK(parameter.value == 2);
    }
}

// A policy that has measurements of the engines may have chosen another length or latency: played beside.
inline bool has_more_plays(const model::EngineFigures& seen) {
    return std::ranges::any_of(seen.parameters, [](const model::ScenarioParameter& parameter) {
        return parameter.name.starts_with("policy_");
    });
}

inline void check_engines(const ExpectedScenario& expected, const model::EngineFigures& seen) {
    REQUIRE(expected.bytes > 0);
    REQUIRE(expected.submissions > 0);
    CHECK(seen.queues == expected.queues);
    check_parameters(seen);
    CHECK(seen.bytes_checked >= expected.bytes);
    // Under a validation layer that cannot follow early waits there are none.
    const bool are_held = std::ranges::any_of(seen.notes, [](const std::string& note) {
        return note.find("cannot follow early waits") != std::string::npos;
    });
    const std::uint64_t early_waits = are_held ? 0 : expected.early_waits;
    if (has_more_plays(seen)) {
        CHECK(seen.submissions > expected.submissions);
        CHECK(seen.early_waits >= early_waits);
    } else {
        CHECK(seen.submissions == expected.submissions);
        CHECK(seen.early_waits == early_waits);
    }
    CHECK_FALSE(seen.waits.empty());
    for (const model::WaitFinding& wait : seen.waits) {
        INFO(wait.wait);
        CHECK(wait.shown_by.empty() == (wait.role != model::WaitRole::kNecessary));
    }
}

// Every scenario of the table's driver is there and did what the table asks.
inline void check_expected(const std::string& driver, const model::DeviceValidation& validation) {
    std::size_t rows = 0;
    for (const ExpectedScenario& expected : expected_scenarios()) {
        if (expected.driver != driver) continue;
        ++rows;
        const model::ScenarioResult* found = nullptr;
        for (const model::ScenarioResult& one : validation.scenarios) {
            if (one.name == expected.scenario) found = &one;
        }
        INFO(driver << ", " << expected.scenario);
        REQUIRE(found != nullptr);
        INFO(words(*found));
        if (!expected.not_supported.empty()) {
            CHECK(found->verdict == model::Verdict::kNotSupported);
            CHECK(found->reason.find(expected.not_supported) != std::string::npos);
            continue;
        }
        CHECK(found->verdict == (validation.replayed ? model::Verdict::kReplayed : model::Verdict::kValidated));
        CHECK(found->findings_total == 0);
        if (found->engines) {
            check_engines(expected, *found->engines);
            continue;
        }
        REQUIRE(found->bindings);
        CHECK(found->bindings->descriptors_checked >= expected.descriptors);
        CHECK(found->bindings->bytes_checked >= expected.bytes);
        CHECK(found->bindings->frames >= expected.frames);
        CHECK(found->bindings->descriptors_reached >= expected.descriptors_reached);
        CHECK_FALSE(found->bindings->descriptor_form_reason.empty());
    }
    INFO(driver << " is not in the table");
    CHECK(rows != 0);
}

}  // namespace heapwright::test
