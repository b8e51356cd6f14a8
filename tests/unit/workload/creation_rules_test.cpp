// What VkImageCreateInfo and VkBufferCreateInfo forbid on every device, and what they leave to the device.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "workload/creation_rules.hpp"
#include "workload/read.hpp"
#include "workload/stream.hpp"

namespace creation_rules_test {

using namespace heapwright;
using namespace heapwright::workload;
using model::Format;
using model::ImageHint;
namespace image_usage = model::image_usage;
namespace image_creation = model::image_creation;

namespace {

std::string forbidden(const ImageHint& hint) {
    model::Workload workload;
    workload.images = {{}, hint};
    REQUIRE(check_workload(workload));
    const auto checked = check_creation(workload);
    return checked ? std::string() : checked.error().where + ": " + checked.error().message;
}

bool forbidden_at(const ImageHint& hint, const std::string& place, const std::string& words) {
    const std::string text = forbidden(hint);
    INFO(text);
    return text.starts_with("/images/1/" + place + ": ") && text.find(words) != std::string::npos;
}

constexpr auto kNv12 = Format::kG8B8R82plane420Unorm;

}  // namespace

TEST_CASE("an image and a buffer have a usage") {
    CHECK(forbidden_at({.usage = 0}, "usage", "VkImageCreateInfo: usage must not be 0"));
    model::Workload workload;
    workload.buffers = {{}, {.usage = 0}};
    const auto checked = check_creation(workload);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kInvalidArgument);
    CHECK(checked.error().where == "/buffers/1/usage");
    CHECK(checked.error().message.find("VkBufferCreateInfo: usage must not be 0") != std::string::npos);
}

TEST_CASE("depth and stencil are attached as such, colours as colours, blocks not at all") {
    constexpr auto kColour = image_usage::kColorAttachment;
    constexpr auto kDepth = image_usage::kDepthStencilAttachment;
    CHECK(forbidden_at({.usage = kDepth}, "usage", "DEPTH_STENCIL_ATTACHMENT of R8G8B8A8_UNORM"));
    CHECK(forbidden_at({.format = Format::kBc7UnormBlock, .usage = kDepth}, "usage", "BC7_UNORM_BLOCK"));
    CHECK(forbidden_at({.format = Format::kD32Sfloat, .usage = kColour}, "usage", "COLOR_ATTACHMENT of D32_SFLOAT"));
    CHECK(forbidden_at({.format = Format::kBc7UnormBlock, .usage = kColour}, "usage", "a compressed format"));
    CHECK(forbidden({.format = Format::kS8Uint, .usage = kDepth}).empty());
    CHECK(forbidden({.format = Format::kB8G8R8A8Unorm, .usage = kColour}).empty());
    // A view of another format may be what is attached.
    CHECK(forbidden({.format = Format::kBc7UnormBlock,
                     .usage = kColour,
                     .flags = image_creation::kMutableFormat | image_creation::kBlockTexelViewCompatible |
                              image_creation::kExtendedUsage})
              .empty());
}

TEST_CASE("a transient attachment is an attachment and nothing else") {
    constexpr auto kTransient = image_usage::kTransientAttachment;
    CHECK(forbidden_at({.usage = kTransient}, "usage", "needs one of COLOR_ATTACHMENT"));
    CHECK(forbidden_at({.usage = kTransient | image_usage::kColorAttachment | image_usage::kSampled}, "usage",
                       "TRANSIENT_ATTACHMENT beside SAMPLED"));
    CHECK(forbidden({.usage = kTransient | image_usage::kColorAttachment | image_usage::kInputAttachment}).empty());
    CHECK(forbidden({.usage = kTransient | image_usage::kColorAttachment | 1u << 27}).empty());  // of no name here
}

TEST_CASE("several samples need an optimal image that is no cube") {
    for (const std::uint32_t samples : {2u, 8u}) {
        CAPTURE(samples);
        const std::string number = std::to_string(samples) + " samples";
        CHECK(forbidden_at({.tiling = model::ImageTiling::kLinear, .samples = samples}, "samples", number));
        CHECK(forbidden_at(
            {.extents = {{64, 64}}, .array_layers = 6, .samples = samples, .flags = image_creation::kCubeCompatible},
            "samples", number));
        CHECK(forbidden_at({.format = model::Format::kBc7UnormBlock, .extents = {{64, 64}}, .samples = samples},
                           "samples", number + " of BC7_UNORM_BLOCK, a compressed format"));
        CHECK(forbidden({.array_layers = 6, .samples = samples}).empty());
    }
    CHECK(forbidden({.tiling = model::ImageTiling::kLinear}).empty());
}

TEST_CASE("subsampled formats have even sides, as they are named or drawn") {
    using model::SizeDistribution;
    CHECK(forbidden_at({.format = kNv12, .extents = {{640, 480}, {641, 480}}}, "extents/1", "641x480 is odd"));
    CHECK(forbidden_at({.format = kNv12, .extents = {{640, 481}}}, "extents/0", "even width and height"));
    CHECK(forbidden({.format = kNv12, .extents = {{640, 480}}}).empty());
    constexpr auto kYuy2 = Format::kG8B8G8R8422Unorm;
    CHECK(forbidden_at({.format = kYuy2, .extents = {{641, 480}}}, "extents/0", "needs an even width"));
    CHECK(forbidden({.format = kYuy2, .extents = {{640, 481}}}).empty());
    CHECK(forbidden({.format = Format::kG8B8R83plane444Unorm, .extents = {{641, 481}}}).empty());
    CHECK(forbidden({.format = Format::kBc7UnormBlock, .extents = {{641, 481}}}).empty());

    const auto drawn = [](std::uint32_t smallest, std::uint32_t largest, SizeDistribution distribution) {
        return ImageHint{
            .format = kNv12, .smallest_side = smallest, .largest_side = largest, .distribution = distribution};
    };
    CHECK(forbidden_at(drawn(1, 64, SizeDistribution::kPowersOfTwo), "smallest_side", "sides from 1 to 64"));
    CHECK(forbidden({drawn(2, 64, SizeDistribution::kPowersOfTwo)}).empty());
    CHECK(forbidden_at(drawn(100, 200, SizeDistribution::kUniform), "smallest_side", "sides from 100 to 200"));
    CHECK(forbidden_at(drawn(99, 99, SizeDistribution::kLogUniform), "smallest_side", "sides from 99 to 99"));
    CHECK(forbidden({drawn(100, 100, SizeDistribution::kUniform)}).empty());
}

TEST_CASE("formats that need a Y'CbCr conversion are 2D, of one mip level and one sample") {
    for (const Format format : {kNv12, Format::kG8B8G8R8422Unorm, Format::kG8B8R83plane444Unorm}) {
        CHECK(forbidden_at({.format = format, .extents = {{64, 64}}, .full_mips = true}, "full_mips", "a mip chain"));
        CHECK(forbidden_at({.format = format, .extents = {{64, 64}}, .mip_levels = 3}, "mip_levels", "3 mip levels"));
        CHECK(forbidden_at({.format = format, .extents = {{64, 64}}, .samples = 2}, "samples", "2 samples"));
        CHECK(forbidden_at({.format = format, .extents = {{64, 64}}, .depth = 4}, "depth", "2D alone"));
        CHECK(forbidden({.format = format, .extents = {{64, 64}}, .array_layers = 2}).empty());  // ycbcrImageArrays
    }
}

TEST_CASE("views of blocks need blocks and a mutable format") {
    constexpr auto kViews = image_creation::kBlockTexelViewCompatible;
    CHECK(forbidden_at({.flags = kViews | image_creation::kMutableFormat}, "flags", "compressed"));
    CHECK(forbidden_at({.format = Format::kBc7UnormBlock, .flags = kViews}, "flags", "MUTABLE_FORMAT"));
}

TEST_CASE("every preset can be created") {
    for (const std::string_view name : preset_names()) {
        CAPTURE(name);
        const auto workload = preset(name);
        REQUIRE(workload);
        CHECK(check_creation(*workload));
    }
}

TEST_CASE("a workload file is refused at its name and the place, by whichever rule") {
    const std::string head = R"({"$schema": "urn:heapwright:schema:workload:1", "schema_version": 1, "name": "own",
        "buffers": [], "images": [{"format": "R8G8B8A8_UNORM", "count": 1, )";
    const auto refused_at = [&](const std::string& rest) {
        const auto read = workload::read_checked_workload(head + rest + "}]}", "own.json");
        REQUIRE_FALSE(read);
        return read.error().where;
    };
    CHECK(refused_at(R"("surprise": 1)").starts_with("own.json"));
    CHECK(refused_at(R"("usage": ["SAMPLED"], "smallest_side": 9, "largest_side": 8)") ==
          "own.json: /images/0/smallest_side");
    CHECK(refused_at(R"("usage": [], "extents": [[8, 8]])") == "own.json: /images/0/usage");
    CHECK(workload::read_checked_workload(head + R"("usage": ["SAMPLED"], "extents": [[8, 8]]}]})", "own.json"));
}

}  // namespace creation_rules_test
