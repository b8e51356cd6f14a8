#include "vulkan/requirement_query.hpp"

#include <catch2/catch_test_macros.hpp>

namespace heapwright::vulkan {
namespace {

using model::BufferDescription;
using model::ImageDescription;
using model::MemoryRequirements;

constexpr MemoryRequirements kOfImage{.size_bytes = 4096,
                                      .alignment_bytes = 1024,
                                      .memory_type_bits = 0x80000003,
                                      .dedicated = model::Dedicated::kPreferred};

TEST_CASE("an image's requirements are known for identical parameters alone") {
    KnownRequirements known(true);
    const ImageDescription image{.usage = 4, .width = 32, .height = 32, .flags = 8};
    CHECK_FALSE(known.find(image));
    known.insert(image, kOfImage);
    CHECK(known.find(image) == kOfImage);
    for (int member = 0; member < 11; ++member) {
        ImageDescription other = image;
        switch (member) {
            case 0: other.format = model::Format::kR8Unorm; break;
            case 1: other.tiling = model::ImageTiling::kLinear; break;
            case 2: other.dimension = model::ImageDimension::k3d; break;
            case 3: other.usage = 6; break;
            case 4: other.width = 33; break;
            case 5: other.height = 33; break;
            case 6: other.depth = 2; break;
            case 7: other.mip_levels = 2; break;
            case 8: other.array_layers = 2; break;
            case 9: other.samples = 2; break;
            default: other.flags = 0; break;
        }
        CAPTURE(member);
        CHECK_FALSE(known.find(other));
    }
    CHECK_FALSE(known.find(BufferDescription{.size_bytes = 32, .usage = 4}));
}

TEST_CASE("with maintenance4 a buffer's usage says what one of another size of the same power of two asks for") {
    KnownRequirements known(true);
    known.insert(BufferDescription{.size_bytes = 1000, .usage = 2},
                 {.size_bytes = 1024, .alignment_bytes = 64, .memory_type_bits = 7});
    const MemoryRequirements expected{.size_bytes = 576, .alignment_bytes = 64, .memory_type_bits = 7};
    CHECK(known.find(BufferDescription{.size_bytes = 520, .usage = 2}) == expected);
    CHECK_FALSE(known.find(BufferDescription{.size_bytes = 520, .usage = 3}));
    CHECK_FALSE(known.find(BufferDescription{.size_bytes = 5200, .usage = 2}));
}

TEST_CASE("a driver that asks for less than the aligned size is known for that very size alone") {
    KnownRequirements known(true);
    for (const std::uint64_t size : {1000ull, 1024ull}) {  // of an aligned size nobody knows whether it was aligned
        const MemoryRequirements asked{.size_bytes = size, .alignment_bytes = 64, .memory_type_bits = 7};
        known.insert(BufferDescription{.size_bytes = size, .usage = 2}, asked);
        CHECK(known.find(BufferDescription{.size_bytes = size, .usage = 2}) == asked);
        CHECK_FALSE(known.find(BufferDescription{.size_bytes = size + 1, .usage = 2}));
    }
}

TEST_CASE("without maintenance4 a buffer's requirements are known for its very size") {
    KnownRequirements known(false);
    const MemoryRequirements asked{.size_bytes = 2048, .alignment_bytes = 64, .memory_type_bits = 7};
    known.insert(BufferDescription{.size_bytes = 1000, .usage = 2}, asked);
    CHECK(known.find(BufferDescription{.size_bytes = 1000, .usage = 2}) == asked);
    CHECK_FALSE(known.find(BufferDescription{.size_bytes = 999, .usage = 2}));
}

}  // namespace
}  // namespace heapwright::vulkan
