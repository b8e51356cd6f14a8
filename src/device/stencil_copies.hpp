// Whether the stencil of a combined format is copied to and from buffers. A device that does not says so by a finding,
// so that a report and a device replayed from it say the same; such work gives kNotSupported there. Pure; thread-safe.
#pragma once

#include <algorithm>
#include <string_view>

#include "heapwright/model/report.hpp"

namespace heapwright::device {

inline constexpr std::string_view kStencilNotCopiedFinding = "stencil-not-copied";

[[nodiscard]] inline bool copies_stencil(const model::DeviceReport& facts) {
    return std::none_of(facts.findings.begin(), facts.findings.end(),
                        [](const model::Finding& finding) { return finding.id == kStencilNotCopiedFinding; });
}

}  // namespace heapwright::device
