// Bounds of the user's own on what a comparison lets pass, such as heap sizes, which the host decides:
//   /heaps/*/size_bytes<0.5            below half of the baseline's value, or gone
//   /volatile/**>3                     above three times it
//   /image_sweep/**/alignment_bytes    any difference of an alignment
//   /failures/**                       any failure that is new, gone or another one
//   /                                  a device that is gone or new
//   /**                                anything at all
// "heap_size" stands for /heaps/*/size_bytes. Values with units are compared as what they mean. A bound makes a
// difference a regression, which the allow-list may accept. Pure and thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct FailOn {
    std::string path;             // glob
    std::optional<double> ratio;  // empty: any difference
    bool below = true;            // or above
};

// Errors: kInvalidArgument.
[[nodiscard]] Result<FailOn> parse_fail_on(std::string_view text);

void enforce(std::span<const FailOn> bounds, model::FieldChange& change);
void enforce(std::span<const FailOn> bounds, model::SweepChange& change);

// The patterns of the bounds that match none of the paths. A pattern of failures or of
// skipped measurements waits for one.
[[nodiscard]] std::vector<std::string> without_match(std::span<const FailOn> bounds,
                                                     const std::vector<std::string>& paths);

}  // namespace heapwright::compare
