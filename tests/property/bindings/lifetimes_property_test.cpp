// The programs of lifetimes_program.hpp on a replayed device that runs what is submitted when it is told to.
#include <utility>

#include "../../unit/frame/render_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "lifetimes_program.hpp"

namespace lifetimes_property_test {

using namespace heapwright;

namespace {

constexpr std::uint64_t kStepsOfOneProgram = 2'000;

lifetimes::Machine machine(std::uint64_t seed) {
    auto replayed = replay::open_replay(test::bindable_report(),
                                        {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = seed});
    REQUIRE(replayed);
    replay::ReplayDevice& device = **replayed;
    return {.device = std::move(*replayed),
            .policy = test::render_policy(),
            .advance = [&device](std::uint64_t submissions) { device.advance(submissions); }};
}

}  // namespace

TEST_CASE("nothing that the device may still read ends or is handed out again, and everything comes back") {
    const std::uint64_t seed = test::property_seed();
    const std::uint64_t steps = test::from_environment("HEAPWRIGHT_PROPERTY_OPERATIONS", 20'000);
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
    for (std::uint64_t done = 0; done < steps; done += kStepsOfOneProgram) {
        INFO(test::replay_hint(seed, done));
        const lifetimes::Totals totals = lifetimes::play(seed + done, kStepsOfOneProgram, machine(seed + done));
        ended += totals.ended;
        failed += totals.failed;
    }
    CHECK(ended > steps / 50);
    CHECK(failed > 0);
}

}  // namespace lifetimes_property_test
