// What `advise` does with one report, and with many: files, folders and known GPUs.
#pragma once

#include <string>
#include <vector>

#include "heapwright/cli/exit_code.hpp"
#include "heapwright/cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::cli {

struct AdviseOptions {
    std::vector<std::string> reports;  // files and folders
    std::vector<std::string> gpus;     // names of known ones
    std::string workload;              // empty: the default one, as the devices hold it
    std::vector<std::string> selectors;
    OutputOptions output;
    bool strict = false;
    bool refuse_humongous = false;
    std::string validation_file;  // empty: none
};

struct Advice {
    model::Policy policy;
    std::vector<model::ProbeFailure> left_out;
};

// `output`: for the line that says which part of the default workload was taken.
[[nodiscard]] Result<Advice> advise_report(const model::Report& report, const AdviseOptions& options,
                                           const OutputOptions& output);

// One table over all devices. The policies go into the folder -o, a file each; without one they are made for the table
// alone. All: 0, some: 5, none: 2; --strict: 1 where the workload does not fit one.
[[nodiscard]] ExitCode advise_many(const AdviseOptions& options);

}  // namespace heapwright::cli
