#include "frame/render_device.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "device/descriptor_checks.hpp"

namespace heapwright::frame {
namespace {

using device::DescriptorHeapKind;

// After so many frames empty pages of CPU descriptors go back to the device.
constexpr std::uint64_t kTrimmedFrames = 256;

}  // namespace

RenderDevice::~RenderDevice() {
    (void)device_.submitter().wait_idle();
    if (immediate_.empty()) return;  // set_up() failed early: nothing was ever released
    for (const auto& context : deferred_) retire(*context, std::nullopt, false);
    for (const auto& context : immediate_) retire(*context, std::nullopt, false);
    release_completed(TimelineValue{~0ull});
}

Result<DescriptorHeapAllocation> RenderDevice::create_view(const device::Descriptor& descriptor) {
    HEAPWRIGHT_ASSIGN(DescriptorHeapAllocation made, cpu_heap(device::kind_of(descriptor)).allocate(1));
    HEAPWRIGHT_TRY(device_.descriptors()->write(made.heap(), made.first_index(), descriptor));
    return made;
}

DeviceContext& RenderDevice::take_deferred(std::size_t queue) {
    const std::lock_guard lock(contexts_mutex_);
    const auto free = std::ranges::find(free_contexts_.rbegin(), free_contexts_.rend(), queue, &DeviceContext::queue);
    if (free == free_contexts_.rend()) {
        const std::size_t number = immediate_.size() + deferred_.size();
        deferred_.push_back(
            std::make_unique<DeviceContext>(*this, ContextKind::kDeferred, queue, static_cast<std::uint32_t>(number)));
        deferred_.back()->is_taken_ = true;
        return *deferred_.back();
    }
    DeviceContext& context = **free;
    free_contexts_.erase(std::next(free).base());
    context.is_taken_ = true;
    return context;
}

Result<std::uint64_t> RenderDevice::submit_numbered(std::size_t queue, std::span<const device::TimelinePoint> waits,
                                                    std::span<const device::Work> work,
                                                    std::span<const device::CommandListId> lists) {
    if (!gate_) return queues_[queue]->submit(waits, work, lists);
    std::vector<device::TimelinePoint> gated(waits.begin(), waits.end());
    gated.push_back(*gate_);
    return queues_[queue]->submit(gated, work, lists);
}

Result<std::optional<std::uint64_t>> RenderDevice::submit_context(DeviceContext& context) {
    const DeviceContext::InUse in_use(context);
    std::optional<std::uint64_t> number;
    if (context.mapped_ != 0 && options_.reports_lifetimes)
        checker_.mapped_when_submitted(context.place(), context.mapped_);
    const bool was_alone = context.released_here_.is_empty() || is_alone(context);
    // Without commands a wait goes with an empty list: what the queue gets next comes behind it.
    if (context.has_commands() || !context.waits_.empty()) {
        HEAPWRIGHT_TRY(context.make_list());
        std::vector<device::CommandListId> lists;
        for (const DeviceContext::List& list : context.lists_) lists.push_back(list.list);
        HEAPWRIGHT_ASSIGN(number, submit_numbered(context.queue(), context.waits_, {}, lists));
    }
    try {
        if (number && options_.on_submitted) options_.on_submitted(context.number(), *number);
    } catch (...) {
        // It was submitted all the same.
        retire(context, number, was_alone);
        throw;
    }
    retire(context, number, was_alone);
    return number;
}

bool RenderDevice::is_alone(const DeviceContext& context) const {
    const std::lock_guard lock(contexts_mutex_);
    const auto is_another = [&](const std::unique_ptr<DeviceContext>& other) {
        return other.get() != &context && other->queue() == context.queue() && other->is_recording();
    };
    return std::ranges::none_of(immediate_, is_another) && std::ranges::none_of(deferred_, is_another);
}

void RenderDevice::retire(DeviceContext& context, std::optional<std::uint64_t> number, bool was_alone) {
    // Without a list of its own the context may have released what an earlier list uses.
    const ReleasePoint own_list = ReleasePoint::of_queue(
        context.queue(), number ? TimelineValue{*number + 1} : clock(context.queue()).submitted());
    const auto release_all = [&](DeviceContext::Releases& released, ReleasePoint last_use) {
        releases_.resources.push_all(last_use, released.resources);
        releases_.memory_ranges.push_all(last_use, released.ranges);
        releases_.pipelines.push_all(last_use, released.pipelines);
        for (DescriptorHeapAllocation& descriptors : released.descriptors) descriptors.release_after(last_use);
        released.descriptors.clear();
    };
    // What another context has recorded may use it, too: the frame's end waits for those that are open.
    release_all(context.released_here_, was_alone ? own_list : frame_clock().release_point());
    release_all(context.released_everywhere_, frame_clock().release_point());
    if (options_.reports_lifetimes) checker_.retired(context.number(), context.queue(), number);
    context.submitted_as(own_list);
}

Result<std::optional<std::uint64_t>> RenderDevice::flush(std::size_t queue) {
    return submit_context(*immediate_[queue]);
}

Status RenderDevice::flush_all() {
    for (const auto& context : immediate_) HEAPWRIGHT_TRY(submit_context(*context));
    return {};
}

Result<std::optional<std::uint64_t>> RenderDevice::execute(DeviceContext& deferred) {
    if (immediate(deferred.queue()).is_recording()) HEAPWRIGHT_TRY(flush(deferred.queue()));
    return submit(deferred);
}

Result<std::optional<std::uint64_t>> RenderDevice::submit(DeviceContext& deferred) {
    if (!deferred.is_taken_.exchange(false)) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the context is not taken: it is an immediate one, or was submitted or given back",
                          .where = "context",
                          .value = deferred.number()});
    }
    // Open: it was not submitted. Also where who is told of the submission throws.
    const auto end = [this](DeviceContext* context) {
        context->is_recording() ? context->is_taken_.store(true) : make_free(*context);
    };
    const std::unique_ptr<DeviceContext, decltype(end)> ended(&deferred, end);
    return submit_context(deferred);
}

void RenderDevice::give_back(DeviceContext& deferred) {
    if (!deferred.is_taken_.exchange(false)) return;
    deferred.discard();
    make_free(deferred);
}

void RenderDevice::make_free(DeviceContext& deferred) {
    const std::lock_guard lock(contexts_mutex_);
    free_contexts_.push_back(&deferred);
}

Status RenderDevice::submit_now(std::span<const device::Work> work, std::size_t queue) {
    DeviceContext& context = immediate(queue);
    if (context.is_recording()) HEAPWRIGHT_TRY(flush(queue));
    if (options_.reports_lifetimes) std::ranges::for_each(work, [&](const auto& item) { context.note_uses(item); });
    const auto number = submit_numbered(queue, {}, work, {});
    if (options_.reports_lifetimes)
        checker_.retired(context.number(), queue, number ? std::optional(*number) : std::nullopt);
    if (!number) return tl::unexpected(number.error());
    return {};
}

std::uint64_t RenderDevice::oldest_open_frame() const {
    const std::lock_guard lock(contexts_mutex_);
    std::uint64_t oldest = ~0ull;
    for (const auto* contexts : {&immediate_, &deferred_}) {
        for (const auto& context : *contexts) oldest = std::min(oldest, context->begun_in_frame().value_or(oldest));
    }
    return oldest;
}

Result<CompletedPoints> RenderDevice::poll() {
    CompletedPoints completed;
    HEAPWRIGHT_ASSIGN(completed.by_lane[0], frame_ends_.completed());
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) completed.by_lane[1 + queue] = last_completed(queue);
    return completed;
}

QueueValues RenderDevice::ask_fences() {
    QueueValues values{};
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        (void)queues_[queue]->poll();
        values[queue] = last_completed(queue);
    }
    return values;
}

void RenderDevice::destroy(device::ResourceId resource) {
    device_.resources().destroy(resource);
    if (options_.reports_lifetimes) checker_.destroyed(resource);
}

void RenderDevice::release_uploads(TimelineValue frames) {
    uploads_->release_completed(frames);
    if (UploadHeap* dynamic = made_dynamic_space()) dynamic->release_completed(frames);
}

void RenderDevice::release_named(const CompletedPoints& completed) {
    const std::lock_guard lock(named_mutex_);
    const auto is_pending = [&](const NamedRelease& named) {
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            if (completed.by_lane[1 + queue] < named.last_use[queue]) return true;
        }
        return false;
    };
    auto over = named_releases_.end() - std::partition(named_releases_.begin(), named_releases_.end(), is_pending);
    for (; over > 0; --over) {
        const device::ResourceId resource = named_releases_.back().resource;
        named_releases_.pop_back();
        ++destroyed_resources_;
        destroy(resource);
    }
}

void RenderDevice::release_completed(const CompletedPoints& completed) {
    for (const auto& heap : cpu_heaps_) {
        if (heap) heap->release_completed(completed);
    }
    if (resource_heap_) resource_heap_->release_completed(completed);
    if (sampler_heap_) sampler_heap_->release_completed(completed);
    // Ranges come back after the resources that lie in them. They are taken before those, which are released first:
    // what other threads release from here on is the next purge's.
    releases_.memory_ranges.take_completed(completed);
    destroyed_resources_ +=
        releases_.resources.release_completed(completed, [this](device::ResourceId resource) { destroy(resource); });
    release_named(completed);
    releases_.memory_ranges.end_taken(
        [](const MemoryRange& range) { range.owner->free_range(range.offset_bytes, range.size_bytes, range.handle); });
    releases_.pipelines.release_completed(completed, [this](device::PipelineId pipeline) {
        device_.recorder()->destroy(pipeline);
        if (options_.reports_lifetimes) checker_.destroyed(pipeline);
    });
}

Status RenderDevice::close_frame() {
    if (options_.reports_lifetimes) {
        const std::lock_guard lock(contexts_mutex_);
        for (const auto& context : deferred_) {
            const auto begun = context->begun_in_frame();
            if (begun && *begun + 1 == frame()) checker_.deferred_left_open(context->place(), frame());
        }
    }
    // Before the frame closes: a context that begins in the next one must not get space of this one. A failed attempt
    // leaves a frame more behind, which is over when this one is.
    const TimelineValue end = frame_clock().release_point().value;
    HEAPWRIGHT_TRY(uploads_->finish_frame(end));
    if (UploadHeap* dynamic = made_dynamic_space()) HEAPWRIGHT_TRY(dynamic->finish_frame(end));
    frame_ends_.close();
    return {};
}

Status RenderDevice::finish_frame() {
    HEAPWRIGHT_TRY(flush_all());
    HEAPWRIGHT_TRY(close_frame());
    HEAPWRIGHT_TRY(poll());
    in_flight_.push_back(frame_ends_.submitted());
    for (; in_flight_.size() > frames_in_flight_; in_flight_.pop_front())
        HEAPWRIGHT_TRY(frame_ends_.wait_for(in_flight_.front(), kWaitTimeoutNs));
    HEAPWRIGHT_ASSIGN(const CompletedPoints completed, poll());
    release_uploads(completed.by_lane[0]);
    release_completed(completed);
    if (++finished_frames_ % kTrimmedFrames == 0) {
        for (const auto& heap : cpu_heaps_) heap->trim();
    }
    return {};
}

Status RenderDevice::wait_idle() {
    HEAPWRIGHT_TRY(flush_all());
    HEAPWRIGHT_TRY(device_.submitter().wait_idle());
    HEAPWRIGHT_TRY(close_frame());
    HEAPWRIGHT_ASSIGN(const CompletedPoints completed, poll());
    release_uploads(completed.by_lane[0]);
    release_completed(completed);
    in_flight_.clear();
    return {};
}

void RenderDevice::release(device::ResourceId resource) {
    if (options_.reports_lifetimes) checker_.released(resource, release_now());
    releases_.resources.push(frame_clock().release_point(), resource);
}

void RenderDevice::release(const MemoryRange& range) {
    releases_.memory_ranges.push(frame_clock().release_point(), range);
}

void RenderDevice::release(device::PipelineId pipeline) {
    if (options_.reports_lifetimes) checker_.released(pipeline, release_now());
    releases_.pipelines.push(frame_clock().release_point(), pipeline);
}

Status RenderDevice::release(device::ResourceId resource, std::span<const LastUse> last_uses) {
    NamedRelease named{.resource = resource};
    for (const LastUse& use : last_uses) {
        const bool is_queue = use.queue < queues_.size();
        if (!is_queue || use.command_list >= clock(use.queue).next()) {
            return fail(Error{.code = ErrorCode::kInvalidArgument,
                              .message = is_queue ? "a last use is in a list that is not submitted"
                                                  : "a last use is on a queue that there is not",
                              .where = "last_uses",
                              .value = is_queue ? use.command_list : use.queue,
                              .limit = (is_queue ? clock(use.queue).next() : queues_.size())});
        }
        named.last_use[use.queue] = TimelineValue{use.command_list + 1};
    }
    if (options_.reports_lifetimes) {
        checker_.last_uses_named(resource, release_now(), named.last_use, ask_fences());
        checker_.released(resource, release_now());
    }
    const std::lock_guard lock(named_mutex_);
    named_releases_.push_back(named);
    return {};
}

void RenderDevice::DescriptorWatch::allocated(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count) {
    device_.checker_.descriptors_allocated(heap, first, count);
}

void RenderDevice::DescriptorWatch::released(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                                             ReleasePoint last_use) {
    device_.checker_.descriptors_released(heap, first, count, device_.release_at(last_use));
}

void RenderDevice::DescriptorWatch::gone(device::DescriptorHeapId heap) {
    device_.checker_.descriptor_heap_gone(heap);
}

RenderDeviceFigures RenderDevice::figures() const {
    RenderDeviceFigures figures;
    for (std::size_t kind = 0; kind < cpu_heaps_.size(); ++kind) figures.cpu[kind] = cpu_heaps_[kind]->figures();
    figures.static_resources = resource_heap_->static_figures();
    figures.dynamic_resources = resource_heap_->dynamic_figures();
    figures.static_samplers = sampler_heap_->static_figures();
    figures.dynamic_samplers = sampler_heap_->dynamic_figures();
    figures.samplers = samplers_->figures();
    figures.uploads = uploads_->figures();
    if (const UploadHeap* dynamic = made_dynamic_space()) figures.dynamic_space = dynamic->figures();
    figures.dynamic_stalls = resource_heap_->stall_count() + sampler_heap_->stall_count();
    for (const auto& queue : queues_) {
        figures.command_lists += queue->clock().next();
        figures.command_allocators += queue->command_allocators().created_count();
    }
    figures.frames = finished_frames_;
    figures.destroyed_resources = destroyed_resources_;
    return figures;
}

Status RenderDevice::validate_invariants() const {
    for (const auto& heap : cpu_heaps_) HEAPWRIGHT_TRY(heap->validate_invariants());
    HEAPWRIGHT_TRY(resource_heap_->validate_invariants());
    HEAPWRIGHT_TRY(sampler_heap_->validate_invariants());
    if (const UploadHeap* dynamic = made_dynamic_space()) HEAPWRIGHT_TRY(dynamic->validate_invariants());
    return uploads_->validate_invariants();
}

}  // namespace heapwright::frame
