// The map of a pool's chunks as a validation holds it: figures and used shares of each chunk in use, pool by pool.
// Bounded: model::kMaxMappedChunks chunks, those with the most free bytes where there are more, in model::kMaxMapCells
// cells each. Takes each bucket's lock once, for two passes over its ranges: for the ends of a scenario, not its
// frames.
#pragma once

#include <cstdint>

#include "heapwright/model/validation.hpp"

namespace heapwright::pool {
class MemoryPool;
}

namespace heapwright::validate {

// Without its moment and step.
[[nodiscard]] model::ChunkMap chunk_map_of(const pool::MemoryPool& pool);

// A share in [0, 1] as whole percent, 0 only for none and 100 only for all.
[[nodiscard]] std::uint32_t percent_of(double share);

// Leaves the model::kMaxMappedChunks with the most free bytes, in their order, and counts the others.
void bound(model::ChunkMap& map);

}  // namespace heapwright::validate
