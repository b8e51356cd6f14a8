// Programs whose resources belong to one queue family at a time: the transfers that are derived, what the checker says
// of them and of each left out, and the programs on a replayed device that knows every owner.
#include <algorithm>
#include <map>
#include <tuple>

#include <catch2/generators/catch_generators.hpp>

#include "../validate/replay_scene.hpp"
#include "engines/device_run.hpp"
#include "engines/happens_before.hpp"
#include "engines/ownership.hpp"
#include "engines/player.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "rehearsed.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"

using namespace heapwright;
using engines::AcquireOwnership;
using engines::DeviceRun;
using engines::EngineMap;
using engines::EngineProgram;
using engines::Example;
using engines::OwnershipPlan;
using engines::ReleaseOwnership;
using engines::Rule;
using engines::Rules;
using engines::Schedule;

namespace {

// Graphics family 0, copy family 2, compute family 3: those of an NVIDIA H100.
model::DeviceReport families_report() {
    namespace flag = model::queue_flag;
    model::DeviceReport report = test::scene_report();
    report.queue_families = {{.flags = flag::kGraphics | flag::kCompute | flag::kTransfer, .queue_count = 16},
                             {.flags = flag::kTransfer | 0x20u, .queue_count = 8},
                             {.flags = flag::kTransfer, .queue_count = 2},
                             {.flags = flag::kCompute | flag::kTransfer, .queue_count = 8}};
    return report;
}

std::unique_ptr<replay::ReplayDevice> open(replay::ReplayMode mode = replay::ReplayMode::kImmediate,
                                           std::uint64_t seed = 1) {
    auto device = replay::open_replay(families_report(), {.interpolate = true, .mode = mode, .seed = seed});
    REQUIRE(device);
    return std::move(*device);
}

EngineMap map_of(device::Device& device, const EngineProgram& program, bool one_queue = false) {
    return engines::map_engines(device.submitter().engines(), program.schedule.actors, program.wishes, one_queue);
}

OwnershipPlan plan_of(device::Device& device, const EngineProgram& program) {
    auto plan = engines::with_owners(program, map_of(device, program));
    if (!plan) FAIL(to_string(plan.error()));
    return std::move(*plan);
}

std::string words(const std::vector<engines::Violation>& violations) {
    std::string text;
    for (const engines::Violation& violation : violations) text += "\n" + violation.statement;
    return text;
}

// "geometry: 2 -> 0"
std::vector<std::string> transfers_in(const Schedule& schedule) {
    std::vector<std::string> transfers;
    for (const engines::Operation& operation : schedule.operations) {
        const auto* release = std::get_if<ReleaseOwnership>(&operation.what);
        if (release == nullptr) continue;
        transfers.push_back(schedule.resources[release->resource.value].name + ": " +
                            std::to_string(schedule.actors[operation.actor.value].queue_family) + " -> " +
                            std::to_string(release->to_family));
    }
    return transfers;
}

std::uint32_t family_of(const Schedule& schedule, std::size_t operation) {
    return schedule.actors[schedule.operations[operation].actor.value].queue_family;
}

// Two of an example's queues read its uploads, and nothing orders them.
bool shares_uploads(const Example& example) {
    return example.name == "interrupting-compute";
}

// Resource, from, to, range.
using Half = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;

void check_good(const Result<engines::RunOutcome>& outcome, device::Device& device) {
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    CHECK(outcome->bytes_checked > 0);
    for (const std::string& message : device.take_validation_messages()) FAIL_CHECK(message);
}

}  // namespace

TEST_CASE("the frame's resources change hands where its waits stand") {
    const auto device = open();
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    const OwnershipPlan plan = plan_of(*device, program);
    CHECK(plan.shared.empty());
    CHECK(plan.transfers == 7);
    CHECK(transfers_in(plan.program.schedule) ==
          std::vector<std::string>{"geometry: 2 -> 0", "tex1: 2 -> 0", "tex2: 2 -> 0", "tex3: 2 -> 0", "tex4: 2 -> 0",
                                   "rt1 texels: 0 -> 3", "buf1: 3 -> 0"});
    std::map<std::string, std::uint32_t> first;
    std::map<std::string, std::uint32_t> last;
    for (const engines::OwnedRange& range : plan.first) {
        first[program.resources[range.resource.value].name] = range.family;
        CHECK(range.begin == 0);
    }
    for (const engines::OwnedRange& range : plan.last)
        last[program.resources[range.resource.value].name] = range.family;
    CHECK(first == std::map<std::string, std::uint32_t>{{"geometry", 2},
                                                        {"tex1", 2},
                                                        {"tex2", 2},
                                                        {"tex3", 2},
                                                        {"tex4", 2},
                                                        {"rt1", 0},
                                                        {"rt1 texels", 0},
                                                        {"buf1", 3},
                                                        {"target", 0},
                                                        {"pictures", 0}});
    CHECK(last.at("geometry") == 0);
    CHECK(last.at("rt1 texels") == 3);
    CHECK(last.at("buf1") == 0);
    CHECK(describe(plan, map_of(*device, program)) ==
          "exclusive sharing: 7 ownership transfers between 3 queue families");
}

TEST_CASE("every release has its acquire: same families, same bytes, behind a wait") {
    const auto device = open();
    for (const Example& example : engines::examples()) {
        INFO(example.name);
        const EngineProgram program = test::rehearsed(example);
        const OwnershipPlan plan = plan_of(*device, program);
        const Schedule& schedule = plan.program.schedule;
        CHECK(plan.shared.size() == (shares_uploads(example) ? 1 : 0));
        if (!plan.shared.empty()) CHECK(plan.shared.front().starts_with("uploads ("));
        CHECK((plan.transfers == 0) == shares_uploads(example));
        std::vector<std::pair<Half, std::size_t>> open_halves;
        const engines::HappensBefore order(schedule);
        std::size_t pairs = 0;
        // A release may stand behind its acquire in the host's program: it is the waits that order them.
        for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
            const auto* release = std::get_if<ReleaseOwnership>(&schedule.operations[i].what);
            if (release == nullptr) continue;
            const std::uint32_t family = family_of(schedule, i);
            CHECK(release->to_family != family);
            open_halves.push_back(
                {Half{release->resource.value, family, release->to_family, release->begin, release->end}, i});
        }
        for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
            const auto* acquire = std::get_if<AcquireOwnership>(&schedule.operations[i].what);
            if (acquire == nullptr) continue;
            const Half half{acquire->resource.value, acquire->from_family, family_of(schedule, i), acquire->begin,
                            acquire->end};
            const auto found = std::ranges::find_if(open_halves, [&](const auto& open_half) {
                return open_half.first == half && order.ordered(open_half.second, i);
            });
            INFO(describe(schedule, i));
            REQUIRE(found != open_halves.end());
            open_halves.erase(found);
            ++pairs;
        }
        CHECK(open_halves.empty());
        CHECK(pairs == plan.transfers);
        // The program itself is as it was.
        CHECK(schedule.operations.size() == program.schedule.operations.size() + 2 * pairs);
        CHECK(plan.program.steps.size() == schedule.operations.size());
        CHECK(plan.program.calls.size() == schedule.operations.size());
    }
}

TEST_CASE("the checker takes the derived schedule, and none with a transfer or a half of one left out") {
    const auto device = open();
    for (const Example& example : engines::examples()) {
        for (const bool consumers_first : {false, true}) {
            if (consumers_first && !example.takes_consumers_first) continue;
            engines::ExampleSettings settings = example.settings;
            settings.consumers_first = consumers_first;
            settings.frames = 5;
            const OwnershipPlan plan = plan_of(*device, test::rehearsed(example, settings));
            const Schedule& schedule = plan.program.schedule;
            INFO(example.name << (consumers_first ? ", consumers first" : ""));
            const auto good = check(schedule, Rules::kVulkan);
            INFO(words(good));
            CHECK(good.empty());
            // Without transfers the resources are not the readers' to read.
            Schedule bare = schedule;
            std::erase_if(bare.operations, [](const engines::Operation& operation) {
                return std::holds_alternative<ReleaseOwnership>(operation.what) ||
                       std::holds_alternative<AcquireOwnership>(operation.what);
            });
            CHECK(check(bare, Rules::kVulkan).empty() == (plan.transfers == 0));
            for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
                const auto& what = schedule.operations[i].what;
                const bool is_release = std::holds_alternative<ReleaseOwnership>(what);
                if (!is_release && !std::holds_alternative<AcquireOwnership>(what)) continue;
                INFO("without " << describe(schedule, i));
                const auto found = check(engines::without(schedule, i), Rules::kVulkan);
                REQUIRE_FALSE(found.empty());
                for (const engines::Violation& violation : found)
                    CHECK((violation.rule == Rule::kNotOwned || violation.rule == Rule::kUnpairedTransfer));
                if (!is_release) continue;
                // Both halves: what comes next is not the owner's. The acquire is the next one of these bytes.
                const auto& release = std::get<ReleaseOwnership>(what);
                Schedule neither = engines::without(schedule, i);
                const engines::HappensBefore order(schedule);
                for (std::size_t j = 0; j < schedule.operations.size(); ++j) {
                    const auto* acquire = std::get_if<AcquireOwnership>(&schedule.operations[j].what);
                    if (acquire == nullptr || acquire->resource != release.resource ||
                        acquire->begin != release.begin || family_of(schedule, j) != release.to_family ||
                        !order.ordered(i, j))
                        continue;
                    neither = engines::without(neither, j);
                    break;
                }
                const auto without_both = check(neither, Rules::kVulkan);
                REQUIRE_FALSE(without_both.empty());
                CHECK(without_both.front().rule == Rule::kNotOwned);
                CHECK(without_both.front().operations.size() == 2);
            }
        }
    }
}

TEST_CASE("transfers add no wait and leave each wait its reason") {
    const auto device = open();
    for (const Example& example : engines::examples()) {
        INFO(example.name);
        const EngineProgram program = test::rehearsed(example);
        const OwnershipPlan plan = plan_of(*device, program);
        const auto before = engines::find_wait_roles(program.schedule, Rules::kVulkan);
        const auto after = engines::find_wait_roles(plan.program.schedule, Rules::kVulkan);
        REQUIRE(before.size() == after.size());
        for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i].role == after[i].role);
    }
}

TEST_CASE("every example with owners leaves the host's bytes on a device that knows them") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    for (const Example& example : engines::examples()) {
        for (const bool consumers_first : {false, true}) {
            if (consumers_first && !example.takes_consumers_first) continue;
            INFO(example.name << (consumers_first ? ", consumers first" : "") << ", mode " << static_cast<int>(mode));
            engines::ExampleSettings settings = example.settings;
            settings.consumers_first = consumers_first;
            const EngineProgram program = test::rehearsed(example, settings);
            const auto device = open(mode, 3);
            const OwnershipPlan plan = plan_of(*device, program);
            SteadyClock clock;
            DeviceRun shared(*device, clock, {.seed = test::kSeed});
            (void)engines::play(program, shared);
            const auto usual = shared.finish();
            check_good(usual, *device);
            {
                DeviceRun run(*device, clock, {.seed = test::kSeed, .owners = &plan});
                (void)engines::play(plan.program, run);
                const auto outcome = run.finish();
                check_good(outcome, *device);
                CHECK(outcome->bytes_checked == usual->bytes_checked);
                CHECK(outcome->submissions == usual->submissions);
                CHECK(outcome->early_waits == 0);  // a release is submitted before its acquire
                // What was checked is what ran.
                REQUIRE(run.program().schedule.operations.size() == plan.program.schedule.operations.size());
                for (std::size_t i = 0; i < plan.program.schedule.operations.size(); ++i)
                    CHECK(describe(run.program().schedule, i) == describe(plan.program.schedule, i));
                CHECK(engines::check(run.program().schedule, Rules::kVulkan).empty());
            }
            for (const std::string& message : device->take_validation_messages()) FAIL_CHECK(message);
        }
    }
}

TEST_CASE("a device that knows owners complains of every transfer left out") {
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    const auto planner = open();
    const OwnershipPlan plan = plan_of(*planner, program);
    const engines::HostMemory account = run_on_host(program);
    SteadyClock clock;
    std::size_t tried = 0;
    for (std::size_t i = 0; i < plan.program.schedule.operations.size(); ++i) {
        const auto& what = plan.program.schedule.operations[i].what;
        if (!std::holds_alternative<ReleaseOwnership>(what) && !std::holds_alternative<AcquireOwnership>(what))
            continue;
        ++tried;
        INFO("without " << describe(plan.program.schedule, i));
        const EngineProgram less = test::without_wait(plan.program, i);
        const auto device = open();
        {
            DeviceRun run(*device, clock, {.seed = test::kSeed, .checked = false, .owners = &plan});
            (void)engines::play(less, run);
            CHECK(run.finish(&account).has_value());
        }
        CHECK_FALSE(device->take_validation_messages().empty());
        // Checked, nothing of it gets so far.
        DeviceRun run(*device, clock, {.seed = test::kSeed, .owners = &plan});
        (void)engines::play(less, run);
        CHECK_FALSE(run.finish());
        CHECK_FALSE(run.violations().empty());
        (void)device->take_validation_messages();
    }
    CHECK(tried == 14);
}

TEST_CASE("one buffer's bytes go their own ways") {
    const auto device = open();
    // The ring's slots are handed over one by one, there and back.
    const OwnershipPlan plan = plan_of(*device, test::rehearsed(test::example_named("copy-ring")));
    std::map<std::uint64_t, std::size_t> releases;  // by where the bytes begin
    for (const engines::Operation& operation : plan.program.schedule.operations) {
        const auto* release = std::get_if<ReleaseOwnership>(&operation.what);
        if (release == nullptr) continue;
        CHECK(release->end - release->begin == engines::ExampleSettings{}.piece_bytes());
        ++releases[release->begin];
    }
    // Twelve frames over three slots: twelve times there, nine times back.
    CHECK(releases.size() == 3);
    for (const auto& [begin, count] : releases) CHECK(count == 7);
    CHECK(plan.transfers == 21);
}

namespace {

// Two families read what a third one wrote, and nothing orders the readers.
Status play_readers(engines::Conductor& c) {
    const auto copy = c.queue("copy", engines::ActorKind::kCopy);
    const auto compute = c.queue("compute", engines::ActorKind::kCompute);
    const auto graphics = c.queue("graphics", engines::ActorKind::kGraphics);
    const auto fence = c.fence("fence");
    const auto data = c.buffer("data", 1024);
    const auto one = c.buffer("one", 1024);
    const auto other = c.buffer("other", 1024);
    c.begin();
    const auto take = [&](engines::ActorIndex queue, engines::ResourceIndex to) {
        c.wait(queue, fence, 1);
        c.execute(queue, "take", {device::CopyBuffer{{data.value}, {to.value}, 0, 0, 1024}}, 10);
    };
    c.execute(copy, "make", {device::FillBuffer{{data.value}, 0, 1024, 7}}, 10);
    c.signal(copy, fence, 1);
    take(compute, one);
    take(graphics, other);
    return c.status();
}

}  // namespace

TEST_CASE("what two families read at once stays shared") {
    engines::Rehearsal rehearsal(test::kSeed);
    REQUIRE(play_readers(rehearsal));
    const EngineProgram& program = rehearsal.program();
    const auto device = open();
    const OwnershipPlan plan = plan_of(*device, program);
    REQUIRE(plan.shared.size() == 1);
    CHECK(plan.shared.front().starts_with("data (compute: execute take"));
    CHECK(plan.transfers == 0);
    CHECK_FALSE(plan.program.schedule.resources[0].exclusive);
    CHECK(plan.program.schedule.resources[1].exclusive);
    CHECK(describe(plan, map_of(*device, program)).find("; shared by all families: data (") != std::string::npos);
    CHECK(check(plan.program.schedule, Rules::kVulkan).empty());
    SteadyClock clock;
    DeviceRun run(*device, clock, {.seed = test::kSeed, .owners = &plan});
    (void)engines::play(plan.program, run);
    check_good(run.finish(), *device);
}

TEST_CASE("a device with one queue family hands nothing over") {
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    const auto device = open();
    const auto plan = engines::with_owners(program, map_of(*device, program, true));
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == ErrorCode::kNotSupported);
}

TEST_CASE("any failing call of the device ends a run with owners and leaks nothing") {
    const EngineProgram program =
        test::rehearsed(test::example_named("copy-ring"), {.side = 8, .rounds = 1, .frames = 3});
    const auto planner = open();
    const OwnershipPlan plan = plan_of(*planner, program);
    SteadyClock clock;
    for (std::uint64_t n = 1;; ++n) {
        INFO("call " << n);
        const auto faulty = replay::inject_faults(open(), {.fail_at = n, .code = ErrorCode::kOutOfDeviceMemory});
        {
            DeviceRun run(*faulty, clock, {.seed = test::kSeed, .host_wait_limit_ns = 50'000'000, .owners = &plan});
            (void)engines::play(plan.program, run);
            const auto outcome = run.finish();
            CHECK(outcome.has_value() == (faulty->counters().injected == 0));
        }
        CHECK(faulty->counters().nothing_alive());
        if (faulty->counters().injected == 0) break;
        REQUIRE(n < 2000);
    }
}
