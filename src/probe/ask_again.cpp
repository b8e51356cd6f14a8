#include "probe/ask_again.hpp"

#include <tuple>

#include <fmt/format.h>

namespace heapwright::probe {

void AskedAgain::add(const Answer& first, const Answer& second) {
    const auto counted = [](const Answer& answer) {
        const model::MemoryRequirements& held = answer.query.answer;
        return std::tuple(held.size_bytes, held.alignment_bytes, held.memory_type_bits);
    };
    ++answers;
    if (counted(first) == counted(second) || others++ != 0) return;
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
