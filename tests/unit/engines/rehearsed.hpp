// Every workload, rehearsed.
#pragma once

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/engines/rehearsal.hpp"
#include "heapwright/engines/workloads.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kSeed = 9;

inline engines::EngineProgram rehearsed(const engines::Workload& workload, const engines::WorkloadSettings& settings) {
    engines::Rehearsal rehearsal(kSeed);
    const Status played = workload.play(rehearsal, settings);
    INFO(workload.name);
    if (!played) FAIL(to_string(played.error()));
    return rehearsal.program();
}

inline engines::EngineProgram rehearsed(const engines::Workload& workload) {
    return rehearsed(workload, workload.settings);
}

inline const engines::Workload& workload_named(std::string_view name) {
    for (const engines::Workload& workload : engines::workloads()) {
        if (workload.name == name) return workload;
    }
    FAIL("no workload " << name);
    return engines::workloads().front();
}

}  // namespace heapwright::test
