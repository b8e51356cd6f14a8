// Options that several commands share, how they are added to one, and the checks of their values.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"
#include "isolate/request.hpp"

namespace CLI {
class App;
}

namespace heapwright::cli {

struct OutputOptions {
    std::string file;  // empty: standard output
    bool quiet = false;
    bool json = false;
    bool text = false;
    bool verbose = false;
    std::string colour = "auto";
};

void add_device_options(CLI::App& command, isolate::DeviceChoice& choice);
void add_api_option(CLI::App& command, isolate::ApiChoice& apis);
// `takes_many`: -o names the folder of the results where there are several inputs.
void add_output_options(CLI::App& command, OutputOptions& options, bool takes_many = false);

inline constexpr const char* kDefaultWorkload = "general-engine";

// A preset's name, or a file: a workload, a trace, an allocator's dump or a recording. Empty where none is stated: the
// default workload as the device holds it.
void add_workload_option(CLI::App& command, std::string& workload);
// What was odd in a dump or a recording is noted.
[[nodiscard]] Result<model::Workload> load_workload(const std::string& name_or_file, const OutputOptions& output);

// What a command line's values must be, told before any work begins: CLI11 alone takes "-1" for 2^64 - 1, "010"
// for 8, "nan" for a number in any range, and an empty text for a file. Each names the value and what was expected.

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
