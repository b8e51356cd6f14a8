// Runs the program itself, as a user would, and gives back what it printed and its exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heapwright::test {

struct Output {
    int exit_code = -1;
    std::string out;
    std::string err;
};

// `environment` entries are NAME=VALUE; the arguments are passed as they are, through no shell. `input` names the file
// that is standard input; `standard_output` is a descriptor to use instead of the one that Output::out is read from.
[[nodiscard]] Output run_program(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment = {},
                                 const std::string& input = "/dev/null", std::optional<int> standard_output = {});

// The same, sending `signal_number` after `delay_ms`.
[[nodiscard]] Output interrupt_program(const std::vector<std::string>& arguments, int signal_number, int delay_ms);

// The ICD manifest that an environment variable names, or a reported skip.
[[nodiscard]] std::string require_driver(const char* variable);

// An empty folder of this test's own, until the program ends.
[[nodiscard]] std::filesystem::path fresh_folder(const std::string& name);

}  // namespace heapwright::test
