// Validation on a replayed report: the report acts as the device, in this process, because no driver is involved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/pipeline.hpp"

namespace heapwright::cli {

// What takes the place of a driver.
struct ReplaySource {
    std::vector<std::string> reports;  // files and folders; "-" alone is standard input
    std::string fault_plan;            // replay/fault_injection.hpp; empty: no fault
};

// What tells which policies were made for a report. The report itself is read when it is replayed.
struct ReplayReport {
    std::string name;
    std::string stable_hash;
    std::vector<model::DeviceIdentity> devices;
};

// In the order of the paths. Of a folder, other documents are passed over; what cannot be read is named on standard
// error and left out. Errors: kInvalidArgument when no report is left.
[[nodiscard]] Result<std::vector<ReplayReport>> list_reports(const std::vector<std::string>& paths);

// The one that the policy names among its sources; else the first with a device of the policy, with the same driver;
// else the only one. Errors: kDeviceMismatch.
[[nodiscard]] Result<std::string> report_for(const model::Policy& policy, const std::vector<ReplayReport>& reports);

// The bytes behind a replayed device are this machine's RAM, whatever the device had: the most that one may take.
[[nodiscard]] std::uint64_t shadow_limit_bytes(const isolate::DeviceLimits& limits);

// Each device of the policy on the device of the report that it was made for. Verdicts say "replayed", and how many
// memory requirements had to be interpolated. Errors: as read_report(), parse_fault_plan(), validate();
// kDeviceMismatch.
[[nodiscard]] Result<model::Validation> replay_stage(const model::Policy& policy, const model::Workload& workload,
                                                     const std::string& report_file, const std::string& fault_plan,
                                                     const isolate::DeviceChoice& devices,
                                                     const validate::ValidationRequest& request,
                                                     const OutputOptions& output);

}  // namespace heapwright::cli
