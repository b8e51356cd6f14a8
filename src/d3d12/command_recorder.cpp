#include "d3d12/command_recorder.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"

namespace heapwright::d3d12 {

Result<device::CommandAllocatorId> CommandRecorder::create_allocator(device::EngineId engine) {
    if (engine.value >= engines_.size()) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the device has no such engine",
                     .where = {},
                     .value = engine.value,
                     .limit = engines_.size()});
    }
    Allocator allocator{.engine = engine.value};
    leave_call("ID3D12Device::CreateCommandAllocator");
    HEAPWRIGHT_TRY(check(context_.device->CreateCommandAllocator(list_type(engines_[engine.value].kind),
                                                                 IID_ID3D12CommandAllocator, allocator.handle.out()),
                         "ID3D12Device::CreateCommandAllocator"));
    return device::CommandAllocatorId{allocators_.insert(std::move(allocator))};
}

void CommandRecorder::drop_lists(Allocator& allocator) {
    for (const std::uint64_t list : allocator.lists) static_cast<void>(lists_.take(list));
    allocator.lists.clear();
    for (const auto& slot : allocator.slots) {
        slot->upload.recycle();
        slot->device_only.recycle();
    }
    allocator.used = 0;
}

Status CommandRecorder::reset(device::CommandAllocatorId id) {
    Allocator* allocator = allocators_.find(id.value);
    if (allocator == nullptr) return fail(ErrorCode::kInvalidArgument, "the command allocator is not live");
    leave_call("ID3D12CommandAllocator::Reset");
    HEAPWRIGHT_TRY(check(allocator->handle->Reset(), "ID3D12CommandAllocator::Reset"));
    drop_lists(*allocator);
    return {};
}

void CommandRecorder::destroy(device::CommandAllocatorId id) {
    if (auto gone = allocators_.take(id.value)) drop_lists(*gone);
}

Result<CommandSlot*> CommandRecorder::begin(Allocator& allocator) {
    if (allocator.used < allocator.slots.size()) {
        CommandSlot* slot = allocator.slots[allocator.used].get();
        leave_call("ID3D12GraphicsCommandList::Reset");
        HEAPWRIGHT_TRY(check(slot->list->Reset(allocator.handle.get(), nullptr), "ID3D12GraphicsCommandList::Reset"));
        ++allocator.used;
        return slot;
    }
    HEAPWRIGHT_ASSIGN(auto slot,
                      create_slot(context_, list_type(engines_[allocator.engine].kind), allocator.handle.share()));
    made_.fetch_add(1);
    allocator.slots.push_back(std::move(slot));
    ++allocator.used;
    return allocator.slots.back().get();
}

Result<device::CommandListId> CommandRecorder::record_list(device::CommandAllocatorId id,
                                                           std::span<const device::Work> work, bool is_reusable) {
    Allocator* allocator = allocators_.find(id.value);
    if (allocator == nullptr) return fail(ErrorCode::kInvalidArgument, "the command allocator is not live");
    leave_breadcrumb("recording a command list");
    HEAPWRIGHT_ASSIGN(CommandSlot * slot, begin(*allocator));
    WorkRecorder recorder(*slot, engines_[allocator->engine].kind, objects_);
    const Status recorded = recorder.record(work);
    leave_call("ID3D12GraphicsCommandList::Close");
    const Status closed = check(slot->list->Close(), "ID3D12GraphicsCommandList::Close");
    // A list that did not close is not used again.
    if (!closed) allocator->slots.erase(allocator->slots.begin() + static_cast<std::ptrdiff_t>(--allocator->used));
    HEAPWRIGHT_TRY(recorded);
    HEAPWRIGHT_TRY(closed);
    const std::uint64_t list = lists_.insert({.engine = allocator->engine,
                                              .slot = slot,
                                              .freshly_used = recorder.freshly_used(),
                                              .is_reusable = is_reusable});
    allocator->lists.push_back(list);
    return device::CommandListId{list};
}

}  // namespace heapwright::d3d12
