// Questions of a probe that the driver failed: it gave an error that is no answer about the device. Each is counted,
// the first one is named, and a warning tells of them, so that what is missing is not taken for what the device lacks.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::probe {

class FailedQuestions {
public:
    // The call with its result.
    void add(std::string failure) {
        if (count_++ == 0) first_ = std::move(failure);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }

    // The finding `id`, which ends with "-not-measured"; none where no question failed. `lost`: what is not known.
    void tell(std::string_view id, std::string_view lost, std::string evidence,
              std::vector<model::Finding>& findings) const {
        if (count_ == 0) return;
        findings.push_back({.id = std::string(id),
                            .severity = model::FindingSeverity::kWarning,
                            .statement = first_ + "; " + std::string(lost),
                            .clause = {},
                            .evidence = {std::move(evidence)}});
    }

private:
    std::uint64_t count_ = 0;
    std::string first_;
};

}  // namespace heapwright::probe
