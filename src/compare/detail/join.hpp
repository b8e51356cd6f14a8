// Lists in one text.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::compare::detail {

// Appends `part`, with the separator before it unless the text is empty.
inline void append(std::string& text, std::string_view separator, std::string_view part) {
    if (!text.empty()) text += separator;
    text += part;
}

}  // namespace heapwright::compare::detail
