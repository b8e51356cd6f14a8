// A policy says that its workload fits if and only if a memory pool on the replayed device serves every request: pairs
// of captured and drawn devices with presets and drawn workloads, in heaps from a quarter to 1.75 times of what they
// took with room, half of them within 5% of that. HEAPWRIGHT_FIT_PAIRS plays more than the few, and
// HEAPWRIGHT_FIT_REPORTS, a folder, captures beside the committed ones.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "played_pool.hpp"
#include "policy/advise.hpp"
#include "policy/played_workload.hpp"
#include "policy/simulated_pool.hpp"
#include "replay/device.hpp"
#include "synthetic_device.hpp"
#include "test_paths.hpp"
#include "workload/draw.hpp"
#include "workload/read.hpp"
#include "workload/stream.hpp"

namespace fit_agreement_test {

using namespace heapwright;

namespace {

constexpr std::size_t kFewPairs = 50;
constexpr std::uint64_t kMostSeedsOfPair = 40;
// As many steps as play every frame of what small() leaves.
constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 400, .churn_steps = 120}};

void add_reports(const std::string& folder, std::vector<model::DeviceReport>& devices) {
    std::set<std::string> paths;  // in one order everywhere, so that a seed is one pair
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        if (entry.path().extension() == ".json" && path.find("validation") == std::string::npos) paths.insert(path);
    }
    for (const std::string& path : paths) {
        auto report = model::read_report(read_file(path).value(), path);
        REQUIRE(report);
        devices.insert(devices.end(), report->devices.begin(), report->devices.end());
    }
}

std::vector<model::DeviceReport> captured_devices() {
    std::vector<model::DeviceReport> devices;
    add_reports(test::source_path("reports"), devices);
    REQUIRE(devices.size() >= 6);
    if (const char* folder = std::getenv("HEAPWRIGHT_FIT_REPORTS")) add_reports(folder, devices);
    return devices;
}

std::size_t wanted_pairs() {
    const char* pairs = std::getenv("HEAPWRIGHT_FIT_PAIRS");
    return pairs == nullptr ? kFewPairs : std::strtoull(pairs, nullptr, 10);
}

// Cut down to what plays in a moment.
model::Workload small(model::Workload workload, Random& random) {
    double count = 0;
    for (const model::ImageHint& hint : workload.images) count += hint.count;
    for (const model::BufferHint& hint : workload.buffers) count += hint.count;
    // Some beyond what a search samples of them.
    const double most = random.below(4) == 0 ? 5 * static_cast<double>(kQuick.sample.most_resources) : 200;
    const double scale = std::min(1.0, most / std::max(1.0, count));
    const auto shrink = [&](auto& hint) {
        if (hint.count != 0) hint.count = std::max(1u, static_cast<std::uint32_t>(hint.count * scale));
        hint.dedicated = static_cast<model::OwnMemory>(random.below(8) < 6 ? 0 : random.between(1, 2));
    };
    std::ranges::for_each(workload.images, shrink);
    std::ranges::for_each(workload.buffers, shrink);
    workload.churn_steps = static_cast<std::uint32_t>(random.below(300));
    workload.steps_per_frame = static_cast<std::uint32_t>(random.between(1, 30));
    workload.frames_in_flight = static_cast<std::uint32_t>(random.between(1, 3));
    workload.caps.reset();
    workload.reserve_share = 0;
    return workload;
}

// With as much memory in each heap as `factor` times what the workload took of it.
void resize_heaps(model::DeviceReport& device, const model::DevicePolicy& policy, double factor) {
    device.run.heap_budgets.clear();
    for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
        const auto peak = static_cast<double>(policy.expectations->heaps[heap].peak_reserved_bytes.value);
        if (device.heaps[heap].size_bytes == 0) continue;
        device.heaps[heap].size_bytes =
            std::max<std::uint64_t>(1, std::min(device.heaps[heap].size_bytes, saturating_bytes(peak * factor)));
    }
}

// Requests for which a pool on the device finds no memory, over all seeds. Nothing: the report holds no answer about
// some.
std::optional<std::size_t> failures_on(const model::DeviceReport& report, const model::DevicePolicy& policy,
                                       const model::Workload& whole) {
    const model::Workload workload = workload::split_buffers(whole, policy);
    std::size_t failures = 0;
    for (std::uint64_t seed = workload.seed; seed < workload.seed + policy::kPlayedSeeds; ++seed) {
        auto device = replay::open_replay(report, {.interpolate = true, .shadow_limit_bytes = ~0ull});
        REQUIRE(device);
        auto stream = workload::ResourceStream::create(workload, seed);
        REQUIRE(stream);
        std::vector<workload::Operation> operations;
        while (auto next = stream->next()) operations.push_back(*next);
        for (const workload::Operation& operation : operations) {
            const auto* create = std::get_if<workload::Create>(&operation);
            if (create != nullptr && !(*device)->resources().requirements(create->resource)) return std::nullopt;
        }
        const auto played =
            test::play_on(**device, policy, operations, {.frames_in_flight = workload.frames_in_flight});
        failures += static_cast<std::size_t>(std::ranges::count_if(
            played.places, [](const policy::SimulatedPlace& place) { return place.error.has_value(); }));
    }
    return failures;
}

// Of the first seed, the resources for which the play takes other memory than a replayed device asks.
std::size_t count_other_requirements(const model::DeviceReport& report, const model::Workload& workload) {
    const policy::Context context{.device = report, .workload = workload, .device_index = 0};
    const auto played = policy::PlayedStreams(context, kQuick.sample).of(workload.seed);
    auto device = replay::open_replay(report, {.interpolate = true});
    REQUIRE(played);
    REQUIRE(device);
    auto assumed = (*played)->requirements.begin();
    return static_cast<std::size_t>(
        std::ranges::count_if((*played)->operations, [&](const workload::Operation& operation) {
            const auto* create = std::get_if<workload::Create>(&operation);
            if (create == nullptr) return false;
            const auto asked = (*device)->resources().requirements(create->resource);
            const std::optional<model::MemoryRequirements>& played_with = *assumed++;
            return asked && played_with && *asked != *played_with;
        }));
}

}  // namespace

TEST_CASE("what is played asks for the memory that a replayed device asks for, between swept sizes, too") {
    for (const model::DeviceReport& report : captured_devices()) {
        for (const auto name : workload::preset_names()) {
            Random random(1);
            INFO(report.identity.name << ", " << name);
            CHECK(count_other_requirements(report, small(workload::preset(name).value(), random)) == 0);
        }
    }
}

TEST_CASE("a workload fits if and only if a pool on the device serves every request") {
    const std::vector<model::DeviceReport> captured = captured_devices();
    std::size_t fitting = 0;
    std::size_t unfit = 0;
    std::size_t near = 0;
    const std::size_t pairs = wanted_pairs();
    for (std::uint64_t seed = 1; fitting + unfit < pairs && seed <= pairs * kMostSeedsOfPair; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        // Captured reports hold answers about the presets, drawn ones about any size.
        const bool is_captured = random.below(2) == 0;
        const auto names = workload::preset_names();
        model::DeviceReport device =
            is_captured ? captured[random.below(captured.size())] : test::random_device(random);
        const model::Workload workload = small(
            is_captured ? workload::preset(names[random.below(names.size())]).value() : test::random_workload(random),
            random);
        const auto roomy = policy::advise(device, workload, 0, kQuick);
        // What the device refuses is refused whatever its memory.
        if (!roomy || !roomy->expectations || !roomy->capacity->refused.empty()) continue;
        const bool is_near = random.below(2) == 0;
        resize_heaps(device, *roomy, is_near ? 0.95 + 0.1 * random.unit() : 0.25 + 1.5 * random.unit());
        const auto policy = policy::advise(device, workload, 0, kQuick);
        if (!policy || !policy->left_out.empty()) continue;
        const std::optional<std::size_t> failures = failures_on(device, *policy, workload);
        if (!failures) continue;
        ++(policy->capacity->fits ? fitting : unfit);
        near += is_near ? 1 : 0;
        INFO(device.identity.name << ", " << workload.name << ": " << model::statement_of(*policy->capacity));
        CHECK(policy->capacity->fits == (*failures == 0));
    }
    INFO(fitting << " fit, " << unfit << " do not, " << near << " within 5% of the border");
    CHECK(fitting + unfit == pairs);
    // Of 600 pairs 250 each way, 200 of them near.
    CHECK(fitting >= pairs * 5 / 12);
    CHECK(unfit >= pairs * 5 / 12);
    CHECK(near >= pairs / 3);
}

}  // namespace fit_agreement_test
