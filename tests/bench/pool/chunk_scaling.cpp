// What choosing a chunk costs as chunks become many: one bucket of 16 MiB chunks, memory that is numbers, requests of
// 256 B to 1 MiB, and destroy+create pairs at 10, 100, 1,000 and 10,000 chunks, for both choices. ns a pair, the least
// of five rounds; the last column is the ratio to 10 chunks.
//   bench_chunk_scaling [SEED]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "pool/chunk_set.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint64_t kChunkBytes = 16ull << 20;
constexpr std::uint64_t kGranule = 256;
constexpr int kRounds = 5;
constexpr int kPairs = 20'000;

class Numbers final : public pool::ChunkMemory {
public:
    Result<Piece> take(std::uint64_t size_bytes, std::uint64_t) override {
        return Piece{.memory = device::AllocationId{++taken_}, .size_bytes = size_bytes};
    }
    void give_back(const Piece&) override {}
    bool keep_empty(std::uint64_t) override { return true; }
    void end_keeping(std::uint64_t) override {}
    [[nodiscard]] std::uint64_t taken() const { return taken_; }

private:
    std::uint64_t taken_ = 0;
};

struct Outcome {
    double ns = 0;
    std::uint64_t chunks = 0;
};

Outcome churn(model::ChunkChoice choice, std::uint64_t chunk_count, std::uint64_t seed) {
    model::BucketPolicy policy;
    policy.chunk_size_bytes.value = kChunkBytes;
    policy.granule_bytes.value = kGranule;
    policy.alignment_bytes = kGranule;
    policy.suballocator.value = model::SuballocatorKind::kTlsf;
    policy.chunk_choice.value = choice;
    Numbers memory;
    pool::ChunkSet chunks(policy, memory, {});
    Random random(seed);
    const auto size = [&] { return static_cast<std::uint64_t>(256 * std::pow(4096.0, random.unit())); };
    std::vector<pool::Placement> live;
    while (memory.taken() < chunk_count) live.push_back(chunks.allocate(size(), kGranule).value());
    std::vector<std::pair<std::size_t, std::uint64_t>> steps(kPairs);
    double least = 1e300;
    for (int round = 0; round < kRounds; ++round) {
        for (auto& [victim, bytes] : steps) {
            victim = random.below(live.size());
            bytes = size();
        }
        const auto begin = std::chrono::steady_clock::now();
        for (const auto& [victim, bytes] : steps) {
            if (!chunks.free(live[victim])) std::exit(2);
            live[victim] = chunks.allocate(bytes, kGranule).value();
        }
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
        least = std::min(least, taken.count() / kPairs);
    }
    return {.ns = least, .chunks = memory.taken()};
}

}  // namespace
}  // namespace heapwright::bench

int main(int argc, char** argv) {
    using namespace heapwright;
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    for (const auto& [name, choice] :
         {std::pair("tightest", model::ChunkChoice::kTightest), std::pair("fullest", model::ChunkChoice::kFullest)}) {
        double of_ten = 0;
        for (const std::uint64_t count : {10u, 100u, 1000u, 10'000u}) {
            const bench::Outcome one = bench::churn(choice, count, seed);
            if (of_ten == 0) of_ten = one.ns;
            fmt::print("{:<8} {:>6} chunks  {:>9.1f} ns a pair  {:.2f}\n", name, one.chunks, one.ns, one.ns / of_ten);
        }
    }
    return 0;
}
