#include "compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "compare/creation_difference.hpp"
#include "compare/device_pairing.hpp"
#include "compare/engine_difference.hpp"
#include "compare/failure_difference.hpp"
#include "compare/field_difference.hpp"
#include "compare/measured_figure.hpp"
#include "compare/policy_impact.hpp"
#include "compare/sweep_difference.hpp"
#include "core/text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::DeviceComparison;

void worsen(ChangeStatus& status, ChangeStatus by) {
    if (severity(by) > severity(status)) status = by;
}

// Between different devices "worse" has no meaning.
void drop_direction(ChangeStatus& status) {
    if (status == ChangeStatus::kRegressed || status == ChangeStatus::kImproved) status = ChangeStatus::kChanged;
}

bool can_be_allowed(ChangeStatus status) {
    return status != ChangeStatus::kSame && status != ChangeStatus::kExpected && status != ChangeStatus::kInconclusive;
}

// "alignment 4096 to 65536 for R8_UNORM at 128x128 and up, and 2 more differences: the advised policy wastes 3.1% more
// under ..."
model::PolicyImpact impact_of(const model::DeviceReport& baseline, const model::DeviceReport& other,
                              const std::vector<model::SweepChange>& sweeps, const model::Workload& workload) {
    model::PolicyImpact impact = policy_impact(baseline, other, workload);
    if (sweeps.empty()) return impact;
    const std::size_t more = sweeps.size() - 1;
    impact.statement =
        fmt::format("{}{}: {}", sweeps.front().statement,
                    more == 0 ? "" : ", and " + counted(more, "more difference") + " of the sweeps", impact.statement);
    return impact;
}

// The same device behind the same driver, in further probes.
void add_further_runs(const model::DeviceReport& baseline, std::span<const LoadedDocument> probes,
                      std::vector<const model::DeviceReport*>& runs) {
    for (const LoadedDocument& probe : probes) {
        const auto* report = std::get_if<model::Report>(&probe.document);
        if (report == nullptr) continue;
        const auto pairs = pair_devices(std::span(&baseline.identity, 1), probe.identities()).pairs;
        if (pairs.empty()) continue;
        const model::DeviceReport& device = report->devices[pairs.front().second];
        if (model::same_device_and_driver(device.identity, baseline.identity)) runs.push_back(&device);
    }
}

template <class Device>
DeviceComparison compare_devices(const Device& baseline, const Device& other, const CompareOptions& options,
                                 bool across) {
    DeviceComparison result{.baseline = baseline.identity, .other = other.identity};
    FieldDifferences fields = compare_fields(baseline, other);
    result.fields = std::move(fields.changes);
    result.same_fields = fields.same_fields;
    std::vector<model::SweepChange> sweeps;
    if constexpr (std::is_same_v<Device, model::DeviceReport>) {
        std::vector<const model::DeviceReport*> runs{&baseline};
        add_further_runs(baseline, options.further_probes, runs);
        // The first run that measured a part stands for what is measured.
        const auto measured = std::ranges::find_if(runs, [](const auto* run) { return !run->run.memory_cost.empty(); });
        const model::DeviceReport& first_measured = measured == runs.end() ? baseline : **measured;
        std::ranges::move(compare_measured(first_measured, other, options.costs), std::back_inserter(result.fields));
        const auto take = [&](CostDifferences differences) {
            std::ranges::move(differences.changes, std::back_inserter(result.fields));
            result.same_fields += differences.same_fields;
        };
        take(compare_engines(runs, other, options.noise, options.costs));
        take(compare_creations(runs, other, options.noise, options.costs));
        if (options.costs) take(compare_costs(runs, other, options.noise));
        SweepDifferences differences = compare_sweeps(baseline, other);
        sweeps = std::move(differences.changes);
        result.same_fields += differences.same_points;
    }
    const auto settle = [&](auto& change, const std::string& path) {
        if (across) drop_direction(change.status);
        if (options.allow_list == nullptr || !can_be_allowed(change.status)) return;
        if (auto reason = options.allow_list->accept(other.identity, path, change.from, change.to)) {
            change.status = ChangeStatus::kExpected;
            change.reason = std::move(*reason);
        }
    };
    if (!across) {
        for (model::FieldChange& change : result.fields) enforce(options.fail_on, change);
        for (model::SweepChange& change : sweeps) enforce(options.fail_on, change);
    }
    for (model::FieldChange& change : result.fields) settle(change, change.path);
    for (model::SweepChange& change : sweeps) settle(change, path_of(change));
    result.sweeps = group_changes(std::move(sweeps));
    for (const model::FieldChange& change : result.fields) {
        // A measurement that could not be judged does not make a device another one.
        const bool unjudged =
            change.status == ChangeStatus::kInconclusive && change.field_class == model::FieldClass::kNoisy;
        if (!unjudged) worsen(result.status, change.status);
    }
    for (const model::SweepChange& change : result.sweeps) worsen(result.status, change.status);
    if constexpr (std::is_same_v<Device, model::DeviceReport>) {
        if (options.workload != nullptr && fingerprint(baseline) != fingerprint(other))
            result.impact = impact_of(baseline, other, result.sweeps, *options.workload);
    }
    return result;
}

DeviceComparison one_sided(const model::DeviceIdentity& identity, bool gone, const CompareOptions& options) {
    DeviceComparison result{.status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew};
    (gone ? result.baseline : result.other) = identity;
    model::FieldChange whole{
        .path = "/", .status = result.status, .from = gone ? "present" : "", .to = gone ? "" : "present"};
    enforce(options.fail_on, whole);
    if (whole.status != result.status) {
        result.status = whole.status;
        result.fields.push_back(whole);
    }
    if (options.allow_list != nullptr) {
        if (auto reason = options.allow_list->accept(identity, "/", gone ? "present" : "", gone ? "" : "present")) {
            result.status = whole.status = ChangeStatus::kExpected;
            whole.reason = std::move(*reason);
            result.fields = {std::move(whole)};
        }
    }
    return result;
}

model::ComparedDocument named(const LoadedDocument& document) {
    return {.file = document.file, .stable_hash = document.stable_hash, .host = document.host};
}

model::DocumentComparison head_of(const LoadedDocument& baseline, const LoadedDocument& other) {
    return {.baseline = named(baseline), .other = named(other)};
}

// Of those that `is_wanted` takes.
template <class Document, class Predicate>
std::vector<DeviceComparison> failures_between(const Document& baseline, const Document& other,
                                               const CompareOptions& options, Predicate&& is_wanted) {
    std::vector<DeviceComparison> failed = compare_failures(baseline, other);
    std::erase_if(failed, [&](const DeviceComparison& each) { return !is_wanted(each); });
    for (DeviceComparison& driver : failed) {
        for (model::FieldChange& change : driver.fields) {
            enforce(options.fail_on, change);
            if (options.allow_list != nullptr) {
                if (auto reason = options.allow_list->accept(*driver.other, change.path, change.from, change.to)) {
                    change.status = ChangeStatus::kExpected;
                    change.reason = std::move(*reason);
                }
            }
            worsen(driver.status, change.status);
        }
    }
    return failed;
}

// Whether it is of a device that was compared, whose failures may stand in one document alone.
bool is_of_one(const DeviceComparison& failed, std::span<const DeviceComparison> devices) {
    return std::ranges::any_of(devices, [&](const DeviceComparison& device) {
        return failed.baseline == device.baseline || failed.other == device.other;
    });
}

// Whether a device of the list failed in the other document, which then may hold nothing else of it.
bool is_lost(const DeviceComparison& failed, const std::vector<model::DeviceIdentity>& devices) {
    const bool is_in_other = std::ranges::any_of(failed.fields, [](const auto& field) { return !field.to.empty(); });
    return is_in_other && !pair_devices(devices, std::span(&*failed.other, 1)).pairs.empty();
}

Status check_kinds(const LoadedDocument& baseline, const LoadedDocument& other) {
    if (baseline.kind() == other.kind()) return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a {} cannot be compared with the {} {}", name_of(other.kind()), name_of(baseline.kind()),
                            baseline.file),
                other.file);
}

// Calls back with both documents as what they are; the kinds are equal.
template <class Function>
void visit_both(const LoadedDocument& baseline, const LoadedDocument& other, Function&& function) {
    std::visit([&](const auto& held) { function(held, std::get<std::decay_t<decltype(held)>>(other.document)); },
               baseline.document);
}

}  // namespace

Result<model::DocumentComparison> compare_documents(const LoadedDocument& baseline, const LoadedDocument& other,
                                                    const CompareOptions& options) {
    HEAPWRIGHT_TRY(check_kinds(baseline, other));
    model::DocumentComparison result = head_of(baseline, other);
    visit_both(baseline, other, [&](const auto& from, const auto& to) {
        const Pairing pairing = pair_devices(baseline.identities(), other.identities());
        for (const auto& [one, two] : pairing.pairs)
            result.devices.push_back(compare_devices(from.devices[one], to.devices[two], options, false));
        for (const std::size_t one : pairing.missing)
            result.devices.push_back(one_sided(from.devices[one].identity, true, options));
        for (const std::size_t two : pairing.added)
            result.devices.push_back(one_sided(to.devices[two].identity, false, options));
        if constexpr (requires { from.failures; })
            std::ranges::move(failures_between(from, to, options, [](const auto&) { return true; }),
                              std::back_inserter(result.devices));
    });
    return result;
}

Result<model::DocumentComparison> compare_across(const LoadedDocument& baseline, const LoadedDocument& other,
                                                 const CompareOptions& options) {
    HEAPWRIGHT_TRY(check_kinds(baseline, other));
    model::DocumentComparison result = head_of(baseline, other);
    result.across_devices = true;
    Status status;
    visit_both(baseline, other, [&](const auto& from, const auto& to) {
        if (from.devices.empty() || to.devices.empty()) {
            status = fail(ErrorCode::kNoDevice, "holds no device", from.devices.empty() ? baseline.file : other.file);
            return;
        }
        result.devices.push_back(compare_devices(from.devices.front(), to.devices.front(), options, true));
    });
    HEAPWRIGHT_TRY(status);
    return result;
}

Result<std::vector<model::DocumentComparison>> compare_by_device(std::span<const LoadedDocument> documents,
                                                                 const CompareOptions& options) {
    std::vector<model::DocumentComparison> results;
    for (const LoadedDocument& document : documents) HEAPWRIGHT_TRY(check_kinds(documents.front(), document));
    for (std::size_t index = 1; index < documents.size(); ++index) {
        const LoadedDocument& document = documents[index];
        // What an earlier document holds is compared with that one and with no later one.
        std::set<std::size_t> held;
        std::vector<model::DeviceIdentity> lost;
        const auto first_told = [&](const model::DeviceIdentity& device) {
            const bool is_first = std::ranges::find(lost, device) == lost.end();
            if (is_first) lost.push_back(device);
            return is_first;
        };
        for (std::size_t holder = 0; holder < index; ++holder) {
            const LoadedDocument& baseline = documents[holder];
            model::DocumentComparison comparison = head_of(baseline, document);
            for (const auto& [one, two] : pair_devices(baseline.identities(), document.identities()).pairs) {
                if (!held.insert(two).second) continue;
                visit_both(baseline, document, [&, one = one, two = two](const auto& from, const auto& to) {
                    comparison.devices.push_back(compare_devices(from.devices[one], to.devices[two], options, false));
                });
            }
            visit_both(baseline, document, [&](const auto& from, const auto& to) {
                if constexpr (requires { from.failures; }) {
                    auto failed = failures_between(from, to, options, [&](const DeviceComparison& each) {
                        if (is_of_one(each, comparison.devices)) return true;
                        const auto known = document.identities();
                        const bool is_listed = std::ranges::find(known, *each.other) != known.end();
                        return !is_listed && is_lost(each, baseline.identities()) && first_told(*each.other);
                    });
                    std::ranges::move(failed, std::back_inserter(comparison.devices));
                }
            });
            if (!comparison.devices.empty()) results.push_back(std::move(comparison));
        }
    }
    return results;
}

std::vector<std::string> unused_probes(const LoadedDocument& baseline, std::span<const LoadedDocument> probes) {
    std::vector<std::string> unused;
    const std::vector<model::DeviceIdentity> devices = baseline.identities();
    for (const LoadedDocument& probe : probes) {
        const std::vector<model::DeviceIdentity> others = probe.identities();
        const bool is_used = std::ranges::any_of(pair_devices(devices, others).pairs, [&](const auto& pair) {
            return model::same_device_and_driver(devices[pair.first], others[pair.second]);
        });
        if (!is_used) unused.push_back(probe.file);
    }
    return unused;
}

Outcome outcome_of(const model::Comparison& comparison) {
    Outcome outcome;
    const auto count = [&](ChangeStatus status) {
        if (is_failure(status)) ++outcome.failing;
        if (status == ChangeStatus::kImproved || status == ChangeStatus::kNew) ++outcome.improved;
        if (status == ChangeStatus::kInconclusive) ++outcome.inconclusive;
        if (status == ChangeStatus::kExpected) ++outcome.expected;
    };
    for (const model::DocumentComparison& document : comparison.documents) {
        if (document.across_devices) continue;
        for (const DeviceComparison& device : document.devices) {
            if (device.fields.empty() && device.sweeps.empty()) count(device.status);
            for (const model::FieldChange& change : device.fields) count(change.status);
            for (const model::SweepChange& change : device.sweeps) count(change.status);
        }
    }
    outcome.allow_list_notes = comparison.allow_list.size();
    return outcome;
}

}  // namespace heapwright::compare
