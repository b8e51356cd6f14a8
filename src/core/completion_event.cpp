#include "heapwright/core/completion_event.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace heapwright {

struct CompletionEvent::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool signalled = false;
};

CompletionEvent::CompletionEvent() : shared_(std::make_shared<Shared>()) {}

void CompletionEvent::signal() {
    const std::lock_guard lock(shared_->mutex);
    shared_->signalled = true;
    shared_->changed.notify_all();
}

bool CompletionEvent::is_signalled() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->signalled;
}

bool CompletionEvent::wait_for(std::uint64_t timeout_ns) const {
    // A longer time would not fit the clock's 64 bits once it is added to now.
    constexpr std::uint64_t kLongestNs = 365ull * 24 * 3600 * 1'000'000'000;
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, std::chrono::nanoseconds(std::min(timeout_ns, kLongestNs)),
                                     [this] { return shared_->signalled; });
}

}  // namespace heapwright
