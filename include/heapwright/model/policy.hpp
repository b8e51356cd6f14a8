// The allocation policy: what an engine should do on one device under one workload. Every number is a Decided value:
// it stands beside the reason, the inputs that it was computed from and the alternatives that lost.
// Sizes in bytes. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heapwright/core/suballocator_kind.hpp"
#include "heapwright/model/claim.hpp"
#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

// An input that a decision cites: a JSON pointer into a source document, with the value found there.
struct DecisionInput {
    DocumentKind document = DocumentKind::kReport;
    std::string path;
    Figure value;
};

struct Alternative {
    Figure value;
    Statement reason;  // why it lost
};

struct Decision {
    Statement reason;
    std::vector<DecisionInput> inputs;
    std::vector<Alternative> alternatives;
};

template <class T>
struct Decided {
    T value{};
    Decision why;
};

// A value with its reason, for code that makes decisions.
template <class T>
[[nodiscard]] Decided<T> because(T value, Decision why) {
    return {.value = std::move(value), .why = std::move(why)};
}

using heapwright::SuballocatorKind;  // of a bucket, of a part of a descriptor heap

// Memory types for one use, best first. A type that is left out is listed with the reason.
struct ExcludedMemoryType {
    std::uint32_t memory_type = 0;
    Statement reason;
};

struct MemoryUsePolicy {
    MemoryUse use = MemoryUse::kDeviceOnly;
    Decided<std::vector<std::uint32_t>> memory_types;
    std::vector<ExcludedMemoryType> excluded;
};

struct HeapPolicy {
    std::uint32_t heap = 0;
    std::uint64_t size_bytes = 0;         // the report's, so that a loader can scale
    std::uint64_t base_bytes = 0;         // what usable_bytes was taken from: the smaller of the size and the budget
    Decided<std::uint64_t> usable_bytes;  // what the application may reserve
    Decided<std::uint64_t> parts;         // K: into how many chunks the heap is divided
    // Of the device's budget at run time, left to other processes. Empty: nothing beyond usable_bytes.
    std::optional<Decided<double>> reserve_share;
};

// Which of a bucket's chunks takes a request, among those that have room.
enum class ChunkChoice : std::uint8_t {
    kFullest,   // the fewest free bytes: the emptier ones drain and can be given back
    kTightest,  // the smallest free range that holds the request, of all chunks: large ranges stay whole; of equal ones
                // the fullest
};

// How the chunks of a bucket grow with what it holds. The next one has first_chunk_bytes * 2^n: the largest such size
// that is no more than the bucket's chunk size and no more than what its chunks hold divided by `divisor` (but always
// first_chunk_bytes).
struct ChunkGrowth {
    Decided<std::uint64_t> first_chunk_bytes;
    Decided<std::uint64_t> divisor;
};

// Where resources of one class, alignment S and memory type T live. Which bucket takes a request is told by
// policy_loader.h, and on an engine's device by DevicePool::bucket_of().
struct BucketPolicy {
    std::string id;  // "optimal/65536/0"
    std::vector<ResourceClass> resource_classes;
    std::uint64_t alignment_bytes = 1;        // S: every resource in it needs at most this
    std::uint32_t memory_type = 0;            // T
    Decided<std::uint64_t> chunk_size_bytes;  // no chunk is larger, but for one larger request
    std::optional<ChunkGrowth> growth;        // empty: every chunk takes chunk_size_bytes
    // A resource that requires more bytes gets a device allocation of its own, through the ordinary interface, instead
    // of a place in a chunk, as long as its memory type has room for one. Empty: its size is no reason for one.
    std::optional<Decided<std::uint64_t>> dedicated_threshold_bytes;
    Decided<ChunkChoice> chunk_choice;
    Decided<SuballocatorKind> suballocator;
    // Offsets and sizes are multiples of this; a request with a larger alignment gets that on top.
    Decided<std::uint64_t> granule_bytes;
    // Chunks that a background thread keeps allocated and touched beyond those in use. Empty: none.
    std::optional<Decided<std::uint64_t>> chunks_ahead;
    // From 0 to 1, for its chunks and its dedicated resources, where the device takes priorities
    // (VK_EXT_memory_priority). Empty: 0.5, the API's own.
    std::optional<Decided<double>> priority;
    std::uint64_t expected_bytes = 0;  // live bytes that the workload puts here at its peak
};

// Whether the workload puts anything there. A bucket that is not in use waits for what no hint names.
[[nodiscard]] inline bool is_in_use(const BucketPolicy& bucket) {
    return bucket.expected_bytes != 0;
}

enum class DedicatedRule : std::uint8_t { kWhenRequired, kWhenPreferred };

// What the ordinary interface does with a request above the humongous threshold.
enum class HumongousRule : std::uint8_t {
    kOwnMemory,  // gives it a device allocation of its own
    kRefuse,     // as the memory article does: the caller must ask for one by name
};

// The proof that one chunk for every bucket in use fits its heap, so that no bucket is starved by the others.
struct HeapFeasibility {
    std::uint32_t heap = 0;
    std::uint32_t buckets = 0;
    std::uint64_t one_chunk_each_bytes = 0;
    std::uint64_t usable_bytes = 0;
    bool fits = false;
};

// What the workload keeps in one heap at its peak, chunks counted by their resources, memory of their own included.
struct HeapCapacity {
    std::uint32_t heap = 0;
    std::uint64_t usable_bytes = 0;
    std::uint64_t wanted_bytes = 0;    // of the hints whose first memory type lies here
    std::uint64_t expected_bytes = 0;  // planned here, from this heap's hints and from others'; at most usable_bytes
};

// Resources of one hint that do not go to the first memory type of their use.
struct HintMoved {
    std::string hint;  // "images/2"
    std::uint32_t from_memory_type = 0;
    std::uint32_t to_memory_type = 0;
    std::uint64_t bytes = 0;
};

// A limit that one resource alone exceeds.
struct ExceededLimit {
    std::string limit;  // "maxMemoryAllocationSize", "heap 0"
    std::uint64_t limit_bytes = 0;
    std::uint64_t size_bytes = 0;  // of the largest resource
};

// Buffers of one `splittable` hint that are made in parts, because one in whole passes a limit.
struct HintSplit {
    std::string hint;                   // "buffers/0"
    ExceededLimit exceeded;             // by the largest in whole
    std::uint64_t parts = 0;            // of each buffer
    Decided<std::uint64_t> part_bytes;  // of the largest
};

// "buffers/0: 5 GiB each in 2 parts of 2.5 GiB: maxMemoryAllocationSize 4 GiB, soft"; for a screen.
[[nodiscard]] std::string split_text(const HintSplit& split);

// "maxMemoryAllocationSize": an implementation may serve more.
[[nodiscard]] bool is_soft(const ExceededLimit& exceeded);

// Resources of one hint that find no memory, or that the device refuses.
struct HintUnfit {
    std::string hint;
    std::uint64_t bytes = 0;  // that have no place, where most of them are asked for in vain
    std::optional<ExceededLimit> exceeded;
};

// Whether the workload fits the device: it does if and only if every request finds memory when the whole policy runs
// over numbers. And what had to give way: demand fills the heaps in the order of importance, and what the first memory
// type cannot take is planned into the next.
struct CapacityPlan {
    bool fits = true;
    std::uint64_t needed_bytes = 0;   // at the peak, chunks included, in the heaps that are short, else in all
    std::uint64_t missing_bytes = 0;  // the sum over unfit and refused
    Statement statement;              // the answer and, after that, its figures
    Statement reason;
    std::vector<HeapCapacity> heaps;  // every heap of the report
    std::vector<HintMoved> moved;
    std::vector<HintUnfit> unfit;
    std::vector<HintUnfit> refused;  // the device has no such resource, whatever its memory
};

// "fits: needs 1.7 GiB of 1.8 GiB usable"; for a screen.
[[nodiscard]] std::string statement_of(const CapacityPlan& capacity);

// What runs of the workload show of a figure: from the least to the most, both included.
struct Interval {
    double least = 0;
    double most = 0;
};

struct HeapExpectation {
    std::uint32_t heap = 0;
    Decided<std::uint64_t> peak_reserved_bytes;
    std::optional<Interval> peak_reserved_bytes_interval;
};

// What the policy promises of its workload; a validation puts the measured figures beside these. Each figure lies
// inside its interval; older policies state none.
struct Expectations {
    Decided<double> mean_waste;  // (reserved - used) / used, of the sums over the ends of frames
    std::optional<Interval> mean_waste_interval;
    std::optional<Decided<double>> peak_waste;  // at the end of the frame that has most reserved; empty in older ones
    std::optional<Interval> peak_waste_interval;
    Decided<std::uint64_t> device_allocations;  // alive at the peak, those of their own included
    std::optional<Interval> device_allocations_interval;
    // Times need a cost curve. Empty: the report has none.
    std::optional<Decided<std::uint64_t>> p99_frame_ns;  // spent on memory after the load, by 99 frames of 100
    std::optional<Interval> p99_frame_ns_interval;
    std::optional<Decided<std::uint64_t>> worst_frame_ns;
    std::optional<Interval> worst_frame_ns_interval;
    std::optional<std::uint64_t> most_calls_of_frame;     // for device memory, those that it waited for too
    std::optional<Decided<std::uint64_t>> worst_load_ns;  // the longest step of the load
    std::optional<Interval> worst_load_ns_interval;
    std::optional<Decided<std::uint64_t>> late_chunks;  // requests that found none of the chunks ahead ready
    std::optional<Interval> late_chunks_interval;
    std::vector<HeapExpectation> heaps;
    // Requests of one run that found no memory: the figures are those of the others. Empty: none, or an older policy.
    std::optional<std::uint64_t> failed_requests;
    // Of the bytes that are asked for, those of resources whose sizes nothing in the report tells. Empty: none.
    std::optional<double> estimated_share;
};

// A shader-visible descriptor heap: [0, capacity - dynamic) static and mutable descriptors, the rest dynamic ones.
struct VisibleHeapPolicy {
    Decided<std::uint64_t> capacity;
    Decided<std::uint64_t> dynamic_capacity;
    Decided<std::uint64_t> dynamic_chunk;  // what a recording context takes at once
    // What divides the static part. Empty: kTlsf.
    std::optional<Decided<SuballocatorKind>> static_suballocator;
    // What gives out the dynamic chunks. kSlots: three quarters of the part are equal chunks, and two-level bins divide
    // the rest for larger requests; any other kind divides the whole part. Empty: kSlots.
    std::optional<Decided<SuballocatorKind>> dynamic_suballocator;
};

// Counts of descriptors. The pages are the heaps of which a pool of CPU descriptors grows.
struct DescriptorPolicy {
    Decided<std::uint64_t> cbv_srv_uav_page;
    Decided<std::uint64_t> sampler_page;
    Decided<std::uint64_t> rtv_page;
    Decided<std::uint64_t> dsv_page;
    // What divides the pages, of all four types. kSlots: one descriptor a slot. Empty: kTlsf.
    std::optional<Decided<SuballocatorKind>> cpu_suballocator;
    VisibleHeapPolicy resources;
    VisibleHeapPolicy samplers;
};

// What stands in where a policy names none.
[[nodiscard]] inline SuballocatorKind cpu_suballocator_of(const DescriptorPolicy& policy) {
    return policy.cpu_suballocator ? policy.cpu_suballocator->value : SuballocatorKind::kTlsf;
}
[[nodiscard]] inline SuballocatorKind static_suballocator_of(const VisibleHeapPolicy& policy) {
    return policy.static_suballocator ? policy.static_suballocator->value : SuballocatorKind::kTlsf;
}
[[nodiscard]] inline SuballocatorKind dynamic_suballocator_of(const VisibleHeapPolicy& policy) {
    return policy.dynamic_suballocator ? policy.dynamic_suballocator->value : SuballocatorKind::kSlots;
}

struct UploadPolicy {
    Decided<std::uint64_t> ring_bytes;
    Decided<std::uint64_t> page_bytes;  // what the ring grows by; a larger upload gets a page of its own
};

// Which engine, by the report's name, does one kind of work: "draws", "frame-compute", "background-compute",
// "uploads", "downloads"; "buffer-moves" and "image-moves" within device memory, as defragmentation makes them, where
// copies by size were measured.
struct EngineAssignment {
    std::string work;
    Decided<std::string> engine;
};

// How work is spread over the device's engines. Latencies in frames.
struct EnginePolicy {
    std::vector<EngineAssignment> assignments;
    Decided<bool> async_copy;     // copies beside draws, on an engine of their own
    Decided<bool> async_compute;  // compute beside draws
    Decided<std::uint64_t> copy_ring_length;
    Decided<std::uint64_t> cpu_latency;
    Decided<std::uint64_t> compute_graphics_latency;
    // By what moves copy buffers: kCommand or kShader. Images move by commands. Empty: not measured.
    std::optional<Decided<CopyMeans>> buffer_moves;
    // Whether the host writes buffers at their place in device memory that it maps, instead of through the upload ring.
    // Empty: not measured, or the host maps no device memory.
    std::optional<Decided<bool>> direct_uploads;
};

[[nodiscard]] inline bool moves_by_shader(const std::optional<EnginePolicy>& engines) {
    return engines && engines->buffer_moves && engines->buffer_moves->value == CopyMeans::kShader;
}

// How the host's threads create resources. What the report does not measure is empty.
struct CreationPolicy {
    std::optional<Decided<std::uint64_t>> image_threads;  // as many at once: more gain nothing, or lose
    std::optional<Decided<std::uint64_t>> buffer_threads;
    std::optional<Decided<std::uint64_t>> descriptor_threads;  // descriptor pools; Direct3D 12: descriptor heaps
    std::optional<Decided<bool>> memory_priority;              // whether to switch that feature of Vulkan on
};

struct DevicePolicy {
    DeviceIdentity identity;
    std::vector<HeapPolicy> heaps;               // every heap of the report, in its order
    std::vector<MemoryType> memory_types;        // every memory type of the report: what the policy's indexes mean
    std::uint64_t frame_budget_ns = 16'666'667;  // the workload's, under which the decisions stand
    // Of the workload's points, those that the report has no answer for; their sizes are computed. A warning lists
    // them.
    std::uint64_t unanswered_points = 0;
    std::vector<MemoryUsePolicy> memory_uses;
    Decided<std::uint64_t> largest_ordinary_bytes;               // M: the largest resource that a chunk must hold
    Decided<std::uint64_t> humongous_threshold_bytes;            // above it a request is humongous
    std::optional<Decided<HumongousRule>> humongous;             // empty: kRefuse, which older policies mean
    std::optional<Decided<std::uint64_t>> largest_buffer_bytes;  // larger data is split into buffers of this size
    // The same of storage buffers, where their limit is lower.
    std::optional<Decided<std::uint64_t>> largest_storage_buffer_bytes;
    std::vector<HintSplit> split;  // the hints that these limits split
    Decided<DedicatedRule> dedicated;
    Decided<bool> separate_linear_and_optimal;  // buffers and optimal images never share a chunk
    Decided<std::uint64_t> max_chunks;          // device allocations, dedicated ones included
    std::vector<BucketPolicy> buckets;
    std::vector<HeapFeasibility> feasibility;
    std::vector<HintLeftOut> left_out;         // by plan
    std::optional<CapacityPlan> capacity;      // empty in older policies, as the next
    std::optional<Expectations> expectations;  // also empty where the workload has no resources
    Decided<std::uint64_t> frames_in_flight;
    DescriptorPolicy descriptors;
    UploadPolicy uploads;
    std::optional<EnginePolicy> engines;      // empty: the report does not measure them
    std::optional<CreationPolicy> creations;  // empty: likewise
    // What was neither asked nor measured but assumed, each with what is assumed: "the costs of device memory: ...".
    Statement assumed;
    Statement warnings;  // missing data, hints that the device cannot serve
};

[[nodiscard]] inline HumongousRule humongous_rule_of(const DevicePolicy& device) {
    return device.humongous ? device.humongous->value : HumongousRule::kRefuse;
}

// nullptr: the policy has no memory type of this index, which a policy that was read from a document cannot show.
[[nodiscard]] inline const MemoryType* memory_type_of(const DevicePolicy& device, std::uint32_t memory_type) {
    return memory_type < device.memory_types.size() ? &device.memory_types[memory_type] : nullptr;
}

struct Policy {
    DocumentHeader header;
    std::string workload_name;
    std::optional<Workload> workload;  // that it was made for, whole; empty in older policies
    std::vector<DevicePolicy> devices;
    DocumentVolatile run;
};

}  // namespace heapwright::model
