#include <algorithm>
#include <utility>

#include "edits.hpp"

namespace heapwright::test {
namespace {

using model::DevicePolicy;
using model::DeviceValidation;
using model::Policy;
using model::ScenarioResult;
using model::Validation;

std::function<void(Policy&)> of_policy(std::function<void(DevicePolicy&)> edit) {
    return [edit = std::move(edit)](Policy& policy) { edit(policy.devices.at(0)); };
}

std::function<void(Validation&)> of_validation(std::function<void(DeviceValidation&)> edit) {
    return [edit = std::move(edit)](Validation& validation) { edit(validation.devices.at(0)); };
}

std::function<void(Validation&)> of_scenario(std::function<void(ScenarioResult&)> edit) {
    return of_validation([edit = std::move(edit)](DeviceValidation& device) { edit(device.scenarios.at(0)); });
}

}  // namespace

// A policy's numbers are neither better nor worse by themselves, but for what it warns of and whether it fits.
std::vector<Edit<Policy>> edits_of_policies() {
    return {
        {"nothing", [](Policy&) {}},
        {"device gone", [](Policy& p) { p.devices.clear(); }, true, false},
        {"heap's size", of_policy([](auto& d) { d.heaps.at(0).size_bytes *= 2; })},
        {"usable bytes", of_policy([](auto& d) { d.heaps.at(0).usable_bytes.value *= 2; })},
        {"parts of a heap", of_policy([](auto& d) { d.heaps.at(0).parts.value *= 2; }), true, true},
        {"order of memory types", of_policy([](auto& d) { d.memory_uses.at(0).memory_types.value.push_back(31); }),
         true, true},
        {"a use gone", of_policy([](auto& d) { d.memory_uses.pop_back(); }), true, false},
        {"largest ordinary resource", of_policy([](auto& d) { d.largest_ordinary_bytes.value *= 2; }), true, true},
        {"humongous threshold", of_policy([](auto& d) { d.humongous_threshold_bytes.value *= 2; }), true, true},
        {"dedicated rule", of_policy([](auto& d) {
             const bool required = d.dedicated.value == model::DedicatedRule::kWhenRequired;
             d.dedicated.value = required ? model::DedicatedRule::kWhenPreferred : model::DedicatedRule::kWhenRequired;
         }),
         true, true},
        {"linear and optimal apart",
         of_policy([](auto& d) { d.separate_linear_and_optimal.value = !d.separate_linear_and_optimal.value; }), true,
         true},
        {"most chunks", of_policy([](auto& d) { d.max_chunks.value /= 2; }), true, true},
        {"a bucket gone", of_policy([](auto& d) { d.buckets.pop_back(); }), true, false},
        {"chunk size", of_policy([](auto& d) { d.buckets.at(0).chunk_size_bytes.value *= 2; }), true, true},
        {"granule", of_policy([](auto& d) { d.buckets.at(0).granule_bytes.value *= 2; }), true, true},
        {"why a chunk has its size", of_policy([](auto& d) { d.buckets.at(0).chunk_size_bytes.why.reason = "!"; })},
        {"frames in flight", of_policy([](auto& d) { ++d.frames_in_flight.value; }), true, true},
        {"ring", of_policy([](auto& d) { d.uploads.ring_bytes.value *= 2; }), true, true},
        {"descriptors", of_policy([](auto& d) { d.descriptors.resources.capacity.value *= 2; }), true, true},
        {"page of descriptors", of_policy([](auto& d) { d.descriptors.rtv_page.value *= 2; }), true, true},
        {"engines gone", of_policy([](auto& d) { d.engines.reset(); }), true, false},
        {"engine of draws", of_policy([](auto& d) { d.engines->assignments.at(0).engine.value = "other"; }), true,
         true},
        {"copy ring", of_policy([](auto& d) { ++d.engines->copy_ring_length.value; }), true, true},
        {"does not fit", of_policy([](auto& d) { d.feasibility.at(0).fits = false; }), true, false},
        {"workload does not fit", of_policy([](auto& d) { d.capacity->fits = false; }), true, false},
        {"promises more waste", of_policy([](auto& d) { d.expectations->mean_waste.value *= 3; }), true, false},
        {"one warning more", of_policy([](auto& d) { d.warnings.push_back("zz"); }), true, false},
        {"one assumption more", of_policy([](auto& d) { d.assumed.push_back("zz"); }), true, false},
    };
}

std::vector<Edit<Validation>> edits_of_validations() {
    const auto verdict = [](model::Verdict is) { return of_scenario([is](auto& s) { s.verdict = is; }); };
    return {
        {"nothing", [](Validation&) {}},
        {"device gone", [](Validation& v) { v.devices.clear(); }, true, false},
        {"failed", verdict(model::Verdict::kFailed), true, false},
        {"inconclusive", verdict(model::Verdict::kInconclusive), true, false},
        {"not supported", verdict(model::Verdict::kNotSupported), true, false},
        {"in part", verdict(model::Verdict::kValidatedInPart), true, false},
        {"scenario gone", of_validation([](auto& d) { d.scenarios.pop_back(); }), true, false},
        {"baseline gone", of_validation([](auto& d) { d.baselines.pop_back(); }), true, false},
        {"scenarios reordered",
         of_validation([](auto& d) { std::rotate(d.scenarios.begin(), d.scenarios.begin() + 1, d.scenarios.end()); })},
        {"reason", of_scenario([](auto& s) { s.reason += "!"; })},
        {"finding", of_scenario([](auto& s) {
             s.findings.push_back({.fault = model::Fault::kLeak, .statement = "a leak"});
             s.findings_total = 1;
         }),
         true, false},
        {"failures", of_scenario([](auto& s) { s.counts.failures += 7; }), true, false},
        {"fewer bytes checked", of_scenario([](auto& s) { s.counts.verified_bytes /= 2; }), true, false},
        {"more device allocations", of_scenario([](auto& s) { s.counts.device_allocations *= 3; }), true, false},
        {"more reserved", of_scenario([](auto& s) { s.memory.peak_reserved_bytes *= 2; }), true, false},
        {"more waste", of_scenario([](auto& s) { s.memory.mean_waste = s.memory.mean_waste * 2 + 1; }), true, false},
        {"more waste at the peak", of_scenario([](auto& s) { s.memory.peak_waste = 9.0; }), true, false},
        {"another seed", of_scenario([](auto& s) { ++s.seed; }), true, true},
        {"memory limit", of_validation([](auto& d) { d.memory_limit_bytes /= 2; })},
        {"sizes that were told from others", of_validation([](auto& d) { d.interpolated_requirements += 7; }), true,
         false},
        {"sizes that were assumed", of_validation([](auto& d) { d.assumed_requirements += 7; }), true, false},
        {"layers off", of_validation([](auto& d) { d.validation_layers = !d.validation_layers; }), true, true},
        {"replayed", of_validation([](auto& d) { d.replayed = !d.replayed; }), true, true},
        {"left out", of_validation([](auto& d) {
             d.left_out.push_back({});
             d.left_out.back().hint = "images/0";
         }),
         true, false},
        {"times", of_scenario([](auto& s) { s.run.total_ns += 5; })},
        {"occupancy", of_scenario([](auto& s) { s.occupancy.reset(); })},
        {"a promise broken", of_scenario([](auto& s) {
             if (!s.run.promises.empty()) s.run.promises.front().verdict = model::PromiseVerdict::kBroken;
         }),
         true, false},
        {"a device failed",
         [](Validation& v) {
             v.failures.push_back({.driver = "zz", .last_call = "vkQueueSubmit", .reason = "VK_ERROR_DEVICE_LOST"});
         },
         true, false},
    };
}

}  // namespace heapwright::test
