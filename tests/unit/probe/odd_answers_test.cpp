#include <catch2/catch_test_macros.hpp>

#include "probe/tables.hpp"

using namespace heapwright;
using model::MemoryRequirements;

namespace {

constexpr MemoryRequirements kSound{.size_bytes = 4096, .alignment_bytes = 64, .memory_type_bits = 0b101};

MemoryRequirements with(std::uint64_t size, std::uint64_t alignment, std::uint32_t bits) {
    return {.size_bytes = size, .alignment_bytes = alignment, .memory_type_bits = bits};
}

}  // namespace

TEST_CASE("An answer is sound when it has a size, a power-of-two alignment and only memory types that exist") {
    const probe::KnownMemoryTypes three(3);
    CHECK(three.is_sound(kSound));
    CHECK(three.is_sound(MemoryRequirements{}));  // a refusal
    CHECK_FALSE(three.is_sound(with(0, 64, 1)));
    CHECK_FALSE(three.is_sound(with(4096, 0, 1)));
    CHECK_FALSE(three.is_sound(with(4096, 3, 1)));
    CHECK_FALSE(three.is_sound(with(4096, 1ull << 41, 1)));
    CHECK(three.is_sound(with(4096, 1ull << 40, 1)));
    CHECK_FALSE(three.is_sound(with(4096, 64, 0)));
    CHECK_FALSE(three.is_sound(with(4096, 64, 0b1001)));
    CHECK(probe::KnownMemoryTypes(32).is_sound(with(4096, 64, 0x8000'0000u)));
    CHECK_FALSE(probe::KnownMemoryTypes(31).is_sound(with(4096, 64, 0x8000'0000u)));
    CHECK_FALSE(probe::KnownMemoryTypes(0).is_sound(with(4096, 64, 1)));
}

TEST_CASE("The first odd answer of each kind is kept with the number of its like") {
    probe::OddAnswers<model::OddImage> odd(3);
    const auto image = [](std::uint32_t side) { return model::ImageDescription{.width = side, .height = side}; };
    CHECK(odd.take(with(4096, 3, 1), image(1)).size_bytes == 0);
    CHECK(odd.take(with(8192, 5, 1), image(2)).size_bytes == 0);
    CHECK(odd.take(with(0, 3, 1), image(3)).size_bytes == 0);
    // Memory types that do not exist beside real ones: the real ones can be used.
    const MemoryRequirements usable = odd.take(with(4096, 64, 0x8000'0005u), image(4));
    CHECK(usable.size_bytes == 4096);
    CHECK(usable.memory_type_bits == 0b101);
    const MemoryRequirements nothing = odd.take(with(4096, 64, 0x8000'0000u), image(5));
    CHECK(nothing.size_bytes == 0);
    CHECK(probe::KnownMemoryTypes(3).is_sound(nothing));

    const auto kept = odd.take_all();
    REQUIRE(kept.size() == 3);
    CHECK(kept[0].description.width == 1);
    CHECK(kept[0].answer == model::OddAnswer{with(4096, 3, 1)});
    CHECK(kept[0].count == 2);
    CHECK(kept[1].description.width == 3);
    CHECK(kept[2].description.width == 4);
    CHECK(kept[2].count == 2);
    CHECK(odd.take_all().empty());
}
