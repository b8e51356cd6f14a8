// What depends on the size of a heap.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fixture.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

namespace scale_test {

using namespace heapwright;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kPolicies = test::source_path("policies");

std::uint64_t sum_of_chunks(const test::Selected& selected, const test::Engine& engine, std::uint32_t heap) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < selected.info().bucket_count; ++i) {
        const heapwright_bucket bucket = selected.bucket(i);
        if (engine.memory_types[bucket.memory_type].heap_index == heap) sum += bucket.chunk_size_bytes;
    }
    return sum;
}

std::uint64_t sum_of_chunks_ahead(const test::Selected& selected, const test::Engine& engine, std::uint32_t heap) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < selected.info().bucket_count; ++i) {
        const heapwright_bucket bucket = selected.bucket(i);
        if (engine.memory_types[bucket.memory_type].heap_index == heap)
            sum += bucket.chunks_ahead * bucket.chunk_size_bytes;
    }
    return sum;
}

}  // namespace

TEST_CASE("a larger heap keeps the chunks and gives more of itself") {
    const test::Set set(kPolicies);
    test::Engine engine(test::committed_device("nvidia-h100-580.159.04-vulkan.json"));
    const test::Selected before(set.get(), engine.device);
    engine.heaps[0].size_bytes *= 2;
    const test::Selected after(set.get(), engine.device);
    CHECK(after.info().scaled == 1);
    CHECK(after.heap(0).usable_bytes > before.heap(0).usable_bytes * 19 / 10);
    CHECK(after.heap(0).usable_bytes <= engine.heaps[0].size_bytes);
    CHECK(after.heap(1).usable_bytes == before.heap(1).usable_bytes);
    for (std::uint32_t i = 0; i < before.info().bucket_count; ++i) {
        CHECK(after.bucket(i).chunk_size_bytes == before.bucket(i).chunk_size_bytes);
    }
}

TEST_CASE("a budget bounds the usable bytes") {
    const test::Set set(kPolicies);
    test::Engine engine(test::committed_device("nvidia-h100-580.159.04-vulkan.json"));
    engine.heaps[0].budget_bytes = 4ull << 30;
    const test::Selected selected(set.get(), engine.device);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
    CHECK(selected.info().scaled == 1);
    CHECK(selected.heap(0).usable_bytes <= 4ull << 30);
    CHECK(selected.heap(0).usable_bytes > 3ull << 30);
    CHECK_THAT(selected.explanation(), ContainsSubstring("scaled: heap 0: "));
}

TEST_CASE("chunks shrink with their heap, and one for each bucket fits, at every size") {
    const test::Set set(kPolicies);
    const test::Engine as_made(test::committed_device("nvidia-h100-580.159.04-vulkan.json"));
    const test::Selected whole(set.get(), as_made.device);
    CHECK(whole.bucket(0).chunks_ahead > 0);
    for (const std::uint64_t megabytes : {65536u, 4096u, 512u, 256u, 100u, 64u, 16u, 8u, 4u, 1u}) {
        INFO(megabytes << " MiB");
        test::Engine engine(test::committed_device("nvidia-h100-580.159.04-vulkan.json"));
        for (heapwright_heap& heap : engine.heaps) heap.size_bytes = megabytes << 20;
        const test::Selected selected(set.get(), engine.device);
        for (std::uint32_t i = 0; i < selected.info().bucket_count; ++i) {
            const heapwright_bucket bucket = selected.bucket(i);
            CHECK(bucket.chunk_size_bytes > 0);
            CHECK(bucket.chunk_size_bytes % bucket.alignment_bytes == 0);
            CHECK((bucket.first_chunk_bytes == 0 || bucket.first_chunk_bytes <= bucket.chunk_size_bytes));
            // What a chunk held before and cannot hold now gets memory of its own.
            const heapwright_bucket before = whole.bucket(i);
            CHECK(bucket.chunk_size_bytes <= before.chunk_size_bytes);
            if (bucket.chunk_size_bytes < before.chunk_size_bytes &&
                bucket.chunk_size_bytes < selected.info().largest_ordinary_bytes) {
                CHECK(bucket.dedicated_threshold_bytes > 0);
            }
            CHECK(bucket.dedicated_threshold_bytes <= bucket.chunk_size_bytes);
        }
        for (std::uint32_t heap = 0; heap < selected.info().heap_count; ++heap) {
            CHECK(sum_of_chunks(selected, engine, heap) <= selected.heap(heap).usable_bytes);
            CHECK(sum_of_chunks_ahead(selected, engine, heap) <= selected.heap(heap).usable_bytes / 16);
        }
        CHECK((megabytes < 4096 || selected.bucket(0).chunks_ahead == whole.bucket(0).chunks_ahead));
        // The strict reader takes the scaled document, too.
        const auto document = model::read_policy(heapwright_policy_document(selected.get()), "document");
        if (!document) FAIL(to_string(document.error()));
    }
}

}  // namespace scale_test
