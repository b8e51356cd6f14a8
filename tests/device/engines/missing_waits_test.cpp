// What a missing wait does on a real device: whether its bytes show it.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <catch2/generators/catch_generators.hpp>

#include "../../unit/engines/rehearsed.hpp"
#include "drivers.hpp"
#include "engines/device_run.hpp"
#include "engines/player.hpp"
#include "engines/run_spans.hpp"

using namespace heapwright;
using engines::DeviceRun;
using engines::EngineProgram;
using engines::Example;
using engines::HostMemory;
using test::Opened;

namespace {

struct Tries {
    int most = 1;
    std::uint64_t time_ns = UINT64_MAX;  // none begins after it
};

struct Seen {
    bool other_bytes = false;
    int tries = 0;
};

bool leaves_other_bytes(device::Device& device, const EngineProgram& program, const HostMemory& account) {
    SteadyClock clock;
    DeviceRun run(device, clock, {.seed = test::kSeed, .checked = false});
    (void)engines::play(program, run);
    const auto outcome = run.finish(&account);
    if (!outcome) FAIL(to_string(outcome.error()));
    return !outcome->differences.empty() || outcome->wrong_host_reads != 0;
}

// Runs the program without the wait until the device leaves other bytes than `account`, those of the whole program.
Seen run_without(device::Device& device, const EngineProgram& program, const HostMemory& account, std::size_t wait,
                 const Tries& tries) {
    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    const EngineProgram less = test::without_wait(program, wait);
    Seen seen;
    while (!seen.other_bytes && seen.tries < tries.most && clock.now_ns() - start_ns <= tries.time_ns) {
        ++seen.tries;
        seen.other_bytes = leaves_other_bytes(device, less, account);
    }
    return seen;
}

// The program as it runs where the queue that is read too late is slow: it stands at a gate, which the host opens when
// the queue without its wait has done what should have come second. Deterministic: what else is left of the waits
// allows this order on any device.
EngineProgram with_slow_queue(EngineProgram program, const engines::WaitFinding& wait) {
    const engines::Schedule& schedule = program.schedule;
    const auto [one, other] = std::minmax(wait.shown_by->operations[0], wait.shown_by->operations[1]);
    const engines::ActorIndex slow = schedule.operations[one].actor;
    const engines::ActorIndex fast = schedule.operations[other].actor;
    REQUIRE(slow != fast);
    std::size_t held = one;
    while (held > 0 && program.calls[held - 1].number == program.calls[one].number) --held;
    std::size_t done = other;
    while (schedule.operations[done].actor != fast ||
           !std::holds_alternative<engines::Signal>(schedule.operations[done].what))
        ++done;
    const auto signal = std::get<engines::Signal>(schedule.operations[done].what);

    const engines::FenceIndex gate{static_cast<std::uint32_t>(schedule.fences.size())};
    program.schedule.fences.push_back({"gate", 0});
    const auto insert = [&program](std::size_t position, engines::Operation operation) {
        const auto at = static_cast<std::ptrdiff_t>(position);
        program.schedule.operations.insert(program.schedule.operations.begin() + at, std::move(operation));
        program.steps.emplace(program.steps.begin() + at);
        program.calls.emplace(program.calls.begin() + at);
    };
    constexpr engines::ActorIndex kHost{0};
    insert(done + 1, {kHost, engines::Signal{gate, 1}, kHost});
    insert(done + 1, {kHost, engines::Wait{signal.fence, signal.value}, kHost});
    program = test::without_wait(std::move(program), wait.wait);
    insert(held, {slow, engines::Wait{gate, 1}, kHost});
    return program;
}

// Of each queue's waits for a fence the first that is necessary, of an example of one frame all of them.
std::vector<std::size_t> waits_to_miss(const Example& example, const engines::Schedule& schedule) {
    std::vector<std::size_t> waits;
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // queue and fence
    for (const engines::WaitFinding& wait : engines::find_wait_roles(schedule, engines::Rules::kVulkan)) {
        if (wait.role != engines::WaitRole::kNecessary) continue;
        const engines::Operation& operation = schedule.operations[wait.wait];
        const std::uint32_t fence = std::get<engines::Wait>(operation.what).fence.value;
        if (taken.emplace(operation.actor.value, fence).second || !example.takes_frames) waits.push_back(wait.wait);
    }
    return waits;
}

struct Size {
    std::string_view name;
    std::uint32_t side;
    std::uint32_t rounds;
};

// A queue comes too early where the one that it should wait for takes long. What takes long in every example costs the
// host minutes; a few words that are transformed often do so on a device, where each word has a lane of its own, and
// large pieces that are transformed little do where they are copied and drawn.
constexpr Size kSizes[] = {{"long transforms", 8, 200'000}, {"large pieces", 1024, 1}};

EngineProgram program_of(const Example& example, const Size& size) {
    engines::ExampleSettings settings = example.settings;
    settings.side = size.side;
    settings.rounds = size.rounds;
    settings.frames = 6;
    return test::rehearsed(example, settings);
}

template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    fmt::print(text, std::forward<Arguments>(arguments)...);
    std::fflush(stdout);  // a run that is cut short has told what it saw
}

}  // namespace

// vkd3d's queues are one queue of lavapipe, but each goes ahead of the others up to its own waits: what overwrites a
// slot comes before what should still read it, where that is slow.
TEST_CASE("a missing wait of a queue that goes ahead shows in a real device's bytes", "[lavapipe]") {
    const char* variable = GENERATE("HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const Opened opened = test::open({variable, model::Api::kD3d12}, false);
    const std::pair<std::string_view, std::string_view> cases[] = {{"copy-ring", "copy"},
                                                                   {"pipelined-compute", "compute"}};
    for (const auto& [name, queue] : cases) {
        const EngineProgram program = test::rehearsed(test::example_named(name));
        const engines::Schedule& schedule = program.schedule;
        std::size_t shown = 0;
        for (const engines::WaitFinding& wait : engines::find_wait_roles(schedule, engines::Rules::kDirect3D12)) {
            if (wait.role != engines::WaitRole::kNecessary ||
                schedule.actors[schedule.operations[wait.wait].actor.value].name != queue)
                continue;
            INFO(variable << ", " << name << ", without " << describe(schedule, wait.wait));
            CHECK(leaves_other_bytes(*opened.device, with_slow_queue(program, wait), run_on_host(program)));
            ++shown;
        }
        INFO(variable << ", " << name);
        CHECK(shown > 0);
    }
}

// HEAPWRIGHT_CHECK_ICD names the manifest of a driver with several queues, HEAPWRIGHT_CHECK_API may be "d3d12".
TEST_CASE("what missing waits do on the driver that the environment names", "[.missing-waits]") {
    constexpr std::uint64_t kTimeNs = 60'000'000'000;  // of all tries
    constexpr int kTries = 20;                         // without a wait, in one size
    const Opened opened = test::open(test::named_driver(), false);
    device::Device& device = *opened.device;
    const std::size_t queues = device.submitter().engines().size();
    if (queues < 2) SKIP("the driver has one queue, which nothing overtakes");
    std::size_t waits = 0;
    for (const Example& example : engines::examples())
        waits += waits_to_miss(example, program_of(example, {"few words", 8, 1}).schedule).size();
    REQUIRE(waits > 0);
    const std::uint64_t time_ns = kTimeNs / (waits * std::size(kSizes));
    say("{}, {} queues: {} waits, {} ms and {} tries each at most with {} and with {}\n", device.facts().identity.name,
        queues, waits, time_ns / 1'000'000, kTries, kSizes[0].name, kSizes[1].name);

    std::size_t shown = 0;
    for (const Example& example : engines::examples()) {
        std::set<std::size_t> known;
        for (const Size& size : kSizes) {
            const EngineProgram program = program_of(example, size);
            const HostMemory account = run_on_host(program);
            for (const std::size_t wait : waits_to_miss(example, program.schedule)) {
                if (known.contains(wait)) continue;
                const Seen seen = run_without(device, program, account, wait, {.most = kTries, .time_ns = time_ns});
                if (seen.other_bytes) known.insert(wait);
                say("{}, {}: without {}: {}\n", example.name, size.name, describe(program.schedule, wait),
                    seen.other_bytes ? fmt::format("other bytes in try {}", seen.tries)
                                     : fmt::format("the same bytes in {} tries", seen.tries));
            }
        }
        shown += known.size();
    }
    say("{} of {} missing waits show in the bytes\n", shown, waits);
    CHECK(shown > 0);
}
