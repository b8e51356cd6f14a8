// What a program does to its allocator as every player of a what-if takes it: one step after another, each creation
// with what the device asks for the resource. Sources make them (sources.hpp), players
// play them (player.hpp), a batch at a time, so that many players share one pass. Plain values; sizes in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heapwright/core/result.hpp"
#include "pool/memory_placer.hpp"

namespace heapwright::whatif {

struct Step {
    enum class Kind : std::uint8_t { kCreate, kDestroy, kEndFrame };

    Kind kind = Kind::kEndFrame;
    std::uint32_t slot = 0;  // of kCreate and kDestroy; dense, free again once destroyed
    // Of kCreate. Render targets are a class of their own; a player that does not keep them apart has them among the
    // optimal ones.
    pool::MemoryPlacer::Request request;
    std::uint64_t buffer_bytes = 0;  // of kCreate: as the program describes it; 0: an image, or not told
};

struct StepCounts {
    std::uint64_t operations = 0;  // creations and destructions
    std::uint64_t creations = 0;
    std::uint64_t frames = 0;
    std::uint64_t refused = 0;   // creations of resources that the device does not have; nobody plays them
    double asked_bytes = 0;      // of what is played
    double estimated_bytes = 0;  // of these: sizes that nothing in the report tells
};

// Not thread-safe; in memory that grows with what is alive, and not with the steps.
class StepSource {
public:
    virtual ~StepSource() = default;
    // The next ones, in place of what `steps` held; none: it is over. The last one ends a frame.
    [[nodiscard]] virtual Status read(std::vector<Step>& steps) = 0;
    [[nodiscard]] const StepCounts& counts() const { return counts_; }

protected:
    static constexpr std::size_t kBatch = 1024;
    StepCounts counts_;
};

}  // namespace heapwright::whatif
