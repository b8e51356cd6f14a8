// The workloads of several engines on real drivers beyond what validate runs: on one queue where the driver has
// several, with other lengths and latencies, submitted consumers first. On demand, what a missing wait does there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "../../unit/engines/expected_pictures.hpp"
#include "../../unit/engines/mixed_signals.hpp"
#include "../../unit/engines/rehearsed.hpp"
#include "heapwright/d3d12/capability_source.hpp"
#include "heapwright/engines/device_run.hpp"
#include "heapwright/engines/player.hpp"
#include "heapwright/schedule/wait_roles.hpp"
#include "heapwright/vulkan/capability_source.hpp"

using namespace heapwright;
using engines::DeviceRun;
using engines::EngineProgram;
using engines::Workload;
using engines::WorkloadSettings;

namespace {

constexpr const char* kNamed = "HEAPWRIGHT_CHECK_ICD";

model::Api named_api() {
    const char* api = std::getenv("HEAPWRIGHT_CHECK_API");
    return api != nullptr && std::string_view(api) == "d3d12" ? model::Api::kD3d12 : model::Api::kVulkan;
}

struct Driver {
    const char* variable;  // that names its manifest
    model::Api api;
};

constexpr Driver kDrivers[] = {{"HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_SWIFTSHADER", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kD3d12},
                               {"HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kD3d12}};

// Or the driver alone that HEAPWRIGHT_CHECK_ICD names, under Direct3D 12 where HEAPWRIGHT_CHECK_API is "d3d12": a test
// that skips another driver counts as skipped, whatever it did on this one.
std::vector<Driver> drivers() {
    const char* icd = std::getenv(kNamed);
    if (icd != nullptr && *icd != '\0') return {{kNamed, named_api()}};
    return {std::begin(kDrivers), std::end(kDrivers)};
}

// On the named driver where HEAPWRIGHT_ICD_DEVICE_LAYERS is set.
bool takes_layers(const Driver& driver) {
    return driver.variable != std::string_view(kNamed) || std::getenv("HEAPWRIGHT_ICD_DEVICE_LAYERS") != nullptr;
}

struct Opened {
    std::unique_ptr<device::CapabilitySource> source;
    std::unique_ptr<device::Device> device;
};

Opened open(const Driver& driver, const char* icd, bool layers) {
    Opened opened;
    auto source = driver.api == model::Api::kD3d12
                      ? d3d12::create_capability_source({.icd_files = {icd}})
                      : vulkan::create_capability_source(
                            {.icd_files = {icd}, .validation_layers = layers, .synchronization_validation = layers});
    if (!source) FAIL(to_string(source.error()));
    opened.source = std::move(*source);
    REQUIRE_FALSE(opened.source->adapters().empty());
    auto device = opened.source->open(0, {.validation_layers = layers && driver.api == model::Api::kVulkan});
    if (!device) FAIL(to_string(device.error()));
    opened.device = std::move(*device);
    return opened;
}

void run_and_check(device::Device& device, const EngineProgram& program, bool one_queue) {
    SteadyClock clock;
    DeviceRun run(device, clock, {.seed = test::kSeed, .one_queue = one_queue});
    (void)engines::play(program, run);
    const auto outcome = run.finish();
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    if (one_queue) CHECK(run.map().queues == 1);
    if (one_queue) CHECK(outcome->early_waits == 0);
}

// As far as the device is when the host looks; the pictures as written down by hand.
void decide_and_check(device::Device& device, const Workload& workload, const WorkloadSettings& settings) {
    SteadyClock clock;
    DeviceRun run(device, clock, {.seed = test::kSeed});
    (void)workload.play(run, settings);
    const auto outcome = run.finish();
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    const EngineProgram& program = run.program();
    CHECK(test::pieces_of(program, run_on_host(program), "pictures", settings.piece_bytes()) ==
          test::expected_pictures(workload, settings, program));
}

// Whether the device leaves other bytes than the program's in one of `tries` without the wait.
bool shows(device::Device& device, const EngineProgram& program, std::size_t wait, int tries) {
    SteadyClock clock;
    const EngineProgram less = engines::without_wait(program, wait);
    for (int i = 0; i < tries; ++i) {
        DeviceRun run(device, clock, {.seed = test::kSeed, .checked = false});
        (void)engines::play(less, run);
        const auto outcome = run.finish(&program);
        if (!outcome) FAIL(to_string(outcome.error()));
        if (!outcome->differences.empty() || outcome->wrong_host_reads != 0) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("the workloads leave the host's bytes with any settings, on all queues and on one") {
    const Driver driver = GENERATE(from_range(drivers()));
    const char* icd = std::getenv(driver.variable);
    if (icd == nullptr || *icd == '\0') SKIP(driver.variable << " is not set");
    const Opened opened = open(driver, icd, takes_layers(driver));
    // The layer is older than a driver whose facts were read while it was opened.
    (void)opened.device->take_validation_messages();
    const WorkloadSettings settings[] = {
        {},
        {.side = 16, .frames = 5, .ring_length = 1, .cpu_latency = 1, .engine_latency = 1, .consumers_first = true},
        {.side = 40, .rounds = 100, .frames = 9, .ring_length = 5, .cpu_latency = 2, .engine_latency = 3}};
    for (const Workload& workload : engines::workloads()) {
        for (const WorkloadSettings& one : settings) {
            const EngineProgram program = test::rehearsed(workload, one);
            for (const bool one_queue : {false, true}) {
                INFO(driver.variable << (driver.api == model::Api::kD3d12 ? " under vkd3d, " : ", ") << workload.name
                                     << ", side " << one.side << (one_queue ? ", one queue" : ""));
                run_and_check(*opened.device, program, one_queue);
            }
            if (workload.decides) decide_and_check(*opened.device, workload, one);
        }
    }
    for (const std::string& message : opened.device->take_validation_messages()) FAIL_CHECK(message);
}

// Where the driver has one queue the host holds back what waits, and little has to be given.
TEST_CASE("a run that ends early brings a real device to rest by the rules of its fences") {
    const Driver driver = GENERATE(from_range(drivers()));
    const char* icd = std::getenv(driver.variable);
    if (icd == nullptr || *icd == '\0') SKIP(driver.variable << " is not set");
    const Opened opened = open(driver, icd, takes_layers(driver));
    (void)opened.device->take_validation_messages();
    INFO(driver.variable << (driver.api == model::Api::kD3d12 ? " under vkd3d" : ""));
    {
        SteadyClock clock;
        DeviceRun run(*opened.device, clock, {.host_wait_limit_ns = 200'000'000});
        test::play_mixed_signals(run);
        const auto outcome = run.finish();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().where == "host_wait");
        REQUIRE_FALSE(run.violations().empty());
        CHECK(run.violations().front().rule == schedule::Rule::kDeadlock);
    }
    // It works on.
    run_and_check(*opened.device, test::rehearsed(test::workload_named("copy-ring")), false);
    for (const std::string& message : opened.device->take_validation_messages()) FAIL_CHECK(message);
}

// vkd3d's queues are one queue of lavapipe, but each goes ahead of the others up to its own waits: what overwrites a
// slot comes before what should still read it.
TEST_CASE("a missing wait of a queue that goes ahead shows in a real device's bytes") {
    const char* variable = GENERATE("HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const char* icd = std::getenv(variable);
    if (icd == nullptr || *icd == '\0') SKIP(variable << " is not set");
    const Opened opened = open({variable, model::Api::kD3d12}, icd, false);
    const std::pair<std::string_view, std::string_view> cases[] = {{"copy-ring", "copy"},
                                                                   {"pipelined-compute", "compute"}};
    for (const auto& [name, queue] : cases) {
        const EngineProgram program = test::rehearsed(test::workload_named(name));
        const schedule::Schedule& schedule = program.schedule;
        std::size_t wait = 0;
        while (!std::holds_alternative<schedule::Wait>(schedule.operations[wait].what) ||
               schedule.actors[schedule.operations[wait].actor.value].name != queue)
            ++wait;
        INFO(variable << ", " << name << ", without " << describe(schedule, wait));
        // A race: a busy machine may run the queues in step many times.
        CHECK(shows(*opened.device, program, wait, 1000));
    }
}

// HEAPWRIGHT_CHECK_ICD names the manifest of a driver with several queues, HEAPWRIGHT_CHECK_API may be "d3d12". Prints
// which missing waits show; of each queue's waits for a fence the first one is taken out.
TEST_CASE("what missing waits do on the driver that the environment names", "[.missing-waits]") {
    const char* icd = std::getenv(kNamed);
    REQUIRE(icd != nullptr);
    const Opened opened = open({kNamed, named_api()}, icd, false);
    std::size_t shown_in_all = 0;
    if (opened.device->submitter().engines().size() < 2) SKIP("the driver has one queue, which nothing overtakes");
    for (const Workload& workload : engines::workloads()) {
        // Long work, so that a queue that does not wait comes early.
        WorkloadSettings settings = workload.settings;
        settings.side = 512;
        settings.rounds = 512;
        settings.frames = 6;
        const EngineProgram program = test::rehearsed(workload, settings);
        std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // queue and fence
        for (const schedule::WaitFinding& wait :
             schedule::find_wait_roles(program.schedule, schedule::Rules::kVulkan)) {
            if (wait.role != schedule::WaitRole::kNecessary) continue;
            const schedule::Operation& operation = program.schedule.operations[wait.wait];
            const std::uint32_t fence = std::get<schedule::Wait>(operation.what).fence.value;
            if (!taken.emplace(operation.actor.value, fence).second && workload.takes_frames) continue;
            const bool shown = shows(*opened.device, program, wait.wait, 20);
            shown_in_all += shown ? 1u : 0u;
            std::printf("%s: without %s: %s\n", workload.name.data(), describe(program.schedule, wait.wait).c_str(),
                        shown ? "other bytes" : "the same bytes");
        }
    }
    std::printf("%zu missing waits show in the bytes\n", shown_in_all);
    CHECK(shown_in_all > 0);
}
