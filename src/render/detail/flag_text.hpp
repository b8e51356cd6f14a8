// The names of a bit set, joined by |.
#pragma once

#include <span>
#include <string>

#include "heapwright/model/flags.hpp"

namespace heapwright::render::detail {

[[nodiscard]] inline std::string flag_text(model::Flags flags, std::span<const model::FlagName> names) {
    std::string text;
    for (const model::FlagName& each : names) {
        if ((flags & each.bit) == 0) continue;
        if (!text.empty()) text += '|';
        text += each.name;
    }
    return text;
}

}  // namespace heapwright::render::detail
