#include "heapwright/model/policy.hpp"

#include "heapwright/core/byte_text.hpp"

namespace heapwright::model {

std::string statement_of(const CapacityPlan& capacity) {
    if (!capacity.statement.empty()) return capacity.statement;
    // Of an older policy.
    return capacity.fits ? "fits" : "does not fit: " + byte_text(capacity.missing_bytes) + " without a place";
}

}  // namespace heapwright::model
