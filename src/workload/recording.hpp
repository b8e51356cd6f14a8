// Recordings of VMA 2 (VmaRecordSettings), call by call, as a trace: CSV of the file versions 1.0 to 1.8.
//
//   Vulkan Memory Allocator,Calls recording
//   1,8
//   Config,Begin ... Config,End                                          (since 1.3)
//   THREAD,TIME,FRAME,vmaCreateBuffer,FLAGS,SIZE,USAGE,...,POOL,ALLOCATION,NAME
//
// A created buffer or image, and an allocation of memory alone as a buffer of its size, becomes a create; what frees it
// a destroy; each step of the frame index a frame. VmaMemoryUsage becomes the memory use; where it is unknown, the
// required and preferred flags tell. What a trace cannot say (pools, lost allocations, memory of its own, creation
// flags) is a finding with its first line. Pure and thread-safe; memory is bounded by the text's size.
// Source: vk_mem_alloc.h of VMA 2.3, VmaRecorder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "workload/trace.hpp"

namespace heapwright::workload {

struct Recording {
    std::string device_name;  // empty: not told
    workload::Trace trace;    // ids are the allocations' addresses
    std::vector<std::string> findings;
};

[[nodiscard]] bool is_recording(std::string_view text);

// Errors: kParseError at "SOURCE:LINE:COLUMN", the column counted in fields from 1; kUnsupportedVersion.
[[nodiscard]] Result<Recording> read_recording(std::string_view text, std::string_view source);

}  // namespace heapwright::workload
