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

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/error.hpp"
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

// One line of a recording, taken field by field from the left. The first failure stays, so that a reader reads as the
// format does.

// Takes one line off the text, without its end.
[[nodiscard]] std::string_view take_recorded_line(std::string_view& text);

class RecordingLine {
public:
    RecordingLine(std::string_view line, std::string_view source, std::uint64_t number)
        : rest_(line), source_(source), number_(number) {}

    [[nodiscard]] std::string_view field();
    [[nodiscard]] std::uint64_t number(std::uint64_t smallest, std::uint64_t largest);
    [[nodiscard]] std::uint32_t small_number(std::uint32_t smallest = 0, std::uint32_t largest = ~0u);
    // An address in hexadecimal; 0 for "(nil)" and nothing.
    [[nodiscard]] std::uint64_t address();
    [[nodiscard]] static std::optional<std::uint64_t> parse_address(std::string_view text);

    // At the field that was taken last.
    void refuse(std::string message);
    [[nodiscard]] Status finish();
    [[nodiscard]] bool is_good() const { return !error_; }
    [[nodiscard]] std::string place() const { return "line " + std::to_string(number_); }

private:
    std::string_view rest_;
    std::string_view source_;
    std::uint64_t number_;
    std::uint32_t column_ = 0;
    bool at_end_ = false;
    std::optional<Error> error_;
};

}  // namespace heapwright::workload
