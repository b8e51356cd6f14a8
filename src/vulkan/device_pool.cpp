#include "heapwright/vulkan/device_pool.hpp"

#include <algorithm>
#include <utility>

#include "contract/bucket_choice.hpp"
#include "core/rollback.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "vulkan/adopted_device.hpp"
#include "vulkan/device_pool_parts.hpp"

namespace heapwright::vulkan {

DevicePool::DevicePool(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

DevicePool::~DevicePool() {
    // The device is idle, so that every value has passed. The chunks go with the placer, their places with them.
    parts_->records.for_each([this](const Record& record) { parts_->destroy(record); });
}

Result<std::unique_ptr<DevicePool>> DevicePool::create(std::unique_ptr<AdoptedDevice> adopted, FittingPolicy fitting,
                                                       const pool::PoolOptions& options) {
    if (options.timelines == 0 || options.timelines > pool::kMostTimelines) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "a pool has one timeline at least",
                     .where = "timelines",
                     .value = options.timelines,
                     .limit = pool::kMostTimelines});
    }
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), fitting.policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), fitting.policy, std::move(index), options);
    parts->explanation = std::move(fitting.explanation);
    if (!fitting.workload_name.empty()) parts->workload_name = std::move(fitting.workload_name);
    return std::unique_ptr<DevicePool>(new DevicePool(std::move(parts)));
}

Result<std::unique_ptr<DevicePool>> DevicePool::create(const PoolDevice& device, const model::DevicePolicy& policy,
                                                       const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    return create(std::move(adopted),
                  {.policy = policy, .workload_name = {}, .explanation = "the policy that the program gave\n"},
                  options);
}

Result<std::unique_ptr<DevicePool>> DevicePool::create_from_document(const PoolDevice& device,
                                                                     std::string_view document, std::string_view source,
                                                                     const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy fitting, fitting_policy(adopted->facts(), document, source));
    return create(std::move(adopted), std::move(fitting), options);
}

Result<std::unique_ptr<DevicePool>> DevicePool::create_without_policy(const PoolDevice& device,
                                                                      const std::string& workload,
                                                                      const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy made, made_policy(adopted->facts(), workload));
    return create(std::move(adopted), std::move(made), options);
}

Result<AllocationInfo> DevicePool::info(PoolAllocation allocation) const {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    return parts_->info_of(*record);
}

Result<std::span<std::byte>> DevicePool::map(PoolAllocation allocation) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> whole, parts_->source.map(record->memory));
    return whole.subspan(static_cast<std::size_t>(record->info.offset_bytes),
                         static_cast<std::size_t>(record->info.size_bytes));
}

namespace {

struct Range {
    std::uint64_t offset_bytes = 0;  // in the memory
    std::uint64_t size_bytes = 0;
};

Result<Range> range_in(const Record& record, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::uint64_t whole = record.info.size_bytes;
    if (offset_bytes <= whole) {
        const std::uint64_t rest = whole - offset_bytes;
        if (size_bytes == VK_WHOLE_SIZE) size_bytes = rest;
        if (size_bytes <= rest)
            return Range{.offset_bytes = record.info.offset_bytes + offset_bytes, .size_bytes = size_bytes};
    }
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = "the range ends beyond the allocation",
                 .where = "offset_bytes",
                 .value = offset_bytes,
                 .limit = whole});
}

}  // namespace

Status DevicePool::flush(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_ASSIGN(const Range range, range_in(*record, offset_bytes, size_bytes));
    return parts_->source.flush(record->memory, range.offset_bytes, range.size_bytes);
}

Status DevicePool::invalidate(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_ASSIGN(const Range range, range_in(*record, offset_bytes, size_bytes));
    return parts_->source.invalidate(record->memory, range.offset_bytes, range.size_bytes);
}

Status DevicePool::free(PoolAllocation allocation) {
    const std::optional<Record> record = parts_->records.take(allocation.value);
    if (!record) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    parts_->destroy(*record);
    return parts_->give_back(*record);
}

Status DevicePool::free_after(PoolAllocation allocation, std::span<const TimelineUse> last_uses) {
    for (const TimelineUse& use : last_uses) {
        if (use.timeline < parts_->placer.timeline_count()) continue;
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "the pool has no such timeline: see PoolOptions::timelines",
                     .where = "timeline",
                     .value = use.timeline,
                     .limit = parts_->placer.timeline_count() - 1});
    }
    if (last_uses.empty()) return free(allocation);
    const std::uint64_t waiting = parts_->records.rename(allocation.value);
    if (waiting == 0) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    Rollback renamed([&] { parts_->records.undo_rename(waiting, allocation.value); });
    const Record& record = *parts_->records.find(waiting);
    if (last_uses.size() == 1) {
        parts_->placer.release({.resource = device::ResourceId{waiting},
                                .placement = record.placement,
                                .dedicated = record.dedicated,
                                .last_use = last_uses.front().value,
                                .timeline = last_uses.front().timeline});
    } else {
        WaitingForSeveral several{.record = waiting, .uses = {last_uses.begin(), last_uses.end()}};
        const std::lock_guard lock(parts_->several_mutex);
        parts_->several.push_back(std::move(several));
    }
    renamed.keep();
    return {};
}

Status DevicePool::collect(std::span<const TimelineValue> completed) {
    const auto is_over = [completed](const TimelineUse& use) {
        return use.timeline < completed.size() && use.value <= completed[use.timeline];
    };
    Status first_error;
    {
        const std::lock_guard lock(parts_->several_mutex);
        std::erase_if(parts_->several, [&](const WaitingForSeveral& waiting) {
            if (!std::ranges::all_of(waiting.uses, is_over)) return false;
            if (const auto record = parts_->records.take(waiting.record)) {
                parts_->destroy(*record);
                Status done = parts_->give_back(*record);
                if (!done && first_error) first_error = std::move(done);
            }
            return true;
        });
    }
    Status rest = parts_->placer.release_completed(completed, [this](device::ResourceId waiting) {
        if (const auto record = parts_->records.take(waiting.value)) parts_->destroy(*record);
    });
    return first_error ? rest : first_error;
}

std::uint64_t DevicePool::trim() {
    return parts_->placer.trim();
}

std::size_t DevicePool::live_allocations() const {
    const std::lock_guard lock(parts_->several_mutex);
    const std::size_t waiting = parts_->placer.pending_count() + parts_->several.size();
    // Read one after another: beside other threads' calls the sums are of slightly different moments.
    return std::max(parts_->records.size(), waiting) - waiting;
}

pool::PoolFigures DevicePool::figures() const {
    pool::PoolFigures figures = parts_->placer.figures();
    const std::lock_guard lock(parts_->several_mutex);
    for (const WaitingForSeveral& waiting : parts_->several) {
        ++figures.pending_releases;
        const Record& record = *parts_->records.find(waiting.record);
        figures.pending_bytes += record.placement ? record.placement->size_bytes : record.dedicated.size_bytes;
    }
    return figures;
}

std::vector<model::HeapBudget> DevicePool::budgets() const {
    return parts_->memory.budgets();
}

const model::DevicePolicy& DevicePool::policy() const {
    return parts_->placer.policy();
}

const model::DeviceReport& DevicePool::facts() const {
    return parts_->device->facts();
}

const std::string& DevicePool::policy_explanation() const {
    return parts_->explanation;
}

std::string DevicePool::policy_document() const {
    model::Policy document;
    document.header.tool_version = kVersion;
    document.workload_name = parts_->workload_name;
    document.devices = {policy()};
    return model::write(document);
}

Status DevicePool::validate_invariants() const {
    return parts_->placer.validate_invariants();
}

}  // namespace heapwright::vulkan
