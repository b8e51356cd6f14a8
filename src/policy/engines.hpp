// How work is spread over the device's engines. Nothing for a report that does not measure them: then nothing is known
// of what they gain. Pure.
#pragma once

#include "policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] std::optional<model::EnginePolicy> decide_engines(const Context& context, std::uint64_t frames_in_flight,
                                                                model::Statement& warnings);

}  // namespace heapwright::policy
