// A document as the HTML report and its CSV files take it: with the name of the file that it came from.
#pragma once

#include <string>
#include <variant>

#include "heapwright/model/comparison.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::render {

struct ReportDocument {
    std::string file;  // as shown; without its folder
    std::variant<model::Report, model::Policy, model::Validation, model::Comparison> document;
};

}  // namespace heapwright::render
