#include <catch2/catch_test_macros.hpp>

#include "contract/chunks.hpp"
#include "contract_policy.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

constexpr std::uint64_t kNoLimit = ~0ull;

model::BucketPolicy growing(std::uint64_t chunk, std::uint64_t first, std::uint64_t divisor) {
    model::BucketPolicy bucket = bucket_of({model::ResourceClass::kLinear}, 4096, 0, chunk);
    bucket.growth = model::ChunkGrowth{.first_chunk_bytes = chosen(first), .divisor = chosen(divisor)};
    return bucket;
}

}  // namespace

TEST_CASE("chunks double up to the share of what is held, and no further than the chunk size") {
    const model::BucketPolicy bucket = growing(16 * kMib, 2 * kMib, 4);
    struct Case {
        std::uint64_t held;
        std::uint64_t next;
    };
    for (const Case& one :
         {Case{0, 2}, Case{8, 2}, Case{15, 2}, Case{16, 4}, Case{31, 4}, Case{32, 8}, Case{64, 16}, Case{1024, 16}}) {
        CAPTURE(one.held);
        CHECK(contract::next_chunk_bytes(bucket, one.held * kMib, kNoLimit) == one.next * kMib);
    }
    // A size that no doubling meets stays below it.
    CHECK(contract::next_chunk_bytes(growing(12 * kMib, 2 * kMib, 1), 1024 * kMib, kNoLimit) == 8 * kMib);
    CHECK(contract::next_chunk_bytes(growing(kMib, 2 * kMib, 1), 0, kNoLimit) == kMib);
}

TEST_CASE("without growth every chunk takes the chunk size, within the device's limit") {
    const model::BucketPolicy bucket = bucket_of({model::ResourceClass::kLinear}, 256, 0, 16 * kMib);
    CHECK(contract::next_chunk_bytes(bucket, 0, kNoLimit) == 16 * kMib);
    CHECK(contract::next_chunk_bytes(bucket, 1024 * kMib, 10 * kMib) == 10 * kMib);
    CHECK(contract::next_chunk_bytes(growing(16 * kMib, 4 * kMib, 2), 0, 3 * kMib) == 3 * kMib);
}

TEST_CASE("a new chunk is a multiple of the unit, smaller under pressure, and holds what needs it") {
    model::BucketPolicy bucket = bucket_of({model::ResourceClass::kLinear}, 4096, 0, 10 * kMib + 100);
    CHECK(contract::new_chunk_bytes(bucket, 0, kNoLimit, 1, 512) == 10 * kMib);
    CHECK(contract::new_chunk_bytes(bucket, 0, kNoLimit, 4, 512) == 5 * kMib / 2);
    CHECK(contract::new_chunk_bytes(bucket, 0, kNoLimit, 10 * kMib + 100, 512) == 512);
    CHECK(contract::new_chunk_bytes(bucket, 0, kNoLimit, 1, 20 * kMib) == 20 * kMib);
    CHECK(contract::chunk_unit_bytes(bucket) == 256);
    // Best fit in blocks divides a chunk in blocks of S.
    bucket.suballocator.value = model::SuballocatorKind::kFixedBlocks;
    CHECK(contract::chunk_unit_bytes(bucket) == 4096);
}

TEST_CASE(
    "a chunk size that is planned is a multiple of the alignment, one that is taken in need of the granule alone") {
    model::BucketPolicy bucket = bucket_of({model::ResourceClass::kLinear}, 4096, 0, 8 * kMib);
    CHECK(contract::planned_unit_bytes(bucket) == 4096);
    CHECK(contract::new_chunk_bytes(bucket, 0, kNoLimit, 8 * kMib, 5 * 256) == 5 * 256);
    bucket.granule_bytes.value = 8192;
    CHECK(contract::planned_unit_bytes(bucket) == 8192);
    CHECK(contract::planned_unit_bytes(model::BucketPolicy{}) == 1);
}
