#include "import/detail/plain_text.hpp"

#include <algorithm>
#include <cstddef>

#include "import/detail/text_tree.hpp"

namespace heapwright::imports::detail {

std::string_view quotation_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t>"), line.size()));
}

std::string_view without_quotation(std::string_view text, std::string_view quotation, std::string& storage) {
    if (quotation.empty()) return text;
    storage.clear();
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::size_t common = std::min(line.size(), quotation.size());
        const auto differs =
            std::mismatch(quotation.begin(), quotation.begin() + static_cast<std::ptrdiff_t>(common), line.begin());
        storage += line.substr(static_cast<std::size_t>(differs.second - line.begin()));
        storage += '\n';
    }
    return storage;
}

std::string_view without_fence(std::string_view text, std::string& storage) {
    const std::string_view whole = text;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        ++number;
        if (!line.starts_with("```") && !line.starts_with("~~~")) continue;
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) continue;
        storage.assign(number, '\n');
        const std::string closing = "\n" + std::string(line.substr(0, 3));
        storage += text.substr(0, text.find(closing));
        return storage;
    }
    return whole;
}

}  // namespace heapwright::imports::detail
