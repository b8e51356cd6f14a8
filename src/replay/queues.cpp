#include "replay/queues.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "device/engine_choice.hpp"

namespace heapwright::replay {

class ReplayQueues::QueueTimeline final : public device::Timeline {
public:
    QueueTimeline(ReplayQueues& owner, std::uint64_t initial_value)
        : owner_(owner), state_(std::make_shared<TimelineState>(TimelineState{initial_value})) {}

    ~QueueTimeline() override {
        const std::scoped_lock lock(owner_.context_.mutex);
        --owner_.timelines_;
    }

    QueueTimeline(const QueueTimeline&) = delete;
    QueueTimeline& operator=(const QueueTimeline&) = delete;

    [[nodiscard]] Result<TimelineValue> completed() override {
        const std::scoped_lock lock(owner_.context_.mutex);
        owner_.tick_locked();
        return TimelineValue{state_->completed};
    }

    [[nodiscard]] Status signal(TimelineValue value) override {
        const std::scoped_lock lock(owner_.context_.mutex);
        if (value.value <= state_->completed) {
            return fail({.code = ErrorCode::kInvalidArgument,
                         .message = "a timeline is signalled with a value that is not above its completed one",
                         .where = "replay",
                         .value = value.value,
                         .limit = state_->completed});
        }
        owner_.signal_locked(*state_, value.value, "host");
        owner_.tick_locked();
        return {};
    }

    // The device goes on while the host waits; once nothing can run, another thread has to signal in real time.
    [[nodiscard]] Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
        std::unique_lock lock(owner_.context_.mutex);
        const auto reached = [&] {
            while (state_->completed < value.value && owner_.run_one_locked()) {
            }
            return state_->completed >= value.value;
        };
        constexpr std::uint64_t kLongest = 3600ull * 24 * 1'000'000'000;
        if (owner_.changed_.wait_for(lock, std::chrono::nanoseconds(std::min(timeout_ns, kLongest)), reached))
            return {};
        return fail({.code = ErrorCode::kTimeLimit,
                     .message = fmt::format("the timeline stays at {}", state_->completed),
                     .where = "replay",
                     .value = value.value,
                     .limit = timeout_ns});
    }

    [[nodiscard]] Status signal_event(TimelineValue value, CompletionEvent event) override {
        const std::scoped_lock lock(owner_.context_.mutex);
        if (state_->completed >= value.value) {
            event.signal();
        } else {
            owner_.events_.push_back({{state_, value.value}, std::move(event)});
            owner_.tick_locked();
        }
        return {};
    }

private:
    friend class ReplayQueues;
    ReplayQueues& owner_;
    std::shared_ptr<TimelineState> state_;
};

ReplayQueues::ReplayQueues(ReplayContext& context, ReplayMemory& memory, ReplayResources& resources,
                           ReplayDescriptors& descriptors)
    : context_(context),
      memory_(memory),
      resources_(resources),
      descriptors_(descriptors),
      engines_(replay_engines(context.facts)),
      recorder_(context, engines_, resources, descriptors, pipelines_),
      random_(context.options.seed) {
    for (const device::EngineInfo& engine : engines_) {
        const auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& entry) {
            return entry.family == engine.queue_family && entry.index == engine.queue;
        });
        queue_of_engine_.push_back(static_cast<std::size_t>(queue - queues_.begin()));
        if (queue == queues_.end()) queues_.push_back({.family = engine.queue_family, .index = engine.queue});
    }
}

ReplayQueues::~ReplayQueues() {
    const std::scoped_lock lock(context_.mutex);
    run_all_locked();
    for (Awaited& awaited : events_) awaited.event.signal();
}

std::unique_ptr<device::Timeline> ReplayQueues::create_timeline(std::uint64_t initial_value) {
    const std::scoped_lock lock(context_.mutex);
    ++timelines_;
    return std::make_unique<QueueTimeline>(*this, initial_value);
}

Result<std::vector<ReplayQueues::Point>> ReplayQueues::points_of(std::span<const device::TimelinePoint> points) const {
    std::vector<Point> result;
    for (const device::TimelinePoint& point : points) {
        const auto* timeline = dynamic_cast<const QueueTimeline*>(point.timeline);
        if (timeline == nullptr || &timeline->owner_ != this) {
            return fail(ErrorCode::kInvalidArgument, "a timeline is not of this device", "submit");
        }
        result.push_back({timeline->state_, point.value.value});
    }
    return result;
}

Result<std::vector<ReplayQueues::Transfer>> ReplayQueues::transfers_of(
    std::span<const device::OwnershipTransfer> transfers) const {
    std::vector<Transfer> result;
    for (const device::OwnershipTransfer& transfer : transfers) {
        auto resource = resources_.find_locked(transfer.resource);
        if (resource == nullptr || !resource->ownership)
            return fail(ErrorCode::kInvalidArgument, "a transfer names a resource that no queue family owns", "submit");
        result.push_back({std::move(resource), transfer});
    }
    return result;
}

Status ReplayQueues::submit(const device::Submission& submission) {
    const std::scoped_lock lock(context_.mutex);
    if (submission.engine.value >= engines_.size()) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "no such engine",
                     .where = "submit",
                     .value = submission.engine.value,
                     .limit = engines_.size() - 1});
    }
    Pending pending;
    HEAPWRIGHT_ASSIGN(pending.waits, points_of(submission.waits));
    HEAPWRIGHT_ASSIGN(pending.signals, points_of(submission.signals));
    HEAPWRIGHT_ASSIGN(pending.acquires, transfers_of(submission.acquires));
    HEAPWRIGHT_ASSIGN(pending.releases, transfers_of(submission.releases));
    const device::EngineKind kind = engines_[submission.engine.value].kind;
    for (const device::Work& work : submission.work) {
        HEAPWRIGHT_ASSIGN(auto bound, bind_work(work, kind, resources_, descriptors_, pipelines_));
        pending.work.push_back(std::move(bound));
    }
    HEAPWRIGHT_TRY(check_lists_locked(submission.lists, submission.engine));
    for (const BoundWork& bound : pending.work) HEAPWRIGHT_TRY(charge_locked(bound));
    for (const device::CommandListId list : submission.lists) {
        for (const BoundWork& bound : recorder_.find_list_locked(list)->work) HEAPWRIGHT_TRY(charge_locked(bound));
    }
    for (const device::CommandListId id : submission.lists) {
        ReplayList list = recorder_.take_list_locked(id);
        ++list.allocator->pending_lists;
        pending.allocators.push_back(std::move(list.allocator));
        std::move(list.work.begin(), list.work.end(), std::back_inserter(pending.work));
    }
    for (const BoundWork& bound : pending.work) {
        bound.for_each_resource([this](ReplayResource& resource) {
            if (resource.is_destroyed)
                context_.message_locked("submit: a recorded command list uses a resource that was destroyed");
            ++resource.pending_uses;
        });
        if (bound.dispatch) begin_pending(*bound.dispatch);
    }
    queues_[queue_of_engine_[submission.engine.value]].pending.push_back(std::move(pending));
    tick_locked();
    return {};
}

Status ReplayQueues::check_lists_locked(std::span<const device::CommandListId> lists, device::EngineId engine) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const ReplayList* list = recorder_.find_list_locked(lists[i]);
        const bool is_twice = std::find(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(i), lists[i]) !=
                              lists.begin() + static_cast<std::ptrdiff_t>(i);
        if (list == nullptr || is_twice || list->allocator->engine != engine) {
            return fail({.code = ErrorCode::kInvalidArgument,
                         .message = list != nullptr && !is_twice ? "the command list was recorded for another engine"
                                                                 : "the command list is gone or was submitted before",
                         .where = "submit",
                         .value = lists[i].value});
        }
    }
    return {};
}

Status ReplayQueues::charge_locked(const BoundWork& bound) {
    Status reserved;
    bound.for_each_resource([&](ReplayResource& resource) {
        if (reserved) reserved = resource.memory().reserve();
    });
    HEAPWRIGHT_TRY(reserved);
    if (bound.dispatch) {
        for (const auto& written : bound.dispatch->writes) {
            const auto [offset, size] = written->shadow_range(0, written->byte_count());
            HEAPWRIGHT_TRY(memory_.charge_locked(written->memory(), offset, size));
        }
        return {};
    }
    const WorkRange range = written_range(bound);
    const auto [offset, size] = bound.written->shadow_range(range.first, range.size);
    return memory_.charge_locked(bound.written->memory(), offset, size);
}

std::optional<std::size_t> ReplayQueues::pick_locked() {
    std::vector<std::size_t> runnable;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        const auto& pending = queues_[i].pending;
        if (pending.empty()) continue;
        const auto& waits = pending.front().waits;
        if (std::all_of(waits.begin(), waits.end(),
                        [](const Point& point) { return point.state->completed >= point.value; })) {
            runnable.push_back(i);
        }
    }
    if (runnable.empty()) return std::nullopt;
    if (context_.options.mode == ReplayMode::kImmediate) return runnable.front();
    return runnable[static_cast<std::size_t>(random_.below(runnable.size()))];
}

void ReplayQueues::signal_locked(TimelineState& state, std::uint64_t value, const char* who) {
    if (value <= state.completed) {
        context_.message_locked(fmt::format("{}: a timeline at {} is signalled with {}", who, state.completed, value));
        return;
    }
    state.completed = value;
    std::erase_if(events_, [&state](Awaited& awaited) {
        if (awaited.point.state.get() != &state || awaited.point.value > state.completed) return false;
        awaited.event.signal();
        return true;
    });
    changed_.notify_all();
}

// What the work reads is found where it lies; a dispatch's tables name resources, whole.
void ReplayQueues::use_locked(const BoundWork& bound, QueueFamilyIndex family) {
    const auto use = [&](ReplayResource& resource, std::uint64_t begin, std::uint64_t end) {
        if (!resource.ownership) return;
        const bool is_image = std::holds_alternative<model::ImageDescription>(resource.description());
        const auto wrong = resource.ownership->use(family, is_image ? 0 : begin, is_image ? ~0ull : end);
        if (wrong) context_.message_locked("submit: " + *wrong);
    };
    if (bound.dispatch) return bound.for_each_resource([&](ReplayResource& resource) { use(resource, 0, ~0ull); });
    if (bound.read) {
        const auto [first, size] = read_range(bound);
        use(*bound.read, first, first + size);
    }
    const auto [first, size] = written_range(bound);
    use(*bound.written, first, first + size);
}

void ReplayQueues::run_head_locked(Queue& queue) {
    const Pending pending = std::move(queue.pending.front());
    queue.pending.pop_front();
    for (const Transfer& transfer : pending.acquires) {
        if (const auto wrong = transfer.resource->ownership->acquire(queue.family, transfer.what))
            context_.message_locked("submit: " + *wrong);
    }
    for (const BoundWork& bound : pending.work) {
        use_locked(bound, queue.family);
        run_work(bound, context_);
        bound.for_each_resource([](ReplayResource& resource) { --resource.pending_uses; });
        if (bound.dispatch) end_pending(*bound.dispatch);
    }
    for (const Transfer& transfer : pending.releases) {
        if (const auto wrong = transfer.resource->ownership->release(queue.family, transfer.what))
            context_.message_locked("submit: " + *wrong);
    }
    for (const auto& allocator : pending.allocators) --allocator->pending_lists;
    context_.clock().advance_ns(context_.options.submission_ns);
    for (const Point& point : pending.signals) signal_locked(*point.state, point.value, "submission");
    changed_.notify_all();
}

bool ReplayQueues::run_one_locked() {
    const auto next = pick_locked();
    if (next) run_head_locked(queues_[*next]);
    return next.has_value();
}

void ReplayQueues::run_all_locked() {
    while (run_one_locked()) {
    }
}

void ReplayQueues::tick_locked() {
    // Who waits for an event makes no call meanwhile that would let the device go on.
    const bool is_awaited = context_.options.mode == ReplayMode::kDeferred && !events_.empty();
    if (context_.options.mode == ReplayMode::kImmediate || is_awaited) {
        run_all_locked();
        return;
    }
    if (context_.options.mode == ReplayMode::kManual || random_.below(4) != 0) return;
    for (std::uint64_t burst = random_.between(1, 4); burst != 0 && run_one_locked(); --burst) {
    }
}

std::uint64_t ReplayQueues::advance(std::uint64_t submissions) {
    const std::scoped_lock lock(context_.mutex);
    std::uint64_t ran = 0;
    while (ran < submissions && run_one_locked()) ++ran;
    return ran;
}

std::uint64_t ReplayQueues::pending_locked() const {
    std::uint64_t count = 0;
    for (const Queue& queue : queues_) count += queue.pending.size();
    return count;
}

Status ReplayQueues::wait_idle() {
    std::unique_lock lock(context_.mutex);
    const auto idle = [&] {
        run_all_locked();
        return pending_locked() == 0;
    };
    if (changed_.wait_for(lock, std::chrono::nanoseconds(context_.options.stuck_timeout_ns), idle)) return {};
    return fail({.code = ErrorCode::kTimeLimit,
                 .message = "submissions wait for timeline values that nothing signals",
                 .where = "wait_idle",
                 .value = pending_locked()});
}

std::vector<device::EngineInfo> replay_engines(const model::DeviceReport& report) {
    if (report.identity.api == model::Api::kD3d12) {
        const auto queues = device::direct3d12_engines();
        return {queues.begin(), queues.end()};
    }
    std::vector<device::EngineInfo> engines = device::choose_engines(report.queue_families);
    if (engines.empty()) engines.push_back({.kind = device::EngineKind::kGraphics, .name = "graphics"});
    return engines;
}

}  // namespace heapwright::replay
