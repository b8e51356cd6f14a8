// Strict JSON of reports, workloads, policies and validations. Reading rejects an unknown or missing key, a wrong type,
// a value out of range and a reference that leads nowhere (a heap index beyond the heaps, memory type bits beyond the
// memory types), and names the place as a JSON pointer, the value and the limit. Writing is byte-stable: key order is
// fixed, short arrays of scalars stand on one line, the file ends with a newline. The schemas (JSON Schema draft 7) are
// made from the same description that the reader and the writer use. Integers above 2^53 - 1, which many JSON readers
// round, stand as strings: "0xffffffffffffffff". A heap of no size is read only beside its finding
// (kZeroSizeHeapFinding). Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

// `source` names the text in errors (a file name, or "standard input").
[[nodiscard]] Result<Report> read_report(std::string_view text, std::string_view source);
[[nodiscard]] Result<Workload> read_workload(std::string_view text, std::string_view source);
[[nodiscard]] Result<Policy> read_policy(std::string_view text, std::string_view source);
[[nodiscard]] Result<Validation> read_validation(std::string_view text, std::string_view source);

// The kind that a document's "$schema" names, without reading the rest strictly.
[[nodiscard]] Result<DocumentKind> document_kind(std::string_view text, std::string_view source);

[[nodiscard]] std::string write(const Report& report);
[[nodiscard]] std::string write(const Workload& workload);
[[nodiscard]] std::string write(const Policy& policy);
[[nodiscard]] std::string write(const Validation& validation);

// XXH3-128 of the document's canonical JSON without its volatile sections.
[[nodiscard]] std::string stable_hash(const Report& report);
[[nodiscard]] std::string stable_hash(const Workload& workload);
[[nodiscard]] std::string stable_hash(const Policy& policy);

// The document's JSON text without its volatile sections; two probes of one driver give the same bytes.
[[nodiscard]] std::string without_volatile(const Report& report);

// Names: "report", "workload", "policy", "validation", "comparison", "what-if". Errors: kInvalidArgument naming the
// known ones.
[[nodiscard]] Result<std::string> schema(std::string_view name);
[[nodiscard]] std::vector<std::string_view> schema_names();

// JSON pointers of the volatile sections, "*" for any array index: "/volatile", "/devices/*/volatile", ...
[[nodiscard]] std::vector<std::string_view> volatile_paths(DocumentKind kind);

}  // namespace heapwright::model
