#include "d3d12/timestamps.hpp"

#include <utility>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::d3d12 {
namespace {

constexpr UINT kQueries = 2;  // begin, end
#ifdef _WIN32
constexpr std::uint64_t kNsPerS = 1'000'000'000;
#endif

Result<Com<ID3D12QueryHeap>> create_queries(const OpenDevice& context, D3D12_QUERY_HEAP_TYPE type) {
    D3D12_QUERY_HEAP_DESC desc{};
    desc.Type = type;
    desc.Count = kQueries;
    Com<ID3D12QueryHeap> queries;
    leave_call("ID3D12Device::CreateQueryHeap");
    HEAPWRIGHT_TRY(check(context.device->CreateQueryHeap(&desc, IID_ID3D12QueryHeap, queries.out()),
                         "ID3D12Device::CreateQueryHeap"));
    return queries;
}

}  // namespace

void Timestamps::add(ID3D12CommandQueue& queue, D3D12_COMMAND_LIST_TYPE type) {
    Queue& added = queues_.emplace_back();
    added.queue = &queue;
    if (type == D3D12_COMMAND_LIST_TYPE_COPY) {
        added.heap_type = D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP;
        D3D12_FEATURE_DATA_D3D12_OPTIONS3 options{};
        leave_call("ID3D12Device::CheckFeatureSupport");
        const HRESULT asked =
            context_.device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS3, &options, sizeof options);
        if (FAILED(asked) || options.CopyQueueTimestampQueriesSupported == FALSE) {
            added.without = "CopyQueueTimestampQueriesSupported is FALSE";
            return;
        }
    }
    leave_call("ID3D12CommandQueue::GetTimestampFrequency");
    const Status got =
        check(queue.GetTimestampFrequency(&added.ticks_per_s), "ID3D12CommandQueue::GetTimestampFrequency");
    if (!got) {
        added.without = to_string(got.error());
    } else if (added.ticks_per_s == 0) {
        added.without = "ID3D12CommandQueue::GetTimestampFrequency says 0";
    } else if (const auto tried = create_queries(context_, added.heap_type); !tried) {
        // vkd3d 1.2 says that copy queues have them.
        added.without = to_string(tried.error());
    }
}

const Timestamps::Pair* Timestamps::find(device::TimestampPairId id, device::EngineId engine) {
    const Pair* pair = pairs_.find(id.value);
    return pair != nullptr && pair->engine == engine ? pair : nullptr;
}

Result<device::TimestampUnits> Timestamps::units(device::EngineId engine) const {
    if (engine.value >= queues_.size()) return fail(ErrorCode::kInvalidArgument, "the device has no such engine");
    const Queue& queue = queues_[engine.value];
    if (!queue.without.empty()) return fail(ErrorCode::kNotSupported, queue.without);
    return device::TimestampUnits{.valid_bits = 64, .period_ns = 1e9 / static_cast<double>(queue.ticks_per_s)};
}

Result<device::TimestampPairId> Timestamps::create(device::EngineId engine) {
    HEAPWRIGHT_TRY(units(engine));
    Pair pair{.engine = engine, .queries = {}, .readback = {}, .ticks = nullptr};
    HEAPWRIGHT_ASSIGN(pair.queries, create_queries(context_, queues_[engine.value].heap_type));
    const D3D12_RESOURCE_DESC desc = buffer_description({.size_bytes = kQueries * sizeof(std::uint64_t), .usage = 0});
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = D3D12_HEAP_TYPE_READBACK;
    leave_call("ID3D12Device::CreateCommittedResource");
    HEAPWRIGHT_TRY(check(context_.device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc,
                                                                  D3D12_RESOURCE_STATE_COPY_DEST, nullptr,
                                                                  IID_ID3D12Resource, pair.readback.out()),
                         "ID3D12Device::CreateCommittedResource", "the readback buffer of timestamps"));
    void* address = nullptr;
    leave_call("ID3D12Resource::Map");
    HEAPWRIGHT_TRY(check(pair.readback->Map(0, nullptr, &address), "ID3D12Resource::Map"));
    pair.ticks = static_cast<const std::uint64_t*>(address);
    return device::TimestampPairId{pairs_.insert(std::move(pair))};
}

Result<device::TimestampPair> Timestamps::read(device::TimestampPairId id) {
    const Pair* pair = pairs_.find(id.value);
    if (pair == nullptr) return fail(ErrorCode::kInvalidArgument, "no such pair of timestamps");
    return device::TimestampPair{.begin_ticks = pair->ticks[0], .end_ticks = pair->ticks[1]};
}

Result<device::ClockMoment> Timestamps::calibrate(device::EngineId engine) {
    HEAPWRIGHT_TRY(units(engine));
#ifdef _WIN32
    // SteadyClock reads the same counter, in nanoseconds.
    LARGE_INTEGER counts_per_s{};
    QueryPerformanceFrequency(&counts_per_s);
    UINT64 device_ticks = 0;
    UINT64 host_counts = 0;
    leave_call("ID3D12CommandQueue::GetClockCalibration");
    HEAPWRIGHT_TRY(check(queues_[engine.value].queue->GetClockCalibration(&device_ticks, &host_counts),
                         "ID3D12CommandQueue::GetClockCalibration"));
    const auto per_s = static_cast<std::uint64_t>(counts_per_s.QuadPart);
    const std::uint64_t host_ns = host_counts / per_s * kNsPerS + host_counts % per_s * kNsPerS / per_s;
    return device::ClockMoment{.device_ticks = device_ticks, .host_ns = host_ns, .deviation_ns = kNsPerS / per_s};
#else
    return fail(
        ErrorCode::kNotSupported,
        "ID3D12CommandQueue::GetClockCalibration compares with QueryPerformanceCounter, which is Windows' alone");
#endif
}

void write_begin(ID3D12GraphicsCommandList& list, const Timestamps::Pair& pair) {
    leave_call("ID3D12GraphicsCommandList::EndQuery");
    list.EndQuery(pair.queries.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0);
}

void write_end(ID3D12GraphicsCommandList& list, const Timestamps::Pair& pair) {
    leave_call("ID3D12GraphicsCommandList::EndQuery");
    list.EndQuery(pair.queries.get(), D3D12_QUERY_TYPE_TIMESTAMP, 1);
    leave_call("ID3D12GraphicsCommandList::ResolveQueryData");
    list.ResolveQueryData(pair.queries.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0, kQueries, pair.readback.get(), 0);
}

}  // namespace heapwright::d3d12
