// Options that several commands share, and how they are added to one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/isolate/probe_session.hpp"
#include "heapwright/model/workload.hpp"

namespace CLI {
class App;
}

namespace heapwright::cli {

struct DeviceOptions {
    isolate::ApiChoice apis = isolate::ApiChoice::kAll;
    std::vector<std::string> selectors;  // index, part of the name, UUID or vendor:device
    std::vector<std::string> icd_files;
    std::optional<std::uint64_t> memory_limit_bytes;
    std::optional<double> time_limit_s;
};

struct OutputOptions {
    std::string file;  // empty: standard output
    bool quiet = false;
};

void add_device_options(CLI::App& command, DeviceOptions& options);
void add_api_option(CLI::App& command, isolate::ApiChoice& apis);
void add_output_options(CLI::App& command, OutputOptions& options);

// A preset's name, or a workload file or trace.
void add_workload_option(CLI::App& command, std::string& workload);
[[nodiscard]] Result<model::Workload> load_workload(const std::string& name_or_file);

// Nanoseconds, or no limit.
[[nodiscard]] std::uint64_t time_limit_ns(const DeviceOptions& options);

}  // namespace heapwright::cli
