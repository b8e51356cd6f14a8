// One target: its settings and the function that writes its file. One target a file, which defines
// exporting::NAME::kTarget; export.cpp declares and lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "export/export.hpp"
#include "export/sheet.hpp"

namespace heapwright::exporting {

struct Target {
    TargetSummary summary;
    std::span<const Setting> settings;
    // Takes the policy's values into the sheet, then gives the file, which begins with head_of().
    std::string (*write)(const Target& target, Sheet& sheet);
};

// Rows of a text table, first the heading; columns are aligned.
[[nodiscard]] std::vector<std::string> setting_rows(std::span<const Setting> settings);

// What every output says of itself, a line each: what it is, whose policy, the version checked against, and how much
// changed, is not expressible or was left out.
[[nodiscard]] std::vector<std::string> head_of(const Target& target, const Sheet& sheet);

// The head, the settings' table, the values, and line by line what changed, is not expressible and was left out.
[[nodiscard]] std::vector<std::string> account_of(const Target& target, const Sheet& sheet);

// The lines as comments: "// LINE". Nothing in a line can end the comment or go on to the next line.
[[nodiscard]] std::string comment(const std::vector<std::string>& lines, std::string_view prefix);

// A C++ header: the head as a comment, the target's include, the body in the namespace heapwright_policy.
[[nodiscard]] std::string cpp_file(const Target& target, const Sheet& sheet, std::string_view include,
                                   std::string_view body);

// A C++ or Rust string literal.
[[nodiscard]] std::string quoted(std::string_view text);

// "any/1024/1" as a C++ or Rust name: "any_1024_1".
[[nodiscard]] std::string identifier(std::string_view text);

}  // namespace heapwright::exporting
