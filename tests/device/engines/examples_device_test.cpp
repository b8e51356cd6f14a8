// The examples of several engines on real drivers beyond what validate runs: on one queue where the driver has
// several, with other lengths and latencies, submitted consumers first.
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "../../unit/engines/expected_pictures.hpp"
#include "../../unit/engines/mixed_signals.hpp"
#include "../../unit/engines/rehearsed.hpp"
#include "drivers.hpp"
#include "engines/device_run.hpp"
#include "engines/player.hpp"
#include "engines/work_size.hpp"

using namespace heapwright;
using engines::DeviceRun;
using engines::EngineProgram;
using engines::Example;
using engines::ExampleSettings;
using test::Driver;
using test::Opened;

namespace {

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
void decide_and_check(device::Device& device, const Example& example, const ExampleSettings& settings) {
    SteadyClock clock;
    DeviceRun run(device, clock, {.seed = test::kSeed});
    (void)example.play(run, settings);
    const auto outcome = run.finish();
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    const EngineProgram& program = run.program();
    CHECK(test::pieces_of(program, run_on_host(program), "pictures", settings.piece_bytes()) ==
          test::expected_pictures(example, settings, program));
}

}  // namespace

TEST_CASE("the examples leave the host's bytes with any settings, on all queues and on one") {
    const Driver driver = GENERATE(from_range(test::drivers()));
    const Opened opened = test::open(driver, test::takes_layers(driver));
    // The layer is older than a driver whose facts were read while it was opened.
    (void)opened.device->take_validation_messages();
    const ExampleSettings settings[] = {
        {},
        {.side = 16, .frames = 5, .ring_length = 1, .cpu_latency = 1, .engine_latency = 1, .consumers_first = true},
        {.side = 40, .rounds = 100, .frames = 9, .ring_length = 5, .cpu_latency = 2, .engine_latency = 3},
        {.side = 24, .frames = 3, .delay = {.rounds = 2000, .copies = 1}}};
    for (const Example& example : engines::examples()) {
        for (const ExampleSettings& one : settings) {
            const EngineProgram program = test::rehearsed(example, one);
            for (const bool one_queue : {false, true}) {
                INFO(driver.variable << (driver.api == model::Api::kD3d12 ? " under vkd3d, " : ", ") << example.name
                                     << ", side " << one.side << (one_queue ? ", one queue" : ""));
                run_and_check(*opened.device, program, one_queue);
            }
            if (example.decides) decide_and_check(*opened.device, example, one);
        }
    }
    for (const std::string& message : opened.device->take_validation_messages()) FAIL_CHECK(message);
}

TEST_CASE("the size of the work is measured on a real driver, and a processor keeps the usual one") {
    const Driver driver = GENERATE(from_range(test::drivers()));
    const Opened opened = test::open(driver, test::takes_layers(driver));
    (void)opened.device->take_validation_messages();
    INFO(driver.variable << (driver.api == model::Api::kD3d12 ? " under vkd3d" : ""));
    SteadyClock clock;
    const auto measured = engines::measure_work_size(*opened.device, clock);
    if (!measured) FAIL(to_string(measured.error()));
    INFO(measured->how);
    CHECK(measured->delay.rounds >= 1024);
    CHECK(measured->delay.copies >= 1);
    CHECK(measured->side > 32);
    CHECK_FALSE(measured->how.empty());
    const auto chosen = engines::work_size_for(*opened.device, clock);
    REQUIRE(chosen);
    const bool is_processor = opened.device->facts().identity.type == model::DeviceType::kCpu;
    CHECK(chosen->delay.is_any() != is_processor);
    for (const std::string& message : opened.device->take_validation_messages()) FAIL_CHECK(message);
}

// Where the driver has one queue the host holds back what waits, and little has to be given.
TEST_CASE("a run that ends early brings a real device to rest by the rules of its fences") {
    const Driver driver = GENERATE(from_range(test::drivers()));
    const Opened opened = test::open(driver, test::takes_layers(driver));
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
        CHECK(run.violations().front().rule == engines::Rule::kDeadlock);
    }
    // It works on.
    run_and_check(*opened.device, test::rehearsed(test::example_named("copy-ring")), false);
    for (const std::string& message : opened.device->take_validation_messages()) FAIL_CHECK(message);
}
