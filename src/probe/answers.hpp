// The driver's answers in a report as the rules read them: one for each case and requirement class, with the words and
// pointers that a finding cites. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"
#include "probe/detailed_finding.hpp"

namespace heapwright::probe {

struct Answer {
    std::string pointer;  // relative to the device
    Query query;
    std::uint64_t count = 1;  // of an odd answer: how many of its kind the driver gave
};

// For every case the first grid point of each requirement class, then the workload's points.
[[nodiscard]] std::vector<Answer> image_answers(const model::ImageSweep& sweep);
[[nodiscard]] std::vector<Answer> buffer_answers(const model::BufferSweep& sweep);

// The answers that the sweep's tables and points do not hold because they break what every answer keeps. One for each
// kind; only rules about single answers may judge them.
[[nodiscard]] std::vector<Answer> odd_image_answers(const model::ImageSweep& sweep);
[[nodiscard]] std::vector<Answer> odd_buffer_answers(const model::BufferSweep& sweep);

// The answer of one case at one grid point, which the driver did answer.
[[nodiscard]] Answer image_answer(const model::ImageSweep& sweep, std::size_t image_case, std::size_t point);
[[nodiscard]] Answer buffer_answer(const model::BufferSweep& sweep, std::size_t buffer_case, std::size_t point);

// "/image_sweep/cases/3 (...): size_bytes 8192, alignment_bytes 64, memory_type_bits 0x3".
[[nodiscard]] std::string evidence(const Answer& answer);

}  // namespace heapwright::probe
