// Fits a workload to what a scenario may take: enough resources for the checks to mean something, no more bytes than
// the limit. Below the limit nothing changes; above it first counts shrink to the floor, then large resources are
// drawn smaller, then counts fall below the floor. `changes` says what was done. Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::validate {

struct PopulationFloor {
    std::uint64_t images = 2000;
    std::uint64_t buffers = 5000;
};

struct Population {
    model::Workload workload;                    // counts as they are used
    std::uint64_t largest_packed_bytes = ~0ull;  // larger ones are drawn smaller (shrink())
    std::uint64_t expected_bytes = 0;            // as the device sizes them, at the peak
    std::vector<std::string> changes;
};

// Lowers the hints' counts, each by the same factor, until images and buffers are at most these; never below one of a
// hint that has any.
void lower_counts(model::Workload& workload, const PopulationFloor& most);

// What a resource takes on the device: a driver may store it in several times its packed bytes.
using SizeFunction = std::function<std::uint64_t(const model::ResourceDescription&)>;

// Errors: those of workload::check_workload(); kOutOfRange when not even one resource of every hint fits.
[[nodiscard]] Result<Population> fit_population(const model::Workload& workload, const PopulationFloor& floor,
                                                std::uint64_t limit_bytes, const SizeFunction& size_bytes);

// The resource with its sides halved, or its size reduced, until its packed bytes are within the limit.
[[nodiscard]] model::ResourceDescription shrink(const model::ResourceDescription& description,
                                                std::uint64_t largest_packed_bytes);

}  // namespace heapwright::validate
