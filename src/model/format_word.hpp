// Which format somebody meant who wrote a name that is none of VkFormat's: DXGI_FORMAT_BC7_UNORM, VK_FORMAT_D16_UNORM,
// RGBA8, RG16F, D24S8, BC1. A name is read as its channels with their bits (RGBA8 is R8, G8, B8, A8), its numeric
// formats (F is SFLOAT or UFLOAT) and what is left (BC7, 4x4, 420). It stands for a format that has the same channels
// and all of the rest; of several for the one that adds least: UNORM where no numeric format is named, channels in the
// order of the name, formats that DXGI has, those of a sweep. After "DXGI_FORMAT_" only DXGI's are considered.
// Channels beyond R, G, B, A, D, S, E and X, and names of other words (NV12), are not understood. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heapwright/model/format.hpp"

namespace heapwright::model {

// Nothing where the name is of no format's channels and words.
[[nodiscard]] std::optional<Format> format_from_word(std::string_view word);

// "; the nearest is \"R8G8B8A8_UNORM\"", by what the word means, else by its letters (core/text.hpp); empty
// where nothing is near.
[[nodiscard]] std::string nearest_format_hint(std::string_view word);

}  // namespace heapwright::model
