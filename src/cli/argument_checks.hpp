// What a command line's values must be, told before any work begins: CLI11 alone takes "-1" for 2^64 - 1, "010"
// for 8, "nan" for a number in any range, and an empty text for a file. Each names the value and what was expected.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace heapwright::cli {

// A decimal number of 64 bits without a sign; leading zeros go.
[[nodiscard]] CLI::Validator whole_number();

// A finite number from `least` to `most`.
[[nodiscard]] CLI::Validator number_between(double least, double most);

// Seconds: above 0, a year at most.
[[nodiscard]] CLI::Validator seconds();

// "512MiB" becomes the number of bytes; at least one.
[[nodiscard]] CLI::Validator byte_count();

// A file that could be written now, or "-".
[[nodiscard]] CLI::Validator writable_file();
// That, or a folder that exists.
[[nodiscard]] CLI::Validator writable_file_or_folder();

// No option and no argument of the program's commands takes an empty text, which a shell makes of an unset variable.
void refuse_empty_values(CLI::App& program);

}  // namespace heapwright::cli
