// What every importer does with a device once its file is read. Pure and thread-safe.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports {

// A value of the file that could not be read; the part of the report that it belongs to stays out and is listed in
// `absent`.
void add_unreadable_value(model::DeviceReport& device, std::string pointer, std::string_view where);

// States that the device has no memory heaps and no memory types. `what` holds none: "the file".
void add_no_memory_finding(model::DeviceReport& device, std::string_view what);

// An entry of the file's list of extensions that is none: it is left out, and a finding says where it stands and what
// it holds. One bad name says nothing of the rest of the device.
void add_unreadable_extension(model::DeviceReport& device, std::string_view where, std::string_view shown);
// `text` in quotes, as UTF-8 whatever it holds, cut after a line's worth.
[[nodiscard]] std::string quoted_start(std::string_view text);

// Members of the identity ("vendor_id") that the file does not state, as absent.
void add_absent_identity(model::DeviceReport& device, std::initializer_list<std::string_view> members);

// Errors: kOutOfRange for more heaps or memory types than a report holds, kSchemaViolation for a memory type that
// names no heap. `where` is the place of the memory in the source.
[[nodiscard]] Status check_memory(const model::DeviceReport& device, const std::string& where);

// Sorts the extensions, marks the origin, states heaps of no size, and lists every part that is empty, and the sweeps
// and costs that no import has, in `absent`.
void finish_device(model::DeviceReport& device);

}  // namespace heapwright::imports
