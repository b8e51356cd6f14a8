// Documents against a baseline, device by device: fields by their class, sweeps by case and size, measured costs by a
// statistical test, accepted differences by the allow-list, and what it all means to an allocator. Pure but for the
// allow-list, which counts what its entries accepted; thread-safe with an allow-list each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/allow_list.hpp"
#include "compare/cost_difference.hpp"
#include "compare/documents.hpp"
#include "compare/fail_on.hpp"
#include "heapwright/model/workload.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct CompareOptions {
    NoiseOptions noise;
    bool costs = true;                               // whether measured costs are compared
    std::span<const LoadedDocument> further_probes;  // of the baseline's driver: their spread is the costs' noise
    std::vector<FailOn> fail_on;                     // bounds on what else would pass
    AllowList* allow_list = nullptr;                 // may be null
    const model::Workload* workload = nullptr;       // null: no policy impact
};

// Devices are paired as device_pairing.hpp says. Drivers that could not be probed on one side only are differences of a
// device that goes by the driver's name. Errors: kInvalidArgument when the kinds differ.
[[nodiscard]] Result<model::DocumentComparison> compare_documents(const LoadedDocument& baseline,
                                                                  const LoadedDocument& other,
                                                                  const CompareOptions& options);

// The first device of each, whatever they are: their differences have no direction and decide nothing.
[[nodiscard]] Result<model::DocumentComparison> compare_across(const LoadedDocument& baseline,
                                                               const LoadedDocument& other,
                                                               const CompareOptions& options);

// Every device, and its failures, against the first document that holds it; a device that only one document holds is no
// difference, nor is a driver that gave no device.
[[nodiscard]] Result<std::vector<model::DocumentComparison>> compare_by_device(
    std::span<const LoadedDocument> documents, const CompareOptions& options);

// Files of the probes that share no device and driver with the baseline, so that they tell nothing of its noise.
[[nodiscard]] std::vector<std::string> unused_probes(const LoadedDocument& baseline,
                                                     std::span<const LoadedDocument> probes);

struct Outcome {
    std::uint64_t failing = 0;   // regressed, missing, changed
    std::uint64_t improved = 0;  // improved, new
    std::uint64_t inconclusive = 0;
    std::uint64_t expected = 0;
    std::uint64_t allow_list_notes = 0;

    // Strict: improvements that nobody announced and a stale allow-list fail too.
    [[nodiscard]] bool fails(bool strict) const {
        return failing != 0 || (strict && (improved != 0 || allow_list_notes != 0));
    }
};

[[nodiscard]] Outcome outcome_of(const model::Comparison& comparison);

}  // namespace heapwright::compare
