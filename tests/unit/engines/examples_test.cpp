// The examples as programs: no rule broken, no deadlock on one queue, and what each wait is there for.
#include <algorithm>
#include <tuple>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engines/disorder.hpp"
#include "engines/engine_map.hpp"
#include "engines/player.hpp"
#include "engines/progress.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "rehearsed.hpp"
#include "simulated_time.hpp"

using namespace heapwright;
using engines::EngineProgram;
using engines::Example;
using engines::Rules;
using engines::WaitRole;

namespace {

constexpr Rules kBoth[] = {Rules::kDirect3D12, Rules::kVulkan};

void require_sound(const engines::Schedule& schedule) {
    for (const Rules rules : kBoth) {
        for (const engines::Violation& violation : engines::check(schedule, rules)) FAIL(violation.statement);
    }
}

engines::EngineMap one_queue(const EngineProgram& program) {
    const device::EngineInfo only{.name = "graphics"};
    return engines::map_engines(std::span(&only, 1), program.schedule.actors, program.wishes, true);
}

bool by_host(const engines::Schedule& schedule, std::size_t operation) {
    return schedule.actors[schedule.operations[operation].actor.value].kind == engines::ActorKind::kHost;
}

}  // namespace

TEST_CASE("every example keeps the rules of both APIs on several queues and on one") {
    const engines::Delay delay = GENERATE(engines::Delay{}, engines::Delay{.rounds = 64, .copies = 2});
    for (const Example& example : engines::examples()) {
        INFO(example.name << (delay.is_any() ? ", delayed" : ""));
        engines::ExampleSettings settings = example.settings;
        settings.delay = delay;
        const EngineProgram program = test::rehearsed(example, settings);
        CHECK(program.schedule.operations.size() > 10);
        require_sound(program.schedule);
        const engines::Schedule one = engines::as_mapped(program.schedule, one_queue(program));
        REQUIRE(one.operations.size() == program.schedule.operations.size());
        require_sound(one);
        for (const engines::WaitOutcome& wait : engines::play(one).waits) {
            if (!by_host(one, wait.operation)) CHECK(wait.passed);
        }
    }
}

TEST_CASE("a schedule says what the conductor was told, and plays again to the same program") {
    for (const Example& example : engines::examples()) {
        INFO(example.name);
        const EngineProgram program = test::rehearsed(example);
        engines::Rehearsal again(test::kSeed);
        REQUIRE(engines::play(program, again));
        const EngineProgram& second = again.program();
        CHECK(second.schedule.actors.size() == program.schedule.actors.size());
        REQUIRE(second.schedule.operations.size() == program.schedule.operations.size());
        for (std::size_t i = 0; i < program.schedule.operations.size(); ++i)
            CHECK(describe(second.schedule, i) == describe(program.schedule, i));
        CHECK(engines::differences(program, run_on_host(program), run_on_host(second)).empty());
    }
}

TEST_CASE("the lit frame has the document's four waits, each necessary") {
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    std::vector<std::string> waits;
    for (const Rules rules : kBoth) {
        waits.clear();
        for (const engines::WaitFinding& wait : engines::find_wait_roles(program.schedule, rules)) {
            CHECK(wait.role == WaitRole::kNecessary);
            REQUIRE(wait.shown_by);
            CHECK(wait.shown_by->operations.size() == 2);
            const auto& what = std::get<engines::Wait>(program.schedule.operations[wait.wait].what);
            waits.push_back(program.schedule.fences[what.fence.value].name + " " + std::to_string(what.value));
        }
    }
    CHECK(waits == std::vector<std::string>{"copyFence 101", "renderFence 201", "computeFence 301", "copyFence 102"});
}

TEST_CASE("the lit frame overlaps engines and takes any order of submission") {
    const Example& frame = test::example_named("multi-engine-frame");
    const EngineProgram usual = test::rehearsed(frame);
    const EngineProgram turned = test::rehearsed(frame, {.consumers_first = true});
    require_sound(turned.schedule);
    CHECK(engines::differences(usual, run_on_host(usual), run_on_host(turned)).empty());
    const engines::SimulatedTime time = engines::simulate(usual.schedule);
    std::uint64_t busy = 0;
    for (const std::uint64_t ns : time.busy_ns) busy += ns;
    CHECK(time.total_ns < busy);
}

// "example for length = 3" of the document: three copies, then copy waits; three draws pass, then render starves.
TEST_CASE("the ring of length 3 stalls where the document says") {
    const EngineProgram program = test::rehearsed(test::example_named("copy-ring"), {.frames = 4});
    const engines::Progress progress =
        engines::play_turns(program.schedule, {engines::ActorIndex{0}, engines::ActorIndex{1}, engines::ActorIndex{2}});
    using Row = std::tuple<std::string, std::uint64_t, std::uint64_t, bool>;  // engine, awaited, fence's value, passed
    std::vector<Row> table;
    for (const engines::WaitOutcome& outcome : progress.waits) {
        const engines::Operation& operation = program.schedule.operations[outcome.operation];
        table.emplace_back(program.schedule.actors[operation.actor.value].name,
                           std::get<engines::Wait>(operation.what).value, outcome.fence_value, outcome.passed);
    }
    CHECK(table == std::vector<Row>{{"copy", 1, 0, false},
                                    {"graphics", 1, 3, true},
                                    {"graphics", 2, 3, true},
                                    {"graphics", 3, 3, true},
                                    {"graphics", 4, 3, false}});
}

TEST_CASE("any settings keep the rules") {
    for (const Example& example : engines::examples()) {
        for (const std::uint64_t latency : {1u, 2u, 4u}) {
            for (const std::uint64_t cpu_latency : {1u, 3u, 5u}) {
                INFO(example.name << ", engine latency and ring length " << latency << ", CPU latency " << cpu_latency);
                const EngineProgram program = test::rehearsed(example, {.side = 8,
                                                                        .rounds = 2,
                                                                        .frames = 9,
                                                                        .ring_length = latency,
                                                                        .cpu_latency = cpu_latency,
                                                                        .engine_latency = latency});
                require_sound(program.schedule);
                require_sound(engines::as_mapped(program.schedule, one_queue(program)));
            }
        }
    }
}

TEST_CASE("settings that cannot run are refused") {
    engines::Rehearsal ring(1), staging(1), versions(1), frames(1);
    CHECK_FALSE(engines::play_copy_ring(ring, {.ring_length = 0}));
    CHECK_FALSE(engines::play_streaming(staging, {.ring_length = 0}));
    CHECK_FALSE(engines::play_async(versions, {.engine_latency = 0}));
    CHECK_FALSE(engines::play_interrupting(frames, {.cpu_latency = 0}));
}

TEST_CASE("without a necessary wait the worst order that the others allow leaves other bytes") {
    for (const Example& example : engines::examples()) {
        const EngineProgram program = test::rehearsed(example);
        const engines::HostMemory expected = run_on_host(program);
        std::size_t necessary = 0;
        for (const engines::WaitFinding& wait : engines::find_wait_roles(program.schedule, Rules::kVulkan)) {
            if (wait.role != WaitRole::kNecessary) continue;
            ++necessary;
            INFO(example.name << ", without " << describe(program.schedule, wait.wait) << ": "
                              << wait.shown_by->statement);
            const auto order = engines::disorder(program.schedule, wait.wait, wait.shown_by->operations[0],
                                                 wait.shown_by->operations[1]);
            REQUIRE(order);
            const EngineProgram less = test::without_wait(program, wait.wait);
            const engines::HostMemory seen = run_on_host(less, *order);
            CHECK((!engines::differences(program, expected, seen).empty() || seen.reads() != expected.reads()));
        }
        INFO(example.name);
        CHECK(necessary > 0);
    }
}
