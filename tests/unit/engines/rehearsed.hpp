// Every example, rehearsed, and programs without one of their waits.
#pragma once

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engines/examples.hpp"
#include "engines/rehearsal.hpp"
#include "engines/run_spans.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kSeed = 9;

inline engines::EngineProgram rehearsed(const engines::Example& example, const engines::ExampleSettings& settings) {
    engines::Rehearsal rehearsal(kSeed);
    const Status played = example.play(rehearsal, settings);
    INFO(example.name);
    if (!played) FAIL(to_string(played.error()));
    return rehearsal.program();
}

inline engines::EngineProgram rehearsed(const engines::Example& example) {
    return rehearsed(example, example.settings);
}

inline engines::EngineProgram without_wait(engines::EngineProgram program, std::size_t wait) {
    program.schedule = engines::without(program.schedule, wait);
    return program;
}

inline const engines::Example& example_named(std::string_view name) {
    for (const engines::Example& example : engines::examples()) {
        if (example.name == name) return example;
    }
    FAIL("no example " << name);
    return engines::examples().front();
}

}  // namespace heapwright::test
