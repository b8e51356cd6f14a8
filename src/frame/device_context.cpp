#include "frame/device_context.hpp"

#include <utility>
#include <variant>

#include "frame/render_device.hpp"

namespace heapwright::frame {

DeviceContext::DeviceContext(RenderDevice& device, ContextKind kind, std::size_t queue, std::uint32_t number)
    : device_(device),
      kind_(kind),
      queue_(queue),
      number_(number),
      reports_(device.reports_lifetimes()),
      resources_(device.resource_heap(), number),
      samplers_(device.sampler_heap(), number),
      uploads_(device.uploads(), number) {}

LifetimeChecker::Place DeviceContext::place() const {
    return {.context = number_,
            .frame = begun_in_frame().value_or(device_.frame()),
            .command_list = device_.clock(queue_).next(),
            .queue = queue_};
}

void DeviceContext::begin() {
    if (pin_.load(std::memory_order_relaxed) != 0) [[likely]]
        return;
    // A frame that is closed in between has not seen the pin.
    const FrameClock& frames = device_.frame_clock();
    for (std::uint64_t open = frames.next(); pin_.load(std::memory_order_relaxed) != open + 1; open = frames.next())
        pin_.store(open + 1, std::memory_order_seq_cst);
    const auto frame = static_cast<std::uint32_t>(pin_.load(std::memory_order_relaxed) - 1);
    resources_.set_frame(frame);
    samplers_.set_frame(frame);
    uploads_.set_frame(frame);
    if (!upload_windows_.empty() && upload_windows_.front().range.frame != frame) upload_windows_.clear();
    if (dynamic_space_) dynamic_space_->set_frame(frame);
}

void DeviceContext::tell_second_thread() {
    device_.checker().second_thread(place());
}

Result<DynamicDescriptors> DeviceContext::allocate_dynamic(device::DescriptorHeapKind kind, std::uint32_t count) {
    const InUse in_use(*this);
    begin();
    return (kind == device::DescriptorHeapKind::kSampler ? samplers_ : resources_).allocate(count);
}

Result<UploadRange> DeviceContext::allocate_upload(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const InUse in_use(*this);
    begin();
    return uploads_.allocate(size_bytes, alignment_bytes);
}

Result<UploadRange> DeviceContext::allocate_dynamic_space(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const InUse in_use(*this);
    begin();
    if (!dynamic_space_) {
        HEAPWRIGHT_ASSIGN(UploadHeap* const heap, device_.dynamic_space());
        dynamic_space_.emplace(*heap, number_);
        dynamic_space_->set_frame(static_cast<std::uint32_t>(*begun_in_frame()));
    }
    return dynamic_space_->allocate(size_bytes, alignment_bytes);
}

void DeviceContext::note_dynamic_use(const UploadRange& range) {
    if (reports_)
        device_.checker().dynamic_used(place(), range.offset_bytes, range.frame, range.context,
                                       "dynamic space at offset");
}

void DeviceContext::use_dynamic_space(const UploadRange& range) {
    const InUse in_use(*this);
    begin();
    if (dynamic_space_) dynamic_space_->note_use(range);
    note_dynamic_use(range);
}

void DeviceContext::note_uses(const device::Work& work) {
    const LifetimeChecker::Place here = place();
    LifetimeChecker& checker = device_.checker();
    std::visit(
        [&](const auto& item) {
            if constexpr (requires { item.source; }) checker.used(item.source, here);
            if constexpr (requires { item.destination; }) checker.used(item.destination, here);
            if constexpr (requires { item.buffer; }) checker.used(item.buffer, here);
            if constexpr (requires { item.image; }) checker.used(item.image, here);
            if constexpr (requires { item.reads; }) {
                for (const device::ResourceId id : item.reads) checker.used(id, here);
                for (const device::ResourceId id : item.writes) checker.used(id, here);
            }
            if constexpr (requires { item.static_table; }) {
                checker.used(item.pipeline, here);
                checker.descriptors_used(DescriptorName::kDescriptor, item.resource_heap, item.static_table,
                                         device::kStaticTableSize, here);
                // A dynamic one was never released.
                if (item.sampler_heap)
                    checker.descriptors_used(DescriptorName::kSamplerDescriptor, *item.sampler_heap, item.sampler, 1,
                                             here);
            }
            if constexpr (requires { item.index; })
                checker.descriptors_used(DescriptorName::kView, item.heap, item.index, 1, here);
        },
        work);
}

void DeviceContext::record(device::Work work) {
    const InUse in_use(*this);
    begin();
    add(std::move(work));
}

void DeviceContext::add(device::Work work) {
    if (reports_) note_uses(work);
    work_.push_back(std::move(work));
}

void DeviceContext::copy_from_upload(const UploadRange& from, device::ResourceId destination,
                                     std::uint64_t destination_offset_bytes) {
    const InUse in_use(*this);
    begin();
    uploads_.note_use(from);
    note_dynamic_use(from);
    add(device::CopyBuffer{.source = from.buffer,
                           .destination = destination,
                           .source_offset_bytes = from.offset_bytes,
                           .destination_offset_bytes = destination_offset_bytes,
                           .size_bytes = from.bytes.size()});
}

void DeviceContext::dispatch(const TableDispatch& dispatch) {
    const InUse in_use(*this);
    begin();
    if (reports_) {
        const auto check = [&](const DynamicDescriptors& row, const DynamicSuballocationsManager& rows) {
            device_.checker().dynamic_used(place(), row.first, row.frame, row.context, "dynamic descriptor");
            if (row.context == number_ && row.frame == place().frame && row.submission != rows.submission())
                device_.checker().row_used_after_submission(place(), row.first);
        };
        check(dispatch.dynamic_table, resources_);
        if (dispatch.dynamic_sampler) check(*dispatch.dynamic_sampler, samplers_);
        for (const ViewPlace& view : dispatch.views)
            device_.checker().descriptors_used(DescriptorName::kView, view.heap, view.index, 1, place());
    }
    device::DispatchTables tables{.pipeline = dispatch.pipeline,
                                  .resource_heap = device_.resource_heap().heap(),
                                  .static_table = dispatch.static_table,
                                  .dynamic_table = dispatch.dynamic_table.first,
                                  .sampler_heap = {},
                                  .sampler = 0,
                                  .output_word = dispatch.output_word,
                                  .reads = dispatch.reads,
                                  .writes = dispatch.writes};
    if (dispatch.sampler || dispatch.dynamic_sampler) {
        tables.sampler_heap = device_.sampler_heap().heap();
        tables.sampler = dispatch.sampler ? *dispatch.sampler : dispatch.dynamic_sampler->first;
    }
    add(std::move(tables));
}

void DeviceContext::wait_for(const device::TimelinePoint& point) {
    const InUse in_use(*this);
    begin();
    waits_.push_back(point);
}

DeviceContext::Releases& DeviceContext::released(UsedBy used_by) {
    begin();
    const bool is_here = used_by == UsedBy::kThisQueue || device_.queue_count() == 1;
    return is_here ? released_here_ : released_everywhere_;
}

LifetimeChecker::Release DeviceContext::release_here() const {
    return {.frame = device_.frame(), .command_list = device_.clock(queue_).next()};
}

template <class Id>
void DeviceContext::note_release(Id id, UsedBy used_by) {
    QueueValues known{};
    known[queue_] = TimelineValue{~0ull};
    if (used_by == UsedBy::kThisQueue)
        device_.checker().last_uses_named(id, release_here(), known, device_.ask_fences());
    device_.checker().released(id, release_here());
}

void DeviceContext::note_release(const DescriptorHeapAllocation& descriptors) {
    if (descriptors.is_null()) return;
    if (descriptors.is_shader_visible() && descriptors.manager_id() != GPUDescriptorHeap::kStaticManager) return;
    device_.checker().descriptors_released(descriptors.heap(), descriptors.first_index(), descriptors.count(),
                                           release_here());
}

void DeviceContext::release(device::ResourceId resource, UsedBy used_by) {
    const InUse in_use(*this);
    if (reports_) note_release(resource, used_by);
    released(used_by).resources.push_back(resource);
}

void DeviceContext::release(const MemoryRange& range, UsedBy used_by) {
    const InUse in_use(*this);
    released(used_by).ranges.push_back(range);
}

void DeviceContext::release(device::PipelineId pipeline, UsedBy used_by) {
    const InUse in_use(*this);
    if (reports_) note_release(pipeline, used_by);
    released(used_by).pipelines.push_back(pipeline);
}

void DeviceContext::release(DescriptorHeapAllocation&& descriptors, UsedBy used_by) {
    const InUse in_use(*this);
    if (reports_) note_release(descriptors);
    released(used_by).descriptors.push_back(std::move(descriptors));
}

Status DeviceContext::close() {
    const InUse in_use(*this);
    return make_list();
}

Status DeviceContext::make_list() {
    // Space may be written between close() and the submission, too.
    HEAPWRIGHT_TRY(uploads_.flush());
    if (dynamic_space_) HEAPWRIGHT_TRY(dynamic_space_->flush());
    if (work_.empty() && !lists_.empty()) return {};
    HEAPWRIGHT_ASSIGN(const device::CommandAllocatorId allocator,
                      device_.command_allocators(queue_).take(device_.last_completed(queue_)));
    auto list = device_.device().recorder()->record(allocator, work_);
    if (!list) {
        device_.command_allocators(queue_).give_back(allocator, {});
        return fail(std::move(list.error()));
    }
    lists_.push_back({.allocator = allocator, .list = *list});
    work_.clear();
    return {};
}

void DeviceContext::discard() {
    const InUse in_use(*this);
    // Nothing of them runs: their allocators wait for nobody.
    for (const List& list : lists_) device_.queues_[queue_]->give_back_unsubmitted(list.allocator);
    lists_.clear();
    work_.clear();
    device_.retire(*this, std::nullopt, device_.is_alone(*this));
}

void DeviceContext::submitted_as(ReleasePoint own_list) {
    for (const List& list : lists_) device_.command_allocators(queue_).give_back(list.allocator, own_list.value);
    lists_.clear();
    waits_.clear();
    mapped_ = 0;
    submission_.fetch_add(1, std::memory_order_relaxed);
    resources_.discard(own_list);
    samplers_.discard(own_list);
    uploads_.discard();
    if (dynamic_space_) dynamic_space_->discard();
    pin_.store(0, std::memory_order_seq_cst);
}

}  // namespace heapwright::frame
