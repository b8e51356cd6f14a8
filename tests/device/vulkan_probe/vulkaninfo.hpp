// What vulkaninfo prints of the first device of a driver: an independent reader of the same facts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace probe_test {

struct VulkanInfo {
    // (structure, member) -> value; a list of sample counts is the sum of its bits.
    std::map<std::pair<std::string, std::string>, std::uint64_t> values;
    std::map<std::string, std::string> texts;  // deviceName, driverInfo, ...
    std::vector<std::uint64_t> heap_sizes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> memory_types;  // heap index, property flags
};

// Runs `vulkaninfo` on this driver alone. An empty result: the program is not installed or printed nothing.
[[nodiscard]] VulkanInfo run_vulkaninfo(const std::string& icd);

}  // namespace probe_test
