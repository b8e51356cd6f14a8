// Full synthetic documents for tests: every optional is present and every array holds something, so that a walk over
// one of them meets every key of its schema. The values are made up; the documents read back without an error.
#pragma once

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "model/comparison.hpp"
#include "model/what_if.hpp"

namespace heapwright::model::example {

[[nodiscard]] Report report();
[[nodiscard]] Workload workload();
[[nodiscard]] Policy policy();
[[nodiscard]] Validation validation();
[[nodiscard]] Comparison comparison();
[[nodiscard]] WhatIf what_if();

// A report of about the size of a real one: `cases` image cases over a grid of 15 x 15 and a table for every fifth.
[[nodiscard]] Report large_report(std::uint32_t cases);

}  // namespace heapwright::model::example
