#include "vulkaninfo.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

namespace probe_test {
namespace {

std::string run(const std::string& command) {
    struct Close {
        void operator()(std::FILE* file) const { pclose(file); }
    };
    const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
    std::string output;
    if (!pipe) return output;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), pipe.get())) != 0;) {
        output.append(buffer, got);
    }
    return output;
}

std::optional<std::uint64_t> number(const std::string& text) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    return std::stoull(text, nullptr, text.starts_with("0x") ? 16 : 10);
}

}  // namespace

VulkanInfo run_vulkaninfo(const std::string& icd) {
    // Without leak checks: an address-sanitized test would pass its options on to a program that is not.
    std::istringstream lines(
        run("VK_DRIVER_FILES='" + icd + "' VK_ICD_FILENAMES='" + icd + "' vulkaninfo --text 2>/dev/null"));
    static const std::regex kHeader(R"(^(Vk\w+):\s*$)");
    static const std::regex kValue(R"(^\s+(\w+)\s*=\s*(.*?)\s*$)");
    static const std::regex kCounts(R"(^\s+(\w+): count = \d+\s*$)");
    static const std::regex kSampleBit(R"(^\s+SAMPLE_COUNT_(\d+)_BIT\s*$)");
    static const std::regex kFirstWord(R"(^(\S+))");
    VulkanInfo info;
    std::string section;
    std::string counting;
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_match(line, match, kHeader)) {
            section = match[1];
            counting.clear();
        } else if (std::regex_match(line, match, kCounts)) {
            counting = match[1];
            info.values[{section, counting}] = 0;
        } else if (std::regex_match(line, match, kSampleBit)) {
            info.values[{section, counting}] += std::stoull(match[1]);
        } else if (std::regex_match(line, match, kValue)) {
            const std::string name = match[1];
            const std::string text = match[2];
            std::smatch word;
            const std::optional<std::uint64_t> value =
                std::regex_search(text, word, kFirstWord) ? number(word[1]) : std::nullopt;
            info.texts.emplace(name, text);
            if (!value) continue;
            info.values.emplace(std::pair{section, name}, *value);
            if (section != "VkPhysicalDeviceMemoryProperties") continue;
            if (name == "size") info.heap_sizes.push_back(*value);
            if (name == "heapIndex") info.memory_types.emplace_back(static_cast<std::uint32_t>(*value), 0u);
            if (name == "propertyFlags") {
                info.memory_types.back().second =
                    static_cast<std::uint32_t>(std::stoull(text.substr(0, text.find(':')), nullptr, 16));
            }
        }
    }
    return info;
}

}  // namespace probe_test
