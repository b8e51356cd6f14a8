#include "engines/device_run.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engines/program_memory.hpp"

namespace heapwright::engines {
namespace {

constexpr std::uint64_t kSliceNs = 1'000'000;
constexpr std::uint64_t kLookNs = 50'000;

}  // namespace

DeviceRun::DeviceRun(device::Device& device, Clock& clock, const DeviceRunOptions& options)
    : Conductor(options.seed), device_(device), clock_(clock), options_(options) {}

DeviceRun::~DeviceRun() {
    if (!at_rest_) {
        const Status rest = come_to_rest();
        if (!rest && rest.error().code == ErrorCode::kTimeLimit) {
            give_up();
        } else if (!rest) {
            (void)device_.submitter().wait_idle();
        }
    }
    destroy_timestamps();
    for (const Queue& queue : queues_) {
        if (queue.allocator) device_.recorder()->destroy(*queue.allocator);
    }
}

Status DeviceRun::on_begin() {
    const auto& schedule = program().schedule;
    map_ = map_engines(device_.submitter().engines(), schedule.actors, program().wishes, options_.one_queue);
    set_queue_families(map_.family_of);
    early_ = device_.submitter().accepts_early_waits() && !map_.shares_queues && options_.owners == nullptr;
    chained_ = device_.facts().identity.api == model::Api::kVulkan;
    if (options_.owners != nullptr) {
        const auto& owned = options_.owners->program.schedule.resources;
        for (std::uint32_t index = 0; index < owned.size(); ++index) {
            if (owned[index].exclusive) set_exclusive({index});
        }
    }
    HEAPWRIGHT_ASSIGN(memory_, ProgramMemory::create(device_, program().resources, program().seed, options_.owners));
    queues_.resize(schedule.actors.size());
    for (Queue& each : queues_) {
        HEAPWRIGHT_ASSIGN(each.chain, device_.create_timeline(0));
    }
    for (const engines::Fence& fence : schedule.fences) {
        HEAPWRIGHT_ASSIGN(auto timeline, device_.create_timeline(fence.initial_value));
        fences_.push_back({std::move(timeline), fence.initial_value, {}});
    }
    prepare_timestamps();
    started_ns_ = clock_.now_ns();
    return {};
}

Status DeviceRun::on_operation(std::size_t position) {
    const engines::Operation& operation = program().schedule.operations[position];
    if (operation.actor == kHost) {
        const auto& signal = std::get<engines::Signal>(operation.what);
        HEAPWRIGHT_TRY(flush());
        HEAPWRIGHT_TRY(fences_[signal.fence.value].timeline->signal({signal.value}));
        fences_[signal.fence.value].submitted = signal.value;
        fences_[signal.fence.value].values.insert(signal.value);
        return submit_ready();
    }
    // The host turns to another queue: what the others were told goes out as it would from the API's own calls.
    for (std::uint32_t other = 0; other < queues_.size(); ++other) {
        const Outgoing& open = queues_[other].open;
        if (other != operation.actor.value && (open.has_work() || !open.signals.empty())) close(queues_[other]);
    }
    Queue& queue = queues_[operation.actor.value];
    if (const auto* wait = std::get_if<engines::Wait>(&operation.what)) {
        if (queue.open.has_work() || !queue.open.signals.empty()) close(queue);
        queue.open.waits.push_back({wait->fence, wait->value});
    } else if (const auto* signal = std::get_if<engines::Signal>(&operation.what)) {
        const bool twice = std::ranges::any_of(
            queue.open.signals, [signal](const FencePoint& point) { return point.fence == signal->fence; });
        if (twice) close(queue);
        queue.open.signals.push_back({signal->fence, signal->value});
    } else if (const auto* acquire = std::get_if<engines::AcquireOwnership>(&operation.what)) {
        if (!queue.open.signals.empty()) close(queue);
        queue.open.acquires.push_back(transfer_of(acquire->resource, acquire->begin, acquire->end, acquire->from_family,
                                                  map_.family_of[operation.actor.value]));
    } else if (const auto* release = std::get_if<engines::ReleaseOwnership>(&operation.what)) {
        if (!queue.open.signals.empty()) close(queue);
        queue.open.releases.push_back(transfer_of(release->resource, release->begin, release->end,
                                                  map_.family_of[operation.actor.value], release->to_family));
    } else if (const auto* execution = std::get_if<engines::Execute>(&operation.what)) {
        const Call& call = program().calls[position];
        if (call.list && !call.is_first) return {};
        // Lists run after the submission's own work.
        if (!queue.open.signals.empty() || (!queue.open.lists.empty() && !call.list)) close(queue);
        queue.open.name = execution->name;
        if (call.list && call.list->value < lists_.size() && lists_[call.list->value]) {
            queue.open.lists.push_back(*lists_[call.list->value]);
        } else if (call.list) {
            for (const device::Work& work : program().lists[call.list->value].work)
                queue.open.work.push_back(with_real_resources(work, memory_->real()));
        } else {
            for (const Step& step : program().steps[position])
                queue.open.work.push_back(with_real_resources(std::get<device::Work>(step), memory_->real()));
        }
    }
    return submit_ready();
}

device::OwnershipTransfer DeviceRun::transfer_of(ResourceIndex resource, std::uint64_t begin, std::uint64_t end,
                                                 std::uint32_t from, std::uint32_t to) const {
    const bool is_image = program().resources[resource.value].side != 0;
    return {.resource = memory_->real().real(resource),
            .from = {from},
            .to = {to},
            .offset_bytes = is_image ? 0 : begin,
            .size_bytes = is_image ? 0 : end - begin};
}

// Notes what is over by now.
Status DeviceRun::look() {
    ++looks_;
    for (Queue& queue : queues_) {
        if (queue.seen == queue.submitted) continue;
        HEAPWRIGHT_ASSIGN(const TimelineValue completed, queue.chain->completed());
        const std::uint64_t now_ns = clock_.now_ns() - started_ns_;
        for (; queue.seen < std::min(completed.value, queue.submitted); ++queue.seen) {
            RunSubmission& over = sent_[queue.sent[queue.seen]];
            over.over_ns = now_ns;
            over.look = looks_;
        }
    }
    return {};
}

std::uint64_t DeviceRun::slice_ns() const {
    return device_.is_real() ? kLookNs : kSliceNs;
}

tl::unexpected<Error> DeviceRun::stuck(std::span<const FencePoint> points) {
    stood_at_.assign(points.begin(), points.end());
    std::string fences;
    for (const FencePoint& point : points)
        fences += (fences.empty() ? "" : " or ") + program().schedule.fences[point.fence.value].name;
    std::string held;
    for (std::size_t actor = 0; actor < queues_.size(); ++actor) {
        if (queues_[actor].closed.empty()) continue;
        held += fmt::format("; {} holds {} submissions back", program().schedule.actors[actor].name,
                            queues_[actor].closed.size());
    }
    return fail({.code = ErrorCode::kTimeLimit,
                 .message = fmt::format("the host waits for {} and it does not come{}", fences, held),
                 .where = "host_wait",
                 .value = points.front().value,
                 .limit = options_.host_wait_limit_ns});
}

// On a real device for the event alone; its fences are asked at times, since a device whose host holds submissions back
// goes on only then. A replayed device goes on while the host waits for a fence.
Status DeviceRun::wait_for_event(const CompletionEvent& event, std::span<const FencePoint> points) {
    std::uint64_t left_ns = options_.host_wait_limit_ns;
    for (std::size_t turn = 0; !event.is_signalled(); ++turn) {
        const std::uint64_t began_ns = clock_.now_ns();
        if (device_.is_real()) {
            if (event.wait_for(kLookNs)) break;
        } else {
            const FencePoint& next = points[turn % points.size()];
            const Status waited = fences_[next.fence.value].timeline->wait({next.value}, kSliceNs);
            if (waited && !event.is_signalled())
                return fail(ErrorCode::kDriverFailure, "a fence reached its value and its event was not signalled",
                            "host_wait");
            if (waited) break;
            if (waited.error().code != ErrorCode::kTimeLimit) return waited;
        }
        HEAPWRIGHT_TRY(look());
        left_ns -= std::min(left_ns, std::max(slice_ns(), clock_.now_ns() - began_ns));
        if (left_ns == 0 && !event.is_signalled()) return stuck(points);
    }
    return {};
}

Result<std::optional<std::size_t>> DeviceRun::first_met(std::span<const FencePoint> points) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
        HEAPWRIGHT_ASSIGN(const bool met, is_met(points[i]));
        if (met) return i;
    }
    return std::nullopt;
}

// One event that every point signals.
Result<std::size_t> DeviceRun::on_host_wait_any(std::span<const FencePoint> points) {
    HEAPWRIGHT_TRY(flush());
    HEAPWRIGHT_ASSIGN(std::optional<std::size_t> met, first_met(points));
    if (!met) {
        CompletionEvent event;
        for (const FencePoint& point : points)
            HEAPWRIGHT_TRY(fences_[point.fence.value].timeline->signal_event({point.value}, event));
        HEAPWRIGHT_TRY(wait_for_event(event, points));
        HEAPWRIGHT_ASSIGN(met, first_met(points));
        if (!met) return fail(ErrorCode::kDeviceLost, "an event came before its fence's value", "host_wait");
    }
    HEAPWRIGHT_TRY(look());
    return *met;
}

Status DeviceRun::on_host_wait(FencePoint point) {
    HEAPWRIGHT_ASSIGN(const std::size_t met, on_host_wait_any({&point, 1}));
    static_cast<void>(met);
    return {};
}

Result<std::uint64_t> DeviceRun::on_completed(FenceIndex fence) {
    HEAPWRIGHT_TRY(flush());
    HEAPWRIGHT_TRY(look());
    HEAPWRIGHT_ASSIGN(const TimelineValue completed, fences_[fence.value].timeline->completed());
    return completed.value;
}

Status DeviceRun::on_host_write(const HostWrite& write) {
    // What was told to the queues before goes first, as on a real queue.
    HEAPWRIGHT_TRY(flush());
    std::memcpy(memory_->mapped(write.resource).data() + write.offset_bytes, write.bytes.data(), write.bytes.size());
    return {};
}

Result<std::vector<std::byte>> DeviceRun::on_host_read(const HostRead& read) {
    const auto bytes = memory_->mapped(read.resource).subspan(read.offset_bytes, read.size_bytes);
    reads_.emplace_back(bytes.begin(), bytes.end());
    return reads_.back();
}

void DeviceRun::compare(RunOutcome& outcome, const HostMemory& expected,
                        const std::vector<std::vector<std::byte>>& seen) const {
    for (std::uint32_t resource = 0; resource < seen.size(); ++resource) {
        const auto want = expected.bytes({resource});
        outcome.bytes_checked += seen[resource].size();
        Difference difference{{resource}, 0, 0};
        for (std::size_t at = 0; at < seen[resource].size(); ++at) {
            if (want[at] == seen[resource][at]) continue;
            if (difference.bytes++ == 0) difference.offset_bytes = at;
        }
        if (difference.bytes != 0) outcome.differences.push_back(difference);
    }
    for (std::size_t i = 0; i < reads_.size(); ++i) {
        outcome.bytes_checked += reads_[i].size();
        outcome.wrong_host_reads += i >= expected.reads().size() || reads_[i] != expected.reads()[i] ? 1u : 0u;
    }
}

Result<RunOutcome> DeviceRun::finish(const HostMemory* account) {
    auto outcome = end(account);
    if (outcome || at_rest_) return outcome;
    const Status rest = come_to_rest();
    if (rest || rest.error().code != ErrorCode::kTimeLimit) return outcome;
    give_up();
    Error error = rest.error();
    error.message = fmt::format("{}; before that: {}", error.message, outcome.error().message);
    return fail(std::move(error));
}

Result<RunOutcome> DeviceRun::end(const HostMemory* account) {
    if (!ok()) {
        note_deadlock();
        return fail(status().error());
    }
    HEAPWRIGHT_TRY(flush());
    if (!options_.checked_before) HEAPWRIGHT_TRY(check_whole());
    HEAPWRIGHT_TRY(wait_for_queues());
    at_rest_ = true;
    RunOutcome outcome{.submissions = submissions_, .early_waits = early_waits_};
    outcome.duration_ns = clock_.now_ns() - started_ns_;
    // Not between the end of the work and its time.
    if (options_.checked_before) HEAPWRIGHT_TRY(check_whole());
    std::vector<device::TimelinePoint> ends;
    for (const Queue& queue : queues_) {
        if (queue.submitted != 0) ends.push_back({queue.chain.get(), {queue.submitted}});
    }
    HEAPWRIGHT_ASSIGN(const auto seen, memory_->read_all(ends));
    HEAPWRIGHT_TRY(read_timestamps());
    compare(outcome, account != nullptr ? *account : run_on_host(program()), seen);
    outcome.seen = sent_;
    return outcome;
}

Status DeviceRun::wait_for_queues() {
    for (std::size_t actor = 0; actor < queues_.size(); ++actor) {
        Queue& queue = queues_[actor];
        if (!queue.closed.empty()) {
            return fail({.code = ErrorCode::kTimeLimit,
                         .message = fmt::format("{} waits for ever: nothing signals what its next submission waits for",
                                                program().schedule.actors[actor].name),
                         .where = "finish",
                         .value = queue.closed.size()});
        }
        std::uint64_t left_ns = options_.host_wait_limit_ns;
        while (queue.seen != queue.submitted) {
            const std::uint64_t began_ns = clock_.now_ns();
            const Status waited = queue.chain->wait({queue.seen + 1}, slice_ns());
            if (!waited && waited.error().code != ErrorCode::kTimeLimit) return waited;
            HEAPWRIGHT_TRY(look());
            if (!waited) left_ns -= std::min(left_ns, std::max(slice_ns(), clock_.now_ns() - began_ns));
            if (queue.seen != queue.submitted && left_ns == 0) {
                return fail({.code = ErrorCode::kTimeLimit,
                             .message = fmt::format("{} does not end", program().schedule.actors[actor].name),
                             .where = "finish",
                             .value = queue.seen + 1});
            }
        }
    }
    return {};
}

// Where the device cannot, the list's work is submitted as plain work each time.
Status DeviceRun::on_record(ListIndex list) {
    const RecordedWork& recorded = program().lists[list.value];
    device::CommandRecorder* recorder = device_.recorder();
    if (recorder == nullptr) return {};
    auto& allocator = queues_[recorded.actor.value].allocator;
    if (!allocator) {
        HEAPWRIGHT_ASSIGN(allocator, recorder->create_allocator(map_.engine_of[recorded.actor.value]));
    }
    std::vector<device::Work> work;
    for (const device::Work& item : recorded.work) work.push_back(with_real_resources(item, memory_->real()));
    const auto made = recorder->record_reusable(*allocator, work);
    if (!made && made.error().code == ErrorCode::kNotSupported) return {};
    if (!made) return fail(made.error());
    lists_.resize(program().lists.size());
    lists_.back() = *made;
    return {};
}

}  // namespace heapwright::engines
