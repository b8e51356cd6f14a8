// The programs of lifetimes_program.hpp on real drivers, with the validation layers where there are some. What is
// submitted is held back until the program or a wait lets it go, so that lists are pending as often as on a replayed
// device.
#include <catch2/catch_test_macros.hpp>

#include "../../property/bindings/lifetimes_program.hpp"
#include "../../property/suballoc/property_run.hpp"
#include "backends.hpp"
#include "heapwright/policy/advise.hpp"
#include "held_device.hpp"

namespace heapwright::test {
namespace {

constexpr std::uint64_t kPrograms = 8;
constexpr std::uint64_t kSteps = 500;

lifetimes::Machine machine(Opened& opened) {
    // The layer may be older than a driver whose facts and functions were read while it was opened.
    (void)opened.device->take_validation_messages();
    auto policy = policy::advise(opened.device->facts(), {});
    if (!policy) FAIL(to_string(policy.error()));
    auto held = std::make_unique<HeldDevice>(std::move(opened.device));
    const auto advance = [&device = *held](std::uint64_t submissions) { REQUIRE(device.advance(submissions)); };
    return {.device = std::move(held), .policy = std::move(*policy), .advance = advance};
}

}  // namespace

TEST_CASE("nothing that a real device may still read ends or is handed out again, and everything comes back") {
    const std::uint64_t seed = property_seed();
    const std::uint64_t programs = from_environment("HEAPWRIGHT_PROPERTY_OPERATIONS", kPrograms * kSteps) / kSteps;
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        lifetimes::Totals all;
        for (std::uint64_t program = 0; program < programs; ++program) {
            INFO(backend.name << ": " << replay_hint(seed + program, program * kSteps));
            auto opened = backend.open(std::nullopt, Layers::kOn);
            if (!opened) FAIL(to_string(opened.error()));
            const lifetimes::Totals totals = lifetimes::play(seed + program, kSteps, machine(*opened));
            all.ended += totals.ended;
            all.failed += totals.failed;
        }
        INFO(backend.name);
        CHECK(all.ended > programs * kSteps / 50);
        CHECK(all.failed > 0);
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

}  // namespace heapwright::test
