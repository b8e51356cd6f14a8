// The chunks that a bucket holds beyond those that it divides: ready ones, allocated ahead of need, and those that wait
// until the background gives them back to the device. The books alone: who calls holds the bucket's lock, and makes
// the device's calls without it.
//
//   (background) --add--> ready --take--> (the bucket divides it)
//                           `--give_up--.
//   (the bucket emptied it) --put_away--> leaving --take_leaving--> (background frees it)
//
// Guarantees: no more than `ahead` chunks are asked for; after a failure or after pressure none is asked for in a
// number of collections that doubles from kFirstPause to kLongestPause and starts again with the next success.
// Sizes in bytes, time in collections ("epochs"). Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "device/memory_source.hpp"
#include "heapwright/pool/pool_figures.hpp"

namespace heapwright::pool {

class ChunkReserve {
public:
    static constexpr std::uint64_t kFirstPause = 64;
    static constexpr std::uint64_t kLongestPause = 4096;

    struct Chunk {
        device::AllocationId memory;
        std::uint64_t size_bytes = 0;
        std::uint64_t fitting_at = 0;  // the last epoch in which the bucket's growth would have taken one as large
    };

    explicit ChunkReserve(std::uint64_t ahead) : ahead_(ahead) { ready_.reserve(std::min<std::uint64_t>(ahead, 64)); }

    [[nodiscard]] bool is_used() const { return ahead_ != 0; }
    [[nodiscard]] bool wants_more(std::uint64_t epoch) const {
        return ready_.size() < ahead_ && epoch >= paused_until_;
    }
    [[nodiscard]] bool has_leaving() const { return !leaving_.empty(); }

    void add(Chunk chunk);
    // The smallest ready chunk that holds so much, of equal ones the oldest. Counts what a request met.
    [[nodiscard]] std::optional<Chunk> take(std::uint64_t size_bytes);
    // Allocated in the background, but not wanted any more. As put_away().
    [[nodiscard]] bool give_up(Chunk chunk);

    // To be freed in the background. False: there is no host memory to keep it for that.
    [[nodiscard]] bool put_away(Chunk chunk);
    [[nodiscard]] std::optional<Chunk> take_leaving();

    // One of all, to be freed now; nothing is prepared for a while. None: that was all.
    [[nodiscard]] std::optional<Chunk> take_any(std::uint64_t epoch);

    void note_failure(std::uint64_t epoch);

    // Ready chunks that were larger for longer than `patience` epochs than the bucket would take them leave.
    // most_bytes(ready bytes before it): what the bucket takes at most once those are in use, as when it was prepared.
    template <class MostBytes>
    void age(std::uint64_t epoch, std::uint64_t patience, MostBytes&& most_bytes) {
        std::uint64_t before_bytes = 0;
        for (Chunk& chunk : ready_) {
            if (chunk.size_bytes <= most_bytes(before_bytes)) chunk.fitting_at = epoch;
            before_bytes += chunk.size_bytes;
        }
        give_up_unfitting(epoch, patience);
    }

    [[nodiscard]] std::uint64_t ready_count() const { return ready_.size(); }
    [[nodiscard]] std::uint64_t ready_bytes() const { return sum(ready_); }
    [[nodiscard]] std::uint64_t held_count() const { return ready_.size() + leaving_.size(); }
    [[nodiscard]] std::uint64_t held_bytes() const { return sum(ready_) + sum(leaving_); }
    [[nodiscard]] const PreparationFigures& figures() const { return figures_; }

private:
    [[nodiscard]] static std::uint64_t sum(const std::vector<Chunk>& chunks);
    void pause(std::uint64_t epoch);
    void give_up_unfitting(std::uint64_t epoch, std::uint64_t patience);

    std::uint64_t ahead_;
    std::vector<Chunk> ready_;  // oldest first
    std::vector<Chunk> leaving_;
    std::uint64_t paused_until_ = 0;
    std::uint64_t next_pause_ = kFirstPause;
    PreparationFigures figures_;
};

}  // namespace heapwright::pool
