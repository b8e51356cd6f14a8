// The allocation policy: what an engine should do on one device under one workload. Every number is a Decided value:
// it stands beside the reason, the inputs that it was computed from and the alternatives that lost.
// Sizes in bytes. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

// An input that a decision cites: a JSON pointer into a source document, with the value found there.
struct DecisionInput {
    DocumentKind document = DocumentKind::kReport;
    std::string path;
    std::string value;
};

struct Alternative {
    std::string value;
    std::string reason;  // why it lost
};

struct Decision {
    std::string reason;
    std::vector<DecisionInput> inputs;
    std::vector<Alternative> alternatives;
};

template <class T>
struct Decided {
    T value{};
    Decision why;
};

enum class SuballocatorKind : std::uint8_t {
    kTlsf,         // two-level bins, any size and alignment
    kFixedBlocks,  // best fit in blocks of the bucket's alignment
    kSlots,        // equal slots
    kLinear,       // bump and reset
    kRing,         // bump and retire by fence
};

// Memory types for one use, best first. A type that is left out is listed with the reason.
struct ExcludedMemoryType {
    std::uint32_t memory_type = 0;
    std::string reason;
};

struct MemoryUsePolicy {
    MemoryUse use = MemoryUse::kDeviceOnly;
    Decided<std::vector<std::uint32_t>> memory_types;
    std::vector<ExcludedMemoryType> excluded;
};

struct HeapPolicy {
    std::uint32_t heap = 0;
    std::uint64_t size_bytes = 0;         // the report's, so that a loader can scale
    Decided<std::uint64_t> usable_bytes;  // what the application may reserve
    Decided<std::uint64_t> parts;         // K: into how many chunks the heap is divided
};

// Where resources of one class, alignment S and memory type T live.
struct BucketPolicy {
    std::string id;  // "optimal/65536/0"
    std::vector<ResourceClass> resource_classes;
    std::uint64_t alignment_bytes = 1;  // S: every resource in it needs at most this
    std::uint32_t memory_type = 0;      // T
    Decided<std::uint64_t> chunk_size_bytes;
    Decided<SuballocatorKind> suballocator;
    Decided<std::uint64_t> granule_bytes;  // offsets and sizes are multiples of this
    std::uint64_t expected_bytes = 0;      // live bytes that the workload puts here at its peak
};

enum class DedicatedRule : std::uint8_t { kWhenRequired, kWhenPreferred };

// The proof that one chunk for every bucket in use fits its heap, so that no bucket is starved by the others.
struct HeapFeasibility {
    std::uint32_t heap = 0;
    std::uint32_t buckets = 0;
    std::uint64_t one_chunk_each_bytes = 0;
    std::uint64_t usable_bytes = 0;
    bool fits = false;
};

struct DevicePolicy {
    DeviceIdentity identity;
    std::vector<HeapPolicy> heaps;
    std::vector<MemoryUsePolicy> memory_uses;
    Decided<std::uint64_t> largest_ordinary_bytes;     // M: the largest resource that a chunk must hold
    Decided<std::uint64_t> humongous_threshold_bytes;  // an ordinary request above it is refused
    Decided<DedicatedRule> dedicated;
    Decided<bool> separate_linear_and_optimal;  // buffers and optimal images never share a chunk
    Decided<std::uint64_t> max_chunks;          // device allocations, dedicated ones included
    std::vector<BucketPolicy> buckets;
    std::vector<HeapFeasibility> feasibility;
    std::vector<std::string> warnings;  // missing data, hints that the device cannot serve
};

struct Policy {
    DocumentHeader header;
    std::string workload_name;
    std::vector<DevicePolicy> devices;
    DocumentVolatile run;
};

}  // namespace heapwright::model
