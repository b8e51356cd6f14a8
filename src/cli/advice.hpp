// What `advise` does with one report, and with many: files, folders and known GPUs.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "import/known_devices.hpp"

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

[[nodiscard]] inline model::HumongousRule humongous_of(const AdviseOptions& options) {
    return options.refuse_humongous ? model::HumongousRule::kRefuse : model::HumongousRule::kOwnMemory;
}

struct Advice {
    model::Policy policy;
    std::vector<model::ProbeFailure> left_out;
};

// The one that was asked for, else the default one, whole.
[[nodiscard]] Result<model::Workload> workload_of(const AdviseOptions& options);

// `workload`: workload_of(). `output`: for the line that says which part of the default one was taken.
[[nodiscard]] Result<Advice> advise_report(const model::Report& report, const model::Workload& workload,
                                           const AdviseOptions& options, const OutputOptions& output);

// The device of that name, with a line where the name is a part of one or means others, too.
// Errors: as import::find_known().
[[nodiscard]] Result<const import::KnownDevice*> known_gpu(const std::string& name, const OutputOptions& output);

// One table over all devices. The policies go into the folder -o, a file each; without one they are made for the table
// alone. All: 0, some: 5, none: 2; --strict: 1 where the workload does not fit one.
[[nodiscard]] ExitCode advise_many(const AdviseOptions& options);

}  // namespace heapwright::cli
