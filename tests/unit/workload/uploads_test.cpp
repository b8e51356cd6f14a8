// The uploads of a frame, stated and not.
#include <catch2/catch_test_macros.hpp>

#include "workload/stream.hpp"

namespace uploads_test {

using namespace heapwright;

namespace {

model::Workload of_textures(std::uint32_t count, std::uint32_t side) {
    model::Workload workload;
    workload.images = {{.extents = {{side, side}}, .count = count}};
    workload.steps_per_frame = 4;
    return workload;
}

}  // namespace

TEST_CASE("uploads that are not stated are what a frame renews of what is copied to") {
    // Four of 600x600 RGBA8, and never more than there are.
    CHECK(workload::upload_bytes_per_frame(of_textures(40, 600)) == 4 * 600 * 600 * 4);
    CHECK(workload::upload_bytes_per_frame(of_textures(2, 600)) == 2 * 600 * 600 * 4);
    // Buffers share the four steps by their number.
    model::Workload both = of_textures(30, 600);
    both.buffers = {{.smallest_bytes = 100'000, .largest_bytes = 100'000, .count = 10}};
    CHECK(workload::upload_bytes_per_frame(both) == 3 * 600 * 600 * 4 + 100'000);
}

TEST_CASE("uploads that are not stated are within 1 and 8 MiB") {
    CHECK(workload::upload_bytes_per_frame(of_textures(40, 4096)) == workload::kMostUnstatedUploadBytes);
    model::Workload still = of_textures(40, 256);
    still.churn_steps = 0;
    CHECK(workload::upload_bytes_per_frame(still) == workload::kLeastUnstatedUploadBytes);
    model::Workload drawn_into = of_textures(40, 256);
    drawn_into.images.front().usage = model::image_usage::kColorAttachment;
    CHECK(workload::upload_bytes_per_frame(drawn_into) == workload::kLeastUnstatedUploadBytes);
}

TEST_CASE("stated uploads are taken as they are") {
    model::Workload workload = of_textures(2, 16);
    for (const std::uint64_t bytes : {1ull, 8ull << 20, 1ull << 40}) {
        workload.uploads.bytes_per_frame = bytes;
        CHECK(workload::upload_bytes_per_frame(workload) == bytes);
    }
}

}  // namespace uploads_test
