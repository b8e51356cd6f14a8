// One buffer table in few words, and what a buffer's usage changes. Pure.
#pragma once

#include "heapwright/model/report.hpp"

namespace heapwright::observe {

[[nodiscard]] model::BufferObservation observe_buffer_table(const model::BufferSweep& sweep, std::uint32_t table);

struct BufferUsageEffect {
    bool size = false;
    bool alignment = false;
    bool memory_types = false;
};

// Compares the answers of all cases at every size that they share.
[[nodiscard]] BufferUsageEffect buffer_usage_effect(const model::BufferSweep& sweep);

}  // namespace heapwright::observe
