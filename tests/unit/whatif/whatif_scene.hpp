// Real reports and presets for the tests of what-if: no preset is named, the program is asked.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "test_paths.hpp"
#include "whatif/what_if.hpp"
#include "workload/read.hpp"

namespace heapwright::whatif {

inline constexpr std::string_view kSceneReports[] = {"reports/nvidia-h100-580.159.04-vulkan.json",
                                                     "reports/lavapipe-mesa-22.3.6.json",
                                                     "reports/radv-navi10-mesa-25.0.7.json"};

inline model::DeviceReport report_of(std::string_view file) {
    const auto text = read_file(test::source_path(std::string(file)));
    REQUIRE(text);
    auto report = model::read_report(*text, file);
    REQUIRE(report);
    return std::move(report->devices.front());
}

// A small part of a preset, with a short churn.
inline model::Workload small_preset(std::string_view name, std::uint32_t churn_steps) {
    auto workload = workload::preset(std::string(name) + "@4%");
    REQUIRE(workload);
    workload->churn_steps = std::min(workload->churn_steps, churn_steps);
    return std::move(*workload);
}

inline Way advised_for(const model::DeviceReport& facts, const model::Workload& workload) {
    auto policy = policy::advise(facts, workload, 0, {.with_expectations = false});
    REQUIRE(policy);
    return way_of_policy("advised", "advised", std::move(*policy));
}

inline Stage stage_on(const model::DeviceReport& facts) {
    return {.facts = facts, .price_ns = [](const policy::DeviceMemoryCall& call) {
                return 20'000 + static_cast<double>(call.size_bytes) / 1000;
            }};
}

inline Account play(const Way& way, const Stage& stage, const Program& program, std::uint64_t run) {
    auto player = make_player(way, stage);
    REQUIRE(player);
    auto source = program.open(run);
    REQUIRE(source);
    std::vector<Step> steps;
    while (true) {
        REQUIRE((*source)->read(steps));
        if (steps.empty()) break;
        REQUIRE((*player)->play(steps));
    }
    REQUIRE((*player)->finish());
    return (*player)->account();
}

}  // namespace heapwright::whatif
