#include <algorithm>

#include "heapwright/validate/describe.hpp"
#include "heapwright/validate/lack_of_memory.hpp"
#include "heapwright/validate/scenario_run.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kFramesPerSample = 8;
constexpr std::uint64_t kFramesPerInvariantCheck = 64;
// Where frames begin, the reserves are full.
constexpr std::uint64_t kRestAfterLoadNs = 1'000'000'000;

}  // namespace

Result<AllocatorUnderTest::Created> ScenarioRun::create_measured(const model::ResourceDescription& description,
                                                                 model::MemoryUse use) {
    checker_.declare_use(use);
    meter_.begin();
    auto created = allocator_->create(description, use);
    if (!created && created.error().code == ErrorCode::kRefused)
        created = allocator_->create_dedicated(description, use);
    const CallCost cost = meter_.end();
    if (!created) return created;
    allocate_.add(cost.own_ns);
    create_.add(cost.with_binding_ns);
    add_to_frame(cost);
    if (!churning_ && !cost.was_preempted) worst_load_ns_ = std::max(worst_load_ns_, cost.own_ns);
    ++frame_.allocations;
    return created;
}

void ScenarioRun::note_failure(const model::ResourceDescription& description, const Error& error) {
    ++counts_.failures;
    if (is_lack_of_memory(error)) {
        if (first_without_memory_.empty()) first_without_memory_ = describe(description) + ": " + to_string(error);
    } else if (error.code != ErrorCode::kInvariantBroken) {
        log_.add(model::Fault::kApiError, describe(description), to_string(error));
    } else if (log_.total() == 0) {
        log_.add(model::Fault::kInvariant, describe(description), to_string(error));
    }
}

void ScenarioRun::sample_waste() {
    if (used_bytes_ == 0) return;
    const double reserved = static_cast<double>(checker_.totals().reserved_bytes);
    waste_sum_ += reserved / static_cast<double>(used_bytes_) - 1.0;
    ++waste_samples_;
}

void ScenarioRun::sample_occupancy(std::uint64_t step) {
    occupancy_.add(step, checker_.occupancy(), allocator_->pools());
}

// A frame lasts its budget: what the frame leaves of it is for the background.
void ScenarioRun::rest_of_frame() {
    const std::uint64_t budget_ns = population_.workload.frame_budget_ns;
    const std::uint64_t left_ns = churning_ ? budget_ns - std::min(budget_ns, frame_.ns) : kRestAfterLoadNs;
    Clock* simulated = options_.simulated_clock;
    const std::uint64_t before = simulated == nullptr ? 0 : simulated->now_ns();
    allocator_->rest(left_ns);
    if (simulated == nullptr) return;
    // A replayed device passes its time at once: what the frame had no room for counts as if the frame waited for it.
    const std::uint64_t elapsed = simulated->now_ns() - before;
    frame_.ns += elapsed - std::min(elapsed, left_ns);
}

std::optional<model::PreparedChunks> ScenarioRun::prepared_since_load() const {
    auto figures = allocator_->prepared_chunks();
    if (!figures) return std::nullopt;
    figures->prepared -= prepared_in_load_.prepared;
    figures->taken_ready -= prepared_in_load_.taken_ready;
    figures->taken_late -= prepared_in_load_.taken_late;
    figures->given_back -= prepared_in_load_.given_back;
    figures->failed -= prepared_in_load_.failed;
    return figures;
}

void ScenarioRun::end_measured_frame() {
    const std::uint64_t frees = checker_.totals().device_free_calls;
    frame_.device_frees = frees - frees_before_frame_;
    rest_of_frame();
    frees_before_frame_ = checker_.totals().device_free_calls;
    const std::uint64_t calls = checker_.totals().device_allocation_calls;
    const model::PreparedChunks prepared = allocator_->prepared_chunks().value_or(model::PreparedChunks{});
    const std::uint64_t called = calls - calls_before_frame_;
    frame_.device_allocations = called - std::min(called, prepared.prepared - prepared_before_frame_);
    calls_before_frame_ = calls;
    prepared_before_frame_ = prepared.prepared;
    if (!churning_) prepared_in_load_ = prepared;
    if (churning_) worst_frames_.add(frame_, frame_was_preempted_);  // the load is no frame
    frame_ = {.frame = frame_count_};
    frame_was_preempted_ = false;
    churning_ = true;
    ++frame_count_;
}

// Allocators differ in what they do at once and what they put off, so a free is its release and its share of the
// collection that ends it.
void ScenarioRun::note_frees(std::uint64_t collecting_ns) {
    const auto waiting =
        std::ranges::find_if(releases_, [&](const Released& one) { return queue_->completed() < one.value; });
    const auto ended = static_cast<std::uint64_t>(waiting - releases_.begin());
    for (auto one = releases_.begin(); one != waiting; ++one) free_.add(one->ns + collecting_ns / ended);
    releases_.erase(releases_.begin(), waiting);
}

void ScenarioRun::take_messages() {
    for (std::string& message : device_.take_validation_messages())
        log_.add(model::Fault::kValidationLayer, "validation layer", std::move(message));
}

Status ScenarioRun::end_frame() {
    HEAPWRIGHT_TRY(queue_->submit());
    frames_.push_back(TimelineValue{queue_->recording().value - 1});
    while (frames_.size() > std::max(population_.workload.frames_in_flight, 1u)) {
        HEAPWRIGHT_TRY(queue_->wait(frames_.front()));
        frames_.pop_front();
    }
    HEAPWRIGHT_TRY(queue_->poll());

    meter_.begin();
    const Status collected = allocator_->collect(queue_->completed());
    const CallCost collecting = meter_.end();
    add_to_frame(collecting);
    note_frees(collecting.own_ns);
    if (!collected) log_.add(model::Fault::kInvariant, "allocator", to_string(collected.error()));
    observed_.destroy_ended(false);

    end_measured_frame();
    if (frame_count_ % kFramesPerSample == 0) {
        fragmentation_sum_ += checker_.mean_fragmentation();
        ++fragmentation_samples_;
        const double steps = std::max(1u, population_.workload.churn_steps);
        progress(name_, std::min(1.0, static_cast<double>(churn_creations_) / steps));
    }
    if (frame_count_ % kFramesPerInvariantCheck == 0) {
        if (const Status sound = allocator_->validate_invariants(); !sound)
            log_.add(model::Fault::kInvariant, "allocator", to_string(sound.error()));
        take_messages();
    }
    return check_limits();
}

}  // namespace heapwright::validate
