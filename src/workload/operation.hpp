// What an application does to its allocator, one step at a time: plain values shared by synthetic streams and traces.
#pragma once

#include <cstdint>
#include <variant>

#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

struct Create {
    std::uint64_t id = 0;  // unique among the live
    model::ResourceDescription resource;
    model::MemoryUse memory_use = model::MemoryUse::kDeviceOnly;
    model::Lifetime lifetime = model::Lifetime::kStreaming;
    std::uint32_t hint = 0;  // position in the workload's images, then its buffers
    model::OwnMemory own_memory = model::OwnMemory::kAuto;

    friend bool operator==(const Create&, const Create&) = default;
};

struct Destroy {
    std::uint64_t id = 0;

    friend bool operator==(const Destroy&, const Destroy&) = default;
};

// Work of the frame is submitted here.
struct EndFrame {
    friend bool operator==(const EndFrame&, const EndFrame&) = default;
};

using Operation = std::variant<Create, Destroy, EndFrame>;

}  // namespace heapwright::workload
