// What heapwright must know of the machine it runs on. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heapwright {

// RAM that could be taken now without pushing others out (MemAvailable; Windows: ullAvailPhys).
[[nodiscard]] std::optional<std::uint64_t> available_ram_bytes();

// Operating system, release and processor architecture, "Linux 6.1.0 x86_64". Never a host or user name.
[[nodiscard]] std::string host_description();

// Now, in UTC, ISO 8601 to the second.
[[nodiscard]] std::string utc_now();

}  // namespace heapwright
