#include "heapwright/frame/render_device.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heapwright::frame {
namespace {

using device::DescriptorHeapKind;

std::uint32_t clamped(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ~0u));
}

DescriptorHeapKind kind_of(const device::Descriptor& descriptor) {
    if (std::holds_alternative<device::SamplerDescription>(descriptor)) return DescriptorHeapKind::kSampler;
    if (std::holds_alternative<device::RenderTargetView>(descriptor)) return DescriptorHeapKind::kRtv;
    if (std::holds_alternative<device::DepthStencilView>(descriptor)) return DescriptorHeapKind::kDsv;
    return DescriptorHeapKind::kCbvSrvUav;
}

}  // namespace

Result<std::unique_ptr<RenderDevice>> RenderDevice::create(device::Device& device, const model::DevicePolicy& policy,
                                                           const RenderDeviceOptions& options) {
    if (device.descriptors() == nullptr || device.recorder() == nullptr) {
        return fail(ErrorCode::kNotSupported, device.descriptors() == nullptr ? "the device has no descriptor heaps"
                                                                              : "the device records no command lists");
    }
    std::unique_ptr<RenderDevice> made(new RenderDevice(device, options));
    HEAPWRIGHT_TRY(made->set_up(policy));
    return made;
}

Status RenderDevice::set_up(const model::DevicePolicy& policy) {
    frames_in_flight_ = std::max(
        1u, options_.frames_in_flight != 0 ? options_.frames_in_flight : clamped(policy.frames_in_flight.value));
    HEAPWRIGHT_ASSIGN(fence_, device_.create_timeline(0));
    const model::DescriptorPolicy& sizes = policy.descriptors;
    const std::array<std::uint64_t, 4> pages{sizes.cbv_srv_uav_page.value, sizes.sampler_page.value,
                                             sizes.rtv_page.value, sizes.dsv_page.value};
    for (std::size_t kind = 0; kind < pages.size(); ++kind) {
        if (pages[kind] == 0)
            return fail(ErrorCode::kInvalidArgument, "the policy gives no page size for a kind of descriptors",
                        fmt::format("/descriptors ({})", kind));
        cpu_heaps_[kind] =
            std::make_unique<CPUDescriptorHeap>(*device_.descriptors(), clock_, static_cast<DescriptorHeapKind>(kind),
                                                clamped(pages[kind]), model::cpu_suballocator_of(sizes));
    }
    HEAPWRIGHT_ASSIGN(resource_heap_, make_visible(DescriptorHeapKind::kCbvSrvUav, sizes.resources));
    HEAPWRIGHT_ASSIGN(sampler_heap_, make_visible(DescriptorHeapKind::kSampler, sizes.samplers));
    for (GPUDescriptorHeap* heap : {resource_heap_.get(), sampler_heap_.get()}) {
        heap->wait_on(*fence_);
        if (options_.reports_lifetimes) heap->watch(watch_);
    }
    samplers_ =
        std::make_unique<SamplerCache>(*device_.descriptors(), cpu_heap(DescriptorHeapKind::kSampler), *sampler_heap_);
    const auto upload = std::ranges::find(policy.memory_uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
    if (upload == policy.memory_uses.end())
        return fail(ErrorCode::kInvalidArgument, "the policy ranks no memory types for uploads", "/memory_uses");
    const std::uint64_t ring = policy.uploads.ring_bytes.value;
    if (options_.accounts == nullptr) {
        own_accounts_ = std::make_unique<pool::BudgetedHeaps>(device_.facts(), device_.heaps(), policy, ~0ull,
                                                              std::optional<double>());
    }
    HEAPWRIGHT_ASSIGN(
        uploads_,
        UploadHeap::create(device_, *fence_, upload->memory_types.value,
                           {.ring_bytes = ring,
                            .page_bytes = policy.uploads.page_bytes.value,
                            .most_bytes = options_.most_upload_bytes != 0 ? options_.most_upload_bytes : 4 * ring,
                            .accounts = options_.accounts != nullptr ? options_.accounts : own_accounts_.get()}));
    allocators_ = std::make_unique<CommandAllocatorPool>(*device_.recorder());
    immediate_ = std::make_unique<DeviceContext>(*this, ContextKind::kImmediate, 0);
    return {};
}

Result<std::unique_ptr<GPUDescriptorHeap>> RenderDevice::make_visible(DescriptorHeapKind kind,
                                                                      const model::VisibleHeapPolicy& policy) {
    std::uint64_t capacity = policy.capacity.value;
    std::uint64_t dynamic = policy.dynamic_capacity.value;
    if (kind == DescriptorHeapKind::kCbvSrvUav && options_.visible_capacity != 0) {
        capacity = options_.visible_capacity;
        dynamic = std::min(dynamic, capacity / 2);
    }
    // A smaller heap would run full where the policy promises room: nothing is cut.
    if (const auto limit = device_.descriptors()->stated_limit(kind, true); limit && capacity > *limit) {
        const bool samplers = kind == DescriptorHeapKind::kSampler;
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("{} shader-visible {} descriptors are planned, one heap of the device may "
                                            "hold {}",
                                            capacity, samplers ? "sampler" : "CBV_SRV_UAV", *limit),
                     .where = samplers ? "/descriptors/samplers/capacity" : "/descriptors/resources/capacity",
                     .value = capacity,
                     .limit = *limit});
    }
    VisibleHeapLayout layout{.kind = kind,
                             .capacity = clamped(capacity),
                             .dynamic_capacity = clamped(dynamic),
                             .dynamic_chunk = clamped(policy.dynamic_chunk.value),
                             .static_ranges = model::static_suballocator_of(policy),
                             .dynamic_chunks = model::dynamic_suballocator_of(policy)};
    layout.dynamic_chunk = std::min(layout.dynamic_chunk, layout.dynamic_capacity);
    if (options_.make_visible_heap) return options_.make_visible_heap(*device_.descriptors(), clock_, layout);
    return GPUDescriptorHeap::create(*device_.descriptors(), clock_, layout);
}

RenderDevice::~RenderDevice() {
    (void)device_.submitter().wait_idle();
    if (!allocators_) return;  // set_up() failed early: nothing was ever released
    for (const auto& context : deferred_) context->submitted_as({});
    if (immediate_) immediate_->submitted_as({});
    release_completed(TimelineValue{~0ull});
}

Result<DescriptorHeapAllocation> RenderDevice::create_view(const device::Descriptor& descriptor) {
    HEAPWRIGHT_ASSIGN(DescriptorHeapAllocation made, cpu_heap(kind_of(descriptor)).allocate(1));
    HEAPWRIGHT_TRY(device_.descriptors()->write(made.heap(), made.first_index(), descriptor));
    return made;
}

DeviceContext& RenderDevice::take_deferred() {
    const std::lock_guard lock(contexts_mutex_);
    if (free_contexts_.empty()) {
        deferred_.push_back(std::make_unique<DeviceContext>(*this, ContextKind::kDeferred,
                                                            static_cast<std::uint32_t>(deferred_.size() + 1)));
        return *deferred_.back();
    }
    DeviceContext& context = *free_contexts_.back();
    free_contexts_.pop_back();
    return context;
}

Result<std::uint64_t> RenderDevice::submit_numbered(std::span<const device::Work> work,
                                                    std::span<const device::CommandListId> lists) {
    const std::lock_guard lock(queue_mutex_);
    const std::uint64_t number = clock_.next();
    const device::TimelinePoint signal{.timeline = fence_.get(), .value = TimelineValue{number + 1}};
    std::array<device::TimelinePoint, 1> waits{};
    if (gate_) waits[0] = *gate_;
    HEAPWRIGHT_TRY(device_.submitter().submit({.engine = device::EngineId{0},
                                               .waits = std::span(waits).first(gate_ ? 1 : 0),
                                               .work = work,
                                               .signals = {&signal, 1},
                                               .lists = lists}));
    clock_.advance();
    return number;
}

Result<std::optional<std::uint64_t>> RenderDevice::submit(DeviceContext& context) {
    std::optional<std::uint64_t> number;
    if (context.list_ || !context.work_.empty()) {
        HEAPWRIGHT_TRY(context.close());
        HEAPWRIGHT_ASSIGN(number, submit_numbered({}, {&*context.list_, 1}));
    }
    // Without a list of its own the context may have released what an earlier list uses.
    const TimelineValue value = number ? TimelineValue{*number + 1} : TimelineValue{clock_.next()};
    if (options_.reports_lifetimes) {
        checker_.submitted(context.number());
        for (const device::ResourceId resource : context.released_resources_)
            checker_.released(resource, release_at(value));
        for (const device::PipelineId pipeline : context.released_pipelines_)
            checker_.released(pipeline, release_at(value));
    }
    if (number && options_.on_submitted) options_.on_submitted(context.number(), *number);
    releases_.resources.push_all(value, context.released_resources_);
    releases_.memory_ranges.push_all(value, context.released_ranges_);
    releases_.pipelines.push_all(value, context.released_pipelines_);
    context.submitted_as(value);
    return number;
}

Result<std::optional<std::uint64_t>> RenderDevice::flush() {
    return submit(*immediate_);
}

Result<std::optional<std::uint64_t>> RenderDevice::execute(DeviceContext& deferred) {
    // What was released after a draw of the immediate context is paired with the next number: its list comes first.
    if (immediate_->is_recording()) HEAPWRIGHT_TRY(flush());
    HEAPWRIGHT_ASSIGN(const auto number, submit(deferred));
    const std::lock_guard lock(contexts_mutex_);
    free_contexts_.push_back(&deferred);
    return number;
}

Status RenderDevice::submit_now(std::span<const device::Work> work) {
    if (immediate_->is_recording()) HEAPWRIGHT_TRY(flush());
    HEAPWRIGHT_TRY(submit_numbered(work, {}));
    return {};
}

Result<TimelineValue> RenderDevice::poll() {
    HEAPWRIGHT_ASSIGN(const TimelineValue completed, fence_->completed());
    completed_.store(completed.value, std::memory_order_release);
    return completed;
}

void RenderDevice::release_completed(TimelineValue completed) {
    for (const auto& heap : cpu_heaps_) {
        if (heap) heap->release_completed(completed);
    }
    if (resource_heap_) resource_heap_->release_completed(completed);
    if (sampler_heap_) sampler_heap_->release_completed(completed);
    destroyed_resources_ += releases_.resources.release_completed(completed, [this](device::ResourceId resource) {
        device_.resources().destroy(resource);
        if (options_.reports_lifetimes) checker_.destroyed(resource);
    });
    // After the resources that lie in them.
    releases_.memory_ranges.release_completed(completed, [](const MemoryRange& range) {
        range.owner->free_range(range.offset_bytes, range.size_bytes, range.handle);
    });
    releases_.pipelines.release_completed(completed, [this](device::PipelineId pipeline) {
        device_.recorder()->destroy(pipeline);
        if (options_.reports_lifetimes) checker_.destroyed(pipeline);
    });
}

Status RenderDevice::finish_frame() {
    HEAPWRIGHT_TRY(flush());
    if (options_.reports_lifetimes) {
        const std::lock_guard lock(contexts_mutex_);
        for (const auto& context : deferred_) {
            if (context->is_recording()) checker_.deferred_left_open(context->place());
        }
    }
    // Every list of the frame is submitted, so that the last one's value covers the frame.
    const TimelineValue end{clock_.next()};
    HEAPWRIGHT_TRY(uploads_->finish_frame(end));
    HEAPWRIGHT_ASSIGN(TimelineValue completed, poll());
    frame_ends_.push_back(end);
    while (frame_ends_.size() > frames_in_flight_) {
        if (completed < frame_ends_.front()) {
            HEAPWRIGHT_TRY(fence_->wait(frame_ends_.front(), kWaitTimeoutNs));
            HEAPWRIGHT_ASSIGN(completed, poll());
        }
        frame_ends_.pop_front();
    }
    uploads_->release_completed(completed);
    release_completed(completed);
    frame_.fetch_add(1, std::memory_order_acq_rel);
    return {};
}

Status RenderDevice::wait_idle() {
    HEAPWRIGHT_TRY(flush());
    HEAPWRIGHT_TRY(device_.submitter().wait_idle());
    HEAPWRIGHT_TRY(poll());
    uploads_->release_completed(TimelineValue{clock_.next()});
    release_completed(TimelineValue{~0ull});
    frame_ends_.clear();
    return {};
}

void RenderDevice::release(device::ResourceId resource) {
    const TimelineValue value = clock_.release_value();
    if (options_.reports_lifetimes) checker_.released(resource, release_at(value));
    releases_.resources.push(value, resource);
}

void RenderDevice::release(const MemoryRange& range) {
    releases_.memory_ranges.push(clock_.release_value(), range);
}

void RenderDevice::release(device::PipelineId pipeline) {
    const TimelineValue value = clock_.release_value();
    if (options_.reports_lifetimes) checker_.released(pipeline, release_at(value));
    releases_.pipelines.push(value, pipeline);
}

void RenderDevice::DescriptorWatch::allocated(DescriptorHeapKind kind, std::uint32_t first, std::uint32_t count) {
    device_.checker_.descriptors_allocated(kind, first, count);
}

void RenderDevice::DescriptorWatch::released(DescriptorHeapKind kind, std::uint32_t first, std::uint32_t count,
                                             TimelineValue last_use) {
    device_.checker_.descriptors_released(kind, first, count, device_.release_at(last_use));
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
    figures.command_lists = clock_.next();
    figures.frames = frame();
    figures.command_allocators = allocators_->created_count();
    figures.destroyed_resources = destroyed_resources_;
    return figures;
}

Status RenderDevice::validate_invariants() const {
    for (const auto& heap : cpu_heaps_) HEAPWRIGHT_TRY(heap->validate_invariants());
    HEAPWRIGHT_TRY(resource_heap_->validate_invariants());
    HEAPWRIGHT_TRY(sampler_heap_->validate_invariants());
    return uploads_->validate_invariants();
}

}  // namespace heapwright::frame
