// Numbers as other tools print them. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/model/flags.hpp"

namespace heapwright::imports {

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string_view without_prefix(std::string_view text, std::string_view prefix);

// Without the first of the suffixes that it ends with.
[[nodiscard]] std::string_view without_suffix(std::string_view text, std::span<const std::string_view> suffixes);

// "4096", "0x1000", "true" (1), "false" (0), with spaces around; nothing for anything else or beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

// The bytes of a UUID or LUID in lower case, without dashes; nothing unless there are `byte_count` of them.
[[nodiscard]] std::optional<std::string> parse_hexadecimal(std::string_view text, std::size_t byte_count);

// The value of one flag by its name in the specification, with or without the prefix ("MEMORY_HEAP_", also behind
// "VK_"), "_BIT" and a vendor's suffix. Nothing for a name that the table does not hold.
[[nodiscard]] std::optional<model::Flags> parse_flag(std::string_view name, std::string_view prefix,
                                                     std::span<const model::FlagName> names);

// 4 for "VK_SAMPLE_COUNT_4_BIT".
[[nodiscard]] std::optional<std::uint64_t> parse_sample_count(std::string_view name);

}  // namespace heapwright::imports
