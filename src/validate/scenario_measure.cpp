#include "heapwright/validate/describe.hpp"
#include "heapwright/validate/scenario_run.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kFramesPerSample = 8;
constexpr std::uint64_t kFramesPerInvariantCheck = 64;

}  // namespace

Result<AllocatorUnderTest::Created> ScenarioRun::create_measured(const model::ResourceDescription& description,
                                                                 model::MemoryUse use) {
    checker_.declare_use(use);
    const std::uint64_t outside_before = outside_ns();
    const std::uint64_t checking_before = checking_ns();
    const std::uint64_t before = clock_.now_ns();
    auto created = allocator_->create(description, use);
    if (!created && created.error().code == ErrorCode::kRefused)
        created = allocator_->create_dedicated(description, use);
    const std::uint64_t elapsed = clock_.now_ns() - before;
    if (!created) return created;
    const std::uint64_t outside = outside_ns() - outside_before;
    const std::uint64_t allocating = elapsed > outside ? elapsed - outside : 0;
    allocate_.add(allocating);
    create_.add(elapsed - std::min(elapsed, checking_ns() - checking_before));
    frame_.ns += allocating;
    ++frame_.allocations;
    return created;
}

void ScenarioRun::note_failure(const model::ResourceDescription& description, const Error& error) {
    ++counts_.failures;
    if (error.code == ErrorCode::kOutOfDeviceMemory) {
        ++without_memory_;
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

void ScenarioRun::end_measured_frame() {
    const std::uint64_t calls = checker_.totals().device_allocation_calls;
    frame_.device_allocations = calls - calls_before_frame_;
    calls_before_frame_ = calls;
    if (churning_) worst_frames_.add(frame_);  // the load is no frame
    frame_ = {.frame = frame_count_};
    churning_ = true;
    ++frame_count_;
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

    const std::uint64_t outside_before = outside_ns();
    const std::uint64_t before = clock_.now_ns();
    const Status collected = allocator_->collect(queue_->completed());
    const std::uint64_t elapsed = clock_.now_ns() - before;
    frame_.ns += elapsed - std::min(elapsed, outside_ns() - outside_before);
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
