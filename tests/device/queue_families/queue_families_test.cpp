// Several queue families under Vulkan: the examples with resources that all families share and with resources that one
// owns at a time, on the driver of split_driver.cpp over each of the environment's, with validation layers and
// synchronization validation; the barriers that the driver was given; and what must fail.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/generators/catch_generators.hpp>

#include "../../unit/engines/rehearsed.hpp"
#include "../../unit/validate/replay_scene.hpp"
#include "../driver_library.hpp"
#include "../validate/expected_scenarios.hpp"
#include "engines/device_run.hpp"
#include "engines/ownership.hpp"
#include "engines/player.hpp"
#include "split_driver.hpp"
#include "test_paths.hpp"
#include "validate/engine_scenario.hpp"
#include "vulkan/capability_source.hpp"

using namespace heapwright;
using engines::DeviceRun;
using engines::EngineProgram;
using engines::Example;
using engines::OwnershipPlan;
using test::SplitTransfer;

namespace {

class Split {
public:
    // Skips the test when the variable is not set.
    explicit Split(const char* variable, bool layers = true) {
        const char* icd = std::getenv(variable);
        if (icd == nullptr || *icd == '\0') SKIP(variable << " is not set");
        setenv("HEAPWRIGHT_SPLIT_DRIVER", test::library_of(icd).c_str(), 1);
        auto source = vulkan::create_capability_source(
            {.icd_files = {test::build_path("tests/device/queue_families/split_driver.json")},
             .validation_layers = layers,
             .synchronization_validation = layers});
        if (!source) FAIL(to_string(source.error()));
        source_ = std::move(*source);
        REQUIRE(source_->adapters().size() == 1);
        auto device = source_->open(0, {.validation_layers = layers});
        if (!device) FAIL(to_string(device.error()));
        device_ = std::move(*device);
        // The layer is older than a driver whose facts were read while it was opened.
        (void)device_->take_validation_messages();
        (void)transfers();
    }

    device::Device& operator*() { return *device_; }
    device::Device* operator->() { return device_.get(); }

    // What the driver saw since they were last taken.
    std::vector<SplitTransfer> transfers() {
        void* library =
            dlopen(test::build_path("tests/device/queue_families/libsplit_driver.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(library != nullptr);
        const auto take = reinterpret_cast<test::TakeSplitTransfers*>(dlsym(library, test::kTakeSplitTransfers));
        REQUIRE(take != nullptr);
        std::vector<SplitTransfer> all(take(nullptr, 0));
        all.resize(take(all.data(), all.size()));
        dlclose(library);
        return all;
    }

    void check_silent() {
        for (const std::string& message : device_->take_validation_messages()) FAIL_CHECK(message);
    }

private:
    std::unique_ptr<device::CapabilitySource> source_;
    std::unique_ptr<device::Device> device_;
};

const char* any_driver() {
    return GENERATE("HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", "HEAPWRIGHT_ICD_SWIFTSHADER");
}

OwnershipPlan plan_of(device::Device& device, const EngineProgram& program) {
    auto plan = engines::with_owners(
        program, engines::map_engines(device.submitter().engines(), program.schedule.actors, program.wishes, false));
    if (!plan) FAIL(to_string(plan.error()));
    return std::move(*plan);
}

engines::RunOutcome run(device::Device& device, const EngineProgram& program, const OwnershipPlan* owners) {
    SteadyClock clock;
    DeviceRun played(device, clock, {.seed = test::kSeed, .owners = owners});
    (void)engines::play(program, played);
    const auto outcome = played.finish();
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    CHECK(outcome->bytes_checked > 0);
    return *outcome;
}

// Release and acquire of one transfer, in any order of recording.
std::size_t check_pairs(std::vector<SplitTransfer> seen) {
    std::size_t pairs = 0;
    while (!seen.empty()) {
        const SplitTransfer one = seen.front();
        seen.erase(seen.begin());
        const auto other = std::ranges::find_if(seen, [&](const SplitTransfer& candidate) {
            return candidate.on != one.on && candidate.from == one.from && candidate.to == one.to &&
                   candidate.buffer == one.buffer && candidate.image == one.image &&
                   candidate.offset_bytes == one.offset_bytes && candidate.size_bytes == one.size_bytes;
        });
        INFO("family " << one.from << " to " << one.to << ", recorded for family " << one.on << ", " << one.size_bytes
                       << " bytes at " << one.offset_bytes);
        REQUIRE(other != seen.end());
        const SplitTransfer& release = one.on == one.from ? one : *other;
        const SplitTransfer& acquire = one.on == one.from ? *other : one;
        CHECK(release.on == release.from);
        CHECK(acquire.on == acquire.to);
        // All writes made available, all accesses made visible, chained with semaphores of all commands.
        CHECK(release.source_access == VK_ACCESS_MEMORY_WRITE_BIT);
        CHECK(acquire.destination_access == (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT));
        for (const SplitTransfer& half : {release, acquire}) {
            CHECK(half.source_stages == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
            CHECK(half.destination_stages == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
            CHECK(half.old_layout == half.new_layout);
            CHECK((half.image == VK_NULL_HANDLE || half.new_layout == VK_IMAGE_LAYOUT_GENERAL));
        }
        seen.erase(other);
        ++pairs;
    }
    return pairs;
}

template <class Do>
void for_each_program(Do&& act) {
    for (const Example& example : engines::examples()) {
        for (const bool consumers_first : {false, true}) {
            if (consumers_first && !example.takes_consumers_first) continue;
            INFO(example.name << (consumers_first ? ", consumers first" : ""));
            engines::ExampleSettings settings = example.settings;
            settings.consumers_first = consumers_first;
            act(example, test::rehearsed(example, settings), consumers_first);
            if (consumers_first) continue;
            // As a fast device is given it.
            settings.frames = 4;
            settings.delay = {.rounds = 500, .copies = 1};
            INFO("delayed");
            act(example, test::rehearsed(example, settings), consumers_first);
        }
    }
}

std::size_t away_from_home(const std::vector<engines::OwnedRange>& ranges) {
    return static_cast<std::size_t>(
        std::ranges::count_if(ranges, [](const engines::OwnedRange& range) { return range.family != 0; }));
}

}  // namespace

TEST_CASE("the split driver's engines are on the families of an NVIDIA H100") {
    Split split(any_driver());
    std::string names;
    for (const device::EngineInfo& engine : split->submitter().engines())
        names += engine.name + '@' + std::to_string(engine.queue_family.value) + ' ';
    CHECK(names == "graphics@0 compute@3 copy@2 compute-low@3 compute-high@3 copy-2@2 ");
    split.check_silent();
}

// Layers that cannot follow early waits are spared them; without layers the queues hold them.
TEST_CASE(
    "every example with shared resources leaves the host's bytes on several families, and the layers are silent") {
    const bool layers = GENERATE(true, false);
    Split split(any_driver(), layers);
    const bool early = split->submitter().accepts_early_waits();
    if (!layers) REQUIRE(early);
    std::uint64_t early_waits = 0;
    for_each_program([&](const Example& example, const EngineProgram& program, bool consumers_first) {
        const engines::RunOutcome outcome = run(*split, program, nullptr);
        if (!example.decides) CHECK((outcome.early_waits != 0) == (early && consumers_first));
        early_waits += outcome.early_waits;
        CHECK(split.transfers().empty());
        split.check_silent();
    });
    CHECK((early_waits != 0) == early);
}

TEST_CASE("every example with owners leaves the host's bytes on several families, and the layers are silent") {
    Split split(any_driver());
    for_each_program([&](const Example& example, const EngineProgram& program, bool) {
        const OwnershipPlan plan = plan_of(*split, program);
        // Two queues of the last one read its uploads, and nothing orders them.
        CHECK(plan.shared.size() == (example.name == "interrupting-compute" ? 1 : 0));
        CHECK(run(*split, plan.program, &plan).early_waits == 0);
        split.check_silent();
        CHECK(check_pairs(split.transfers()) ==
              plan.transfers + away_from_home(plan.first) + away_from_home(plan.last));
    });
}

TEST_CASE("the layers report a release that is left out") {
    Split split(any_driver());
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    const OwnershipPlan plan = plan_of(*split, program);
    const auto& operations = plan.program.schedule.operations;
    const auto release = std::ranges::find_if(operations, [](const engines::Operation& operation) {
        return std::holds_alternative<engines::ReleaseOwnership>(operation.what);
    });
    REQUIRE(release != operations.end());
    const EngineProgram less = test::without_wait(plan.program, static_cast<std::size_t>(release - operations.begin()));
    {
        SteadyClock clock;
        DeviceRun played(*split, clock, {.seed = test::kSeed, .checked = false, .owners = &plan});
        (void)engines::play(less, played);
        const engines::HostMemory account = run_on_host(program);
        (void)played.finish(&account);
    }
    CHECK_FALSE(split->take_validation_messages().empty());
    (void)split.transfers();
}

TEST_CASE("validation does on the families of an NVIDIA H100 what the table asks of one") {
    const bool layers = GENERATE(true, false);
    Split split(any_driver(), layers);
    const auto rows = test::expected_scenarios();
    for (const validate::EngineScenarioKind& kind : validate::engine_scenarios()) {
        const auto row = std::ranges::find_if(rows, [&kind](const test::ExpectedScenario& expected) {
            return expected.driver == "nvidia-vulkan" && expected.scenario == kind.example.name;
        });
        INFO(kind.example.name);
        REQUIRE(row != rows.end());
        validate::ValidateOptions options;
        options.seed = 3;
        options.validation_layers = layers;
        const auto result =
            validate::run_engine_scenario(kind.example, *split, test::scene_policy(), options, kind.sharing);
        if (!result) FAIL(to_string(result.error()));
        INFO(test::words(*result));
        CHECK(result->verdict == model::Verdict::kValidated);
        CHECK(result->findings_total == 0);
        REQUIRE(result->engines);
        test::check_engines(*row, *result->engines);
        const bool has_owners =
            result->reason.find("exclusive sharing: 7 ownership transfers between 3 queue families") !=
            std::string::npos;
        CHECK(has_owners == (kind.sharing == validate::Sharing::kExclusive));
        CHECK((result->reason.find("concurrent sharing, no ownership moves") != std::string::npos) == !has_owners);
        split.check_silent();
    }
}

TEST_CASE("a transfer that cannot be is refused, and nothing of it is submitted") {
    Split split("HEAPWRIGHT_ICD_LAVAPIPE");
    device::ResourceBinder& resources = split->resources();
    const model::BufferDescription description{
        .size_bytes = 1024, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
    const auto requirements = resources.requirements(description);
    REQUIRE(requirements);
    const MemoryTypeIndex type{static_cast<std::uint32_t>(std::countr_zero(requirements->memory_type_bits))};
    const auto owned = resources.create_exclusive(description, type, 0.5f);
    const auto shared = resources.create_dedicated(description, type, 0.5f);
    const auto image = resources.create_exclusive(
        model::ImageDescription{.format = model::Format::kR8G8B8A8Unorm,
                                .usage = model::image_usage::kTransferSrc | model::image_usage::kTransferDst,
                                .width = 16,
                                .height = 16},
        type, 0.5f);
    REQUIRE((owned && shared && image));
    const auto code = [&](const device::OwnershipTransfer& transfer, bool release) {
        const std::array transfers{transfer};
        device::Submission submission{.engine = {0}, .waits = {}, .work = {}, .signals = {}, .lists = {}};
        (release ? submission.releases : submission.acquires) = transfers;
        const Status submitted = split->submitter().submit(submission);
        return submitted ? std::optional<ErrorCode>() : submitted.error().code;
    };
    const device::OwnershipTransfer good{*owned, {0}, {2}, 0, 1024};
    const auto changed = [&good](auto&& change) {
        device::OwnershipTransfer transfer = good;
        change(transfer);
        return transfer;
    };
    using device::OwnershipTransfer;
    CHECK(code(changed([&](OwnershipTransfer& t) { t.resource = *shared; }), true) == ErrorCode::kInvalidArgument);
    CHECK(code(changed([&](OwnershipTransfer& t) { t.resource = {77}; }), true) == ErrorCode::kInvalidArgument);
    // Nothing has used it.
    CHECK(code(changed([&](OwnershipTransfer& t) { t.resource = *image; }), true) == ErrorCode::kInvalidArgument);
    // Engine 0 is of family 0.
    CHECK(code(changed([](OwnershipTransfer& t) { t.from = {2}; }), true) == ErrorCode::kInvalidArgument);
    CHECK(code(good, false) == ErrorCode::kInvalidArgument);
    CHECK(code(changed([](OwnershipTransfer& t) { t.to = {0}; }), true) == ErrorCode::kInvalidArgument);
    CHECK(code(changed([](OwnershipTransfer& t) { t.size_bytes = 1025; }), true) == ErrorCode::kOutOfRange);
    CHECK(code(changed([](OwnershipTransfer& t) { t.offset_bytes = ~0ull; }), true) == ErrorCode::kOutOfRange);
    CHECK(code(changed([](OwnershipTransfer& t) { t.size_bytes = 0; }), true) == ErrorCode::kOutOfRange);
    CHECK(split.transfers().empty());
    CHECK_FALSE(code(good, true).has_value());
    REQUIRE(split->submitter().wait_idle());
    CHECK(split.transfers().size() == 1);
    for (const auto& resource : {owned, shared, image}) resources.destroy(*resource);
    split.check_silent();
}
