// Occupancy over a scenario: asked after every operation whether a sample is due, it keeps at most
// model::kMaxOccupancySamples of them, evenly spread, by dropping every other one when they are full. The maps of
// chunks are taken at moments that the scenario names. Sizes in bytes. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

struct OccupancyFigures {
    std::string name;
    std::uint64_t used_bytes = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t largest_free_bytes = 0;
    double fragmentation = 0;  // mean over the chunks with free bytes
    std::uint64_t chunks = 0;
};

class OccupancyRecorder {
public:
    [[nodiscard]] bool is_due(std::uint64_t step) const { return step % stride_ == 0; }

    // Steps ascend. A name that a sample leaves out held nothing then.
    void add(std::uint64_t step, const std::vector<OccupancyFigures>& heaps,
             const std::vector<OccupancyFigures>& pools);

    // The first model::kMaxChunkMaps are kept.
    void add_map(std::string moment, std::uint64_t step, model::ChunkMap map);

    // Nothing when no sample was taken. Series that never held a chunk are left out.
    [[nodiscard]] std::optional<model::Occupancy> occupancy() const;

private:
    std::uint64_t stride_ = 1;
    model::Occupancy samples_;
};

}  // namespace heapwright::validate
