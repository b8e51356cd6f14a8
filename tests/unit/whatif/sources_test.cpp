#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "whatif/sources.hpp"
#include "whatif_scene.hpp"
#include "workload/stream.hpp"
#include "workload/trace.hpp"

namespace heapwright::whatif {
namespace {

// All of it, checked: slots are dense, and what is destroyed was created.
std::vector<Step> read_all(StepSource& source) {
    std::vector<Step> all;
    std::vector<Step> batch;
    std::set<std::uint32_t> alive;
    std::size_t most_alive = 0;
    std::uint32_t most_slots = 0;
    std::uint64_t created = 0;
    std::uint64_t frames = 0;
    while (true) {
        REQUIRE(source.read(batch));
        if (batch.empty()) break;
        for (const Step& step : batch) {
            if (step.kind == Step::Kind::kCreate) {
                ++created;
                CHECK(alive.insert(step.slot).second);
                most_slots = std::max(most_slots, step.slot + 1);
            } else if (step.kind == Step::Kind::kDestroy) {
                CHECK(alive.erase(step.slot) == 1);
            } else {
                ++frames;
            }
            most_alive = std::max(most_alive, alive.size());
        }
        all.insert(all.end(), batch.begin(), batch.end());
    }
    const StepCounts& counts = source.counts();
    CHECK(counts.creations == created + counts.refused);
    CHECK(counts.frames == frames);
    if (counts.refused == 0) CHECK(most_slots <= most_alive + 1);
    if (!all.empty()) CHECK(all.back().kind == Step::Kind::kEndFrame);
    REQUIRE(source.read(batch));
    CHECK(batch.empty());
    return all;
}

std::string trace_of(const model::Workload& workload, std::uint64_t seed) {
    auto stream = workload::ResourceStream::create(workload, seed);
    REQUIRE(stream);
    workload::Trace trace;
    while (const auto operation = stream->next()) {
        if (const auto* created = std::get_if<workload::Create>(&*operation))
            trace.operations.emplace_back(workload::TraceCreate{created->id, created->resource, created->memory_use});
        else if (const auto* destroyed = std::get_if<workload::Destroy>(&*operation))
            trace.operations.emplace_back(*destroyed);
        else
            trace.operations.emplace_back(workload::EndFrame{});
    }
    return workload::write_trace(trace);
}

bool is_same(const Step& one, const Step& other) {
    return one.kind == other.kind && one.slot == other.slot && one.request.requirements == other.request.requirements &&
           one.request.resource_class == other.request.resource_class && one.request.use == other.request.use &&
           one.request.transient_attachment == other.request.transient_attachment;
}

}  // namespace

TEST_CASE("hints and the trace of the same operations are the same steps") {
    const std::uint64_t seed = GENERATE(take(2, random(1u, 1'000'000u)));
    for (const std::string_view file : kSceneReports) {
        const model::DeviceReport facts = report_of(file);
        for (const std::string_view preset : workload::preset_names()) {
            CAPTURE(seed, file, preset);
            const model::Workload workload = small_preset(preset, 300);
            const policy::Context context{.device = facts, .workload = workload, .device_index = 0};
            const policy::HintSizers sizers(context);
            auto hints = steps_of_hints(sizers, seed);
            REQUIRE(hints);
            const std::vector<Step> of_hints = read_all(**hints);
            CHECK((*hints)->counts().creations > 0);

            const std::string text = trace_of(workload, seed);
            auto reader = workload::TraceReader::create(workload::bytes_of(text), "trace");
            REQUIRE(reader);
            const auto trace = steps_of_trace(context, std::move(*reader));
            const std::vector<Step> of_trace = read_all(*trace);
            // A trace does not say what wants memory of its own, and names creation flags nowhere.
            const bool has_flags =
                std::ranges::any_of(workload.images, [](const model::ImageHint& hint) { return hint.flags != 0; });
            if (has_flags || (*hints)->counts().refused != 0) continue;
            CHECK(trace->counts().creations == (*hints)->counts().creations);
            CHECK(std::ranges::equal(of_hints, of_trace, is_same));
        }
    }
}

TEST_CASE("a dump is loaded whole, in another order by every seed") {
    const model::DeviceReport facts = report_of(kSceneReports[0]);
    workload::Dump dump;
    dump.memory_types = {
        {.name = "Type 0", .heap = 0, .properties = model::memory_property::kDeviceLocal, .is_told = true}};
    dump.blocks = {{.memory_type = 0, .size_bytes = 1u << 26}};
    std::multiset<std::uint64_t> wanted;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint64_t size = 256 * (1 + i % 50);
        dump.allocations.push_back(
            {.block = 0,
             .offset_bytes = 0,
             .size_bytes = size,
             .kind = i % 3 == 0 ? workload::AllocationKind::kImageOptimal : workload::AllocationKind::kBuffer,
             .usage = 0x3,
             .layout = {},
             .name = {}});
        wanted.insert(size);
    }
    const model::Workload none;
    const policy::Context context{.device = facts, .workload = none, .device_index = 0};
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const auto source = steps_of_dump(context, dump, seed);
        std::vector<std::uint64_t> sizes;
        for (const Step& step : read_all(*source))
            if (step.kind == Step::Kind::kCreate) sizes.push_back(step.request.requirements.size_bytes);
        CHECK(source->counts().frames == 1);
        CHECK(std::multiset<std::uint64_t>(sizes.begin(), sizes.end()) == wanted);
        orders.insert(std::move(sizes));
    }
    CHECK(orders.size() == 8);
}

TEST_CASE("a buffer of D3D12MA's dump is narrow where it was committed in one page, and of unknown width elsewhere") {
    const model::DeviceReport facts = report_of(kSceneReports[0]);
    const model::Workload none;
    for (const workload::DumpFormat format :
         {workload::DumpFormat::kVma3, workload::DumpFormat::kD3d12ma1, workload::DumpFormat::kD3d12ma2}) {
        workload::Dump dump{.format = format};
        dump.memory_types = {{.name = "DEFAULT", .heap = {}, .properties = {}, .is_told = true}};
        dump.blocks = {{.size_bytes = 65'536, .is_dedicated = true},
                       {.size_bytes = 131'072, .is_dedicated = true},
                       {.size_bytes = 1u << 26}};
        std::map<std::uint64_t, std::uint64_t> widths;  // by size
        for (const auto& [block, size] : {std::pair{0u, 65'536u}, std::pair{1u, 131'072u}, std::pair{2u, 65'537u}})
            dump.allocations.push_back({.block = block, .size_bytes = size, .kind = workload::AllocationKind::kBuffer});
        const auto source = steps_of_dump({.device = facts, .workload = none, .device_index = 0}, dump, 1);
        for (const Step& step : read_all(*source))
            if (step.kind == Step::Kind::kCreate) widths[step.request.requirements.size_bytes] = step.buffer_bytes;
        const bool is_told = format == workload::DumpFormat::kVma3;
        CHECK(widths.at(65'536) == (is_told ? 65'536 : 32'768));
        CHECK(widths.at(131'072) == (is_told ? 131'072 : 0));
        CHECK(widths.at(65'537) == (is_told ? 65'537 : 0));
    }
}

TEST_CASE("what the device refuses is counted and not played") {
    const model::DeviceReport facts = report_of(kSceneReports[0]);
    const std::string text =
        "heapwright-trace 1\n"
        "create 1 buffer 4096 usage=VERTEX_BUFFER memory=device\n"
        "create 2 image R8G8B8A8_UNORM optimal 1000000x1x1 mips=1 layers=1 samples=1 usage=SAMPLED memory=device\n"
        "destroy 2\n"
        "destroy 1";
    auto reader = workload::TraceReader::create(workload::bytes_of(text), "trace");
    REQUIRE(reader);
    const model::Workload none;
    const auto source = steps_of_trace({.device = facts, .workload = none, .device_index = 0}, std::move(*reader));
    const std::vector<Step> steps = read_all(*source);
    CHECK(source->counts().refused == 1);
    CHECK(source->counts().creations == 2);
    CHECK(std::ranges::count(steps, Step::Kind::kCreate, &Step::kind) == 1);
    CHECK(std::ranges::count(steps, Step::Kind::kDestroy, &Step::kind) == 1);
}

}  // namespace heapwright::whatif
