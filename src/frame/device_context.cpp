#include "heapwright/frame/device_context.hpp"

#include <utility>
#include <variant>

#include "heapwright/frame/render_device.hpp"

namespace heapwright::frame {

DeviceContext::DeviceContext(RenderDevice& device, ContextKind kind, std::uint32_t number)
    : device_(device),
      kind_(kind),
      number_(number),
      reports_(device.reports_lifetimes()),
      resources_(device.resource_heap(), number),
      samplers_(device.sampler_heap(), number),
      uploads_(device.uploads(), number) {}

LifetimeChecker::Place DeviceContext::place() const {
    return {.context = number_,
            .is_deferred = kind_ == ContextKind::kDeferred,
            .frame = device_.frame(),
            .command_list = device_.clock().next()};
}

void DeviceContext::begin() {
    if (!began_) {
        began_ = true;
        frame_ = device_.frame();
        resources_.set_frame(frame_);
        samplers_.set_frame(frame_);
        uploads_.set_frame(frame_);
        thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    } else if (reports_ && thread_.load(std::memory_order_relaxed) != std::this_thread::get_id()) [[unlikely]] {
        device_.checker().second_thread(place());
    }
}

Result<DynamicDescriptors> DeviceContext::allocate_dynamic(device::DescriptorHeapKind kind, std::uint32_t count) {
    begin();
    return (kind == device::DescriptorHeapKind::kSampler ? samplers_ : resources_).allocate(count);
}

Result<UploadRange> DeviceContext::allocate_upload(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    begin();
    return uploads_.allocate(size_bytes, alignment_bytes);
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
        },
        work);
}

void DeviceContext::record(device::Work work) {
    begin();
    if (reports_) note_uses(work);
    work_.push_back(std::move(work));
}

void DeviceContext::copy_from_upload(const UploadRange& from, device::ResourceId destination,
                                     std::uint64_t destination_offset_bytes) {
    begin();
    if (reports_)
        device_.checker().dynamic_used(place(), from.offset_bytes, from.frame, from.context, "dynamic space at offset");
    record(device::CopyBuffer{.source = from.buffer,
                              .destination = destination,
                              .source_offset_bytes = from.offset_bytes,
                              .destination_offset_bytes = destination_offset_bytes,
                              .size_bytes = from.bytes.size()});
}

void DeviceContext::dispatch(const TableDispatch& dispatch) {
    begin();
    if (reports_) {
        const auto check = [&](const DynamicDescriptors& row) {
            device_.checker().dynamic_used(place(), row.first, row.frame, row.context, "dynamic descriptor");
        };
        check(dispatch.dynamic_table);
        if (dispatch.dynamic_sampler) check(*dispatch.dynamic_sampler);
        LifetimeChecker& checker = device_.checker();
        checker.used(dispatch.pipeline, place());
        checker.descriptors_used(device::DescriptorHeapKind::kCbvSrvUav, dispatch.static_table,
                                 device::kStaticTableSize, place());
        if (dispatch.sampler && !dispatch.dynamic_sampler)
            checker.descriptors_used(device::DescriptorHeapKind::kSampler, *dispatch.sampler, 1, place());
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
    record(std::move(tables));
}

void DeviceContext::release(device::ResourceId resource) {
    begin();
    released_resources_.push_back(resource);
}

void DeviceContext::release(const MemoryRange& range) {
    begin();
    released_ranges_.push_back(range);
}

void DeviceContext::release(device::PipelineId pipeline) {
    begin();
    released_pipelines_.push_back(pipeline);
}

void DeviceContext::release(DescriptorHeapAllocation&& descriptors) {
    begin();
    released_descriptors_.push_back(std::move(descriptors));
}

Status DeviceContext::close() {
    if (list_) return {};
    HEAPWRIGHT_TRY(uploads_.flush());
    HEAPWRIGHT_ASSIGN(const device::CommandAllocatorId allocator,
                      device_.command_allocators().take(device_.last_completed()));
    auto list = device_.device().recorder()->record(allocator, work_);
    if (!list) {
        device_.command_allocators().give_back(allocator, {});
        return fail(std::move(list.error()));
    }
    allocator_ = allocator;
    list_ = *list;
    work_.clear();
    return {};
}

void DeviceContext::submitted_as(TimelineValue value) {
    if (allocator_) device_.command_allocators().give_back(*allocator_, value);
    allocator_.reset();
    list_.reset();
    resources_.discard(value);
    samplers_.discard(value);
    uploads_.discard();
    for (DescriptorHeapAllocation& descriptors : released_descriptors_) descriptors.release_after(value);
    released_descriptors_.clear();
    began_ = false;
}

}  // namespace heapwright::frame
