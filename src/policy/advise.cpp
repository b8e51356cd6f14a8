#include "policy/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/claims.hpp"
#include "model/names.hpp"
#include "policy/allocation_cost.hpp"
#include "policy/article_rule.hpp"
#include "policy/bucket_settings.hpp"
#include "policy/buckets.hpp"
#include "policy/capacity.hpp"
#include "policy/context.hpp"
#include "policy/creation_rules.hpp"
#include "policy/default_workload.hpp"
#include "policy/descriptors.hpp"
#include "policy/engine_rules.hpp"
#include "policy/expectations.hpp"
#include "policy/heap_budget.hpp"
#include "policy/largest_buffer.hpp"
#include "policy/learned.hpp"
#include "policy/left_out.hpp"
#include "policy/memory_types.hpp"
#include "policy/optimise.hpp"
#include "policy/own_memory.hpp"
#include "policy/uploads.hpp"
#include "workload/draw.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::array kAllUses{model::MemoryUse::kDeviceOnly, model::MemoryUse::kUpload, model::MemoryUse::kReadback,
                              model::MemoryUse::kStreaming};

bool workload_uses(const model::Workload& workload, model::MemoryUse use) {
    const auto is_used = [use](const auto& hint) { return hint.count != 0 && hint.memory_use == use; };
    return std::any_of(workload.images.begin(), workload.images.end(), is_used) ||
           std::any_of(workload.buffers.begin(), workload.buffers.end(), is_used);
}

Result<std::vector<model::MemoryUsePolicy>> rank_all_uses(const Context& context, model::DevicePolicy& policy) {
    std::vector<model::MemoryUsePolicy> uses;
    for (const model::MemoryUse use : kAllUses) {
        uses.push_back(rank_memory_types(context, use, policy.heaps));
        if (!uses.back().memory_types.value.empty()) continue;
        if (workload_uses(context.workload, use)) {
            model::Statement why;
            for (const auto& entry : uses.back().excluded) {
                why += claim<ClaimId::kTypeLeftOut>(model::count(entry.memory_type));
                why += entry.reason;
            }
            return fail(
                ErrorCode::kNotSupported,
                model::with_reason(fmt::format("no memory type serves the workload's {} memory", to_string(use)), why),
                fmt::format("/devices/{}/memory_types", context.device_index));
        }
        policy.warnings += claim<ClaimId::kNoTypeForUse>(to_string(use));
    }
    return uses;
}

Status check_has_memory(const Context& context) {
    if (!context.device.memory_types.empty()) return {};
    return fail(ErrorCode::kNoDevice,
                fmt::format("the report holds no memory types of {}{}", context.device.identity.name,
                            context.device.origin == model::ReportOrigin::kImport
                                ? ": the file that it was imported from has none"
                                : ""),
                fmt::format("/devices/{}/memory_types", context.device_index));
}

void warn_of_left_out(const std::vector<model::HintLeftOut>& left_out, model::Statement& warnings) {
    if (left_out.empty()) return;
    double share = 0;
    for (const model::HintLeftOut& one : left_out) share += one.bytes_share;
    warnings += claim<ClaimId::kLeftOutByPlan>(model::share(share));
    for (const auto& [lack, hints] : model::hints_by_lack(left_out))
        warnings += claim<ClaimId::kLeftOutForLack>(lack, model::count(hints.size()), hints.front());
}

void warn_of_import(const model::DeviceReport& device, model::Statement& warnings) {
    if (device.origin != model::ReportOrigin::kImport) return;
    warnings += claim<ClaimId::kImported>(fmt::format("{}", fmt::join(device.absent, ", ")));
}

// Of a report of this program that holds neither sweep: what the driver did instead of answering.
void warn_of_cut_probe(const model::DeviceReport& device, model::Statement& warnings) {
    if (device.origin != model::ReportOrigin::kProbe) return;
    if (!device.image_sweep.cases.empty() || !device.buffer_sweep.cases.empty()) return;
    const auto reason = std::ranges::find_if(device.findings, [](const model::Finding& finding) {
        return finding.id == "probe-cut-short" || finding.id == "driver-crash";
    });
    if (reason != device.findings.end()) warnings += claim<ClaimId::kProbeCut>(reason->statement);
}

// Of the memory types that the workload fills.
void tell_assumed_costs(const Context& context, model::DevicePolicy& policy) {
    std::set<std::uint32_t> types;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (model::is_in_use(bucket)) types.insert(bucket.memory_type);
    }
    for (const std::uint32_t type : types) {
        const AllocationCost cost(context, type);
        if (!cost.is_measured()) policy.assumed += cost.source().claims().front();
    }
}

void warn_of_missing_limit(const Context& context, model::Statement& warnings) {
    if (find_limit(context, "maxMemoryAllocationSize") || context.device.identity.api == model::Api::kD3d12) return;
    constexpr std::uint64_t kGuaranteed = 1u << 30;
    warnings += claim<ClaimId::kAllocationLimitMissing>(model::bytes(kGuaranteed));
}

void warn_of_scarcity(const std::vector<Bucket>& buckets, const model::DevicePolicy& policy,
                      model::Statement& warnings) {
    std::uint64_t chunks = 0;
    for (const Bucket& bucket : buckets) {
        const std::uint64_t size = std::max<std::uint64_t>(1, bucket.policy.chunk_size_bytes.value);
        chunks = checked_add(chunks, div_ceil(bucket.policy.expected_bytes, size)).value_or(~0ull);
    }
    if (chunks <= policy.max_chunks.value) return;
    warnings += claim<ClaimId::kChunksScarce>(model::count(chunks), model::count(policy.max_chunks.value));
}

// The buckets, and all that follows from them.
void add_buckets(const Context& context, std::span<const PlacedDemand> placed, std::vector<Bucket> buckets,
                 ChunkRuleName rule, model::DevicePolicy& policy) {
    FeasibleBuckets feasible = make_feasible(std::move(buckets), policy.heaps, policy.warnings);
    policy.feasibility = std::move(feasible.proofs);
    if (rule == ChunkRuleName::kSimulated) decide_chunks_ahead(context, policy, feasible.buckets);
    warn_of_scarcity(feasible.buckets, policy, policy.warnings);
    decide_priorities(context, placed, feasible.buckets, policy.warnings);
    for (Bucket& bucket : feasible.buckets) policy.buckets.push_back(std::move(bucket.policy));
    for (model::BucketPolicy& bucket : default_buckets(context, policy)) policy.buckets.push_back(std::move(bucket));
}

void add_simulated_buckets(const Context& context, const AdviseOptions& options, const OptimiseInputs& inputs,
                           const std::shared_ptr<const PlayedStreams>& streams, model::DevicePolicy& policy) {
    warn_of_humongous(inputs.buckets, policy.warnings);
    std::vector<OptimisedBuckets> candidates = optimise_buckets(context, inputs);
    std::vector<WholeCandidate> whole;
    const auto add = [&](const OptimisedBuckets& candidate, model::DevicePolicy& to) {
        if (!candidate.shared_classes.empty()) share_classes(to.separate_linear_and_optimal, candidate.shared_classes);
        add_buckets(context, inputs.buckets.placed, candidate.buckets, options.rule, to);
    };
    for (const OptimisedBuckets& candidate : candidates) {
        whole.push_back({.chunk_share = candidate.chunk_share, .policy = policy});
        add(candidate, whole.back().policy);
    }
    const WholeChoice choice = choose_whole(context, whole, streams);
    OptimisedBuckets& chosen = candidates[choice.chosen];
    // What one bucket's own simulation did not see.
    bool has_more_chunks = false;
    for (std::size_t i = 0; i < std::min(chosen.buckets.size(), choice.most_new_chunks.size()); ++i) {
        Bucket& bucket = chosen.buckets[i];
        if (choice.most_new_chunks[i] <= bucket.most_new_chunks) continue;
        bucket.most_new_chunks = choice.most_new_chunks[i];
        has_more_chunks = true;
    }
    if (has_more_chunks) {
        add(chosen, policy);
    } else {
        policy = std::move(whole[choice.chosen].policy);
    }
    for (model::BucketPolicy& bucket : policy.buckets) {
        if (model::is_in_use(bucket) && !choice.why.empty()) bucket.chunk_size_bytes.why.reason += choice.why;
    }
    warn_of_long_frames(context, chosen, policy.warnings);
}

const model::DeviceValidation* find_learned(const model::DeviceReport& device, const AdviseOptions& options) {
    if (options.learned == nullptr) return nullptr;
    const auto& devices = options.learned->devices;
    const auto found = std::ranges::find_if(devices, [&](const model::DeviceValidation& one) {
        return model::same_device_and_driver(one.identity, device.identity);
    });
    return found == devices.end() ? nullptr : &*found;
}

// What the finished policy does to the workload: whether it fits and what to expect.
void decide_outcome(const Context& context, const AdviseOptions& options, const CapacityResult& capacity,
                    const std::shared_ptr<const PlayedStreams>& streams, model::DevicePolicy& policy) {
    const bool has_requests = !capacity.placed.empty() || !capacity.plan.unfit.empty();
    if (!options.with_expectations || !has_requests) return estimate_fit(capacity, policy);
    const PolicyPlayer player(context, policy, streams);
    const auto runs = player.play();
    if (!runs) {
        policy.warnings += claim<ClaimId::kPlayFailed>(to_string(runs.error()));
        return estimate_fit(capacity, policy);
    }
    policy.expectations = decide_expectations(context, policy, player, *runs, policy.warnings);
    decide_fit(context, player, *runs, capacity, policy);
}

Result<model::DevicePolicy> advise_at_cost(const model::DeviceReport& device, const model::Workload& whole,
                                           std::size_t device_index, const AdviseOptions& options, double cost_factor) {
    PlannedWorkload planned = plan_workload(device, whole);
    const model::Workload& workload = planned.workload;
    const Context context{.device = device,
                          .workload = workload,
                          .device_index = device_index,
                          .workload_argument = options.workload_argument,
                          .cost_factor = cost_factor};
    model::DevicePolicy policy;
    policy.identity = device.identity;
    policy.memory_types = device.memory_types;
    policy.frame_budget_ns = workload.frame_budget_ns;
    model::Statement& warnings = policy.warnings;
    HEAPWRIGHT_TRY(check_has_memory(context));
    warn_of_left_out(planned.left_out, warnings);
    policy.left_out = std::move(planned.left_out);
    warn_of_unsupported(context, warnings);
    warn_of_import(device, warnings);
    warn_of_cut_probe(device, warnings);
    warn_of_missing_limit(context, warnings);

    policy.max_chunks = decide_max_chunks(context, warnings);
    policy.heaps = decide_heaps(context, policy.max_chunks, warnings);
    HEAPWRIGHT_ASSIGN(policy.memory_uses, rank_all_uses(context, policy));
    policy.largest_buffer_bytes = decide_largest_buffer(context, policy);
    policy.largest_storage_buffer_bytes = decide_largest_storage_buffer(context, policy);
    policy.split = list_split(context, policy);
    // Everything below is of the parts.
    planned.workload = workload::split_buffers(std::move(planned.workload), policy);
    warn_of_storage_range(context, warnings);

    const DemandList demand = list_demand(context);
    policy.unanswered_points = demand.unanswered_points;
    warnings += demand.warnings;
    policy.assumed += demand.assumed;
    CapacityResult capacity = plan_capacity(context, demand.parts, policy.memory_uses, policy.heaps, warnings);
    capacity.beyond_limit.insert(demand.why_not.begin(), demand.why_not.end());
    const std::vector<PlacedDemand>& placed = capacity.placed;
    policy.capacity = capacity.plan;
    warn_of_device_class(context, policy, warnings);
    if (!capacity.serves_any && !(workload.images.empty() && workload.buffers.empty())) {
        const model::Statement why = warnings.empty() ? warnings : model::Statement(warnings.claims().back());
        return fail(ErrorCode::kNotSupported,
                    model::with_reason(
                        fmt::format("none of the workload's hints can be served by {}", device.identity.name), why),
                    fmt::format("/devices/{}", device_index));
    }

    if (options.capacity_alone) {
        estimate_fit(capacity, policy);
        return policy;
    }
    policy.dedicated = decide_dedicated(context, placed, policy.max_chunks);
    const LargestOrdinary largest = decide_largest_ordinary(context, placed, policy.dedicated.value);
    policy.largest_ordinary_bytes = largest.bytes;
    policy.humongous_threshold_bytes = decide_humongous(context, policy, largest);
    policy.humongous = decide_humongous_rule(options.humongous);
    policy.separate_linear_and_optimal = decide_separation(context, placed, warnings);

    const BucketInputs bucket_inputs{.placed = placed,
                                     .dedicated = policy.dedicated.value,
                                     .humongous_threshold_bytes = policy.humongous_threshold_bytes.value,
                                     .separate_linear_and_optimal = policy.separate_linear_and_optimal.value};
    const auto streams = std::make_shared<const PlayedStreams>(context, options.sample);
    if (options.rule == ChunkRuleName::kSource) {
        std::vector<Bucket> buckets = source_buckets(context, bucket_inputs, policy.heaps, largest, warnings);
        list_merging_alternatives(buckets);
        add_buckets(context, placed, std::move(buckets), options.rule, policy);
    } else {
        add_simulated_buckets(context, options,
                              {.buckets = bucket_inputs,
                               .heaps = policy.heaps,
                               .largest = largest,
                               .max_chunks = policy.max_chunks,
                               .sample = options.sample},
                              streams, policy);
    }

    tell_assumed_costs(context, policy);

    policy.frames_in_flight = decide_frames_in_flight(context);
    policy.descriptors = decide_descriptors(context, policy.frames_in_flight.value, warnings);
    policy.uploads = decide_uploads(context, policy, warnings);
    policy.engines =
        decide_engines(context, policy.frames_in_flight.value, policy.largest_ordinary_bytes.value, warnings);
    policy.creations = decide_creations(context);
    decide_outcome(context, options, capacity, streams, policy);
    return policy;
}

}  // namespace

Result<model::DevicePolicy> advise(const model::DeviceReport& device, const model::Workload& workload,
                                   std::size_t device_index, const AdviseOptions& options) {
    const model::DeviceValidation* const learned = find_learned(device, options);
    if (learned == nullptr) return advise_at_cost(device, workload, device_index, options, 1);
    const auto advise_at = [&](double factor) {
        return advise_at_cost(device, workload, device_index, options, factor);
    };
    HEAPWRIGHT_ASSIGN(const double factor, learned_cost_factor(*learned, advise_at));
    HEAPWRIGHT_ASSIGN(model::DevicePolicy policy, advise_at(factor));
    if (policy.expectations) learn_promises(*policy.expectations, *learned);
    return policy;
}

Result<model::Policy> advise(const model::Report& report, const model::Workload& workload,
                             std::span<const std::size_t> device_indexes, const AdviseOptions& options) {
    std::vector<std::size_t> selected(device_indexes.begin(), device_indexes.end());
    if (selected.empty()) {
        selected.resize(report.devices.size());
        std::iota(selected.begin(), selected.end(), std::size_t{0});
    }
    model::Policy policy;
    policy.workload_name = workload.name;
    policy.workload = workload;
    if (options.learned != nullptr) HEAPWRIGHT_TRY(check_teaches(*options.learned, workload));
    if (options.learned != nullptr && std::ranges::none_of(selected, [&](std::size_t index) {
            return index < report.devices.size() && find_learned(report.devices[index], options) != nullptr;
        })) {
        return fail(ErrorCode::kInvalidArgument, "the validation is of no device and driver of the report",
                    "validation");
    }
    for (const std::size_t index : selected) {
        if (index >= report.devices.size()) {
            return fail({.code = ErrorCode::kOutOfRange,
                         .message = "the report holds no device of this index",
                         .where = "/devices",
                         .value = index,
                         .limit = report.devices.size()});
        }
        HEAPWRIGHT_ASSIGN(auto device_policy, advise(report.devices[index], workload, index, options));
        policy.devices.push_back(std::move(device_policy));
    }
    if (policy.devices.empty()) return fail(ErrorCode::kNoDevice, "the report holds no device", "/devices");

    policy.header.tool_version = kVersion;
    policy.header.sources = {{.kind = model::DocumentKind::kReport, .stable_hash = model::stable_hash(report)},
                             {.kind = model::DocumentKind::kWorkload, .stable_hash = model::stable_hash(workload)}};
    return policy;
}

}  // namespace heapwright::policy
