// The fills at the first failure that the general suballocator is held to: the ramps are the same on every machine, so
// a change of placement that fits worse fails here and not only in a benchmark that somebody has to read.
#include <catch2/catch_test_macros.hpp>

#include "peers.hpp"
#include "replay.hpp"
#include "traces.hpp"

using namespace heapwright::bench;

namespace {

double mean_fill(Trace (*make)(std::uint64_t), std::uint64_t first_seed, std::uint64_t count) {
    double sum = 0.0;
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const Trace trace = make(seed);
        TlsfPeer peer(trace);
        sum += Replay<TlsfPeer>(peer, trace).ramp();
        REQUIRE(peer.allocator().validate_invariants());
    }
    return sum / static_cast<double>(count);
}

}  // namespace

TEST_CASE("textures fill a block to 97% before the first failure") {
    CHECK(mean_fill(make_ramp_textures, 1, 10) >= 0.97);
}

TEST_CASE("aligned textures fill a block to 97% before the first failure") {
    CHECK(mean_fill(make_ramp_aligned, 1, 10) >= 0.97);
}

TEST_CASE("descriptors fill a heap to 98.5% before the first failure") {
    CHECK(mean_fill(make_ramp_descriptors, 1, 10) >= 0.985);
    CHECK(mean_fill(make_ramp_descriptors, 11, 40) >= 0.985);
}
