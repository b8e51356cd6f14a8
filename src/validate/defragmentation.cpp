#include "core/units.hpp"
#include "validate/memory_scenario.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "pool/defragmenter.hpp"
#include "validate/chunk_map.hpp"
#include "validate/frame_meter.hpp"
#include "validate/measured_run.hpp"
#include "validate/population.hpp"
#include "validate/scenario_verdict.hpp"
#include "workload/stream.hpp"

namespace heapwright::validate {
namespace {

constexpr PopulationLimit kMostResources{.images = 400, .buffers = 800};
constexpr std::uint64_t kMostBytes = 256 * kMiB;
constexpr std::uint64_t kReleasedOf10 = 6;
constexpr std::uint64_t kFramesToMoveAll = 64;  // sets the budget of one frame
constexpr std::size_t kMovesPerFrame = 32;
constexpr std::uint64_t kMostDefragmentationFrames = 2000;

class Defragmentation : public MemoryScenario {
public:
    Defragmentation(device::Device& of, const model::DevicePolicy& by, const ValidateOptions& with,
                    suballoc::DefragmentationStrategy strategy)
        : MemoryScenario(of, by, with, 0xDEF7A6), strategy_(strategy) {}
    ~Defragmentation() { clean_up(); }

    Result<model::ScenarioResult> run(const model::Workload& workload);

private:
    struct Live {
        pool::ResourceHandle handle;
        std::uint64_t serial = 0;
        bool is_verifiable = false;
    };

    Status set_up(const model::Workload& workload);
    Status play();
    Status load();
    Status release_most();
    Status defragment();
    Status frame(pool::Defragmenter& defragmenter);
    void note_step(const pool::DefragmentationReport& planned, const pool::FinishedStep& finished,
                   const ShadowChecker::Totals& before, std::uint64_t largest_free_before_bytes);
    [[nodiscard]] std::uint64_t largest_free_bytes(std::size_t bucket) const {
        return pool_->bucket(bucket).figures().suballocations.largest_free_range;
    }
    void sample_occupancy() { occupancy_.add(counts_.operations, checker.occupancy(), occupancy_of(*pool_)); }
    void map_chunks(std::string moment) {
        occupancy_.add_map(std::move(moment), counts_.operations, chunk_map_of(*pool_));
    }
    Status verify_all();
    Status end_frame();
    void clean_up();
    void decide(model::ScenarioResult& result, const Status& played) const;

    suballoc::DefragmentationStrategy strategy_;
    std::unique_ptr<pool::MemoryPool> pool_;
    std::unique_ptr<pool::ResourceTable> table_;
    std::vector<Live> live_;
    std::unordered_map<std::uint32_t, std::uint64_t> serial_of_;  // by the handle's index

    model::ScenarioCounts counts_;
    pool::DefragmentationTotals totals_;
    std::uint64_t reserved_before_ = 0;
    std::uint64_t reserved_after_ = 0;
    double fragmentation_before_ = 0;
    double fragmentation_after_ = 0;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t peak_used_bytes_ = 0;
    std::uint64_t largest_bytes_ = 0;
    WorstFrames worst_frames_;
    OccupancyRecorder occupancy_;
    std::vector<model::DefragmentationStep> steps_;
    std::uint64_t frames_ = 0;
    bool is_done_ = false;
};

Status Defragmentation::set_up(const model::Workload& workload) {
    const std::uint64_t limit = limit_bytes();
    const std::uint64_t staged = std::clamp(limit / 16, 4 * kMiB, 32 * kMiB);
    const std::uint64_t left = limit - std::min(limit, 2 * staged);
    model::Workload wanted = workload;
    const auto to_device_only = [](auto& hint) {
        hint.memory_use = model::MemoryUse::kDeviceOnly;
        hint.host_access.reset();
    };
    std::ranges::for_each(wanted.images, to_device_only);
    std::ranges::for_each(wanted.buffers, to_device_only);
    wanted.churn_steps = 0;
    lower_counts(wanted, kMostResources);
    HEAPWRIGHT_TRY(fit(wanted, std::min(left / 3, kMostBytes)));
    HEAPWRIGHT_TRY(open_queue({.upload_bytes = staged, .readback_bytes = staged}));
    HEAPWRIGHT_ASSIGN(pool_, pool::MemoryPool::create(observed, policy, {.memory_limit_bytes = left}));
    table_ = std::make_unique<pool::ResourceTable>();
    return {};
}

Status Defragmentation::load() {
    HEAPWRIGHT_ASSIGN(auto stream, workload::ResourceStream::create(population.workload, options.run_seed()));
    checker.declare_use(model::MemoryUse::kDeviceOnly);
    while (const auto operation = stream.next()) {
        const auto* wanted = std::get_if<workload::Create>(&*operation);
        if (wanted == nullptr) break;  // the load ends with its frame
        const auto resource = supported(device, wanted->resource);
        if (!resource && !is_refusal(resource.error())) return fail(resource.error());
        if (!resource || resource->size_bytes > population.largest_bytes) continue;
        auto made = pool_->create(resource->description, model::MemoryUse::kDeviceOnly);
        if (!made && made.error().code == ErrorCode::kRefused) continue;  // humongous ones never move
        if (!made) return fail(std::move(made.error()));
        const device::ResourceId id = made->id();
        const auto handle = table_->insert(std::move(*made), resource->description);
        live_.push_back({.handle = handle, .serial = wanted->id});
        serial_of_[handle.index] = wanted->id;
        ++counts_.operations;
        const bool is_image = std::holds_alternative<model::ImageDescription>(resource->description);
        ++(is_image ? counts_.peak_images : counts_.peak_buffers);
        used_bytes_ += resource->size_bytes;
        largest_bytes_ = std::max(largest_bytes_, resource->size_bytes);
        HEAPWRIGHT_ASSIGN(live_.back().is_verifiable, contents.fill(wanted->id, resource->description, id));
        if (counts_.operations % 256 == 0) HEAPWRIGHT_TRY(end_frame());
        if (occupancy_.is_due(counts_.operations)) sample_occupancy();
    }
    peak_used_bytes_ = used_bytes_;
    return end_frame();
}

Status Defragmentation::release_most() {
    std::vector<Live> kept;
    for (const Live& one : live_) {
        if (random.below(10) >= kReleasedOf10) {
            kept.push_back(one);
            continue;
        }
        const pool::ResourceTable::Entry& entry = *table_->find(one.handle);
        contents.poison(one.serial, entry.resource.id());
        contents.forget(one.serial);
        used_bytes_ -= entry.resource.requirements().size_bytes;
        declare_released(entry.resource.id());
        pool_->begin_recording(queue->recording());
        HEAPWRIGHT_TRY(table_->erase(one.handle));
        ++counts_.operations;
    }
    live_ = std::move(kept);
    HEAPWRIGHT_TRY(end_frame());
    sample_occupancy();
    return {};
}

Status Defragmentation::end_frame() {
    HEAPWRIGHT_TRY(queue->drain());
    require_sound("pool", pool_->release_completed(queue->completed()));
    require_sound("pool", pool_->validate_invariants());
    observed.destroy_ended(false);
    return check_limits();
}

void Defragmentation::note_step(const pool::DefragmentationReport& planned, const pool::FinishedStep& finished,
                                const ShadowChecker::Totals& before, std::uint64_t largest_free_before_bytes) {
    if (steps_.size() >= model::kMaxDefragmentationSteps) return;
    const ShadowChecker::Totals after = checker.totals();
    model::DefragmentationStep& step = steps_.emplace_back();
    step.step = counts_.operations;
    step.pool = planned.bucket_id;
    step.moves = finished.moved.size();
    step.abandoned_moves = finished.abandoned.size();
    step.copied_bytes = planned.moved_bytes;
    // Nothing else allocates here: a step takes no chunk.
    step.freed_chunks = before.device_allocations - after.device_allocations;
    step.reserved_before_bytes = before.reserved_bytes;
    step.reserved_after_bytes = after.reserved_bytes;
    step.largest_free_before_bytes = largest_free_before_bytes;
    step.largest_free_after_bytes = largest_free_bytes(planned.bucket);
}

Status Defragmentation::frame(pool::Defragmenter& defragmenter) {
    const ShadowChecker::Totals before = checker.totals();
    model::WorstFrame measured{.frame = frames_};
    checker.declare_use(model::MemoryUse::kDeviceOnly);
    std::vector<device::Work> work;
    meter.begin();
    HEAPWRIGHT_ASSIGN(const auto report, defragmenter.record_step(queue->recording(), work));
    for (const device::Work& one : work) queue->add(one);
    const CallCost recorded = meter.end();
    std::uint64_t largest_free_before_bytes = 0;
    if (report) {
        largest_free_before_bytes = report->before.largest_free_range;
        measured.allocations = report->moves.size();
        for (const pool::ResourceMove& move : report->moves) {
            HEAPWRIGHT_TRY(contents.verify(serial_of_.at(move.handle.index), move.to));
            ++counts_.operations;
        }
    }
    HEAPWRIGHT_TRY(queue->drain());  // compares what the copies hold
    meter.begin();
    const auto finished = defragmenter.finish(queue->completed(), queue->recording());
    const CallCost ended = meter.end();
    measured.ns = recorded.with_binding_ns + ended.with_binding_ns;
    if (finished) {
        for (const pool::ResourceMove& move : finished->moved) declare_released(move.from);
        for (const pool::ResourceMove& move : finished->abandoned) declare_released(move.to);
        measured.frees = finished->moved.size() + finished->abandoned.size();
    }
    worst_frames_.add(measured, recorded.was_preempted || ended.was_preempted);
    ++frames_;
    if (frames_ % 8 == 0) progress(kDefragmentation, std::min(1.0, static_cast<double>(frames_) / kFramesToMoveAll));
    HEAPWRIGHT_TRY(end_frame());  // the old places are free now
    defragmenter.give_back_emptied();
    if (report && finished) note_step(*report, *finished, before, largest_free_before_bytes);
    sample_occupancy();
    return {};
}

Status Defragmentation::defragment() {
    std::uint64_t findings = log.total();
    pool::Defragmenter defragmenter(
        *pool_, *table_,
        {.strategy = strategy_,
         .limits = {.bytes = std::max(largest_bytes_ * 2, used_bytes_ / kFramesToMoveAll), .moves = kMovesPerFrame},
         .buffers_by_shader = model::moves_by_shader(policy.engines),
         // A copy whose bytes differ must not become the resource.
         .check = [&](const pool::ResourceMove&) { return log.total() == findings; }});
    map_chunks("before-defragmentation");
    reserved_before_ = checker.totals().reserved_bytes;
    fragmentation_before_ = checker.mean_fragmentation();
    Status done;
    while (done && !defragmenter.is_done() && frames_ < kMostDefragmentationFrames) done = frame(defragmenter);
    if (!done) {
        // What the failed frame had recorded is not submitted any more; its copies go with the rest at the end.
        for (const pool::ResourceMove& move : defragmenter.abandon().abandoned) declare_released(move.to);
        return done;
    }
    is_done_ = defragmenter.is_done();
    totals_ = defragmenter.totals();
    // The last step's empty chunks go back once the old places are free.
    HEAPWRIGHT_TRY(frame(defragmenter));
    reserved_after_ = checker.totals().reserved_bytes;
    fragmentation_after_ = checker.mean_fragmentation();
    return {};
}

Status Defragmentation::verify_all() {
    for (std::size_t i = 0; i < live_.size(); ++i) {
        if (live_[i].is_verifiable)
            HEAPWRIGHT_TRY(contents.verify(live_[i].serial, table_->find(live_[i].handle)->resource.id()));
        if (i % 256 == 255) HEAPWRIGHT_TRY(end_frame());
    }
    return end_frame();
}

Status Defragmentation::play() {
    started_ns = clock.now_ns();
    HEAPWRIGHT_TRY(load());
    HEAPWRIGHT_TRY(verify_all());
    HEAPWRIGHT_TRY(release_most());
    HEAPWRIGHT_TRY(defragment());
    return verify_all();
}

void Defragmentation::clean_up() {
    if (table_ && queue) {
        const TimelineValue last = queue->recording();
        table_->for_each([&](pool::ResourceHandle, pool::ResourceTable::Entry& entry) {
            declare_released(entry.resource.id());
            entry.resource.mark_used(last);
        });
        table_.reset();
        live_.clear();
        drain();
        require_sound("pool", pool_->release_completed(TimelineValue{~0ull}));
    }
    observed.destroy_ended(true);
    pool_.reset();
    observed.destroy_ended(true);
    queue.reset();
}

void Defragmentation::decide(model::ScenarioResult& result, const Status& played) const {
    const std::string gain = fmt::format(
        "{} of {} in {}, {} emptied, {} to {} reserved, fragmentation {:.3f} to {:.3f}", counted(totals_.moves, "move"),
        byte_text(totals_.moved_bytes), counted(frames_, "frame"), counted(totals_.emptied_chunks, "chunk"),
        byte_text(reserved_before_), byte_text(reserved_after_), fragmentation_before_, fragmentation_after_);
    if (log.total() != 0) {
        result.verdict = model::Verdict::kFailed;
        result.reason = fmt::format("{}; {}", counted(log.total(), "finding"), gain);
    } else if (!played) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = no_verdict_text(played.error()) + "; " + gain;
    } else if (counts_.operations == 0) {
        result.verdict = model::Verdict::kNotSupported;
        result.reason = "nothing of the workload can be moved here: each resource is refused or has memory of its own";
    } else if (!is_done_) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = "not done after as many frames as it may take: " + gain;
    } else if (const std::uint64_t unanswered = checker.totals().unanswered; unanswered != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = unanswered_text(unanswered);
    } else {
        result.verdict = device.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed;
        result.reason = "every check passed: " + gain;
    }
}

Result<model::ScenarioResult> Defragmentation::run(const model::Workload& workload) {
    model::ScenarioResult result{.name = std::string(kDefragmentation), .seed = options.run_seed()};
    const std::uint64_t before = clock.now_ns();
    HEAPWRIGHT_TRY(set_up(workload));
    const Status played = play();
    if (!played && !is_no_verdict(played.error()) && log.total() == 0)
        log.add(model::Fault::kApiError, "device", to_string(played.error()));

    map_chunks("end");
    result.occupancy = occupancy_.occupancy();
    result.defragmentation_steps = steps_;
    result.counts = counts_;
    fill_in(result);
    result.memory.peak_used_bytes = peak_used_bytes_;
    result.memory.mean_fragmentation = fragmentation_after_;
    if (used_bytes_ != 0 && reserved_after_ > used_bytes_)
        result.memory.mean_waste = static_cast<double>(reserved_after_) / static_cast<double>(used_bytes_) - 1.0;

    clean_up();
    checker.check_leaks();
    take_messages();
    decide(result, played);
    result.findings = log.findings();
    result.findings_total = log.total();
    result.run.worst_frames = worst_frames_.frames();
    result.run.steadiness = judge_frames(options, worst_frames_.series_ns());
    if (!result.run.worst_frames.empty()) result.run.worst_frame_ns = result.run.worst_frames.front().ns;
    result.run.total_ns = clock.now_ns() - before;
    return result;
}

}  // namespace

Result<model::ScenarioResult> run_defragmentation(device::Device& device, const model::DevicePolicy& policy,
                                                  const model::Workload& workload, const ValidateOptions& options) {
    constexpr auto kStrategy = suballoc::DefragmentationStrategy::kFreeChunks;
    return std::make_unique<Defragmentation>(device, policy, options, kStrategy)->run(workload);
}

Result<model::ScenarioResult> run_defragmentation_by_size(device::Device& device, const model::DevicePolicy& policy,
                                                          const model::Workload& workload,
                                                          const ValidateOptions& options) {
    constexpr auto kStrategy = suballoc::DefragmentationStrategy::kSortBySize;
    return std::make_unique<Defragmentation>(device, policy, options, kStrategy)->run(workload);
}

}  // namespace heapwright::validate
