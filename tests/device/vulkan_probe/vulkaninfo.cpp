#include "vulkaninfo.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

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

constexpr std::string_view kSampleBit = "SAMPLE_COUNT_";

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void add(VulkanInfo& info, const std::string& section, const std::string& name, const std::string& text) {
    info.texts.emplace(name, text);
    const std::optional<std::uint64_t> value = number(text.substr(0, text.find_first_of(" :")));
    if (!value) return;
    info.values.emplace(std::pair{section, name}, *value);
    if (section != "VkPhysicalDeviceMemoryProperties") return;
    if (name == "size") info.heap_sizes.push_back(*value);
    if (name == "heapIndex") info.memory_types.emplace_back(static_cast<std::uint32_t>(*value), 0u);
    if (name == "propertyFlags") info.memory_types.back().second = static_cast<std::uint32_t>(*value);
}

}  // namespace

VulkanInfo run_vulkaninfo(const std::string& icd) {
    std::istringstream lines(
        run("VK_DRIVER_FILES='" + icd + "' VK_ICD_FILENAMES='" + icd + "' vulkaninfo --text 2>/dev/null"));
    VulkanInfo info;
    std::string section;
    std::string counting;
    for (std::string line; std::getline(lines, line);) {
        const std::string text = trimmed(line);
        const std::size_t equals = text.find('=');
        if (line.starts_with("Vk") && text.ends_with(":")) {
            section = text.substr(0, text.size() - 1);
            counting.clear();
        } else if (text.starts_with(kSampleBit)) {
            info.values[{section, counting}] += std::stoull(text.substr(kSampleBit.size()));
        } else if (const std::size_t count = text.find(": count ="); count != std::string::npos && count < equals) {
            counting = text.substr(0, count);
            info.values[{section, counting}] = 0;
        } else if (equals != std::string::npos) {
            add(info, section, trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
        }
    }
    return info;
}

}  // namespace probe_test
