// Counts, sizes, times, shares and names as people write and read them. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"

namespace heapwright {

// "20 bytes", "16 MiB", "20.02 KiB": four digits at most.
[[nodiscard]] std::string byte_text(std::uint64_t bytes);

// "512MiB", "1.5 GiB", "64k", "4096": a decimal number and a unit of powers of 1024 (B, K, KB, KiB, ... E, EB, EiB, in
// any case; without one bytes). Errors: kInvalidArgument for anything else, kOutOfRange beyond 64 bits.
[[nodiscard]] Result<std::uint64_t> parse_byte_count(std::string_view text);

// "1 chunk", "2 chunks".

// "1 of its sizes is", "0 of its sizes are".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    std::string text = std::to_string(count);
    text += ' ';
    text += count == 1 ? one : many;
    return text;
}

// The plural has an s more.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
    return counted(count, one, std::string(one) + "s");
}

// "the one bucket", "each of the 3 buckets"; `whose` is "the" or "its".
[[nodiscard]] inline std::string each_counted(std::uint64_t count, std::string_view whose, std::string_view one) {
    if (count == 1) return std::string(whose) + " one " + std::string(one);
    return "each of " + std::string(whose) + ' ' + counted(count, one);
}

// Appends `part`, with the separator before it unless the text is empty.
inline void append(std::string& text, std::string_view separator, std::string_view part) {
    if (!text.empty()) text += separator;
    text += part;
}

// The last line that says something; empty for a text without one.
[[nodiscard]] std::string last_line(std::string_view text);

// A time for people: "812 ns", "1.234 ms", of four digits.

[[nodiscard]] std::string time_text(double ns);

template <class Integer>
[[nodiscard]] std::string time_text(Integer ns) {
    return time_text(static_cast<double>(ns));
}

// How far the samples of a figure reach, as people write it. Nine tenths of fewer than ten runs are all of them: those
// are told by their range.

inline constexpr std::uint32_t kLeastSamplesForShare = 10;

// "90% of 12 runs no more than 30 ns", "3 runs from 10 ns to 30 ns".
[[nodiscard]] inline std::string range_text(std::uint64_t least_ns, std::uint64_t p90_ns, std::uint32_t samples,
                                            std::string_view one) {
    const std::string runs = counted(samples, one);
    const std::string most = time_text(p90_ns);
    if (samples < kLeastSamplesForShare) return runs + " from " + time_text(least_ns) + " to " + most;
    return "90% of " + runs + " no more than " + most;
}

// A share in percent for people, of three digits: "41.3%", "0.4%", and never "100%" or "0%" of what is not all or none.

[[nodiscard]] std::string share_text(double share);

// A file's name as an argument of a command that a user copies: quoted where a shell would read more than a name.

[[nodiscard]] std::string shell_argument(std::string_view text);

// What somebody probably meant who wrote a name that is none, so that each refusal of a name ends with it: the shortest
// word that holds the text, where it has three letters and one does, else the longest that the text holds whole, else
// the word with the smallest edit distance, where that is 1 or at most a third of the longer one's letters.
// A name cut short ("BC7_UNORM") is nearer to the whole one than to a short word of other letters ("R8_UNORM"), and
// "VK_IMAGE_USAGE_SAMPLED_BIT" means SAMPLED. Insertions, deletions, replacements and exchanged neighbours count one
// each (the restricted Damerau-Levenshtein distance); upper and lower case, and "-" and "_", are alike. Pure and
// thread-safe.

// The first of the nearest; empty where none is near. Of a long text the first 64 characters count.
[[nodiscard]] std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words);

// "; the nearest is \"SAMPLED\"", or nothing where none is near.
[[nodiscard]] std::string nearest_word_hint(std::string_view text, std::span<const std::string_view> words);

// Text from drivers and files as text for people: nothing in it moves a terminal's cursor, changes its colours or its
// reading direction, ends a line that it stands in, or is a command to whatever reads a job's log. Everything that the
// program prints for people goes through here; JSON keeps the exact bytes, escaped as JSON escapes them. Idempotent,
// pure and thread-safe.

// A name or a sentence, to stand within a line. Control characters come out as "\n" and "\x1b", those beyond ASCII (C1,
// line separators, bidirectional controls, U+FFFE and U+FFFF) as "\u009b", bytes that are no UTF-8 as "\xff". What a
// CI system obeys gets a backslash: at its start "\::" and "\--- ", "\+++ ", "\~~~ ", "\^^^ +++"; anywhere "#\#[",
// "#\#vso[", "#\#teamcity[", "travis_fold\:start:". All else stays.
[[nodiscard]] std::string printable(std::string_view text);

// A text of several lines, whose line ends and tabs stay: each line as printable().
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace heapwright
