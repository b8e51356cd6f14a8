#include "d3d12/submitter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/work_recorder.hpp"
#include "device/engine_choice.hpp"

namespace heapwright::d3d12 {
namespace {

// Above this many submissions in flight, submit() gives the oldest one a moment to end before it makes yet another
// command list. It never insists: the work may wait for a signal that the caller has still to give.
constexpr std::size_t kManyInFlight = 256;
constexpr std::uint64_t kPatienceNs = 100'000'000;

}  // namespace

Result<std::unique_ptr<Submitter>> Submitter::create(const OpenDevice& context, const WorkObjects& objects,
                                                     CommandRecorder& recorder, Timestamps& timestamps,
                                                     CompletionWaiter& waiter) {
    std::unique_ptr<Submitter> submitter(new Submitter(context, objects, recorder, timestamps, waiter));
    const auto engines = device::direct3d12_engines();
    submitter->infos_.assign(engines.begin(), engines.end());
    for (device::EngineInfo& info : submitter->infos_) {
        D3D12_COMMAND_QUEUE_DESC desc{};
        desc.Type = list_type(info.kind);
        desc.Priority = info.priority == device::EnginePriority::kHigh ? D3D12_COMMAND_QUEUE_PRIORITY_HIGH
                                                                       : D3D12_COMMAND_QUEUE_PRIORITY_NORMAL;
        if (info.priority != device::EnginePriority::kNormal && context.host_waits) {
            info.priority_note = "vkd3d ignores the priorities of queues";
        }
        Com<ID3D12CommandQueue> queue;
        leave_breadcrumb("ID3D12Device::CreateCommandQueue");
        HEAPWRIGHT_TRY(check(context.device->CreateCommandQueue(&desc, IID_ID3D12CommandQueue, queue.out()),
                             "ID3D12Device::CreateCommandQueue"));
        timestamps.add(*queue.get(), desc.Type);
        HEAPWRIGHT_ASSIGN(std::shared_ptr<Fence> fence, Fence::create(context, 0));
        submitter->engines_.push_back({.queue = std::move(queue),
                                       .fence = std::move(fence),
                                       .submitted = 0,
                                       .recycler = CommandRecycler(context, list_type(info.kind)),
                                       .held = {},
                                       .in_flight = {},
                                       .unseen = {},
                                       .idle_fences = {}});
    }
    return submitter;
}

Submitter::~Submitter() {
    (void)release_ready();
    std::vector<Point> points;
    {
        // The waiter's thread goes on.
        const std::scoped_lock lock(mutex_);
        for (const Engine& engine : engines_) {
            if (!engine.in_flight.empty()) points.push_back({engine.fence, engine.in_flight.back().engine_value});
        }
    }
    // A lost device reports every value as reached.
    for (const Point& point : points) (void)wait_for(*point.fence, point.value, ~0ull, *this);
    waiter_.stop();
}

void Submitter::drain(Engine& engine) {
    constexpr int kTries = 3;
    constexpr std::chrono::microseconds kPause{100};
    for (int attempt = 0; attempt < kTries; ++attempt) {
        Com<ID3D12Fence> fence;
        leave_call("ID3D12Device::CreateFence");
        if (FAILED(context_.device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_ID3D12Fence, fence.out()))) continue;
        leave_call("ID3D12CommandQueue::Signal");
        if (FAILED(engine.queue->Signal(fence.get(), 1))) continue;
        leave_call("ID3D12Fence::GetCompletedValue");
        while (fence->GetCompletedValue() < 1 && context_.check_alive()) std::this_thread::sleep_for(kPause);
        return;
    }
    context_.adapter.wait_without_signal(engine.queue.get());
}

void Submitter::raise_fences(Engine& engine) {
    for (const Submitted& submitted : engine.in_flight) {
        leave_call("ID3D12Fence::GetCompletedValue");
        if (submitted.done.fence->GetCompletedValue() < submitted.done.value) return;
        for (const Point& signal : submitted.signals) signal.fence->reach(signal.value);
        engine.fence->reach(submitted.engine_value);
    }
}

Result<Submitter::DoneFence> Submitter::take_fence(Engine& engine) {
    DoneFence done;
    if (engine.idle_fences.empty()) {
        leave_call("ID3D12Device::CreateFence");
        HEAPWRIGHT_TRY(check(context_.device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_ID3D12Fence, done.fence.out()),
                             "ID3D12Device::CreateFence"));
    } else {
        done = std::move(engine.idle_fences.back());
        engine.idle_fences.pop_back();
    }
    ++done.value;
    return done;
}

Status Submitter::reclaim(Engine& engine) {
    if (context_.host_waits) raise_fences(engine);
    HEAPWRIGHT_ASSIGN(const std::uint64_t completed, engine.fence->completed());
    while (!engine.in_flight.empty() && engine.in_flight.front().engine_value <= completed) {
        if (engine.in_flight.front().slot) engine.recycler.give_back(std::move(engine.in_flight.front().slot));
        if (engine.in_flight.front().done.fence) {
            engine.idle_fences.push_back(std::move(engine.in_flight.front().done));
        }
        engine.in_flight.pop_front();
    }
    return {};
}

Status Submitter::make_room(Engine& engine) {
    std::unique_lock lock(mutex_);
    HEAPWRIGHT_TRY(reclaim(engine));
    if (engine.in_flight.size() + engine.held.size() < kManyInFlight) return {};
    const std::uint64_t oldest = engine.submitted - (engine.in_flight.size() + engine.held.size()) + 1;
    lock.unlock();
    if (const Status waited = wait_for(*engine.fence, oldest, kPatienceNs, *this);
        !waited && waited.error().code != ErrorCode::kTimeLimit) {
        return waited;
    }
    lock.lock();
    return reclaim(engine);
}

Result<std::vector<Submitter::Point>> Submitter::points_of(std::span<const device::TimelinePoint> points) const {
    std::vector<Point> result;
    for (const device::TimelinePoint& point : points) {
        const auto* timeline = dynamic_cast<const Timeline*>(point.timeline);
        if (timeline == nullptr || &timeline->fence()->context() != &context_) {
            return fail(ErrorCode::kInvalidArgument, "a submission names a timeline that is not of this device");
        }
        result.push_back({timeline->fence(), point.value.value});
    }
    return result;
}

Result<std::unique_ptr<CommandSlot>> Submitter::record(Engine& engine, const device::Submission& submission,
                                                       std::vector<device::ResourceId>& freshly_used) {
    const Timestamps::Pair* timestamps = nullptr;
    if (submission.timestamps) {
        timestamps = timestamps_.find(*submission.timestamps, submission.engine);
        if (timestamps == nullptr || submission.work.empty()) {
            return fail(ErrorCode::kInvalidArgument, timestamps == nullptr
                                                         ? "a submission names timestamps that are not of its engine"
                                                         : "timestamps stand around work, and there is none");
        }
    }
    if (submission.work.empty()) return std::unique_ptr<CommandSlot>();
    HEAPWRIGHT_ASSIGN(std::unique_ptr<CommandSlot> slot, engine.recycler.begin());
    WorkRecorder recorder(*slot, infos_[submission.engine.value].kind, objects_);
    leave_breadcrumb("recording a command list");
    if (timestamps != nullptr) write_begin(*slot->list.get(), *timestamps);
    Status recorded = recorder.record(submission.work);
    if (timestamps != nullptr) write_end(*slot->list.get(), *timestamps);
    leave_call("ID3D12GraphicsCommandList::Close");
    Status closed = check(slot->list->Close(), "ID3D12GraphicsCommandList::Close");
    // A list that could not be closed is not used again.
    if (!closed) return fail(std::move(recorded ? closed.error() : recorded.error()));
    if (!recorded) {
        engine.recycler.give_back(std::move(slot));
        return fail(std::move(recorded.error()));
    }
    freshly_used = recorder.freshly_used();
    return slot;
}

Result<std::vector<RecordedList*>> Submitter::lists_of(const device::Submission& submission) const {
    std::vector<RecordedList*> lists;
    for (const device::CommandListId id : submission.lists) {
        RecordedList* list = recorder_.find(id);
        if (list == nullptr || list->is_submitted || std::find(lists.begin(), lists.end(), list) != lists.end()) {
            return fail(ErrorCode::kInvalidArgument, list == nullptr
                                                         ? "a submission names a command list that is not live"
                                                         : "a command list is submitted twice");
        }
        if (list->engine != submission.engine.value) {
            return fail(ErrorCode::kInvalidArgument, "a command list was recorded for another engine");
        }
        lists.push_back(list);
    }
    return lists;
}

Result<bool> Submitter::is_ready(std::size_t engine, const Submitted& submitted) const {
    if (!context_.host_waits) return true;
    for (const Point& wait : submitted.waits) {
        if (wait.fence->signalled_by_engine[engine] >= wait.value) continue;
        HEAPWRIGHT_ASSIGN(const std::uint64_t completed, wait.fence->completed());
        if (completed < wait.value) return false;
    }
    return true;
}

Status Submitter::execute(std::size_t index, Submitted submitted) {
    Engine& engine = engines_[index];
    ID3D12CommandQueue* queue = engine.queue.get();
    if (context_.host_waits) {
        HEAPWRIGHT_ASSIGN(submitted.done, take_fence(engine));
    } else {
        for (const Point& wait : submitted.waits) {
            leave_call("ID3D12CommandQueue::Wait");
            HEAPWRIGHT_TRY(check(queue->Wait(wait.fence->handle(), wait.value), "ID3D12CommandQueue::Wait"));
        }
    }
    std::vector<ID3D12CommandList*> lists;
    if (submitted.slot) lists.push_back(submitted.slot->list.get());
    for (const auto& list : submitted.lists) lists.push_back(list.get());
    if (!lists.empty()) {
        leave_breadcrumb("ID3D12CommandQueue::ExecuteCommandLists");
        queue->ExecuteCommandLists(static_cast<UINT>(lists.size()), lists.data());
    }
    Status signalled = signal(index, submitted);
    if (!signalled) {
        engine.unseen.push_back(std::move(submitted));
        // Nobody can tell any more when this ends, which is no state to submit it again from.
        Error lost = std::move(signalled.error());
        lost.code = ErrorCode::kDeviceLost;
        lost.message = "the work is queued, and its end cannot be signalled: " + lost.message;
        return fail(std::move(lost));
    }
    ID3D12Fence* const done = submitted.done.fence.get();
    const std::uint64_t done_value = submitted.done.value;
    engine.in_flight.push_back(std::move(submitted));
    return context_.host_waits ? waiter_.watch(done, done_value) : Status{};
}

Status Submitter::signal(std::size_t index, const Submitted& submitted) {
    Engine& engine = engines_[index];
    const auto signal = [&engine](ID3D12Fence* fence, std::uint64_t value) {
        leave_call("ID3D12CommandQueue::Signal");
        return check(engine.queue->Signal(fence, value), "ID3D12CommandQueue::Signal");
    };
    for (const Point& point : submitted.signals) {
        if (!context_.host_waits) HEAPWRIGHT_TRY(signal(point.fence->handle(), point.value));
        std::uint64_t& highest = point.fence->signalled_by_engine[index];
        highest = std::max(highest, point.value);
    }
    return context_.host_waits ? signal(submitted.done.fence.get(), submitted.done.value)
                               : signal(engine.fence->handle(), submitted.engine_value);
}

Status Submitter::give_up(Error error) {
    broken_ = std::move(error);
    for (Engine& engine : engines_) drain(engine);
    return fail(*broken_);
}

Status Submitter::release_locked() {
    if (broken_) return fail(*broken_);
    if (context_.host_waits) {
        for (Engine& engine : engines_) HEAPWRIGHT_TRY(reclaim(engine));
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t index = 0; index < engines_.size(); ++index) {
            Engine& engine = engines_[index];
            while (!engine.held.empty()) {
                HEAPWRIGHT_ASSIGN(const bool ready, is_ready(index, engine.held.front()));
                if (!ready) break;
                Submitted next = std::move(engine.held.front());
                engine.held.pop_front();
                if (Status done = execute(index, std::move(next)); !done) return give_up(std::move(done.error()));
                progress = true;
            }
        }
    }
    return {};
}

Status Submitter::release_ready() {
    const std::scoped_lock lock(mutex_);
    return release_locked();
}

Status Submitter::watch_submitted() {
    const std::scoped_lock lock(mutex_);
    for (const Engine& engine : engines_) {
        for (const Submitted& submitted : engine.in_flight) {
            HEAPWRIGHT_TRY(waiter_.watch(submitted.done.fence.get(), submitted.done.value));
        }
    }
    return {};
}

Status Submitter::submit(const device::Submission& submission) {
    if (submission.engine.value >= engines_.size()) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the device has no such engine",
                          .value = submission.engine.value,
                          .limit = engines_.size()});
    }
    Engine& engine = engines_[submission.engine.value];
    HEAPWRIGHT_TRY(make_room(engine));

    const std::scoped_lock lock(mutex_);
    if (broken_) return fail(*broken_);
    Submitted submitted;
    HEAPWRIGHT_ASSIGN(submitted.waits, points_of(submission.waits));
    HEAPWRIGHT_ASSIGN(submitted.signals, points_of(submission.signals));
    HEAPWRIGHT_ASSIGN(const std::vector<RecordedList*> lists, lists_of(submission));
    std::vector<device::ResourceId> freshly_used;
    HEAPWRIGHT_ASSIGN(submitted.slot, record(engine, submission, freshly_used));
    for (RecordedList* list : lists) {
        submitted.lists.push_back(list->slot->list.share());
        freshly_used.insert(freshly_used.end(), list->freshly_used.begin(), list->freshly_used.end());
        list->is_submitted = !list->is_reusable;
    }
    for (const device::ResourceId id : freshly_used) {
        // Lists are recorded meanwhile.
        if (Resource* resource = objects_.resources.find(id)) {
            std::atomic_ref(resource->is_fresh).store(false, std::memory_order_relaxed);
        }
    }
    submitted.engine_value = ++engine.submitted;
    engine.held.push_back(std::move(submitted));
    Status released = release_locked();
    if (released || broken_) return released;
    // It is held and may run yet: nothing takes its place.
    released.error().code = ErrorCode::kDeviceLost;
    return give_up(std::move(released.error()));
}

Status Submitter::wait_idle() {
    std::vector<Point> points;
    {
        // The lock is not held while waiting, so that another thread may give the signal that the work waits for.
        const std::scoped_lock lock(mutex_);
        for (const Engine& engine : engines_) points.push_back({engine.fence, engine.submitted});
    }
    for (const Point& point : points) {
        Status waited = wait_for(*point.fence, point.value, ~0ull, *this);
        if (waited) continue;
        // It says nothing of the work. Whoever frees memory after this needs the queues' own word.
        for (Engine& engine : engines_) drain(engine);
        return waited;
    }
    return {};
}

std::size_t Submitter::command_lists() const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const Engine& engine : engines_) count += engine.recycler.made();
    return count;
}

}  // namespace heapwright::d3d12
