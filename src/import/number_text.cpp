#include "import/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace heapwright::imports {
namespace {

constexpr std::array<std::string_view, 9> kVendors{"_KHR",  "_EXT",   "_NV",    "_AMD",   "_ARM",
                                                   "_QCOM", "_INTEL", "_VALVE", "_HUAWEI"};

}  // namespace

std::string_view without_suffix(std::string_view text, std::span<const std::string_view> suffixes) {
    for (const std::string_view suffix : suffixes) {
        if (text.ends_with(suffix)) return text.substr(0, text.size() - suffix.size());
    }
    return text;
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    text = trimmed(text);
    if (text == "true") return 1;
    if (text == "false") return 0;
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::string> parse_hexadecimal(std::string_view text, std::size_t byte_count) {
    std::string digits;
    for (const char c : trimmed(text)) {
        if (c == '-') continue;
        const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        if (!((lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f'))) return std::nullopt;
        digits += lower;
    }
    if (digits.size() != 2 * byte_count) return std::nullopt;
    return digits;
}

std::optional<model::Flags> parse_flag(std::string_view name, std::string_view prefix,
                                       std::span<const model::FlagName> names) {
    std::string plain(without_prefix(without_prefix(trimmed(name), "VK_"), prefix));
    if (const std::size_t bit = plain.rfind("_BIT"); bit != std::string::npos) plain.erase(bit);
    // Tools drop a vendor's suffix, or a part of it.
    const auto same = [&plain](const model::FlagName& entry) {
        return without_suffix(entry.name, kVendors) == without_suffix(plain, kVendors);
    };
    const auto found = std::find_if(names.begin(), names.end(), same);
    if (found != names.end()) return found->bit;
    return std::nullopt;
}

std::optional<std::uint64_t> parse_sample_count(std::string_view name) {
    constexpr std::string_view kPrefix = "SAMPLE_COUNT_";
    constexpr std::string_view kSuffix = "_BIT";
    name = without_prefix(trimmed(name), "VK_");
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    if (name.size() <= kSuffix.size()) return std::nullopt;
    name.remove_suffix(kSuffix.size());
    return parse_number(name);
}

}  // namespace heapwright::imports
