// A comparison as JUnit XML, the report that CI systems read: a test suite for every device, a test case for every
// difference and one for every section without. Failing: regressed, missing, changed. Skipped: inconclusive.
// Source: the schema that Jenkins' xUnit plugin publishes (junit-10.xsd) for what is allowed where. Pure and
// thread-safe.
#pragma once

#include <string>

#include "heapwright/model/comparison.hpp"

namespace heapwright::render {

// `strict`: improvements, new fields and notes on the allow-list fail too.
[[nodiscard]] std::string comparison_junit(const model::Comparison& comparison, bool strict);

}  // namespace heapwright::render
