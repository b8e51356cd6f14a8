#include "heapwright/vulkan/engine_pool.hpp"

#include <utility>

#include "contract/bucket_index.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "vulkan/engine_pool_parts.hpp"
#include "vulkan/fitting_policy.hpp"

namespace heapwright::vulkan {

EnginePool::EnginePool(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

EnginePool::~EnginePool() {
    // The device is idle, so that every value has passed.
    (void)collect(TimelineValue{~0ull});
    parts_->records.for_each([this](const Record& record) {
        parts_->destroy(record);
        (void)parts_->give_back(record);
    });
}

Result<std::unique_ptr<EnginePool>> EnginePool::create(const EngineDevice& device, const model::DevicePolicy& policy,
                                                       const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), policy, std::move(index), options);
    parts->explanation = "the policy that the program gave\n";
    return std::unique_ptr<EnginePool>(new EnginePool(std::move(parts)));
}

Result<std::unique_ptr<EnginePool>> EnginePool::create_from_document(const EngineDevice& device,
                                                                     std::string_view document, std::string_view source,
                                                                     const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy fitting, fitting_policy(adopted->facts(), document, source));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), fitting.policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), fitting.policy, std::move(index), options);
    parts->explanation = std::move(fitting.explanation);
    parts->workload_name = std::move(fitting.workload_name);
    return std::unique_ptr<EnginePool>(new EnginePool(std::move(parts)));
}

Result<std::unique_ptr<EnginePool>> EnginePool::create_without_policy(const EngineDevice& device,
                                                                      const std::string& workload,
                                                                      const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy made, made_policy(adopted->facts(), workload));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), made.policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), made.policy, std::move(index), options);
    parts->explanation = std::move(made.explanation);
    parts->workload_name = std::move(made.workload_name);
    return std::unique_ptr<EnginePool>(new EnginePool(std::move(parts)));
}

Result<AllocationInfo> EnginePool::info(EngineAllocation allocation) const {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    return record->info;
}

Result<std::span<std::byte>> EnginePool::map(EngineAllocation allocation) {
    HEAPWRIGHT_ASSIGN(Record * record, parts_->live(allocation));
    return parts_->map(*record);
}

namespace {

Status check_range(const Record& record, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    if (offset_bytes <= record.info.size_bytes && size_bytes <= record.info.size_bytes - offset_bytes) return {};
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = "the range ends beyond the allocation",
                 .where = "offset_bytes",
                 .value = offset_bytes,
                 .limit = record.info.size_bytes});
}

}  // namespace

Status EnginePool::flush(EngineAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_TRY(check_range(*record, offset_bytes, size_bytes));
    if (!record->placement) return parts_->memory.flush(record->alone, offset_bytes, size_bytes);
    return parts_->source.flush(record->placement->heap, record->info.offset_bytes + offset_bytes, size_bytes);
}

Status EnginePool::invalidate(EngineAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_TRY(check_range(*record, offset_bytes, size_bytes));
    if (!record->placement) return parts_->memory.invalidate(record->alone, offset_bytes, size_bytes);
    return parts_->source.invalidate(record->placement->heap, record->info.offset_bytes + offset_bytes, size_bytes);
}

Status EnginePool::free(EngineAllocation allocation) {
    const std::optional<Record> record = parts_->records.take(allocation.value);
    if (!record) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    parts_->destroy(*record);
    return parts_->give_back(*record);
}

Status EnginePool::free_after(EngineAllocation allocation, TimelineValue last_use) {
    std::optional<Record> record = parts_->records.take(allocation.value);
    if (!record) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    pool::Release release{.placement = record->placement, .dedicated = record->dedicated, .last_use = last_use};
    release.resource = device::ResourceId{parts_->released.insert(std::move(*record))};
    parts_->placer.release(std::move(release));
    return {};
}

Status EnginePool::collect(TimelineValue completed) {
    return parts_->placer.release_completed(completed, [this](device::ResourceId waiting) {
        if (const auto record = parts_->released.take(waiting.value)) parts_->destroy(*record);
    });
}

std::uint64_t EnginePool::trim() {
    return parts_->placer.trim();
}

std::size_t EnginePool::live_allocations() const {
    return parts_->records.size();
}

pool::PoolFigures EnginePool::figures() const {
    return parts_->placer.figures();
}

std::vector<model::HeapBudget> EnginePool::budgets() const {
    return parts_->memory.budgets();
}

const model::DevicePolicy& EnginePool::policy() const {
    return parts_->placer.policy();
}

const model::DeviceReport& EnginePool::facts() const {
    return parts_->device->facts();
}

const std::string& EnginePool::policy_explanation() const {
    return parts_->explanation;
}

std::string EnginePool::policy_document() const {
    model::Policy document;
    document.header.tool_version = kVersion;
    document.workload_name = parts_->workload_name;
    document.devices = {policy()};
    return model::write(document);
}

Status EnginePool::validate_invariants() const {
    return parts_->placer.validate_invariants();
}

}  // namespace heapwright::vulkan
