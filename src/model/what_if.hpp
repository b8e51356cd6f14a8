// What several ways to allocate would do to one program on one device: a row a way, a cell a figure, all played over
// the same operations, the same heaps and the same costs. Plain values; sizes in bytes, times in nanoseconds, waste and
// weights as shares. Rows over numbers are compared with each other, and so are those on the device's own memory. What
// is told from noise is told by pairs: of seeds where the operations are drawn from hints, of stretches of frames where
// they are a trace's, of plays on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"
#include "model/names.hpp"

namespace heapwright::model {

// Less is better in every one.
enum class WhatIfColumn : std::uint8_t {
    kPeakReserved,       // bytes of device memory, of all heaps together
    kMeanWaste,          // (reserved - used) / used, of the sums over the ends of frames
    kPeakWaste,          // the same at the end of the frame that has most reserved
    kDeviceAllocations,  // alive at once, at most
    kWorstFrame,         // ns in calls for device memory, on the thread that renders, after the load
    kP99Frame,           // of 100 frames, 99 take at most this
    kAllocating,         // ns in calls for device memory altogether, load and background too
    kLateAllocations,    // device allocations after the load that a request waited for
    kMissedTypes,        // requests that got another memory type than the best one for their use
    kFailedRequests,     // requests that found no memory
};
inline constexpr std::size_t kWhatIfColumns = 10;

// A difference from the first row of its kind (over numbers, or on the device), as far as it can be told. kFirst:
// nothing to compare with, since it is that row, or that one has no such figure.
enum class WhatIfVerdict : std::uint8_t { kFirst, kSame, kNotTold, kLess, kMore };

struct WhatIfCell {
    WhatIfColumn column = WhatIfColumn::kPeakReserved;
    double value = 0;
    WhatIfVerdict verdict = WhatIfVerdict::kFirst;
    // Of the value less the first row's, at 99% together over the row's cells; both 0 where it is kFirst.
    double least_difference = 0;
    double most_difference = 0;
    bool is_best = false;  // the column's least, or not told from it
};

struct WhatIfRow {
    std::string name;               // as it was asked for: "advised", "policy.json", "vma-default", "fixed:64MiB"
    std::string how;                // one sentence: what decides, and from which source
    bool is_real = false;           // played on the device's own memory (--on-device); else over numbers
    std::string not_played;         // why there are no cells; empty: there are
    std::vector<WhatIfCell> cells;  // by column; a figure that the row does not have is left out
};

struct WhatIfInput {
    std::string name;
    std::string kind;  // "hints", "trace", "recording", "dump"
    double weight = 1;
    std::uint64_t operations = 0;
    std::uint64_t creations = 0;
    std::uint64_t frames = 0;
};

struct WhatIfPoint {
    std::uint64_t size_bytes = 0;
    std::string not_played;
    std::vector<WhatIfCell> cells;
};

struct WhatIfCurve {
    std::string setting;  // "chunk"
    std::string of;       // the row whose setting it is
    std::vector<WhatIfPoint> points;
};

struct WhatIf {
    DocumentHeader header;
    DeviceIdentity device;
    std::vector<WhatIfInput> inputs;
    std::uint64_t seeds = 0;  // of inputs that are drawn; 0: none is
    std::uint64_t stretches =
        0;                    // of a trace's frames, that the bootstrap draws from; 0: there are too few, or no trace
    std::uint64_t plays = 0;  // on the device's own memory; 0: none
    std::vector<WhatIfRow> rows;  // the first is what the others are compared with, and so is the first on the device
    std::vector<WhatIfCurve> curves;
    Statement notes;  // what the input does not know, and what is assumed for it
    DocumentVolatile run;
};

template <>
std::span<const std::string_view> names_of<WhatIfColumn>();
template <>
std::span<const std::string_view> names_of<WhatIfVerdict>();

[[nodiscard]] Result<WhatIf> read_what_if(std::string_view text, std::string_view source);
[[nodiscard]] std::string write(const WhatIf& what_if);

}  // namespace heapwright::model
