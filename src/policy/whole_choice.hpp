// Rule: of candidates for the whole policy the one that does best when all of it is played (policy_player.hpp). The
// search of one bucket alone only proposes: what keeps chunks ready, heaps and allocations have in common is seen in
// the whole. Compared, with the workload's seed and the next, by the costs that captures of one device share:
//     requests without memory; then waste + (worst frame + 8 mean frames) / frame budget
// Among those that differ from the best by no more than captures of one device do, the one with the fewest device
// allocations is taken. Pure; same input, same choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/policy/context.hpp"
#include "heapwright/policy/policy_player.hpp"

namespace heapwright::policy {

struct WholeCandidate {
    double chunk_share = 1;  // of bucket_search.hpp's kChunkShares
    model::DevicePolicy policy;
};

struct WholeChoice {
    std::size_t chosen = 0;
    std::vector<std::uint64_t> most_new_chunks;  // of the chosen one, by bucket: that requests took in one frame
    model::Statement why;                        // what came of each; empty where there was nothing to choose
};

// The first where one cannot be played; there is at least one.
[[nodiscard]] WholeChoice choose_whole(const Context& context, std::span<const WholeCandidate> candidates,
                                       const std::shared_ptr<const PlayedStreams>& streams);

}  // namespace heapwright::policy
