#include "heapwright/model/policy.hpp"

#include <fmt/format.h>

#include "heapwright/core/byte_text.hpp"

namespace heapwright::model {

std::string statement_of(const CapacityPlan& capacity) {
    if (!capacity.statement.empty()) return capacity.statement;
    // Of an older policy.
    return capacity.fits ? "fits" : "does not fit: " + byte_text(capacity.missing_bytes) + " without a place";
}

bool is_soft(const ExceededLimit& exceeded) {
    return exceeded.limit == "maxMemoryAllocationSize";
}

std::string split_text(const HintSplit& split) {
    return fmt::format("{}: {} each in {} parts of {}: {} {}{}", split.hint, byte_text(split.exceeded.size_bytes),
                       split.parts, byte_text(split.part_bytes.value), split.exceeded.limit,
                       byte_text(split.exceeded.limit_bytes), is_soft(split.exceeded) ? ", soft" : "");
}

}  // namespace heapwright::model
