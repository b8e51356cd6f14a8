#include "probe/ask_again.hpp"

#include <fmt/format.h>

namespace heapwright::probe {

void AskedAgain::add(bool is_same, const Answer& first, const Answer& second) {
    ++answers;
    if (is_same || others++ != 0) return;
    shown = {evidence(first), evidence(second)};
}

void AskedAgain::tell(std::string_view kind, std::string_view clause, std::vector<model::Finding>& findings) const {
    if (others == 0) return;
    findings.push_back({.id = fmt::format("{}-requirements-change", kind),
                        .severity = model::FindingSeverity::kViolation,
                        .statement = fmt::format(
                            "the same {}, asked about again after others, has other requirements: {} of {} answers",
                            kind, others, answers),
                        .clause = std::string(clause),
                        .evidence = shown});
}

}  // namespace heapwright::probe
