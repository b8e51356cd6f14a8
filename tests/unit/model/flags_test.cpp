#include <catch2/catch_test_macros.hpp>

#include <span>
#include <string>

#include "heapwright/model/flags.hpp"
#include "heapwright/model/resource.hpp"

using namespace heapwright::model;

namespace {

constexpr std::span<const FlagName> (*kTables[])() = {
    memory_property_names,     memory_heap_names,       image_usage_names,
    buffer_usage_names,        queue_flag_names,        image_aspect_names,
    sparse_image_format_names, image_compression_names, image_compression_fixed_rate_names};

}  // namespace

TEST_CASE("every bit has a name of its own that reads back, known to the table or not") {
    for (const auto table : kTables) {
        for (Flags bit = 1; bit != 0; bit <<= 1) {
            const std::string name = flag_name(bit, table());
            CAPTURE(name, bit);
            CHECK(parse_flag_name(name, table()) == bit);
        }
    }
    // As a tool without a name for the bit wrote it.
    CHECK(parse_flag_name("BIT_0", image_usage_names()) == image_usage::kTransferSrc);
    CHECK_FALSE(parse_flag_name("BIT_32", image_usage_names()));
    CHECK_FALSE(parse_flag_name("BIT_", image_usage_names()));
    CHECK_FALSE(parse_flag_name("", image_usage_names()));
}

TEST_CASE("flags in words lose no bit") {
    CHECK(flags_text(image_usage::kSampled | image_usage::kTransferDst | 1u << 30, image_usage_names()) ==
          "TRANSFER_DST|SAMPLED|BIT_30");
    CHECK(flags_text(0, image_usage_names()).empty());
    CHECK(flags_text(0, image_usage_names(), "none") == "none");
    CHECK(flags_text(1u << 31, {}, "none") == "BIT_31");
}

TEST_CASE("a resource in words") {
    CHECK(resource_text(ImageDescription{.format = Format::kR8G8B8A8Unorm,
                                         .tiling = ImageTiling::kLinear,
                                         .usage = image_usage::kSampled,
                                         .width = 256,
                                         .height = 128,
                                         .mip_levels = 9,
                                         .array_layers = 2}) ==
          "image 256x128 R8G8B8A8_UNORM, linear, 9 mips, 2 layers, usage SAMPLED");
    CHECK(resource_text(
              ImageDescription{.dimension = ImageDimension::k3d, .width = 4, .height = 4, .depth = 4, .samples = 4}) ==
          "image 4x4x4 R8G8B8A8_UNORM, 4 samples, usage none");
    CHECK(resource_text(BufferDescription{.size_bytes = 1024, .usage = buffer_usage::kTransferDst}) ==
          "buffer of 1024 bytes, usage TRANSFER_DST");
}
