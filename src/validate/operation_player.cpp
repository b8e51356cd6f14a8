#include "validate/operation_player.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "validate/population.hpp"
#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kVerifyAtReleaseOneIn = 4;
constexpr std::uint64_t kVerifyAtRandomOneIn = 16;
constexpr std::uint64_t kWorkPerSubmission = 1024;  // while loading, where no frame ends
constexpr std::uint64_t kFramesPerSample = 8;
constexpr std::uint64_t kFramesPerInvariantCheck = 64;
// Of the limit. Where all chunks together are a small part of it, more of it is filled: all but this.
constexpr double kPopulatedShare = 0.6;
constexpr double kSpareShare = 0.1;
// A world of its own gives up much at once, which frames in flight still hold.
constexpr double kOwnWorldShare = 0.85;
constexpr std::uint64_t kAboveExpectedParts = 8;  // of what is expected, how much more a peak may be

WorkQueue::Options staging_within(std::uint64_t limit) {
    return {.upload_bytes = std::clamp(limit / 16, 4 * kMiB, 32 * kMiB),
            .readback_bytes = std::clamp(limit / 8, 4 * kMiB, 128 * kMiB)};
}

std::uint64_t sum_of(const WorkQueue::Options& staging) {
    return staging.upload_bytes + staging.readback_bytes;
}

}  // namespace

std::uint64_t OperationPlayer::room_within(std::uint64_t limit_bytes) const {
    double chunks = 0;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        const std::uint64_t ahead = bucket.chunks_ahead ? bucket.chunks_ahead->value : 0;
        chunks += static_cast<double>(bucket.chunk_size_bytes.value) * static_cast<double>(1 + ahead);
    }
    const double limit = static_cast<double>(limit_bytes) * (what_.is_workload ? 1 : kOwnWorldShare);
    return static_cast<std::uint64_t>(std::max(limit * kPopulatedShare, limit * (1 - kSpareShare) - chunks));
}

std::optional<std::uint64_t> OperationPlayer::expected_reserved_bytes() const {
    const std::optional<model::Expectations>& expected = policy.expectations;
    if (!what_.is_workload || !options.other_workload.empty() || !expected) return std::nullopt;
    if (policy.capacity && !policy.capacity->unfit.empty()) return std::nullopt;
    if (expected->failed_requests) return std::nullopt;  // the peaks are of the others alone
    std::uint64_t sum = 0;
    for (const model::HeapExpectation& heap : expected->heaps)
        sum = checked_add(sum, heap.peak_reserved_bytes.value).value_or(~std::uint64_t{0});
    return sum == 0 ? std::nullopt : std::optional(sum);
}

Result<WorkQueue::Options> OperationPlayer::fit_within(std::uint64_t limit_bytes, const model::Workload& wanted) {
    // Staging that holds the largest subresource lets every byte be compared, where there is room for it.
    const std::uint64_t largest = align_up(largest_subresource_bytes(wanted), kMiB);
    const auto widened = [&](const WorkQueue::Options& staging) {
        return WorkQueue::Options{.upload_bytes = std::max(staging.upload_bytes, largest),
                                  .readback_bytes = std::max(staging.readback_bytes, largest)};
    };
    if (const auto expected = expected_reserved_bytes(); expected && *expected <= limit_bytes) {
        const std::uint64_t spare = limit_bytes - *expected;
        const WorkQueue::Options staging = staging_within(2 * std::min(spare, limit_bytes / 2));
        // A peak above the expected one has room, too.
        const std::uint64_t kept = std::min(spare, *expected) / kAboveExpectedParts;
        if (sum_of(staging) <= spare - kept) {
            HEAPWRIGHT_TRY(fit(wanted, ~std::uint64_t{0}));
            return sum_of(widened(staging)) <= spare - kept ? widened(staging) : staging;
        }
    }
    const WorkQueue::Options staging = staging_within(limit_bytes);
    HEAPWRIGHT_TRY(fit(wanted, room_within(limit_bytes - std::min(limit_bytes, sum_of(staging)))));
    const std::uint64_t left = limit_bytes - std::min(limit_bytes, sum_of(widened(staging)));
    const bool has_room = !population.stand_in && population.most_bytes <= room_within(left);
    return has_room ? widened(staging) : staging;
}

Status OperationPlayer::set_up(const model::Workload& workload) {
    const std::uint64_t limit = limit_bytes();
    model::Workload wanted = workload;
    if (options.churn_steps != 0) wanted.churn_steps = static_cast<std::uint32_t>(options.churn_steps);
    HEAPWRIGHT_ASSIGN(const WorkQueue::Options staging, fit_within(limit, wanted));
    const std::uint64_t left = limit - std::min(limit, sum_of(staging));
    if (answers_for_workload() && !options.scale_to_fit) {
        misfit_ = misfit_of(policy, device.facts(), population.wanted_bytes, options.other_workload.empty());
        if (misfit_) return {};
    }
    HEAPWRIGHT_TRY(open_queue(staging));
    HEAPWRIGHT_ASSIGN(source_, what_.source(population.workload, options.run_seed()));
    const AllocatorFactory& make = options.allocator;
    HEAPWRIGHT_ASSIGN(allocator_, make ? make(observed, policy, left) : make_pool_under_test(observed, policy, left));
    return {};
}

Status OperationPlayer::note_failure(const model::ResourceDescription& description, const Error& error) {
    ++shortfall_.failures;
    if (is_lack_of_memory(error)) {
        if (shortfall_.first_without_memory.empty())
            shortfall_.first_without_memory = model::resource_text(description) + ": " + to_string(error);
    } else if (error.code != ErrorCode::kInvariantBroken) {
        // One request tells what thousands like it would tell again.
        if (error.code != ErrorCode::kDeviceLost && !failures_said_.insert(error.message).second) {
            ++shortfall_.repeated;
            return {};
        }
        log.add(model::Fault::kApiError, model::resource_text(description), to_string(error));
    } else if (log.total() == 0) {
        log.add(model::Fault::kInvariant, model::resource_text(description), to_string(error));
    }
    return error.code == ErrorCode::kDeviceLost ? Status(fail(error)) : Status{};
}

bool OperationPlayer::is_refused_as_humongous(const Error& error) const {
    return model::humongous_rule_of(policy) == model::HumongousRule::kRefuse && error.code == ErrorCode::kRefused;
}

Result<AllocatorUnderTest::Created> OperationPlayer::create_measured(const model::ResourceDescription& description,
                                                                     model::MemoryUse use,
                                                                     model::OwnMemory own_memory) {
    checker.declare_use(use);
    meter.begin();
    auto created = allocator_->create(description, use, own_memory);
    if (!created && is_refused_as_humongous(created.error())) created = allocator_->create_dedicated(description, use);
    const CallCost cost = meter.end();
    if (!created) return created;
    latencies_.add_creation(cost);
    frames_.add_creation(cost);
    return created;
}

void OperationPlayer::leave_out(const workload::Create& wanted, std::string reason) {
    Unplayed& unplayed = shortfall_.unplayed[wanted.hint];
    if (unplayed.requests++ == 0) unplayed.reason = std::move(reason);
}

Status OperationPlayer::create(const workload::Create& wanted) {
    if (!frames_.is_loading()) ++churn_creations_;
    ++requests_;
    const auto resource = supported(device, wanted.resource);
    if (!resource && is_refusal(resource.error())) {
        ++shortfall_.lacked;
        leave_out(wanted, to_string(resource.error()));
        return {};
    }
    if (!resource) return note_failure(wanted.resource, resource.error());
    const auto& [description, size_bytes] = *resource;
    if (size_bytes > population.largest_bytes) {
        leave_out(wanted, fmt::format("{} are too large for the memory limit", byte_text(size_bytes)));
        return {};
    }
    const auto created = create_measured(description, wanted.memory_use, wanted.own_memory);
    if (!created) return note_failure(description, created.error());
    ++operations_;
    LiveResource& live = live_.add({.id = wanted.id,
                                    .created = *created,
                                    .size_bytes = size_bytes,
                                    .is_image = std::holds_alternative<model::ImageDescription>(description)});
    HEAPWRIGHT_ASSIGN(live.is_verifiable, contents.fill(wanted.id, description, created->resource));
    if (!live.is_verifiable) ++shortfall_.unverifiable;
    return {};
}

Status OperationPlayer::verify(const LiveResource& resource) {
    return resource.is_verifiable ? contents.verify(resource.id, resource.created.resource) : Status{};
}

Status OperationPlayer::destroy(std::uint64_t id) {
    const LiveResource* found = live_.find(id);
    if (found == nullptr) return {};  // its creation failed or is not supported
    const LiveResource victim = *found;
    if (victim.is_verifiable && random.below(kVerifyAtReleaseOneIn) == 0) HEAPWRIGHT_TRY(verify(victim));
    contents.poison(id, victim.created.resource);
    contents.forget(id);
    live_.remove(id);
    ++operations_;

    declare_released(victim.created.resource);
    meter.begin();
    allocator_->release(victim.created, queue->recording());
    const CallCost cost = meter.end();
    latencies_.add_release(queue->recording(), cost);
    frames_.add_release(cost);
    return {};
}

Status OperationPlayer::apply(const workload::Operation& operation) {
    if (const auto* gone = std::get_if<workload::Destroy>(&operation)) return destroy(gone->id);
    const auto* wanted = std::get_if<workload::Create>(&operation);
    if (wanted == nullptr) return end_frame();
    HEAPWRIGHT_TRY(create(*wanted));
    if (!frames_.is_loading()) {
        if (live_.all().empty() || random.below(kVerifyAtRandomOneIn) != 0) return {};
        return verify(live_.all()[static_cast<std::size_t>(random.below(live_.all().size()))]);
    }
    if (queue->recorded_work() < kWorkPerSubmission) return {};
    HEAPWRIGHT_TRY(queue->submit());
    HEAPWRIGHT_TRY(queue->poll());
    progress("load", 0);
    return check_limits();
}

Status OperationPlayer::end_frame() {
    waste_.end_frame(checker.totals().reserved_bytes, live_.used_bytes());
    HEAPWRIGHT_TRY(queue->submit());
    live_.end_frame();
    frames_in_flight_.push_back(TimelineValue{queue->recording().value - 1});
    while (frames_in_flight_.size() > std::max(population.workload.frames_in_flight, 1u)) {
        HEAPWRIGHT_TRY(queue->wait(frames_in_flight_.front()));
        retired_ = frames_in_flight_.front();
        frames_in_flight_.pop_front();
        live_.retire_frame();
    }
    HEAPWRIGHT_TRY(queue->poll());

    // By the frames that were waited for, as the policy's expectations have it, however far ahead the device may be:
    // what a run reserves is then the same on a busy machine.
    meter.begin();
    const Status collected = allocator_->release_completed(retired_);
    const CallCost cost = meter.end();
    latencies_.add_collection(retired_, cost);
    frames_.add_collection(cost);
    require_sound("allocator", collected);
    observed.destroy_ended(false);

    frames_.end(*allocator_, checker, population.workload.frame_budget_ns, options.simulated_clock);
    if (frames_.ends() % kFramesPerSample == 0) {
        fragmentation_.add(checker.mean_fragmentation());
        const double steps = std::max(1u, population.workload.churn_steps);
        progress(what_.name, std::min(1.0, static_cast<double>(churn_creations_) / steps));
    }
    if (frames_.ends() % kFramesPerInvariantCheck == 0) {
        require_sound("allocator", allocator_->validate_invariants());
        take_messages();
    }
    return check_limits();
}

Status OperationPlayer::verify_all() {
    std::size_t done = 0;
    for (const LiveResource& resource : live_.all()) {
        HEAPWRIGHT_TRY(verify(resource));
        if (++done % 256 == 0) {
            progress("verify", static_cast<double>(done) / static_cast<double>(live_.all().size()));
            HEAPWRIGHT_TRY(queue->submit());
            HEAPWRIGHT_TRY(check_limits());
        }
    }
    return queue->drain();
}

Status OperationPlayer::play() {
    started_ns = clock.now_ns();
    while (const auto operation = source_()) {
        log.set_step(played_);
        if (occupancy_.is_due(played_)) occupancy_.add(played_, checker.occupancy(), allocator_->pools());
        HEAPWRIGHT_TRY(apply(*operation));
        ++played_;
    }
    return verify_all();
}

void OperationPlayer::give_back_all() {
    const TimelineValue last = queue->recording();
    for (const LiveResource& resource : live_.all()) {
        declare_released(resource.created.resource);
        allocator_->release(resource.created, last);
    }
    live_.clear();
    drain();
    require_sound("allocator", allocator_->release_completed(last));
    require_sound("allocator", allocator_->validate_invariants());
}

void OperationPlayer::clean_up() {
    if (allocator_ && queue) give_back_all();
    observed.destroy_ended(true);
    allocator_.reset();
    observed.destroy_ended(true);
    queue.reset();
}

Result<model::ScenarioResult> play_operations(const PlayedOperations& operations, device::Device& device,
                                              const model::DevicePolicy& policy, const model::Workload& workload,
                                              const ValidateOptions& options) {
    return std::make_unique<OperationPlayer>(operations, device, policy, options)->run(workload);
}

}  // namespace heapwright::validate
