#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "core/file.hpp"
#include "stream_account.hpp"
#include "test_paths.hpp"
#include "workload/read.hpp"
#include "workload/stream.hpp"

using namespace heapwright;
using namespace heapwright::workload;

TEST_CASE("the compiled-in presets are the files of policies/presets, all of them") {
    std::set<std::string> files;
    const auto folder = std::filesystem::path(test::source_path("policies/presets"));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path().stem().string());
    std::set<std::string> names;
    for (const auto name : preset_names()) {
        names.insert(std::string(name));
        CHECK(read_file(folder / fmt::format("{}.json", name)).value() == preset_text(name).value());
    }
    CHECK(files == names);
    CHECK(preset_names().front() == "general-engine");
}

TEST_CASE("an unknown preset is refused with the known ones") {
    const auto unknown = preset("engine");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::kInvalidArgument);
    CHECK(unknown.error().message.find("2d-ui") != std::string::npos);
}

TEST_CASE("a preset at a percentage has as many hundredths of each count, at least one, and the same sizes") {
    for (const auto name : preset_names()) {
        CAPTURE(name);
        const auto whole = preset(name);
        REQUIRE(whole);
        for (const std::uint32_t percent : {1u, 37u, 94u}) {
            const auto part = preset(fmt::format("{}@{}%", name, percent));
            if (!part) FAIL(to_string(part.error()));
            CHECK(part->name == fmt::format("{}@{}%", name, percent));
            REQUIRE(part->images.size() == whole->images.size());
            for (std::size_t i = 0; i < whole->images.size(); ++i) {
                CHECK(part->images[i].count == std::max(1u, whole->images[i].count * percent / 100));
                CHECK(part->images[i].largest_side == whole->images[i].largest_side);
            }
            for (std::size_t i = 0; i < whole->buffers.size(); ++i) {
                CHECK(part->buffers[i].count == std::max(1u, whole->buffers[i].count * percent / 100));
                CHECK(part->buffers[i].largest_bytes == whole->buffers[i].largest_bytes);
            }
        }
        CHECK(preset(fmt::format("{}@100%", name))->name == name);
    }
    for (const char* name : {"2d-ui@", "2d-ui@0%", "2d-ui@101%", "2d-ui@50", "2d-ui@5%%", "2d-ui@-1%", "2d-ui@1.5%"}) {
        CAPTURE(name);
        const auto refused = preset(name);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        CHECK(refused.error().message.find("2d-ui@50%") != std::string::npos);
    }
    CHECK_FALSE(preset("no-such@50%"));
}

TEST_CASE("every preset is a workload that runs to its end and gives back all but what stays") {
    for (const auto name : preset_names()) {
        CAPTURE(name);
        const auto workload = preset(name);
        if (!workload) FAIL(to_string(workload.error()));
        CHECK(workload->name == name);
        CHECK(workload->description.size() > 100);
        REQUIRE(check_workload(*workload));
        auto stream = ResourceStream::create(*workload, workload->seed, 0.05);
        REQUIRE(stream);
        const StreamAccount account = account_of(*stream);
        // A step needs something to renew; a small part of a workload has less of it than a frame may take.
        const std::uint32_t frames =
            (workload->churn_steps + workload->steps_per_frame - 1) / std::max(1u, workload->steps_per_frame);
        CHECK((account.churn_steps >= workload->churn_steps || account.frames >= frames));
        std::uint64_t stays = 0;
        for (const ScaledCount& count : stream->counts()) {
            const std::size_t images = workload->images.size();
            const auto lifetime = count.hint < images ? workload->images[count.hint].lifetime
                                                      : workload->buffers[count.hint - images].lifetime;
            stays += lifetime == model::Lifetime::kFrame ? 0 : count.used;
        }
        CHECK(account.live.images + account.live.buffers == stays);
    }
}

TEST_CASE("the general engine is as large as a real one") {
    const auto workload = preset("general-engine");
    REQUIRE(workload);
    CHECK(workload->churn_steps == 20'000);
    auto stream = ResourceStream::create(*workload, workload->seed);
    REQUIRE(stream);
    const StreamAccount account = account_of(*stream);
    CHECK(account.peak.images >= 2'000);
    CHECK(account.peak.buffers >= 5'000);
    constexpr double kGib = 1 << 30;
    const double peak_gib = static_cast<double>(account.peak.packed_bytes) / kGib;
    CAPTURE(peak_gib);
    CHECK((peak_gib > 1.5 && peak_gib < 2.5));
}
