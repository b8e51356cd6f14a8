// The examples' pictures against what is written down by hand: an example that takes another slot than it should
// leaves other pictures, however well its accesses are ordered.
#include <algorithm>

#include "expected_pictures.hpp"
#include "rehearsed.hpp"

using namespace heapwright;
using engines::EngineProgram;
using engines::Example;
using engines::ExampleSettings;
using test::Words;

namespace {

std::vector<ExampleSettings> settings_of(const Example& example) {
    std::vector<ExampleSettings> all{example.settings};
    for (const std::uint64_t latency : {1u, 2u, 4u}) {
        for (const std::uint64_t cpu_latency : {1u, 5u}) {
            all.push_back({.side = 8,
                           .rounds = 2,
                           .frames = 9,
                           .ring_length = latency,
                           .cpu_latency = cpu_latency,
                           .engine_latency = latency});
        }
    }
    all.push_back({.side = 8, .rounds = 2, .frames = 9, .delay = {.rounds = 40, .copies = 1}});
    return all;
}

// How often each of the versions that a run shows comes, in the order in which they come; untouched pictures left out.
std::vector<std::size_t> repeats(const std::vector<Words>& pictures) {
    std::vector<std::size_t> counts;
    const Words* last = nullptr;
    for (const Words& picture : pictures) {
        if (picture.front() == engines::kUntouchedWord) continue;
        if (last == nullptr || *last != picture) counts.push_back(0);
        ++counts.back();
        last = &picture;
    }
    return counts;
}

}  // namespace

TEST_CASE("every example's pictures are those written down by hand") {
    for (const Example& example : engines::examples()) {
        for (const ExampleSettings& settings : settings_of(example)) {
            INFO(example.name << ", frames " << settings.frames << ", engine latency and ring length "
                              << settings.engine_latency << ", CPU latency " << settings.cpu_latency);
            const EngineProgram program = test::rehearsed(example, settings);
            const engines::HostMemory memory = run_on_host(program);
            const auto expected = test::expected_pictures(example, settings, program);
            const auto pictures = test::pieces_of(program, memory, "pictures", settings.piece_bytes());
            REQUIRE(pictures.size() == expected.size());
            for (std::size_t i = 0; i < pictures.size(); ++i) {
                INFO("picture " << i);
                CHECK(pictures[i] == expected[i]);
            }
            // What is read once more after a delay is the same.
            const bool twice = std::ranges::any_of(
                program.resources, [](const engines::ProgramResource& one) { return one.name == "late pictures"; });
            if (twice) CHECK(test::pieces_of(program, memory, "late pictures", settings.piece_bytes()) == pictures);
            if (example.name == "streaming-copy") {
                CHECK(test::pieces_of(program, memory, "assets", settings.piece_bytes()) ==
                      test::expected_assets(settings, program));
            }
        }
    }
}

// What no host's look can excuse.
TEST_CASE("examples that decide show their last version, and none more often than they may") {
    const std::pair<std::string_view, std::size_t> most_repeats[] = {
        {"async-compute", 2}, {"async-compute-one-fence", 2}, {"async-compute-renamed", 2}, {"background-compute", 3}};
    for (const auto& [name, most] : most_repeats) {
        const Example& example = test::example_named(name);
        INFO(name);
        const EngineProgram program = test::rehearsed(example);
        const auto pictures =
            test::pieces_of(program, run_on_host(program), "pictures", example.settings.piece_bytes());
        const std::vector<std::size_t> counts = repeats(pictures);
        REQUIRE_FALSE(counts.empty());
        CHECK(std::ranges::max(counts) <= most);
        if (name == "background-compute") CHECK(counts.size() == example.settings.frames);
        // Nothing is left out at the end: the last picture is the last version's.
        const auto untouched = [](const Words& picture) { return picture.front() == engines::kUntouchedWord; };
        const auto last = std::find_if_not(pictures.rbegin(), pictures.rend(), untouched);
        REQUIRE(last != pictures.rend());
        CHECK(*last == test::expected_last_version(example, program));
    }
}
