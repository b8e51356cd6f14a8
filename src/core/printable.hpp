// Text from drivers and files as text for people: nothing in it moves a terminal's cursor, changes its colours or its
// reading direction, ends a line that it stands in, or is a command to whatever reads a job's log. Everything that the
// program prints for people goes through here; JSON keeps the exact bytes, escaped as JSON escapes them. Idempotent,
// pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright {

// A name or a sentence, to stand within a line. Control characters come out as "\n" and "\x1b", those beyond ASCII (C1,
// line separators, bidirectional controls, U+FFFE and U+FFFF) as "\u009b", bytes that are no UTF-8 as "\xff". What a
// CI system obeys gets a backslash: at its start "\::" and "\--- ", "\+++ ", "\~~~ ", "\^^^ +++"; anywhere "#\#[",
// "#\#vso[", "#\#teamcity[", "travis_fold\:start:". All else stays.
[[nodiscard]] std::string printable(std::string_view text);

// A text of several lines, whose line ends and tabs stay: each line as printable().
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace heapwright
