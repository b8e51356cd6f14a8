// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <chrono>
#include <cstring>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/checked.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using model::BufferDescription;
using model::ImageDescription;

TEST_CASE("requirements are plausible for buffers and images", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    for (const std::uint64_t size : {1ull, 100ull, 65536ull, 1ull << 24}) {
        const auto answer = device->resources().requirements(BufferDescription{.size_bytes = size, .usage = 0x3});
        REQUIRE(answer);
        CHECK(answer->size_bytes >= size);
        CHECK(answer->memory_type_bits != 0);
        CHECK(is_power_of_two(answer->alignment_bytes));
    }
    const auto answer = device->resources().requirements(ImageDescription{.usage = 0x7, .width = 256, .height = 256});
    REQUIRE(answer);
    CHECK(answer->size_bytes >= 256 * 256 * 4);
    device.close();
}

TEST_CASE("what a device cannot create is refused with the reason", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto code_of = [&device](const model::ResourceDescription& resource) {
        const auto answer = device->resources().requirements(resource);
        REQUIRE_FALSE(answer);
        INFO(to_string(answer.error()));
        const auto created = device->resources().create_dedicated(resource, {0}, 0.5f);
        REQUIRE_FALSE(created);
        CHECK(created.error().code == answer.error().code);
        return answer.error().code;
    };
    ImageDescription image{.usage = model::image_usage::kTransferDst, .width = 64, .height = 64};
    CHECK(code_of(ImageDescription{.usage = 0x7, .width = 1u << 20, .height = 1}) == ErrorCode::kNotSupported);
    CHECK(code_of(ImageDescription{.usage = 0x7, .width = 64, .height = 64, .samples = 64}) ==
          ErrorCode::kNotSupported);
    CHECK(code_of(ImageDescription{.format = model::Format::kBc7UnormBlock,
                                   .usage = model::image_usage::kDepthStencilAttachment,
                                   .width = 64,
                                   .height = 64}) == ErrorCode::kNotSupported);
    image.mip_levels = 8;
    CHECK(code_of(image) == ErrorCode::kInvalidArgument);
    image.mip_levels = 1;
    image.usage = 0;
    CHECK(code_of(image) == ErrorCode::kInvalidArgument);
    CHECK(code_of(BufferDescription{.size_bytes = 0, .usage = 0x3}) == ErrorCode::kInvalidArgument);
    device.close();
}

TEST_CASE("a dedicated resource refuses a memory type that its requirements exclude", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto created =
        device->resources().create_dedicated(BufferDescription{.size_bytes = 64, .usage = 0x3}, {31}, 0.5f);
    REQUIRE_FALSE(created);
    CHECK(created.error().code == ErrorCode::kInvalidArgument);
    device.close();
}

TEST_CASE("placed buffers are filled and copied, and their heap shows the bytes", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    constexpr std::uint64_t kBytes = 4096;
    const BufferDescription description{.size_bytes = kBytes, .usage = kBothTransfers};
    const auto requirements = device->resources().requirements(description);
    REQUIRE(requirements);
    const auto type = device.memory_type(requirements->memory_type_bits, model::memory_property::kHostVisible);
    REQUIRE(type);
    const std::uint64_t second_at = (requirements->size_bytes + requirements->alignment_bytes - 1) /
                                    requirements->alignment_bytes * requirements->alignment_bytes;
    const auto memory =
        device->memory().allocate({.memory_type = *type, .size_bytes = second_at + requirements->size_bytes});
    REQUIRE(memory);
    const auto first = device->resources().create_placed(description, *memory, 0);
    const auto second = device->resources().create_placed(description, *memory, second_at);
    REQUIRE(first);
    REQUIRE(second);
    const device::Work work[] = {
        device::FillBuffer{.buffer = *first, .offset_bytes = 0, .size_bytes = kBytes, .value = 0x11111111},
        device::FillBuffer{.buffer = *first, .offset_bytes = 1024, .size_bytes = 512, .value = 0xdeadbeef},
        device::FillBuffer{.buffer = *second, .offset_bytes = 0, .size_bytes = kBytes, .value = 0x22222222},
        device::CopyBuffer{.source = *first,
                           .destination = *second,
                           .source_offset_bytes = 1020,
                           .destination_offset_bytes = 8,
                           .size_bytes = 520},
        device::CopyBuffer{.source = *second,
                           .destination = *second,
                           .source_offset_bytes = 8,
                           .destination_offset_bytes = 2048,
                           .size_bytes = 8},
    };
    device.run(work);
    const auto mapped = device->memory().map(*memory);
    REQUIRE(mapped);
    REQUIRE(device->memory().invalidate(*memory, 0, mapped->size()));
    const auto word = [&](std::uint64_t offset) {
        std::uint32_t value = 0;
        std::memcpy(&value, mapped->data() + second_at + offset, sizeof value);
        return value;
    };
    CHECK(word(4) == 0x22222222);
    CHECK(word(8) == 0x11111111);
    for (std::uint64_t at = 12; at < 12 + 512; at += 4) CHECK(word(at) == 0xdeadbeef);
    CHECK(word(12 + 512) == 0x11111111);
    CHECK(word(12 + 516) == 0x22222222);
    CHECK(word(2048) == 0x11111111);
    CHECK(word(2052) == 0xdeadbeef);
    CHECK(word(2056) == 0x22222222);

    const auto unmapped = device->resources().map_dedicated(*first);
    REQUIRE_FALSE(unmapped);
    CHECK(unmapped.error().code == ErrorCode::kInvalidArgument);
    device->resources().destroy(*first);
    device->resources().destroy(*second);
    device->memory().free(*memory);
    device.close();
}

TEST_CASE("many resources come and go, from several threads", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto memory = device->memory().allocate({.memory_type = {0}, .size_bytes = 1 << 20});
    REQUIRE(memory);
    constexpr int kThreads = 2;
    constexpr int kEach = 2'000;
    std::vector<std::thread> threads;
    std::vector<int> failures(kThreads, 0);
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
                const auto buffer = device->resources().create_placed(
                    BufferDescription{.size_bytes = 1024, .usage = kBothTransfers}, *memory, 0);
                if (!buffer) {
                    ++failures[static_cast<std::size_t>(t)];
                    continue;
                }
                device->resources().destroy(*buffer);
                device->resources().destroy(*buffer);  // a stale id does nothing
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : failures) CHECK(count == 0);
    device->memory().free(*memory);
    device.close();
}

}  // namespace
}  // namespace heapwright::test
