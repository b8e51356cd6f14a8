// How the throughput of dynamic suballocation grows with the threads that record: one context a thread, as in the
// runtime. Threads of a wave start together, run for the same time, and share the cores that there are.
#pragma once

#include <cstdint>
#include <span>

#include "frame/render_device.hpp"

namespace heapwright::bench {

enum class Sharing : std::uint8_t {
    kContexts,  // the runtime: a manager for each thread, chunks from one heap
    kOneLock,   // a control: all threads take their rows from one manager behind a lock
    kOneLine,   // a control: a cursor for each thread, all on one cache line
    kNothing,   // what the cores give: a cursor for each thread on a line of its own
};

struct Throughput {
    double rows_per_s = 0.0;      // of all threads together, in the time that passed
    double rows_per_cpu_s = 0.0;  // of one thread, in the processor time that it really got
    std::uint64_t locks = 0;      // of the heap: for chunks, and two at the end of a frame
    std::uint64_t refused = 0;
};

// Rows of three for `seconds`; each thread ends a frame of its own after so many rows.
[[nodiscard]] Throughput measure_dynamic_rows(Sharing sharing, std::uint32_t threads, std::uint64_t rows_in_frame,
                                              double seconds);

// The whole of recording: a deferred context a thread, a row of three and a copy between two of the buffers again and
// again, a command list of them at the end, which is thrown away. The first thread ends a frame with each of its lists.
[[nodiscard]] Throughput measure_recording(frame::RenderDevice& render, std::span<const device::ResourceId> buffers,
                                           std::uint32_t threads, std::uint64_t rows_in_frame, double seconds);

// A control: lists of the same copies, made beforehand, by the device's recorder alone, with a command allocator for
// each thread.
[[nodiscard]] Throughput measure_recorder(device::Device& device, std::span<const device::ResourceId> buffers,
                                          std::uint32_t threads, std::uint64_t rows_in_frame, double seconds);

}  // namespace heapwright::bench
