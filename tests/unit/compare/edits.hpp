// Edits of documents as a driver or a machine may bring them about, and what a comparison must say of each, both ways.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::test {

// Whether a comparison fails: of the edited document against the original, and of the original against the edited one.
template <class Document>
struct Edit {
    std::string name;
    std::function<void(Document&)> apply;  // leaves alone a document that lacks what it edits
    bool fails = false;
    bool back_fails = false;
};

[[nodiscard]] inline model::DeviceReport& first(model::Report& report) {
    return report.devices.at(0);
}

[[nodiscard]] std::vector<Edit<model::Report>> edits_of_facts();
[[nodiscard]] std::vector<Edit<model::Report>> edits_of_sweeps();
[[nodiscard]] std::vector<Edit<model::Report>> edits_of_costs();
[[nodiscard]] std::vector<Edit<model::Report>> edits_of_engines();
[[nodiscard]] std::vector<Edit<model::Report>> edits_of_failures();
[[nodiscard]] std::vector<Edit<model::Policy>> edits_of_policies();
[[nodiscard]] std::vector<Edit<model::Validation>> edits_of_validations();

// What few devices have: sparse resources, compression, texts, an API below.
void add_rare_facts(model::DeviceReport& device);
// A failure of the first device and one of a driver.
void add_failures(model::Report& report);
// Every figure that a probe can measure, settled and on an idle machine.
void add_measurements(model::DeviceReport& device);

}  // namespace heapwright::test
