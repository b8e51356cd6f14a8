#include "validate/finding_log.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::validate {

bool FindingLog::hand_over(model::ScenarioResult& result) const {
    const std::lock_guard lock(mutex_);
    result.findings = findings_;
    result.findings_total = total_;
    if (total_ == 0) return false;
    result.verdict = model::Verdict::kFailed;
    result.reason = fmt::format("{}, the first: {}: {}", counted(total_, "finding"), findings_.front().resource,
                                findings_.front().statement);
    return true;
}

}  // namespace heapwright::validate
