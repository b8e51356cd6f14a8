#include <cstring>
#include <random>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine.hpp"
#include "resources.hpp"

namespace heapwright::test {
namespace {

std::byte pattern(std::uint64_t seed, std::size_t at) {
    return static_cast<std::byte>((seed * 131 + at * 7 + (at >> 8)) & 0xff);
}

void fill(std::span<std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(seed, i);
}

bool holds(std::span<const std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != pattern(seed, i)) return false;
    }
    return true;
}

void check_all_gone(const Engine& engine) {
    CHECK(call_counts().memories == 0);
    CHECK(call_counts().buffers == 0);
    CHECK(call_counts().images == 0);
    CHECK(engine.messages() == std::vector<std::string>{});
}

// One thread's part: Catch2 counts no assertions of other threads.
struct Part {
    struct Kept {
        vulkan::CreatedBuffer buffer;
        std::uint64_t size_bytes = 0;
        std::uint64_t seed = 0;
    };
    std::vector<Kept> kept;
    std::vector<vulkan::PoolAllocation> images;
    std::string error;
};

void work(vulkan::DevicePool& pool, std::uint64_t thread, Part& part) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    const auto failed = [&part](const Error& error) { part.error = to_string(error); };
    for (std::uint64_t step = 0; step < 400; ++step) {
        const std::uint64_t seed = thread << 32 | step;
        const std::uint64_t size = 64 + random() % 4096;
        auto buffer = pool.create_buffer(BufferInfo(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT).info,
                                         {.use = model::MemoryUse::kUpload});
        if (!buffer) return failed(buffer.error());
        const auto mapped = pool.map(buffer->allocation);
        if (!mapped) return failed(mapped.error());
        fill(mapped->first(static_cast<std::size_t>(size)), seed);
        if (const auto done = pool.flush(buffer->allocation, 0, size); !done) return failed(done.error());
        part.kept.push_back({.buffer = *buffer, .size_bytes = size, .seed = seed});

        if (step % 4 == 0) {
            auto image = pool.create_image(ImageInfo(1u << (random() % 7), 1u << (random() % 7)).info);
            if (!image) return failed(image.error());
            part.images.push_back(image->allocation);
        }
        if (step % 3 == 2) {  // what others wrote meanwhile must not have met it
            const std::size_t pick = random() % part.kept.size();
            const Part::Kept kept = part.kept[pick];
            const auto bytes = pool.map(kept.buffer.allocation);
            if (!bytes || !holds(bytes->first(static_cast<std::size_t>(kept.size_bytes)), kept.seed)) {
                part.error = "another resource wrote there";
                return;
            }
            if (const auto done = pool.free(kept.buffer.allocation); !done) return failed(done.error());
            part.kept.erase(part.kept.begin() + static_cast<std::ptrdiff_t>(pick));
        }
        if (part.images.size() > 20) {
            if (const auto done = pool.free(part.images.front()); !done) return failed(done.error());
            part.images.erase(part.images.begin());
        }
    }
}

TEST_CASE("eight threads make and free thousands of resources on the engine's device", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    call_counts().maps_beside_binds = 0;
    auto pool = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(pool);
    std::vector<Part> parts(8);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            threads.emplace_back([&, i] { work(**pool, i, parts[i]); });
        }
    }
    for (const Part& part : parts) REQUIRE(part.error == "");
    CHECK((*pool)->validate_invariants());
    CHECK((*pool)->live_allocations() > 2000);
    // vkMapMemory wants its memory alone, and other threads bind to a chunk whenever they like.
    CHECK(call_counts().maps_beside_binds == 0);

    // What is left goes through device memory and comes back.
    std::vector<Engine::Copy> copies;
    std::vector<vulkan::CreatedBuffer> readbacks;
    std::vector<Part::Kept> sources;
    std::vector<vulkan::PoolAllocation> used;
    for (const Part& part : parts) {
        for (std::size_t i = 0; i < part.kept.size(); i += 8) {
            const Part::Kept& kept = part.kept[i];
            const auto through = (*pool)->create_buffer(
                BufferInfo(kept.size_bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT).info);
            const auto to = (*pool)->create_buffer(BufferInfo(kept.size_bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT).info,
                                                   {.use = model::MemoryUse::kReadback});
            REQUIRE(through);
            REQUIRE(to);
            copies.push_back({.from = kept.buffer.buffer,
                              .through = through->buffer,
                              .to = to->buffer,
                              .size_bytes = kept.size_bytes});
            used.push_back(kept.buffer.allocation);
            used.push_back(through->allocation);
            readbacks.push_back(*to);
            sources.push_back(kept);
        }
    }
    engine.submit(copies, 1);
    for (const vulkan::PoolAllocation allocation : used) {
        REQUIRE((*pool)->free_after(allocation, TimelineValue{1}));
        CHECK_FALSE((*pool)->info(allocation));
    }
    REQUIRE((*pool)->collect(TimelineValue{0}));
    CHECK((*pool)->figures().pending_releases == used.size());
    engine.wait(1);
    for (std::size_t i = 0; i < readbacks.size(); ++i) {
        REQUIRE((*pool)->invalidate(readbacks[i].allocation, 0, sources[i].size_bytes));
        const auto bytes = (*pool)->map(readbacks[i].allocation);
        REQUIRE(bytes);
        REQUIRE(holds(bytes->first(static_cast<std::size_t>(sources[i].size_bytes)), sources[i].seed));
    }
    const std::int64_t buffers = call_counts().buffers;
    REQUIRE((*pool)->collect(TimelineValue{engine.completed()}));
    CHECK((*pool)->figures().pending_releases == 0);
    CHECK(buffers - call_counts().buffers == static_cast<std::int64_t>(used.size()));
    CHECK((*pool)->validate_invariants());
    pool->reset();  // with what is left
    check_all_gone(engine);
}

TEST_CASE("resources that the engine made get memory and stay the engine's", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    auto pool = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(pool);
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    const BufferInfo buffer_info(5000, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const ImageInfo image_info(64, 64);
    REQUIRE(engine.function<PFN_vkCreateBuffer>("vkCreateBuffer")(engine.handle(), &buffer_info.info, nullptr,
                                                                  &buffer) == VK_SUCCESS);
    REQUIRE(engine.function<PFN_vkCreateImage>("vkCreateImage")(engine.handle(), &image_info.info, nullptr, &image) ==
            VK_SUCCESS);
    const auto of_buffer = (*pool)->bind_buffer(buffer, buffer_info.info);
    const auto of_image = (*pool)->bind_image(image, image_info.info, {.dedicated = true});
    REQUIRE(of_buffer);
    REQUIRE(of_image);
    const auto info = (*pool)->info(of_image->allocation);
    REQUIRE(info);
    CHECK(info->image == image);
    CHECK(info->dedicated);
    CHECK(info->offset_bytes == 0);
    CHECK_FALSE(info->owns_resource);
    CHECK((*pool)->figures().dedicated_allocations == 1);
    engine.function<PFN_vkDestroyBuffer>("vkDestroyBuffer")(engine.handle(), buffer, nullptr);
    engine.function<PFN_vkDestroyImage>("vkDestroyImage")(engine.handle(), image, nullptr);
    REQUIRE((*pool)->free(of_buffer->allocation));
    REQUIRE((*pool)->free_after(of_image->allocation, TimelineValue{4}));
    REQUIRE((*pool)->collect(TimelineValue{4}));
    CHECK((*pool)->figures().dedicated_allocations == 0);
    CHECK((*pool)->live_allocations() == 0);
    // Twice is an error, and no crash.
    const auto again = (*pool)->free(of_buffer->allocation);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::kInvalidArgument);
    pool->reset();
    check_all_gone(engine);
}

TEST_CASE("a resource goes where the answer about it says", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    auto pool = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(pool);
    for (const std::uint64_t size : {100ull, 70'000ull, 3'000'000ull}) {
        const BufferInfo wanted(size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        const auto answer = (*pool)->bucket_of(wanted.info);
        const auto created = (*pool)->create_buffer(wanted.info);
        REQUIRE(answer);
        REQUIRE(created);
        const auto info = (*pool)->info(created->allocation);
        REQUIRE(info);
        CHECK(answer->dedicated == info->dedicated);
        if (answer->bucket) CHECK(*answer->bucket == info->bucket);
        CHECK(answer->memory_type == info->memory_type);
        CHECK(answer->requirements.size_bytes == info->size_bytes);
        CHECK(info->offset_bytes % answer->requirements.alignment_bytes == 0);
    }
    const ImageInfo image(128, 128);
    const auto answer = (*pool)->bucket_of(image.info, {.dedicated = true});
    REQUIRE(answer);
    CHECK(answer->dedicated);
    CHECK_FALSE(answer->bucket);
    VkBufferCreateInfo sparse = BufferInfo(100, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT).info;
    sparse.pNext = nullptr;
    sparse.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
    const auto refused = (*pool)->create_buffer(sparse);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
    pool->reset();
    check_all_gone(engine);
}

}  // namespace
}  // namespace heapwright::test
