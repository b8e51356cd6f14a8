// Ten captures of one device that differ by noise give one policy: every committed report, three workloads.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/core/file.hpp"
#include "heapwright/core/random.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/workload/presets.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

constexpr std::uint64_t kCaptures = 10;

// Noise of a fifth; in every other capture the machine is busy, which makes every second time half as long again.
void disturb(model::DeviceReport& device, std::uint64_t capture) {
    Random random(capture);
    const auto disturbed = [&](std::uint64_t ns) {
        double factor = 0.8 + 0.4 * random.unit();
        if (capture % 2 == 1 && random.below(2) == 0) factor *= 1.5;
        return static_cast<std::uint64_t>(static_cast<double>(ns) * factor);
    };
    for (model::MemoryCostCurve& curve : device.run.memory_cost) {
        for (model::MemoryCostPoint& point : curve.points) {
            point.allocate_ns = disturbed(point.allocate_ns);
            point.free_ns = disturbed(point.free_ns);
        }
    }
}

using Chunks = std::map<std::string, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;

Chunks chunks_of(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload, 0, {.with_expectations = false});
    REQUIRE(policy);
    Chunks chunks;
    for (const model::BucketPolicy& bucket : policy->buckets) {
        chunks[bucket.id] = {bucket.chunk_size_bytes.value, bucket.growth ? bucket.growth->first_chunk_bytes.value : 0,
                             bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value : 0};
    }
    return chunks;
}

std::string text_of(const Chunks& chunks) {
    std::string text;
    for (const auto& [id, sizes] : chunks) {
        text += id + " " + std::to_string(std::get<0>(sizes)) + " first " + std::to_string(std::get<1>(sizes)) +
                " alone " + std::to_string(std::get<2>(sizes)) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("ten captures of one device, idle and busy, give the same buckets and chunks") {
    std::size_t measured = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("reports"))) {
        const std::string file = entry.path().string();
        if (entry.path().extension() != ".json" || file.find("-validation") != std::string::npos) continue;
        const auto report = model::read_report(read_file(file).value(), file);
        REQUIRE(report);
        const model::DeviceReport& device = report->devices.front();
        if (device.run.memory_cost.empty()) continue;  // nothing in it that noise could reach
        ++measured;
        for (const char* name : {"general-engine", "desktop-app", "open-world-streaming"}) {
            const auto workload = workload::preset(name);
            REQUIRE(workload);
            const Chunks as_captured = chunks_of(device, *workload);
            for (std::uint64_t capture = 1; capture <= kCaptures; ++capture) {
                model::DeviceReport other = device;
                disturb(other, capture);
                INFO(file << ", " << name << ", capture " << capture);
                CHECK(text_of(chunks_of(other, *workload)) == text_of(as_captured));
            }
        }
    }
    CHECK(measured == 2);
}
