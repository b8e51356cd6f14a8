// Which of the enumerated devices a command is about. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::model {

// A selector is a decimal index, a UUID (32 hexadecimal digits, dashes allowed), vendor:device in hexadecimal, or a
// part of the name in any case.
[[nodiscard]] bool matches(std::string_view selector, const DeviceIdentity& device, std::size_t index);

// Indexes in ascending order; every device when there is no selector. Errors: kInvalidArgument when a selector
// matches nothing, with the devices that there are; kNoDevice when there are none.
[[nodiscard]] Result<std::vector<std::size_t>> select_devices(std::span<const std::string> selectors,
                                                              std::span<const DeviceIdentity> devices);
[[nodiscard]] Result<std::vector<std::size_t>> select_in_report(std::span<const std::string> selectors,
                                                                const Report& report);

// The device to take where one is wanted and none was named: a discrete GPU before an integrated one, before a virtual
// one, before any other, before software; of equals the first. Errors: kNoDevice when there are none.
[[nodiscard]] Result<std::size_t> best_device(std::span<const DeviceIdentity> devices);

}  // namespace heapwright::model
