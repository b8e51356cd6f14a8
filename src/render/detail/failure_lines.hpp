// What the screens of a report, a validation and the main job tell alike of drivers and devices that failed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "heapwright/model/report.hpp"
#include "heapwright/render/detail/screen.hpp"

namespace heapwright::render::detail {

// A line each, at most `most` of them; `lead` begins each: "not validated: ".
void tell_failures(std::string_view lead, std::span<const model::ProbeFailure> failures, std::size_t most,
                   Screen& screen);

}  // namespace heapwright::render::detail
