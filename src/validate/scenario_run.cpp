#include "heapwright/validate/scenario_run.hpp"

#include "heapwright/core/checked.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/validate/supported_resource.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kVerifyAtReleaseOneIn = 4;
constexpr std::uint64_t kVerifyAtRandomOneIn = 16;
constexpr std::uint64_t kWorkPerSubmission = 1024;  // while loading, where no frame ends
// Of the limit: the rest is what chunks reserve beyond the bytes in use.
constexpr double kPopulatedShare = 0.6;

}  // namespace

Status ScenarioRun::set_up(const model::Workload& workload) {
    // What a probe or another run left in the log is not this scenario's.
    (void)device_.take_validation_messages();
    std::uint64_t usable = 0;
    for (const model::HeapPolicy& heap : policy_.heaps) usable += heap.usable_bytes.value;
    const std::uint64_t limit = std::min(options_.memory_limit_bytes, usable);
    const WorkQueue::Options staging{.upload_bytes = std::clamp(limit / 16, 4 * kMiB, 32 * kMiB),
                                     .readback_bytes = std::clamp(limit / 8, 4 * kMiB, 128 * kMiB)};
    const std::uint64_t staged = staging.upload_bytes + staging.readback_bytes;
    if (limit <= staged) {
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "the memory limit does not even hold the staging memory",
                          .where = "memory_limit_bytes",
                          .value = limit,
                          .limit = staged});
    }
    model::Workload wanted = workload;
    if (options_.churn_steps != 0) wanted.churn_steps = static_cast<std::uint32_t>(options_.churn_steps);
    const auto room = static_cast<std::uint64_t>(static_cast<double>(limit - staged) * kPopulatedShare);
    Status answered;
    HEAPWRIGHT_ASSIGN(population_, fit_population(wanted, options_.floor, room, [&](const auto& description) {
                          const auto resource = supported(device_, description);
                          if (!resource && answered) answered = fail(resource.error());
                          return resource && *resource ? (*resource)->size_bytes : 0;
                      }));
    HEAPWRIGHT_TRY(answered);
    HEAPWRIGHT_ASSIGN(source_, make_source_(population_.workload, options_.seed));
    HEAPWRIGHT_ASSIGN(queue_, WorkQueue::create(observed_, device_, staging,
                                                [this](const PendingCheck& check, const Mismatch& mismatch) {
                                                    contents_.report(check, mismatch);
                                                }));
    contents_.use(*queue_);
    const AllocatorFactory& make = options_.allocator;
    HEAPWRIGHT_ASSIGN(allocator_, make ? make(observed_, policy_, limit - staged)
                                       : make_pool_under_test(observed_, policy_, limit - staged));
    return {};
}

Status ScenarioRun::create(const workload::Create& wanted) {
    churn_creations_ += churning_ ? 1 : 0;
    const model::ResourceDescription shrunk = shrink(wanted.resource, population_.largest_packed_bytes);
    const auto resource = supported(device_, shrunk);
    if (!resource) {
        note_failure(shrunk, resource.error());
        return resource.error().code == ErrorCode::kDeviceLost ? Status(fail(resource.error())) : Status{};
    }
    if (!*resource) {
        ++unsupported_;
        return {};
    }
    const auto& [description, size_bytes] = **resource;
    auto created = create_measured(description, wanted.memory_use);
    if (!created) {
        note_failure(description, created.error());
        return created.error().code == ErrorCode::kDeviceLost ? Status(fail(created.error())) : Status{};
    }
    ++counts_.operations;
    const bool is_image = std::holds_alternative<model::ImageDescription>(description);
    images_ += is_image ? 1 : 0;
    used_bytes_ += size_bytes;
    position_.emplace(wanted.id, live_.size());
    live_.push_back({.id = wanted.id, .created = *created, .size_bytes = size_bytes, .is_image = is_image});
    counts_.peak_images = std::max(counts_.peak_images, images_);
    counts_.peak_buffers = std::max(counts_.peak_buffers, live_.size() - images_);
    memory_.peak_used_bytes = std::max(memory_.peak_used_bytes, used_bytes_);
    HEAPWRIGHT_ASSIGN(live_.back().is_verifiable, contents_.fill(wanted.id, description, created->resource));
    if (!live_.back().is_verifiable) ++unverifiable_;
    return {};
}

Status ScenarioRun::destroy(std::uint64_t id) {
    const auto found = position_.find(id);
    if (found == position_.end()) return {};  // its creation failed or is not supported
    const Live victim = live_[found->second];
    if (victim.is_verifiable && random_.below(kVerifyAtReleaseOneIn) == 0)
        HEAPWRIGHT_TRY(contents_.verify(id, victim.created.resource));
    contents_.poison(id, victim.created.resource);
    contents_.forget(id);

    live_[found->second] = live_.back();
    position_[live_.back().id] = found->second;
    live_.pop_back();
    position_.erase(id);
    images_ -= victim.is_image ? 1 : 0;
    used_bytes_ -= victim.size_bytes;
    ++counts_.operations;

    checker_.declare_released(victim.created.resource, {.timeline = &queue_->timeline(), .value = queue_->recording()});
    meter_.begin();
    allocator_->release(victim.created, queue_->recording());
    const CallCost cost = meter_.end();
    releases_.push_back({.value = queue_->recording(), .ns = cost.own_ns});
    add_to_frame(cost);
    ++frame_.frees;
    return {};
}

Status ScenarioRun::check_limits() {
    HEAPWRIGHT_TRY(check_interrupted());
    if (clock_.now_ns() - started_ns_ > options_.time_limit_ns)
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = "the time limit came before the end of the scenario",
                          .limit = options_.time_limit_ns});
    if (log_.total() >= model::kMaxFindings)
        return fail(ErrorCode::kInvariantBroken, "stopped after as many findings as are kept");
    return {};
}

Status ScenarioRun::apply(const workload::Operation& operation) {
    if (const auto* wanted = std::get_if<workload::Create>(&operation)) {
        HEAPWRIGHT_TRY(create(*wanted));
        if (churning_) {
            sample_waste();
            if (!live_.empty() && random_.below(kVerifyAtRandomOneIn) == 0) {
                const Live& chosen = live_[static_cast<std::size_t>(random_.below(live_.size()))];
                if (chosen.is_verifiable) HEAPWRIGHT_TRY(contents_.verify(chosen.id, chosen.created.resource));
            }
        } else if (queue_->recorded_work() >= kWorkPerSubmission) {
            HEAPWRIGHT_TRY(queue_->submit());
            HEAPWRIGHT_TRY(queue_->poll());
            progress("load", 0);
            return check_limits();
        }
        return {};
    }
    if (const auto* gone = std::get_if<workload::Destroy>(&operation)) return destroy(gone->id);
    return end_frame();
}

Status ScenarioRun::verify_all() {
    std::size_t done = 0;
    for (const Live& resource : live_) {
        if (resource.is_verifiable) HEAPWRIGHT_TRY(contents_.verify(resource.id, resource.created.resource));
        if (++done % 256 == 0) {
            progress("verify", static_cast<double>(done) / static_cast<double>(live_.size()));
            HEAPWRIGHT_TRY(queue_->submit());
            HEAPWRIGHT_TRY(check_limits());
        }
    }
    return queue_->drain();
}

Status ScenarioRun::play() {
    started_ns_ = clock_.now_ns();
    while (const auto operation = source_()) {
        log_.set_step(played_);
        if (occupancy_.is_due(played_)) sample_occupancy(played_);
        HEAPWRIGHT_TRY(apply(*operation));
        ++played_;
    }
    return verify_all();
}

void ScenarioRun::give_back_all() {
    const TimelineValue last = queue_->recording();
    for (const Live& resource : live_) {
        checker_.declare_released(resource.created.resource, {.timeline = &queue_->timeline(), .value = last});
        allocator_->release(resource.created, last);
    }
    live_.clear();
    position_.clear();
    // A device that fails here is idle or lost; either way nothing uses the resources any more.
    if (!queue_->drain()) {
        (void)device_.submitter().wait_idle();
        (void)queue_->timeline().signal(last);
    }
    if (const Status collected = allocator_->collect(last); !collected)
        log_.add(model::Fault::kInvariant, "allocator", to_string(collected.error()));
    if (const Status sound = allocator_->validate_invariants(); !sound)
        log_.add(model::Fault::kInvariant, "allocator", to_string(sound.error()));
}

void ScenarioRun::clean_up() {
    if (allocator_ && queue_) give_back_all();
    observed_.destroy_ended(true);
    allocator_.reset();
    observed_.destroy_ended(true);
    queue_.reset();
}

}  // namespace heapwright::validate
