// Traces: what an application really asked of its allocator, as text that any engine can write with printf.
//
//   heapwright-trace 1
//   # a comment, or an empty line
//   create 1 image R8G8B8A8_SRGB optimal 1024x512x1 mips=11 layers=1 samples=1 usage=SAMPLED|TRANSFER_DST memory=device
//   create 2 buffer 65536 usage=INDEX_BUFFER|TRANSFER_DST memory=device
//   destroy 1
//   frame
//
// The first line names the format and its version. Fields stand in this order, all of them, one space between two.
//   ID       a number, unique among the live; it may be used again after its destroy
//   image    format (VkFormat without VK_FORMAT_), "optimal" or "linear", width x height x depth in texels
//   buffer   size in bytes
//   usage    names of VkImageUsageFlagBits or VkBufferUsageFlagBits without prefix and _BIT, joined by |; "none" for 0
//   memory   "device" (the device alone uses it), "upload" (the host writes once, the device copies), "readback" (the
//            device writes, the host reads), "streaming" (the host writes every frame)
//   frame    the frame ends; what follows belongs to the next one
// What is never destroyed lives to the end. A line ends with LF or CR LF.
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heapwright/core/result.hpp"
#include "workload/operation.hpp"

namespace heapwright::workload {

inline constexpr std::uint32_t kTraceVersion = 1;

struct TraceCreate {
    std::uint64_t id = 0;
    model::ResourceDescription resource;
    model::MemoryUse memory_use = model::MemoryUse::kDeviceOnly;

    friend bool operator==(const TraceCreate&, const TraceCreate&) = default;
};

using TraceOperation = std::variant<TraceCreate, Destroy, EndFrame>;

struct Trace {
    std::vector<TraceOperation> operations;
};

// Whether the text is a trace and not a document, by its first word.
[[nodiscard]] bool is_trace(std::string_view text);

// `source` names the text in errors. Errors: kParseError ("SOURCE:LINE"), kUnsupportedVersion.
[[nodiscard]] Result<Trace> read_trace(std::string_view text, std::string_view source);

[[nodiscard]] std::string write_trace(const Trace& trace);

}  // namespace heapwright::workload
