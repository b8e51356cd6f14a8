// What hints say beyond format, size and count: depth, mip levels, creation flags, host access, memory of their own.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <string>

#include "workload/draw.hpp"
#include "workload/stream.hpp"
#include "workload/trace.hpp"
#include "workload/trace_hints.hpp"

using namespace heapwright;
using namespace heapwright::workload;
using model::ImageHint;

namespace {

std::string refusal(const ImageHint& hint) {
    model::Workload workload;
    workload.images = {hint};
    const auto checked = check_workload(workload);
    return checked ? std::string() : checked.error().where + ": " + checked.error().message;
}

bool refused_at(const ImageHint& hint, const std::string& place) {
    return refusal(hint).starts_with("/images/0/" + place + ": ");
}

model::Workload hints_of(const std::string& lines) {
    const std::string text = "heapwright-trace 1\n" + lines;
    auto workload = workload_from_trace([&] { return TraceReader::create(bytes_of(text), "t"); }, "t");
    if (!workload) FAIL(to_string(workload.error()));
    return *workload;
}

}  // namespace

TEST_CASE("images are drawn with the depth, mip levels and creation flags of their hint") {
    Random random(1);
    const auto volume = draw_image(
        {.extents = {{16, 8}}, .full_mips = true, .depth = 32, .flags = model::image_creation::k2dArrayCompatible},
        random);
    CHECK(volume.dimension == model::ImageDimension::k3d);
    CHECK(volume.depth == 32);
    CHECK(volume.mip_levels == 6);
    CHECK(volume.flags == model::image_creation::k2dArrayCompatible);
    CHECK(draw_image({.extents = {{1024, 1024}}, .mip_levels = 4}, random).mip_levels == 4);
    CHECK(draw_image({.extents = {{2, 2}}, .mip_levels = 4}, random).mip_levels == 2);
    CHECK(draw_image({.extents = {{64, 64}}}, random).dimension == model::ImageDimension::k2d);
}

TEST_CASE("what the specification forbids of an image is refused where it stands") {
    namespace image_creation = model::image_creation;
    CHECK(refused_at({.array_layers = 2, .depth = 4}, "array_layers"));
    CHECK(refused_at({.samples = 4, .depth = 4}, "samples"));
    CHECK(refused_at({.full_mips = true, .mip_levels = 3}, "mip_levels"));
    CHECK(refused_at({.samples = 4, .mip_levels = 3}, "mip_levels"));
    CHECK(refused_at({.extents = {{64, 64}}, .flags = image_creation::kCubeCompatible}, "flags"));
    CHECK(refused_at({.extents = {{64, 32}}, .array_layers = 6, .flags = image_creation::kCubeCompatible}, "extents"));
    CHECK(refused_at({.array_layers = 6, .flags = image_creation::kCubeCompatible}, "flags"));
    CHECK(refused_at({.flags = image_creation::k2dArrayCompatible}, "flags"));
    CHECK(refusal({.extents = {{64, 64}}, .array_layers = 6, .flags = image_creation::kCubeCompatible}).empty());
    CHECK(refusal({.depth = 4, .mip_levels = 2}).empty());
}

TEST_CASE("creation flags that nothing carries out are not supported, by name") {
    const std::string text = refusal({.flags = 0x1 | 0x800 | model::image_creation::kAlias});
    CHECK(text.find("SPARSE_BINDING|PROTECTED is not supported") != std::string::npos);
}

TEST_CASE("host access belongs to memory that the host sees, and does not contradict it") {
    CHECK(refused_at({.host_access = model::HostAccess::kRandom}, "host_access"));
    CHECK(refused_at({.memory_use = model::MemoryUse::kReadback, .host_access = model::HostAccess::kSequential},
                     "host_access"));
    CHECK(refusal({.memory_use = model::MemoryUse::kStreaming, .host_access = model::HostAccess::kRandom}).empty());
}

TEST_CASE("what the host reads out of order is placed as memory that is read back") {
    model::Workload workload;
    workload.churn_steps = 0;
    workload.buffers = {{.memory_use = model::MemoryUse::kStreaming, .host_access = model::HostAccess::kRandom},
                        {.memory_use = model::MemoryUse::kStreaming,
                         .host_access = model::HostAccess::kSequential,
                         .dedicated = model::OwnMemory::kAlways}};
    auto stream = ResourceStream::create(workload, 1);
    REQUIRE(stream);
    int seen = 0;
    while (const auto operation = stream->next()) {
        const auto* created = std::get_if<Create>(&*operation);
        if (created == nullptr) continue;
        ++seen;
        CHECK(created->memory_use == (created->hint == 0 ? model::MemoryUse::kReadback : model::MemoryUse::kStreaming));
        CHECK(created->own_memory == (created->hint == 0 ? model::OwnMemory::kAuto : model::OwnMemory::kAlways));
    }
    CHECK(seen == 2);
}

TEST_CASE("a trace keeps 3D images, cut mip chains and every name of the specification") {
    const std::string lines =
        "create 1 image BC7_SRGB_BLOCK optimal 64x64x1 mips=3 layers=1 samples=1 usage=SAMPLED memory=device\n"
        "create 2 image BC7_SRGB_BLOCK optimal 64x64x1 mips=7 layers=1 samples=1 usage=SAMPLED memory=device\n"
        "create 3 image R16_UNORM optimal 8x8x4 mips=2 layers=1 samples=1 usage=SAMPLED memory=device\n"
        "create 4 buffer 4096 usage=ACCELERATION_STRUCTURE_STORAGE_KHR|BIT_20 memory=device\n";
    const model::Workload found = hints_of(lines);
    REQUIRE(found.images.size() == 3);
    REQUIRE(found.buffers.size() == 1);
    CHECK(found.buffers[0].usage == 1u << 20);
    for (const ImageHint& hint : found.images) {
        if (hint.format == model::Format::kR16Unorm) {
            CHECK(hint.depth == 4u);
            CHECK(hint.array_layers == 1);
            CHECK(hint.mip_levels == 2u);
        } else {
            CHECK_FALSE(hint.depth);
            CHECK(hint.full_mips == !hint.mip_levels.has_value());
        }
    }
    CHECK(check_workload(found));
    // Each hint draws what the trace held.
    const auto trace = read_trace("heapwright-trace 1\n" + lines, "t");
    REQUIRE(trace);
    for (const ImageHint& hint : found.images) {
        Random random(1);
        const model::ImageDescription drawn = draw_image(hint, random);
        CHECK(std::ranges::any_of(trace->operations, [&](const TraceOperation& operation) {
            const auto* created = std::get_if<TraceCreate>(&operation);
            return created != nullptr && created->resource == model::ResourceDescription(drawn);
        }));
    }
}

TEST_CASE("a trace's wrong names are answered with the nearest right ones") {
    const auto message = [](const std::string& line) {
        const auto trace = read_trace("heapwright-trace 1\n" + line, "t");
        return trace ? std::string() : trace.error().message;
    };
    CHECK(message("create 1 image BC7_SRGB optimal 4x4x1 mips=1 layers=1 samples=1 usage=none memory=device\n")
              .find("the nearest is \"BC7_SRGB_BLOCK\"") != std::string::npos);
    CHECK(message("create 1 buffer 4 usage=VERTEX_BUFER memory=device\n").find("the nearest is \"VERTEX_BUFFER\"") !=
          std::string::npos);
    CHECK(message("create 1 buffer 4 usage=none memory=readbak\n").find("the nearest is \"readback\"") !=
          std::string::npos);
}
