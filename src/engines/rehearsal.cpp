#include "engines/rehearsal.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heapwright::engines {

Status Rehearsal::on_begin() {
    queues_.resize(program().schedule.actors.size());
    fences_.resize(program().schedule.fences.size());
    memory_.emplace(program().resources, program().seed);
    return {};
}

std::optional<std::uint64_t> Rehearsal::reached_ns(FencePoint point) const {
    if (point.value == 0) return 0;
    std::optional<std::uint64_t> earliest;
    for (const Signalled& signal : fences_[point.fence.value]) {
        if (signal.value >= point.value && (!earliest || signal.at_ns < *earliest)) earliest = signal.at_ns;
    }
    return earliest;
}

bool Rehearsal::step(Queue& queue, const Pending& next) {
    const auto& what = program().schedule.operations[next.position].what;
    queue.now_ns = std::max(queue.now_ns, next.submitted_ns);
    if (const auto* wait = std::get_if<engines::Wait>(&what)) {
        const auto reached = reached_ns({wait->fence, wait->value});
        if (!reached) return false;
        queue.now_ns = std::max(queue.now_ns, *reached);
    } else if (const auto* signal = std::get_if<engines::Signal>(&what)) {
        fences_[signal->fence.value].push_back({signal->value, queue.now_ns});
    } else if (const auto* execution = std::get_if<engines::Execute>(&what)) {
        queue.now_ns += execution->duration_ns;
        memory_->apply(program().steps[next.position]);
    }
    return true;
}

void Rehearsal::run_all() {
    for (bool moved = true; moved;) {
        moved = false;
        for (Queue& queue : queues_) {
            while (!queue.pending.empty() && step(queue, queue.pending.front())) {
                queue.pending.pop_front();
                moved = true;
            }
        }
    }
}

Status Rehearsal::on_operation(std::size_t position) {
    const engines::Operation& operation = program().schedule.operations[position];
    if (operation.actor == kHost) {
        const auto& signal = std::get<engines::Signal>(operation.what);
        fences_[signal.fence.value].push_back({signal.value, now_ns_});
    } else {
        queues_[operation.actor.value].pending.push_back({position, now_ns_});
        now_ns_ += kSubmissionNs;
    }
    run_all();
    return {};
}

Status Rehearsal::on_host_wait(FencePoint point) {
    const auto reached = reached_ns(point);
    if (!reached) {
        return fail({.code = ErrorCode::kTimeLimit,
                     .message = fmt::format("the host waits for {}, and nothing that was submitted signals it",
                                            program().schedule.fences[point.fence.value].name),
                     .where = "rehearsal",
                     .value = point.value});
    }
    now_ns_ = std::max(now_ns_, *reached);
    return {};
}

Result<std::size_t> Rehearsal::on_host_wait_any(std::span<const FencePoint> points) {
    std::optional<std::size_t> first;
    std::uint64_t first_ns = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto reached = reached_ns(points[i]);
        if (!reached) continue;
        if (*reached <= now_ns_) return i;
        if (!first || *reached < first_ns) {
            first = i;
            first_ns = *reached;
        }
    }
    if (!first) {
        return fail(ErrorCode::kTimeLimit, "the host waits for one of several values, and nothing signals any",
                    "rehearsal");
    }
    now_ns_ = first_ns;
    return *first;
}

Result<std::uint64_t> Rehearsal::on_completed(FenceIndex fence) {
    std::uint64_t value = 0;
    for (const Signalled& signal : fences_[fence.value]) {
        if (signal.at_ns <= now_ns_) value = std::max(value, signal.value);
    }
    return value;
}

Status Rehearsal::on_host_write(const HostWrite& write) {
    memory_->apply(write);
    return {};
}

Result<std::vector<std::byte>> Rehearsal::on_host_read(const HostRead& read) {
    memory_->apply(read);
    return memory_->reads().back();
}

}  // namespace heapwright::engines
