#include "loader/compute.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/file.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "policy/advise.hpp"
#include "workload/read.hpp"

namespace heapwright::loader {
namespace {

Result<model::Workload> load_workload(const std::string& name_or_file) {
    if (name_or_file.empty()) return workload::preset("general-engine");
    std::error_code ignored;
    if (!std::filesystem::exists(path_of(name_or_file), ignored)) return workload::preset(name_or_file);
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(name_or_file));
    return workload::read_checked_workload(text, name_or_file);
}

// Of what the caller knows; the rest is absent, as in an imported report.
model::DeviceReport report_of(const RunningDevice& device) {
    model::DeviceReport report;
    report.origin = model::ReportOrigin::kImport;
    report.identity = device.identity;
    report.heaps = device.heaps;
    report.memory_types = device.memory_types;
    report.limits = device.limits;
    report.absent = {"/extensions", "/image_sweep", "/buffer_sweep", "/volatile/memory_cost"};
    for (const std::uint64_t budget : device.budget_bytes) report.run.heap_budgets.push_back({.budget_bytes = budget});
    return report;
}

bool same_device(const model::DeviceIdentity& a, const model::DeviceIdentity& b) {
    return a.api == b.api && a.vendor_id == b.vendor_id && a.device_id == b.device_id;
}

Result<model::DeviceReport> reported(const RunningDevice& device, const std::string& file) {
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(file));
    HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(text, file));
    for (const model::DeviceReport& candidate : report.devices) {
        const bool same_types = candidate.memory_types.size() == device.memory_types.size() &&
                                candidate.heaps.size() == device.heaps.size();
        if (same_device(candidate.identity, device.identity) && same_types) return candidate;
    }
    return fail(ErrorCode::kDeviceMismatch,
                fmt::format("the report holds no device {:04x}:{:04x} with {}", device.identity.vendor_id,
                            device.identity.device_id, counted(device.memory_types.size(), "memory type")),
                file);
}

}  // namespace

Result<Computed> compute(const RunningDevice& device, const ComputeRequest& request) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(request.workload));
    model::DeviceReport report = report_of(device);
    std::string from = "the heaps, memory types and limits that the engine gave; sizes and alignments are assumed";
    if (!request.report_file.empty()) {
        HEAPWRIGHT_ASSIGN(report, reported(device, request.report_file));
        from = fmt::format("the report {}", request.report_file);
    }
    HEAPWRIGHT_ASSIGN(model::DevicePolicy policy, policy::advise(report, workload));
    Computed computed;
    computed.policy.header.tool_version = kVersion;
    computed.policy.workload_name = workload.name;
    computed.policy.device = std::move(policy);
    computed.reason = fmt::format("computed for the workload {} from {}", workload.name, from);
    return computed;
}

}  // namespace heapwright::loader
