// What heapwright must know of the machine it runs on. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heapwright {

// RAM that could be taken now without pushing others out (MemAvailable; Windows: ullAvailPhys).
[[nodiscard]] std::optional<std::uint64_t> available_ram_bytes();

// Operating system, release and processor architecture, "Linux 6.1.0 x86_64", "Windows 10.0.19045 x86_64 (Wine 8.0)".
// Never a host or user name.
[[nodiscard]] std::string host_description();

// Now, in UTC, ISO 8601 to the second.
[[nodiscard]] std::string utc_now();

// An environment variable as UTF-8 text; nothing where it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

// What the program was started with, its own name first, as UTF-8 text.
[[nodiscard]] std::vector<std::string> program_arguments(int argc, const char* const* argv);

}  // namespace heapwright
