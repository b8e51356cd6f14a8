// Random programs of several queues against the rules and against each other: what the rules admit leaves the same
// bytes in every order that its waits allow, on the host and on a replayed device; what they do not admit is two
// accesses that some order turns round.
// HEAPWRIGHT_PROPERTY_OPERATIONS sets the executions of a run, HEAPWRIGHT_SEED replays a printed seed.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "../../unit/validate/replay_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "core/random.hpp"
#include "engines/device_run.hpp"
#include "engines/disorder.hpp"
#include "engines/player.hpp"
#include "engines/rehearsal.hpp"
#include "engines/rules.hpp"
#include "engines/work_access.hpp"
#include "replay/device.hpp"

using namespace heapwright;
using engines::ActorKind;
using engines::EngineProgram;

namespace {

constexpr std::uint64_t kPieceBytes = 256;
constexpr std::uint64_t kPieces = 3;  // of a buffer
constexpr std::size_t kQueues = 3;
constexpr std::size_t kBuffers = 4;
constexpr std::uint64_t kExecutions = 24;  // of a program

// Random copies and transforms between pieces of buffers on three queues. What has no order with an earlier access gets
// a fence, except at times.
class RandomProgram {
public:
    RandomProgram(std::uint64_t seed, std::uint64_t forget_one_in)
        : random_(seed), forget_one_in_(forget_one_in), rehearsal_(seed) {
        constexpr std::array kKinds{ActorKind::kCopy, ActorKind::kCompute, ActorKind::kGraphics};
        for (std::size_t i = 0; i < kQueues; ++i) {
            queues_[i] = rehearsal_.queue("queue " + std::to_string(i), kKinds[i]);
            fences_[i] = rehearsal_.fence("fence " + std::to_string(i));
        }
        uploads_ = rehearsal_.buffer("uploads", kPieceBytes * kExecutions, engines::Place::kUpload);
        for (auto& buffer : buffers_) buffer = rehearsal_.buffer("buffer", kPieceBytes * kPieces);
        rehearsal_.begin();
        for (std::uint64_t i = 0; i < kExecutions; ++i) add(i);
        REQUIRE(rehearsal_.ok());
    }

    [[nodiscard]] const EngineProgram& program() const { return rehearsal_.program(); }

private:
    device::Work random_work(std::size_t queue, std::uint64_t number) {
        const auto piece = [this] { return kPieceBytes * random_.below(kPieces); };
        const device::ResourceId from{buffers_[random_.below(kBuffers)].value};
        const device::ResourceId to{buffers_[random_.below(kBuffers)].value};
        const std::uint64_t to_offset = piece();
        if (random_.below(3) == 0 || (queue == 0 && from == to))
            return device::CopyBuffer{{uploads_.value}, to, kPieceBytes * number, to_offset, kPieceBytes};
        if (queue == 0) return device::CopyBuffer{from, to, piece(), to_offset, kPieceBytes};
        const std::uint64_t from_offset = from == to ? to_offset : piece();
        return device::TransformBuffer{
            from, to, from_offset, to_offset, kPieceBytes, static_cast<std::uint32_t>(number + 1), 3};
    }

    // The actors whose earlier accesses this work would have no order with.
    std::vector<engines::ActorIndex> unordered_with(engines::ActorIndex queue, const device::Work& work) const {
        engines::Schedule more = rehearsal_.program().schedule;
        auto accesses = engines::accesses_of(work, rehearsal_.program().resources);
        REQUIRE(accesses);
        more.operations.push_back(
            {queue, engines::Execute{.name = "next", .accesses = std::move(*accesses)}, engines::ActorIndex{0}});
        std::vector<engines::ActorIndex> others;
        for (const engines::Violation& violation :
             engines::check_accesses(more, engines::HappensBefore(more), engines::Rules::kVulkan)) {
            if (violation.operations.back() != more.operations.size() - 1) continue;
            const engines::ActorIndex other = more.operations[violation.operations.front()].actor;
            if (std::ranges::find(others, other) == others.end()) others.push_back(other);
        }
        return others;
    }

    void add(std::uint64_t number) {
        const auto index = static_cast<std::size_t>(random_.below(kQueues));
        const engines::ActorIndex queue = queues_[index];
        const device::Work work = random_work(index, number);
        for (const engines::ActorIndex other : unordered_with(queue, work)) {
            if (forget_one_in_ != 0 && random_.below(forget_one_in_) == 0) continue;
            const auto from = static_cast<std::size_t>(std::ranges::find(queues_, other) - queues_.begin());
            rehearsal_.signal(other, fences_[from], ++values_[from]);
            rehearsal_.wait(queue, fences_[from], values_[from]);
        }
        rehearsal_.execute(queue, "work " + std::to_string(number), {work}, random_.between(1, 50) * 1000);
    }

    Random random_;
    std::uint64_t forget_one_in_;
    engines::Rehearsal rehearsal_;
    std::array<engines::ActorIndex, kQueues> queues_{};
    std::array<engines::FenceIndex, kQueues> fences_{};
    std::array<std::uint64_t, kQueues> values_{};
    engines::ResourceIndex uploads_;
    std::array<engines::ResourceIndex, kBuffers> buffers_{};
};

// Any order in which everything comes after what must have ended before it.
std::vector<std::size_t> random_order(const engines::Schedule& schedule, Random& random) {
    const engines::HappensBefore before(schedule);
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) rest.push_back(i);
    std::vector<std::size_t> order;
    while (!rest.empty()) {
        std::vector<std::size_t> ready;
        for (const std::size_t one : rest) {
            if (std::ranges::none_of(rest, [&](std::size_t other) { return before.ordered(other, one); }))
                ready.push_back(one);
        }
        order.push_back(ready[random.below(ready.size())]);
        std::erase(rest, order.back());
    }
    return order;
}

// Whether one operation ends before another begins, by the paths of a graph: the order of each queue, and from a signal
// to the waits for its value. Each fence here has one signaller and rises by one.
std::vector<std::vector<bool>> paths(const engines::Schedule& schedule) {
    const std::size_t count = schedule.operations.size();
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i) {
        const engines::Operation& first = schedule.operations[i];
        const auto* signal = std::get_if<engines::Signal>(&first.what);
        for (std::size_t j = 0; j < count; ++j) {
            const engines::Operation& second = schedule.operations[j];
            const auto* wait = std::get_if<engines::Wait>(&second.what);
            reaches[i][j] =
                (i < j && first.actor == second.actor) ||
                (signal != nullptr && wait != nullptr && signal->fence == wait->fence && signal->value == wait->value);
        }
    }
    for (std::size_t over = 0; over < count; ++over) {
        for (std::size_t i = 0; i < count; ++i) {
            if (!reaches[i][over]) continue;
            for (std::size_t j = 0; j < count; ++j) reaches[i][j] = reaches[i][j] || reaches[over][j];
        }
    }
    return reaches;
}

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

// Two executions that touch the same bytes, one of them writing, with no path between them.
Pairs races(const engines::Schedule& schedule) {
    const auto reaches = paths(schedule);
    Pairs found;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const auto* first = std::get_if<engines::Execute>(&schedule.operations[i].what);
        if (first == nullptr) continue;
        for (std::size_t j = i + 1; j < schedule.operations.size(); ++j) {
            const auto* second = std::get_if<engines::Execute>(&schedule.operations[j].what);
            if (second == nullptr || reaches[i][j] || reaches[j][i]) continue;
            for (const engines::Access& a : first->accesses) {
                for (const engines::Access& b : second->accesses) {
                    if (a.resource == b.resource && (a.write || b.write) && a.begin < b.end && b.begin < a.end)
                        found.emplace(i, j);
                }
            }
        }
    }
    return found;
}

// HEAPWRIGHT_PROPERTY_OPERATIONS counts cheaper operations than executions that are checked one by one.
constexpr std::uint64_t kOperationsAProgram = 10 * kExecutions;

template <class Body>
void for_each_program(std::uint64_t forget_one_in, Body body) {
    const std::uint64_t first = test::property_seed();
    const std::uint64_t count = std::max<std::uint64_t>(1, test::property_operations() / kOperationsAProgram);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        INFO(test::replay_hint(seed, 0));
        const RandomProgram random(seed, forget_one_in);
        body(random.program(), seed);
    }
}

}  // namespace

TEST_CASE("what the rules admit leaves the same bytes in every order") {
    for_each_program(0, [](const EngineProgram& program, std::uint64_t seed) {
        for (const engines::Violation& violation : engines::check(program.schedule, engines::Rules::kVulkan))
            FAIL(violation.statement);
        CHECK(races(program.schedule).empty());
        const engines::HostMemory expected = run_on_host(program);
        Random orders(seed);
        for (int i = 0; i < 3; ++i) {
            const engines::HostMemory seen = run_on_host(program, random_order(program.schedule, orders));
            CHECK(engines::differences(program, expected, seen).empty());
        }
    });
}

TEST_CASE("the rules find each pair of accesses without an order, and no other") {
    std::size_t found = 0;
    for_each_program(4, [&found](const EngineProgram& program, std::uint64_t) {
        Pairs reported;
        for (const engines::Violation& violation : engines::check(program.schedule, engines::Rules::kVulkan))
            reported.emplace(std::min(violation.operations[0], violation.operations[1]),
                             std::max(violation.operations[0], violation.operations[1]));
        CHECK(reported == races(program.schedule));
        found += reported.size();
    });
    CHECK(found > 0);
}

TEST_CASE("a replayed device leaves the bytes of any program that the rules admit, however late it is") {
    for_each_program(0, [](const EngineProgram& program, std::uint64_t seed) {
        const auto device = replay::open_replay(
            test::scene_report(), {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = seed});
        REQUIRE(device);
        SteadyClock clock;
        engines::DeviceRun run(**device, clock, {.seed = seed, .one_queue = seed % 4 == 0});
        (void)engines::play(program, run);
        const auto outcome = run.finish();
        if (!outcome) FAIL(to_string(outcome.error()));
        CHECK(outcome->differences.empty());
    });
}
