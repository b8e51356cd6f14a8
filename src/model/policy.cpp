#include "heapwright/model/policy.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "heapwright/model/claim_text.hpp"

namespace heapwright::model {

std::string statement_of(const CapacityPlan& capacity) {
    const std::vector<Claim>& claims = capacity.statement.claims();
    if (!claims.empty()) {
        std::string text = text_of(claims.front());
        for (std::size_t i = 1; i < claims.size(); ++i) text += (i == 1 ? ": " : "; ") + text_of(claims[i]);
        return text;
    }
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
