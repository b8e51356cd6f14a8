#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "workload/stream.hpp"
#include "workload/trace.hpp"
#include "workload/trace_hints.hpp"

using namespace heapwright;
using namespace heapwright::workload;
using model::Lifetime;

namespace {

constexpr std::string_view kText =
    "heapwright-trace 1\n"
    "create 1 image R8G8B8A8_SRGB optimal 1024x512x1 mips=11 layers=1 samples=1 usage=TRANSFER_DST|SAMPLED "
    "memory=device\n"
    "create 2 buffer 65536 usage=TRANSFER_DST|INDEX_BUFFER memory=device\n"
    "create 18446744073709551615 buffer 4 usage=none memory=upload\n"
    "destroy 1\n"
    "frame\n"
    "create 1 image D32_SFLOAT linear 16x16x8 mips=1 layers=1 samples=1 usage=none memory=readback\n"
    "frame\n";

Trace read(std::string_view text) {
    auto trace = read_trace(text, "trace");
    if (!trace) FAIL(to_string(trace.error()));
    return std::move(*trace);
}

model::Workload hints_of(const std::string& text, std::string_view name) {
    auto workload = workload_from_trace([&] { return TraceReader::create(bytes_of(text), "trace"); }, name);
    if (!workload) FAIL(to_string(workload.error()));
    return std::move(*workload);
}

}  // namespace

TEST_CASE("a trace is written as it was read") {
    CHECK(is_trace(kText));
    CHECK_FALSE(is_trace("{"));
    const auto trace = read(kText);
    REQUIRE(trace.operations.size() == 7);
    const auto& image = std::get<TraceCreate>(trace.operations[0]);
    CHECK(std::get<model::ImageDescription>(image.resource) ==
          model::ImageDescription{.format = model::Format::kR8G8B8A8Srgb,
                                  .usage = model::image_usage::kSampled | model::image_usage::kTransferDst,
                                  .width = 1024,
                                  .height = 512,
                                  .mip_levels = 11});
    CHECK(std::get<TraceCreate>(trace.operations[2]).memory_use == model::MemoryUse::kUpload);
    CHECK(std::get<Destroy>(trace.operations[3]).id == 1);
    CHECK(write_trace(trace) == kText);
}

TEST_CASE("comments, empty lines and carriage returns are skipped") {
    const auto trace =
        read("heapwright-trace 1\r\n# nothing\r\n\r\ncreate 1 buffer 4 usage=none memory=device\r\nframe");
    CHECK(trace.operations.size() == 2);
}

TEST_CASE("a wrong line is named by its number and what is wrong with it") {
    const auto refused = [](std::string_view body, std::string_view reason, ErrorCode code = ErrorCode::kParseError) {
        const auto trace = read_trace(fmt::format("heapwright-trace 1\nframe\n{}", body), "f");
        CAPTURE(body);
        REQUIRE_FALSE(trace);
        CHECK(trace.error().code == code);
        CHECK(trace.error().where == "f:3");
        CHECK(trace.error().message.find(reason) != std::string::npos);
    };
    refused("frames", "\"create\", \"destroy\" or \"frame\"");
    refused("frame 1", "too much");
    refused("frame ", "too much");
    refused("destroy 4", "4 is not alive");
    refused("destroy x", "not a number");
    refused("create 1", "\"image\" or \"buffer\"");
    refused("create 1 buffer 0 usage=none memory=device", "not a number");
    refused("create 1 buffer -4 usage=none memory=device", "not a number");
    refused("create 1 buffer 4 memory=device", "\"usage=\" is expected");
    refused("create 1 buffer 4 usage=NOTHING memory=device", "no usage \"NOTHING\"");
    refused("create 1 buffer 4 usage=none memory=gpu", "no memory use \"gpu\"");
    refused("create 1 buffer 4 usage=none memory=device more", "too much");
    refused("create 1  buffer 4 usage=none memory=device", "\"image\" or \"buffer\"");
    refused("create 1 image RGBA optimal 4x4x1 mips=1 layers=1 samples=1 usage=none memory=device", "no format");
    refused("create 1 image R8_UNORM tiled 4x4x1 mips=1 layers=1 samples=1 usage=none memory=device", "no tiling");
    refused("create 1 image R8_UNORM optimal 4x4 mips=1 layers=1 samples=1 usage=none memory=device", "WIDTHxHEIGHT");
    refused("create 1 image R8_UNORM optimal 4x4x1 mips=4 layers=1 samples=1 usage=none memory=device", "mip levels");
    refused("create 1 image R8_UNORM optimal 4x4x2 mips=1 layers=2 samples=1 usage=none memory=device", "one layer");
    refused("create 1 image R8_UNORM optimal 4x4x1 mips=1 layers=1 samples=12 usage=none memory=device",
            "power of two");

    CHECK(read_trace("", "f").error().where == "f:1");
    CHECK(read_trace("trace 1\n", "f").error().code == ErrorCode::kParseError);
    CHECK(read_trace("heapwright-trace 2\n", "f").error().code == ErrorCode::kUnsupportedVersion);
    const auto twice = read_trace(
        "heapwright-trace 1\ncreate 1 buffer 4 usage=none memory=device\ncreate 1 buffer 4 usage=none memory=device\n",
        "f");
    REQUIRE_FALSE(twice);
    CHECK(twice.error().where == "f:3");
    CHECK(twice.error().message.find("alive already") != std::string::npos);
}

TEST_CASE("lifetimes, counts and sizes come back out of a trace") {
    model::Workload made;
    made.steps_per_frame = 8;
    made.churn_steps = 4000;
    constexpr auto kImages = model::image_usage::kSampled;
    made.images = {{.usage = kImages,
                    .extents = {{64, 64}, {128, 32}},
                    .full_mips = true,
                    .count = 50,
                    .lifetime = Lifetime::kStreaming},
                   {.format = model::Format::kD32Sfloat,
                    .usage = kImages,
                    .extents = {{800, 600}},
                    .count = 4,
                    .lifetime = Lifetime::kPersistent}};
    made.buffers = {{.usage = model::buffer_usage::kUniform,
                     .smallest_bytes = 1024,
                     .largest_bytes = 8191,
                     .count = 60,
                     .lifetime = Lifetime::kStreaming},
                    {.usage = model::buffer_usage::kTransferSrc,
                     .smallest_bytes = 4096,
                     .largest_bytes = 4096,
                     .count = 3,
                     .lifetime = Lifetime::kFrame,
                     .memory_use = model::MemoryUse::kUpload}};
    auto stream = ResourceStream::create(made, 2);
    REQUIRE(stream);
    Trace trace;
    while (const auto operation = stream->next()) {
        if (const auto* created = std::get_if<Create>(&*operation)) {
            trace.operations.emplace_back(TraceCreate{created->id, created->resource, created->memory_use});
        } else if (const auto* destroyed = std::get_if<Destroy>(&*operation)) {
            trace.operations.emplace_back(*destroyed);
        } else {
            trace.operations.emplace_back(EndFrame{});
        }
    }
    const model::Workload found = hints_of(write_trace(trace), "engine");
    CHECK(found.name == "engine");
    REQUIRE(check_workload(found));

    const auto image_count = [&](model::Format format, Lifetime lifetime) {
        std::uint32_t count = 0;
        for (const auto& hint : found.images) {
            if (hint.format == format && hint.lifetime == lifetime) count += hint.count;
        }
        return count;
    };
    CHECK(image_count(model::Format::kD32Sfloat, Lifetime::kPersistent) == 4);
    CHECK(image_count(model::Format::kR8G8B8A8Unorm, Lifetime::kStreaming) >= 40);
    for (const auto& hint : found.images) {
        CHECK(hint.full_mips == (hint.format == model::Format::kR8G8B8A8Unorm));
        if (hint.lifetime != Lifetime::kStreaming) continue;
        CHECK(hint.extents.size() > 2);  // both extents, by frequency
        const auto wide = std::count(hint.extents.begin(), hint.extents.end(), std::array<std::uint32_t, 2>{128, 32});
        CHECK((wide > 20 && wide < 44));
    }
    std::uint32_t octaves = 0;
    for (const auto& hint : found.buffers) {
        if (hint.usage == model::buffer_usage::kTransferSrc) {
            CHECK(hint.lifetime == Lifetime::kFrame);
            CHECK(hint.count == 3);
            CHECK(hint.memory_use == model::MemoryUse::kUpload);
        } else if (hint.lifetime == Lifetime::kStreaming) {
            ++octaves;
            CHECK(hint.largest_bytes < hint.smallest_bytes * 2 + 4);
        }
    }
    CHECK(octaves == 3);
    // All 4,000 steps but those that destroyed what the same frame had created, which the trace shows as frame-lived.
    CHECK((found.churn_steps > 3800 && found.churn_steps <= 4000));
    CHECK((found.steps_per_frame >= 7 && found.steps_per_frame <= 9));
}

TEST_CASE("what dies together is a level") {
    std::string text = "heapwright-trace 1\n";
    for (int i = 0; i < 100; ++i) text += fmt::format("create {} buffer 4096 usage=none memory=device\n", i);
    text += "frame\n";
    for (int i = 0; i < 50; ++i) text += fmt::format("destroy {}\n", i);
    text += "frame\n";
    for (int i = 50; i < 53; ++i) text += fmt::format("destroy {}\n", i);
    text += "frame\n";
    const auto found = hints_of(text, "levels");
    REQUIRE(found.buffers.size() == 3);
    std::map<Lifetime, std::uint32_t> counts;
    for (const auto& hint : found.buffers) counts[hint.lifetime] = hint.count;
    CHECK(counts[Lifetime::kLevel] == 50);
    CHECK(counts[Lifetime::kStreaming] == 3);
    CHECK(counts[Lifetime::kPersistent] == 47);
}

TEST_CASE("an empty trace has no hints") {
    CHECK(hints_of("heapwright-trace 1\n", "empty").images.empty());
}
