// What somebody probably meant who wrote a name that is none, so that each refusal of a name ends with it: the shortest
// word that holds the text, where it has three letters and one does, else the longest that the text holds whole, else
// the word with the smallest edit distance, where that is 1 or at most a third of the longer one's letters.
// A name cut short ("BC7_UNORM") is nearer to the whole one than to a short word of other letters ("R8_UNORM"), and
// "VK_IMAGE_USAGE_SAMPLED_BIT" means SAMPLED. Insertions, deletions, replacements and exchanged neighbours count one
// each (the restricted Damerau-Levenshtein distance); upper and lower case, and "-" and "_", are alike. Pure and
// thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heapwright {

// The first of the nearest; empty where none is near. Of a long text the first 64 characters count.
[[nodiscard]] std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words);

// "; the nearest is \"SAMPLED\"", or nothing where none is near.
[[nodiscard]] std::string nearest_word_hint(std::string_view text, std::span<const std::string_view> words);

}  // namespace heapwright
