// The programs of lifetimes_program.hpp on real drivers, with the validation layers where there are some. What is
// submitted is held back until the program or a wait lets it go, so that lists are pending as often as on a replayed
// device.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "../../property/bindings/lifetimes_program.hpp"
#include "../../property/suballoc/property_run.hpp"
#include "../driver_library.hpp"
#include "backends.hpp"
#include "held_device.hpp"
#include "policy/advise.hpp"
#include "test_paths.hpp"
#include "vulkan/capability_source.hpp"

namespace heapwright::test {
namespace {

constexpr std::uint64_t kPrograms = 8;
constexpr std::uint64_t kMostPrograms = 200;  // of each driver
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

template <class Open>
void play_all(const std::string& name, std::size_t least_engines, Open&& open) {
    const std::uint64_t seed = property_seed();
    const std::uint64_t steps = from_environment("HEAPWRIGHT_PROPERTY_OPERATIONS", kPrograms * kSteps);
    const std::uint64_t programs = std::clamp<std::uint64_t>(steps / kSteps, 1, kMostPrograms);
    lifetimes::Totals all;
    for (std::uint64_t program = 0; program < programs; ++program) {
        INFO(name << ": " << replay_hint(seed + program, program * kSteps));
        Result<Opened> opened = open();
        if (!opened) FAIL(to_string(opened.error()));
        REQUIRE(opened->device->submitter().engines().size() >= least_engines);
        const lifetimes::Totals totals = lifetimes::play(seed + program, kSteps, machine(*opened));
        all.ended += totals.ended;
        all.failed += totals.failed;
    }
    INFO(name);
    CHECK(all.ended > programs * kSteps / 50);
    if (programs >= kPrograms) CHECK(all.failed > 0);
}

// The driver of split_driver.cpp over this one, which has several queues. Is not kept loaded: it reads once which it is
// over.
Result<Opened> open_split(const char* manifest) {
    setenv("HEAPWRIGHT_SPLIT_DRIVER", library_of(manifest).c_str(), 1);
    HEAPWRIGHT_ASSIGN(auto source, vulkan::create_capability_source(
                                       {.icd_files = {build_path("tests/device/queue_families/split_driver.json")},
                                        .validation_layers = true,
                                        .synchronization_validation = true}));
    HEAPWRIGHT_ASSIGN(auto device, source->open(0, {.validation_layers = true}));
    return Opened{.source = std::move(source), .device = std::move(device)};
}

}  // namespace

TEST_CASE("nothing that a real device may still read ends or is handed out again, and everything comes back") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing))
        play_all(backend.name, 1, [&] { return backend.open(std::nullopt, Layers::kOn); });
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("nothing that two queues of a real device may still read ends or is handed out again") {
    if (is_set(kNamedDriver)) return;  // it has the queues that it has
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing))
        play_all(backend.name, 2, [&] { return open_split(std::getenv(backend.name.c_str())); });
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

}  // namespace heapwright::test
