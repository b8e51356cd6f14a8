// Documents are read side by side, as far as what they may take in memory is together no more than one may take. A
// thread takes a seat before it reads a text, and keeps it as long as it holds what it read. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "model/detail/json_tape.hpp"

namespace heapwright::compare {

class ReadingRoom {
public:
    void enter(std::uint64_t bytes) {
        std::unique_lock lock(mutex_);
        left_.wait(lock, [&] { return held_bytes_ == 0 || held_bytes_ + bytes <= kMostBytes; });
        held_bytes_ += bytes;
    }
    void leave(std::uint64_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            held_bytes_ -= bytes;
        }
        left_.notify_all();
    }

private:
    static constexpr std::uint64_t kMostBytes = model::detail::JsonTape::kMostSpareBytes;

    std::mutex mutex_;
    std::condition_variable left_;
    std::uint64_t held_bytes_ = 0;
};

class Seat {
public:
    Seat(ReadingRoom& room, std::uint64_t text_bytes)
        : room_(room), bytes_(model::detail::JsonTape::budget_bytes(text_bytes)) {
        room_.enter(bytes_);
    }
    ~Seat() { room_.leave(bytes_); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

private:
    ReadingRoom& room_;
    std::uint64_t bytes_;
};

}  // namespace heapwright::compare
