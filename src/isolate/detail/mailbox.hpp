// Brings what several reading threads receive to one thread, in each source's own order. A source that is far ahead
// waits, so that a child cannot fill the parent's memory. Thread-safe: one thread a source, one that takes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace heapwright::isolate::detail {

class Mailbox {
public:
    struct Piece {
        std::size_t source = 0;
        std::string bytes;
    };

    explicit Mailbox(std::size_t sources) : open_sources_(sources) {}

    // Waits while too much lies here; after abandon() it drops the bytes instead.
    void put(std::size_t source, std::string bytes) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return pieces_.size() < kMaxPieces || abandoned_; });
        if (abandoned_) return;
        pieces_.push_back({source, std::move(bytes)});
        arrived_.notify_one();
    }

    void close() {
        const std::scoped_lock lock(mutex_);
        --open_sources_;
        arrived_.notify_one();
    }

    // Nothing when nothing came in that time, or when every source closed.
    std::optional<Piece> take(std::uint64_t timeout_ns) {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                          [this] { return !pieces_.empty() || open_sources_ == 0; });
        if (pieces_.empty()) return std::nullopt;
        Piece piece = std::move(pieces_.front());
        pieces_.pop_front();
        taken_.notify_all();
        return piece;
    }

    // Whether every source closed and all was taken.
    [[nodiscard]] bool finished() {
        const std::scoped_lock lock(mutex_);
        return open_sources_ == 0 && pieces_.empty();
    }

    void abandon() {
        const std::scoped_lock lock(mutex_);
        abandoned_ = true;
        taken_.notify_all();
    }

private:
    static constexpr std::size_t kMaxPieces = 64;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::condition_variable taken_;
    std::deque<Piece> pieces_;
    std::size_t open_sources_;
    bool abandoned_ = false;
};

}  // namespace heapwright::isolate::detail
