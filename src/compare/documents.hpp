// Documents to compare, of whichever kind they are. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::compare {

struct LoadedDocument {
    std::string file;
    std::string stable_hash;  // empty for validations
    std::string host;         // where it was made; empty when unknown
    std::variant<model::Report, model::Policy, model::Validation> document;

    [[nodiscard]] model::DocumentKind kind() const;
    [[nodiscard]] std::vector<model::DeviceIdentity> identities() const;
};

// Errors: those of the strict readers; kInvalidArgument for a kind that cannot be compared.
[[nodiscard]] Result<LoadedDocument> load_document(std::string_view text, std::string_view file);

// What makes two entries one device: driver id, vendor, device and API. Never a position, a name or a version.
[[nodiscard]] std::string device_key(const model::DeviceIdentity& identity);

// Every device of some reports in one, sorted by key and version, without what differs from run to run: two probes of
// one driver on one machine give the same bytes.
[[nodiscard]] model::Report baseline_of(const std::vector<LoadedDocument>& documents);

}  // namespace heapwright::compare
