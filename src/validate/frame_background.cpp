#include "heapwright/validate/frame_background.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace heapwright::validate {
namespace {

constexpr std::chrono::microseconds kGlance{100};

background::ProcessorOptions options_for(bool is_real) {
    background::ProcessorOptions options;
    // On a replayed device nothing real is disturbed, and the scenario waits for every item.
    options.idle_priority = is_real;
    return options;
}

}  // namespace

FrameBackground::FrameBackground(bool is_real) : is_real_(is_real), processor_(options_for(is_real)) {}

bool FrameBackground::submit(background::WorkItem item) {
    if (is_real_) return processor_.submit(std::move(item));
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(item));
    return true;
}

std::deque<background::WorkItem> FrameBackground::take_held() {
    const std::lock_guard lock(mutex_);
    return std::exchange(held_, {});
}

void FrameBackground::rest(std::uint64_t at_most_ns) {
    if (!is_real_) {
        for (auto items = take_held(); !items.empty(); items = take_held()) {
            for (background::WorkItem& item : items) processor_.submit(std::move(item));
            processor_.drain();
        }
        return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(at_most_ns);
    while (processor_.queued_count() + processor_.running_count() != 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kGlance);
}

}  // namespace heapwright::validate
