#include "example.hpp"

namespace heapwright::model::example {
namespace {

DeviceComparison device_comparison() {
    DeviceComparison device{.status = ChangeStatus::kRegressed, .same_fields = 10};
    device.baseline = report().devices.at(0).identity;
    device.other = device.baseline;
    device.fields.push_back({.path = "/volatile/memory_cost/DEVICE_LOCAL@device_local/allocate_ns/up_to_1_MiB",
                             .field_class = FieldClass::kNoisy,
                             .status = ChangeStatus::kRegressed,
                             .from = "1 us",
                             .to = "2 us",
                             .reason = "2.00 times the cost over 3 sizes, p = 1e-09",
                             .test = NoisyTest{.p_value = 1e-9, .alarm_below = 1e-5, .ratio = 2, .points = 3}});
    device.sweeps.push_back({.property = SweepProperty::kAlignmentBytes,
                             .cases = {"/image_sweep/R8_UNORM/optimal/2d/SAMPLED/one_mip/layers_1/samples_1"},
                             .status = ChangeStatus::kExpected,
                             .from = "4096",
                             .to = "8192",
                             .condition = "at 128x128 and up",
                             .changed_points = 1,
                             .compared_points = 2,
                             .statement = "alignment 4096 to 8192 for R8_UNORM at 128x128 and up",
                             .reason = "allowed by allow.toml:1: known",
                             .points = {{128, 128, 4096, 8192}}});
    device.impact = PolicyImpact{.workload = "general-engine",
                                 .waste_from = 0.25,
                                 .waste_to = 0.5,
                                 .numbers = {{.path = "/max_chunks", .from = "4", .to = "8"}},
                                 .statement = "25.0% more waste under general-engine"};
    return device;
}

Clusters clusters() {
    const std::string fingerprint(32, 'a');
    Clusters result{.reports = 2, .devices = 2, .workload = "general-engine", .allowed_waste = 0.0625};
    result.groups.push_back({.fingerprint = fingerprint,
                             .reports = 2,
                             .representative = "a.json",
                             .representative_device = 1,
                             .smallest_heap_bytes = 1 << 20,
                             .largest_heap_bytes = 1 << 21,
                             .outlier = true,
                             .devices = {{.name = "GPU", .driver = "DRIVER", .reports = 2}},
                             .served_by = 0,
                             .waste = 0.125,
                             .not_served = "a reason"});
    result.policies.push_back({.made_for = fingerprint, .file = "a.json", .groups = 1, .reports = 2});
    result.cover_bound = "policies were searched for the 1 largest of 1 groups";
    result.version_changes.push_back({.device = "GPU",
                                      .driver = "DRIVER",
                                      .versions = {"1", "2"},
                                      .fingerprints = {fingerprint, fingerprint},
                                      .statement = "GPU behind DRIVER changed its behaviour: 1 to 2"});
    result.skipped.push_back({.file = "broken.json", .reason = "no JSON"});
    return result;
}

}  // namespace

Comparison comparison() {
    Comparison result;
    result.header.tool_version = "0.1.0";
    result.header.sources.push_back({.kind = DocumentKind::kReport, .stable_hash = std::string(32, 'b')});
    result.documents.push_back(
        {.baseline = {.file = "a.json", .stable_hash = std::string(32, 'c'), .host = "Linux 6.1, Synthetic CPU"},
         .other = {.file = "b.json", .stable_hash = std::string(32, 'd'), .host = "Linux 6.2, Synthetic CPU"},
         .across_devices = true,
         .devices = {device_comparison()}});
    result.allow_list.push_back({.file = "allow.toml", .line = 3, .statement = "the entry allowed nothing"});
    result.clusters = clusters();
    result.run = {.created_utc = "2026-11-21T12:00:00Z", .host = "Linux"};
    return result;
}

}  // namespace heapwright::model::example
