#include <catch2/catch_test_macros.hpp>

#include <string>
#include <tuple>

#include "engines/progress.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "seed_schedules.hpp"
#include "simulated_time.hpp"

namespace heapwright::engines::test {
namespace {

std::vector<ActorIndex> queues_of(const Schedule& schedule) {
    std::vector<ActorIndex> queues;
    for (std::uint32_t i = 0; i < schedule.actors.size(); ++i) {
        if (schedule.actors[i].kind != ActorKind::kHost) queues.push_back({i});
    }
    return queues;
}

void check_on_one_queue(const Schedule& schedule) {
    const std::vector<std::size_t> order = signals_first(schedule);
    REQUIRE(order.size() == schedule.operations.size());
    const Schedule one = merge_queues(reorder(schedule, order), queues_of(schedule), ActorIndex{1});
    REQUIRE(play(one).blocked.empty());
    for (const WaitOutcome& wait : play(one).waits) {
        if (one.actors[one.operations[wait.operation].actor.value].kind != ActorKind::kHost) CHECK(wait.passed);
    }
}

}  // namespace

TEST_CASE("The lit frame breaks no rule and each of its waits is necessary") {
    const Schedule frame = lit_frame();
    CHECK(check(frame, Rules::kVulkan).empty());
    const std::vector<WaitFinding> waits = find_wait_roles(frame, Rules::kDirect3D12);
    REQUIRE(waits.size() == 4);
    for (const WaitFinding& wait : waits) {
        INFO(describe(frame, wait.wait));
        CHECK(wait.role == WaitRole::kNecessary);
        REQUIRE(wait.shown_by);
        CHECK(wait.shown_by->operations.size() == 2);
    }
    check_on_one_queue(frame);
}

// "example for length = 3" of the document: three copies, then copy waits; three draws pass, then render starves.
TEST_CASE("The ring buffer of length 3 stalls where the document says") {
    const Schedule ring = ring_buffer(3, 4);
    const std::vector<ActorIndex> turns = {ActorIndex{0}, ActorIndex{1}, ActorIndex{2}};
    const Progress progress = play_turns(ring, turns);
    using Row = std::tuple<std::string, std::uint64_t, std::uint64_t, bool>;  // engine, awaited, fence's value, passed
    std::vector<Row> table;
    for (const WaitOutcome& outcome : progress.waits) {
        const Operation& operation = ring.operations[outcome.operation];
        table.emplace_back(ring.actors[operation.actor.value].name, std::get<Wait>(operation.what).value,
                           outcome.fence_value, outcome.passed);
    }
    CHECK(table == std::vector<Row>{{"copy", 1, 0, false},
                                    {"graphics", 1, 3, true},
                                    {"graphics", 2, 3, true},
                                    {"graphics", 3, 3, true},
                                    {"graphics", 4, 3, false}});
}

TEST_CASE("Every ring length is free of races and deadlocks, on several queues and on one") {
    for (std::uint64_t length = 1; length <= 5; ++length) {
        const Schedule ring = ring_buffer(length, 24);
        INFO("length " << length);
        CHECK(check(ring, Rules::kVulkan).empty());
        check_on_one_queue(ring);
        for (const WaitFinding& wait : find_wait_roles(ring, Rules::kVulkan)) CHECK(wait.role == WaitRole::kNecessary);
    }
}

TEST_CASE("The pipeline needs one buffer more than its latency, or a stricter wait") {
    for (const std::uint64_t latency : {1u, 2u, 3u}) {
        INFO("latency " << latency);
        const Schedule enough = pipelined(3, latency, latency + 1, 20);
        CHECK(check(enough, Rules::kVulkan).empty());
        check_on_one_queue(enough);
        // With one buffer less, compute overwrites what graphics may still read.
        const std::vector<Violation> races = check(pipelined(3, latency, latency, 20), Rules::kVulkan);
        REQUIRE_FALSE(races.empty());
        CHECK(races.front().rule == Rule::kUnorderedRead);
        CHECK(races.front().operations.size() == 2);
    }
}

TEST_CASE("The pipeline's host waits only throttle") {
    const Schedule schedule = pipelined(3, 2, 3, 12);
    std::size_t throttles = 0;
    for (const WaitFinding& wait : find_wait_roles(schedule, Rules::kVulkan)) {
        const bool by_host = schedule.actors[schedule.operations[wait.wait].actor.value].kind == ActorKind::kHost;
        CHECK(wait.role == (by_host ? WaitRole::kThrottle : WaitRole::kNecessary));
        throttles += by_host ? 1 : 0;
    }
    CHECK(throttles == 8);
}

TEST_CASE("Simulated time overlaps engines and bounds the pipeline by its slowest one") {
    const SimulatedTime frame = simulate(lit_frame());
    // copy 10+40; pre-pass ends at 15, lighting at 20; the final draw waits for the textures until 50.
    CHECK(frame.total_ns == 55);
    CHECK(frame.busy_ns[1] == 50);
    CHECK(frame.waiting_ns[2] == 10 + 5 + 30);
    const SimulatedTime pipeline = simulate(pipelined(3, 2, 3, 102));
    CHECK(pipeline.busy_ns[2] == 100 * 8);
    CHECK(pipeline.total_ns < 100 * 8 + 40);
}

}  // namespace heapwright::engines::test
