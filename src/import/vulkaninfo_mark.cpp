#include "import/detail/vulkaninfo_mark.hpp"

#include <algorithm>

#include "import/detail/formats.hpp"
#include "import/detail/text_tree.hpp"
#include "import/number_text.hpp"

namespace heapwright::imports::detail {
namespace {

using Kind = VulkaninfoMark::Kind;

bool is_structure_name(std::string_view name) {
    return name.starts_with("VkPhysicalDevice") && std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
           });
}

Kind kind_of(std::string_view line) {
    const std::string_view content = trimmed(line.substr(quotation_of(line).size()));
    if (content == "VULKANINFO" || content == "VULKAN INFO") return Kind::kTitle;
    const bool has_colon = content.ends_with(':');
    const std::string_view name = trimmed(content.substr(0, content.size() - (has_colon ? 1 : 0)));
    if (is_gpu_name(name)) return Kind::kGpu;
    return has_colon && is_structure_name(name) ? Kind::kSection : Kind::kNone;
}

}  // namespace

bool is_gpu_name(std::string_view name) {
    constexpr std::string_view kPrefix = "GPU";
    if (!name.starts_with(kPrefix)) return false;
    const std::string_view digits = name.substr(kPrefix.size());
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

VulkaninfoMark find_vulkaninfo_mark(std::string_view text) {
    VulkaninfoMark found;
    while (!text.empty() && found.kind != Kind::kGpu) {
        const std::string_view line = take_line(text);
        if (const Kind kind = kind_of(line); kind > found.kind) found = {.kind = kind, .line = line};
    }
    return found;
}

bool is_vulkaninfo(std::string_view text) {
    return find_vulkaninfo_mark(text).kind != Kind::kNone;
}

}  // namespace heapwright::imports::detail
