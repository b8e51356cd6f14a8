#include "validate/frame_meter.hpp"

#include <algorithm>

namespace heapwright::validate {
namespace {

// Where frames begin, the reserves are full.
constexpr std::uint64_t kRestAfterLoadNs = 1'000'000'000;

}  // namespace

void FrameMeter::add_creation(const CallCost& cost) {
    add(cost);
    ++frame_.allocations;
    if (is_loading() && !cost.was_preempted) worst_load_ns_ = std::max(worst_load_ns_, cost.own_ns);
}

void FrameMeter::add_release(const CallCost& cost) {
    add(cost);
    ++frame_.frees;
}

void FrameMeter::rest(AllocatorUnderTest& allocator, std::uint64_t frame_budget_ns, Clock* simulated) {
    const std::uint64_t left_ns =
        is_loading() ? kRestAfterLoadNs : frame_budget_ns - std::min(frame_budget_ns, frame_.ns);
    const std::uint64_t before = simulated == nullptr ? 0 : simulated->now_ns();
    allocator.rest(left_ns);
    if (simulated == nullptr) return;
    // A replayed device passes its time at once: what the frame had no room for counts as if the frame waited for it.
    const std::uint64_t elapsed = simulated->now_ns() - before;
    frame_.ns += elapsed - std::min(elapsed, left_ns);
}

void FrameMeter::end(AllocatorUnderTest& allocator, const ShadowChecker& checker, std::uint64_t frame_budget_ns,
                     Clock* simulated) {
    frame_.device_frees = checker.totals().device_free_calls - device_frees_before_;
    rest(allocator, frame_budget_ns, simulated);
    const ShadowChecker::Totals totals = checker.totals();
    const model::PreparedChunks prepared = allocator.prepared_chunks().value_or(model::PreparedChunks{});
    const std::uint64_t called = totals.device_allocation_calls - device_allocations_before_;
    frame_.device_allocations = called - std::min(called, prepared.prepared - prepared_before_);
    device_allocations_before_ = totals.device_allocation_calls;
    device_frees_before_ = totals.device_free_calls;
    prepared_before_ = prepared.prepared;
    if (is_loading()) {
        prepared_in_load_ = prepared;
    } else {
        frames_.add(frame_, was_preempted_);
    }
    frame_ = {.frame = ends_};
    was_preempted_ = false;
    ++ends_;
}

std::optional<model::PreparedChunks> FrameMeter::prepared_since_load(const AllocatorUnderTest& allocator) const {
    auto figures = allocator.prepared_chunks();
    if (!figures) return std::nullopt;
    figures->prepared -= prepared_in_load_.prepared;
    figures->taken_ready -= prepared_in_load_.taken_ready;
    figures->taken_late -= prepared_in_load_.taken_late;
    figures->given_back -= prepared_in_load_.given_back;
    figures->failed -= prepared_in_load_.failed;
    return figures;
}

}  // namespace heapwright::validate
