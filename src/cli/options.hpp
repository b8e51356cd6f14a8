// Options that several commands share, and how they are added to one.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/isolate/request.hpp"
#include "heapwright/model/workload.hpp"

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

}  // namespace heapwright::cli
