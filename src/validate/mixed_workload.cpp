#include "heapwright/validate/mixed_workload.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/random.hpp"
#include "heapwright/validate/content_driver.hpp"
#include "heapwright/validate/describe.hpp"
#include "heapwright/validate/latency.hpp"
#include "heapwright/validate/observed_device.hpp"
#include "heapwright/validate/work_queue.hpp"
#include "heapwright/workload/stream.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kVerifyAtReleaseOneIn = 4;
constexpr std::uint64_t kVerifyAtRandomOneIn = 16;
constexpr std::uint64_t kWorkPerSubmission = 1024;  // while loading, where no frame ends
constexpr std::uint64_t kFramesPerSample = 8;
constexpr std::uint64_t kFramesPerInvariantCheck = 64;
// Of the limit: the rest is what chunks reserve beyond the bytes in use.
constexpr double kPopulatedShare = 0.6;

class WorkloadClock final : public Clock {
public:
    explicit WorkloadClock(Clock* simulated) : simulated_(simulated) {}
    std::uint64_t now_ns() override { return real_.now_ns() + (simulated_ == nullptr ? 0 : simulated_->now_ns()); }

private:
    SteadyClock real_;
    Clock* simulated_;
};

struct Live {
    std::uint64_t id = 0;
    AllocatorUnderTest::Created created;
    std::uint64_t size_bytes = 0;  // as the device requires
    bool is_image = false;
    bool is_verifiable = false;
};

class MixedWorkload {
public:
    MixedWorkload(device::Device& device, const model::DevicePolicy& policy, const ValidateOptions& options)
        : device_(device),
          policy_(policy),
          options_(options),
          clock_(options.simulated_clock),
          checker_(device.facts(), log_),
          observed_(device, checker_, clock_),
          contents_(options.seed, log_),
          random_(options.seed ^ 0x5EED) {}

    ~MixedWorkload() { clean_up(); }

    Result<model::ScenarioResult> run(const model::Workload& workload);

private:
    Status set_up(const model::Workload& workload);
    Status play();
    Status apply(const workload::Operation& operation);
    Status create(const workload::Create& wanted);
    Status destroy(std::uint64_t id);
    Status end_frame();
    Status verify_all();
    Status check_limits();
    void clean_up();
    void give_back_all();
    void sample_waste();
    void note_failure(const model::ResourceDescription& description, const Error& error);
    void take_messages();
    [[nodiscard]] std::optional<std::pair<model::ResourceDescription, std::uint64_t>> supported(
        const model::ResourceDescription& description);
    [[nodiscard]] Result<AllocatorUnderTest::Created> create_measured(const model::ResourceDescription& description,
                                                                      model::MemoryUse use);
    [[nodiscard]] std::uint64_t outside_ns() const {
        return observed_.times().binder_ns.load(std::memory_order_relaxed) + checking_ns();
    }
    [[nodiscard]] std::uint64_t checking_ns() const {
        return observed_.times().checking_ns.load(std::memory_order_relaxed);
    }
    void progress(std::string_view stage, double share) const {
        if (options_.progress) options_.progress(stage, share);
    }
    void decide(model::ScenarioResult& result, const Status& played) const;

    device::Device& device_;
    const model::DevicePolicy& policy_;
    const ValidateOptions& options_;
    WorkloadClock clock_;
    FindingLog log_;
    ShadowChecker checker_;
    ObservedDevice observed_;
    ContentDriver contents_;
    Random random_;

    Population population_;
    std::optional<workload::ResourceStream> stream_;
    std::unique_ptr<WorkQueue> queue_;
    std::unique_ptr<AllocatorUnderTest> allocator_;

    std::vector<Live> live_;
    std::unordered_map<std::uint64_t, std::size_t> position_;  // id -> live_
    std::deque<TimelineValue> frames_;
    std::uint64_t started_ns_ = 0;
    std::uint64_t frame_ns_ = 0;
    std::uint64_t frame_count_ = 0;
    bool churning_ = false;

    model::ScenarioCounts counts_;
    model::ScenarioMemory memory_;
    LatencyRecorder allocate_;
    LatencyRecorder free_;
    LatencyRecorder create_;
    std::uint64_t worst_frame_ns_ = 0;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t images_ = 0;
    std::uint64_t unsupported_ = 0;
    std::uint64_t unverifiable_ = 0;
    std::uint64_t without_memory_ = 0;
    double waste_sum_ = 0;
    std::uint64_t waste_samples_ = 0;
    double fragmentation_sum_ = 0;
    std::uint64_t fragmentation_samples_ = 0;
};

Status MixedWorkload::set_up(const model::Workload& workload) {
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
    HEAPWRIGHT_ASSIGN(population_, fit_population(wanted, options_.floor, room, [this](const auto& description) {
                          const auto resource = supported(description);
                          return resource ? resource->second : 0;
                      }));
    HEAPWRIGHT_ASSIGN(stream_, workload::ResourceStream::create(population_.workload, options_.seed));
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

// With the transfers that the checks need; as it was where the device has no such resource; else nothing.
std::optional<std::pair<model::ResourceDescription, std::uint64_t>> MixedWorkload::supported(
    const model::ResourceDescription& description) {
    model::ResourceDescription checked = description;
    if (auto* image = std::get_if<model::ImageDescription>(&checked)) {
        if ((image->usage & model::image_usage::kTransientAttachment) == 0)
            image->usage |= model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    } else {
        std::get<model::BufferDescription>(checked).usage |=
            model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    }
    if (const auto requirements = device_.resources().requirements(checked))
        return std::pair(checked, requirements->size_bytes);
    if (const auto requirements = device_.resources().requirements(description))
        return std::pair(description, requirements->size_bytes);
    return std::nullopt;
}

Result<AllocatorUnderTest::Created> MixedWorkload::create_measured(const model::ResourceDescription& description,
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
    frame_ns_ += allocating;
    return created;
}

void MixedWorkload::note_failure(const model::ResourceDescription& description, const Error& error) {
    ++counts_.failures;
    if (error.code == ErrorCode::kOutOfDeviceMemory) {
        ++without_memory_;
    } else if (error.code != ErrorCode::kInvariantBroken) {
        log_.add(model::Fault::kApiError, describe(description), to_string(error));
    } else if (log_.total() == 0) {
        log_.add(model::Fault::kInvariant, describe(description), to_string(error));
    }
}

Status MixedWorkload::create(const workload::Create& wanted) {
    const auto resource = supported(shrink(wanted.resource, population_.largest_packed_bytes));
    if (!resource) {
        ++unsupported_;
        return {};
    }
    const auto& [description, size_bytes] = *resource;
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

Status MixedWorkload::destroy(std::uint64_t id) {
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
    const std::uint64_t outside_before = outside_ns();
    const std::uint64_t before = clock_.now_ns();
    allocator_->release(victim.created, queue_->recording());
    const std::uint64_t elapsed = clock_.now_ns() - before;
    const std::uint64_t freeing = elapsed - std::min(elapsed, outside_ns() - outside_before);
    free_.add(freeing);
    frame_ns_ += freeing;
    return {};
}

void MixedWorkload::sample_waste() {
    if (used_bytes_ == 0) return;
    const double reserved = static_cast<double>(checker_.totals().reserved_bytes);
    waste_sum_ += reserved / static_cast<double>(used_bytes_) - 1.0;
    ++waste_samples_;
}

Status MixedWorkload::check_limits() {
    HEAPWRIGHT_TRY(check_interrupted());
    if (clock_.now_ns() - started_ns_ > options_.time_limit_ns)
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = "the time limit came before the end of the scenario",
                          .limit = options_.time_limit_ns});
    if (log_.total() >= model::kMaxFindings)
        return fail(ErrorCode::kInvariantBroken, "stopped after as many findings as are kept");
    return {};
}

void MixedWorkload::take_messages() {
    for (std::string& message : device_.take_validation_messages())
        log_.add(model::Fault::kValidationLayer, "validation layer", std::move(message));
}

Status MixedWorkload::end_frame() {
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
    frame_ns_ += elapsed - std::min(elapsed, outside_ns() - outside_before);
    if (!collected) log_.add(model::Fault::kInvariant, "allocator", to_string(collected.error()));
    observed_.destroy_ended(false);

    if (churning_) worst_frame_ns_ = std::max(worst_frame_ns_, frame_ns_);
    frame_ns_ = 0;
    churning_ = true;
    ++frame_count_;
    if (frame_count_ % kFramesPerSample == 0) {
        fragmentation_sum_ += checker_.mean_fragmentation();
        ++fragmentation_samples_;
        const double steps = std::max(1u, population_.workload.churn_steps);
        progress("churn", static_cast<double>(stream_->churn_steps()) / steps);
    }
    if (frame_count_ % kFramesPerInvariantCheck == 0) {
        if (const Status sound = allocator_->validate_invariants(); !sound)
            log_.add(model::Fault::kInvariant, "allocator", to_string(sound.error()));
        take_messages();
    }
    return check_limits();
}

Status MixedWorkload::apply(const workload::Operation& operation) {
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

Status MixedWorkload::verify_all() {
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

Status MixedWorkload::play() {
    started_ns_ = clock_.now_ns();
    std::uint64_t step = 0;
    while (const auto operation = stream_->next()) {
        log_.set_step(step++);
        HEAPWRIGHT_TRY(apply(*operation));
    }
    return verify_all();
}

void MixedWorkload::give_back_all() {
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

void MixedWorkload::clean_up() {
    if (allocator_ && queue_) give_back_all();
    allocator_.reset();
    observed_.destroy_ended(true);
    queue_.reset();
}

void MixedWorkload::decide(model::ScenarioResult& result, const Status& played) const {
    std::vector<std::string> remarks = population_.changes;
    if (unsupported_ != 0)
        remarks.push_back(fmt::format("{} requests for resources that the device does not have", unsupported_));
    if (unverifiable_ != 0)
        remarks.push_back(
            fmt::format("{} resources checked by placement alone (no copy shows their bytes)", unverifiable_));
    const std::string tail = remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, "; "));

    if (log_.total() != 0) {
        result.verdict = model::Verdict::kFailed;
        result.reason = fmt::format("{} findings{}", log_.total(), tail);
    } else if (!played) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = to_string(played.error()) + tail;
    } else if (counts_.failures != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = fmt::format("{} requests found no memory within the limit{}", counts_.failures, tail);
    } else {
        result.verdict = device_.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed;
        result.reason = fmt::format("every check passed{}", tail);
    }
}

Result<model::ScenarioResult> MixedWorkload::run(const model::Workload& workload) {
    model::ScenarioResult result{.name = "mixed-workload", .seed = options_.seed};
    const std::uint64_t before = clock_.now_ns();
    HEAPWRIGHT_TRY(set_up(workload));
    const Status played = play();
    if (!played && played.error().code != ErrorCode::kInterrupted && played.error().code != ErrorCode::kTimeLimit &&
        log_.total() == 0)
        log_.add(model::Fault::kApiError, "device", to_string(played.error()));

    result.counts = counts_;
    result.counts.verified_resources = contents_.verified_resources();
    result.counts.verified_bytes = queue_->verified_bytes();
    const ShadowChecker::Totals totals = checker_.totals();
    result.counts.dedicated_allocations = totals.dedicated_allocation_calls;
    result.counts.device_allocations = totals.peak_device_allocations;
    result.counts.device_allocation_calls = totals.device_allocation_calls;
    result.memory = memory_;
    result.memory.peak_reserved_bytes = totals.peak_reserved_bytes;
    if (waste_samples_ != 0) result.memory.mean_waste = waste_sum_ / static_cast<double>(waste_samples_);
    if (fragmentation_samples_ != 0)
        result.memory.mean_fragmentation = fragmentation_sum_ / static_cast<double>(fragmentation_samples_);

    clean_up();
    checker_.check_leaks();
    take_messages();
    decide(result, played);
    result.findings = log_.findings();
    result.findings_total = log_.total();
    result.run = {.allocate = allocate_.figures(),
                  .free = free_.figures(),
                  .create = create_.figures(),
                  .worst_frame_ns = worst_frame_ns_,
                  .total_ns = clock_.now_ns() - before};
    return result;
}

}  // namespace

Result<model::ScenarioResult> run_mixed_workload(device::Device& device, const model::DevicePolicy& policy,
                                                 const model::Workload& workload, const ValidateOptions& options) {
    return std::make_unique<MixedWorkload>(device, policy, options)->run(workload);
}

}  // namespace heapwright::validate
