#include "validate/frame_background.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace heapwright::validate {
namespace {

constexpr std::chrono::microseconds kGlance{100};

device::ProcessorOptions options_for(std::function<void(const device::TraceEvent&)> trace) {
    device::ProcessorOptions options;
    options.trace = std::move(trace);
    // A thread of idle priority that a busy machine stops inside the driver or the kernel keeps their locks: frames
    // waited 130 to 190 ms for it on llvmpipe, where threads of normal priority cost them nothing.
    options.idle_priority = false;
    return options;
}

}  // namespace

FrameBackground::FrameBackground(bool is_real)
    : is_real_(is_real), processor_(options_for([this](const device::TraceEvent& event) { note(event); })) {}

void FrameBackground::note(const device::TraceEvent& event) {
    const std::lock_guard lock(trace_mutex_);
    if (event.kind == device::TraceEvent::Kind::kStart) {
        started_ns_.emplace(event.item, event.time_ns);
    } else if (event.kind == device::TraceEvent::Kind::kEnd) {
        const auto started = started_ns_.extract(event.item);
        if (spans_.size() == model::kMaxEngineSpans) return;
        spans_.push_back({.engine = "background",
                          .name = "item " + std::to_string(event.item),
                          .begin_ns = started.mapped(),
                          .end_ns = event.time_ns});
    }
}

std::vector<model::EngineSpan> FrameBackground::spans(std::uint64_t origin_ns) const {
    const std::lock_guard lock(trace_mutex_);
    std::vector<model::EngineSpan> spans = spans_;
    std::erase_if(spans, [origin_ns](const model::EngineSpan& span) { return span.begin_ns < origin_ns; });
    for (model::EngineSpan& span : spans) {
        span.begin_ns -= origin_ns;
        span.end_ns -= origin_ns;
    }
    return spans;
}

bool FrameBackground::submit(device::WorkItem item) {
    if (is_real_) return processor_.submit(std::move(item));
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(item));
    return true;
}

std::deque<device::WorkItem> FrameBackground::take_held() {
    const std::lock_guard lock(mutex_);
    return std::exchange(held_, {});
}

void FrameBackground::rest(std::uint64_t at_most_ns) {
    if (!is_real_) {
        for (auto items = take_held(); !items.empty(); items = take_held()) {
            for (device::WorkItem& item : items) processor_.submit(std::move(item));
            processor_.drain();
        }
        return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(at_most_ns);
    while (processor_.queued_count() + processor_.running_count() != 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kGlance);
}

}  // namespace heapwright::validate
