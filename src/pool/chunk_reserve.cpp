#include "pool/chunk_reserve.hpp"

#include <new>

namespace heapwright::pool {

void ChunkReserve::add(Chunk chunk) {
    ready_.push_back(chunk);
    ++figures_.prepared;
    next_pause_ = kFirstPause;
}

std::optional<ChunkReserve::Chunk> ChunkReserve::take(std::uint64_t size_bytes) {
    if (!is_used()) return std::nullopt;
    auto best = ready_.end();
    for (auto it = ready_.begin(); it != ready_.end(); ++it) {
        if (it->size_bytes >= size_bytes && (best == ready_.end() || it->size_bytes < best->size_bytes)) best = it;
    }
    if (best == ready_.end()) {
        ++figures_.taken_late;
        return std::nullopt;
    }
    const Chunk chunk = *best;
    ready_.erase(best);
    ++figures_.taken_ready;
    return chunk;
}

bool ChunkReserve::give_up(Chunk chunk) {
    ++figures_.prepared;
    ++figures_.given_back;
    return put_away(chunk);
}

bool ChunkReserve::put_away(Chunk chunk) try {
    leaving_.push_back(chunk);
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

std::optional<ChunkReserve::Chunk> ChunkReserve::take_leaving() {
    if (leaving_.empty()) return std::nullopt;
    const Chunk chunk = leaving_.back();
    leaving_.pop_back();
    return chunk;
}

std::optional<ChunkReserve::Chunk> ChunkReserve::take_any(std::uint64_t epoch) {
    if (is_used()) pause(epoch);
    if (!leaving_.empty()) return take_leaving();
    if (ready_.empty()) return std::nullopt;
    const Chunk chunk = ready_.back();
    ready_.pop_back();
    ++figures_.given_back;
    return chunk;
}

void ChunkReserve::note_failure(std::uint64_t epoch) {
    ++figures_.failed;
    pause(epoch);
}

void ChunkReserve::pause(std::uint64_t epoch) {
    if (epoch < paused_until_) return;
    paused_until_ = epoch + next_pause_;
    next_pause_ = std::min(next_pause_ * 2, kLongestPause);
}

void ChunkReserve::give_up_unfitting(std::uint64_t epoch, std::uint64_t patience) {
    std::erase_if(ready_, [&](const Chunk& chunk) {
        if (epoch - chunk.fitting_at <= patience || !put_away(chunk)) return false;
        ++figures_.given_back;
        return true;
    });
}

std::uint64_t ChunkReserve::sum(const std::vector<Chunk>& chunks) {
    std::uint64_t bytes = 0;
    for (const Chunk& chunk : chunks) bytes += chunk.size_bytes;
    return bytes;
}

}  // namespace heapwright::pool
