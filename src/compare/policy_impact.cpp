#include "compare/policy_impact.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/device_pairing.hpp"
#include "compare/documents.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "model/names.hpp"
#include "policy/advise.hpp"
#include "policy/left_out.hpp"
#include "policy/simulated_pool.hpp"
#include "workload/draw.hpp"

namespace heapwright::compare {

namespace {

// Buckets by what they hold, so that another memory type order or alignment still meets its counterpart.
std::string bucket_key(const model::BucketPolicy& bucket, const MemoryLayout& layout) {
    std::string key;
    for (const model::ResourceClass resource : bucket.resource_classes) append(key, "+", name_of(resource));
    if (bucket.memory_type < layout.types.size()) append(key, "/", layout.types[bucket.memory_type]);
    return key;
}

using Numbers = std::map<std::string, std::string>;

Numbers numbers_of(const model::DevicePolicy& policy, const MemoryLayout& layout) {
    Numbers numbers;
    numbers["humongous_threshold_bytes"] = std::to_string(policy.humongous_threshold_bytes.value);
    numbers["max_chunks"] = std::to_string(policy.max_chunks.value);
    numbers["dedicated"] = name_of(policy.dedicated.value);
    numbers["separate_linear_and_optimal"] = policy.separate_linear_and_optimal.value ? "true" : "false";
    std::map<std::string, int> seen;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        std::string key = fmt::format("buckets/{}", bucket_key(bucket, layout));
        if (const int count = ++seen[key]; count > 1) key += fmt::format("#{}", count);
        numbers[key + "/alignment_bytes"] = std::to_string(bucket.alignment_bytes);
        numbers[key + "/chunk_size_bytes"] = std::to_string(bucket.chunk_size_bytes.value);
        numbers[key + "/granule_bytes"] = std::to_string(bucket.granule_bytes.value);
        if (bucket.dedicated_threshold_bytes)
            numbers[key + "/dedicated_threshold_bytes"] = std::to_string(bucket.dedicated_threshold_bytes->value);
        if (bucket.chunks_ahead) numbers[key + "/chunks_ahead"] = std::to_string(bucket.chunks_ahead->value);
    }
    return numbers;
}

std::vector<model::PolicyNumberChange> number_changes(const Numbers& from, const Numbers& to) {
    std::vector<model::PolicyNumberChange> changes;
    for (const auto& [path, value] : from) {
        const auto same = to.find(path);
        if (same == to.end())
            changes.push_back({.path = "/" + path, .from = value, .to = "none"});
        else if (same->second != value)
            changes.push_back({.path = "/" + path, .from = value, .to = same->second});
    }
    for (const auto& [path, value] : to) {
        if (!from.contains(path)) changes.push_back({.path = "/" + path, .from = "none", .to = value});
    }
    return changes;
}

const model::BucketPolicy* largest_bucket(const model::DevicePolicy& policy) {
    const auto largest = std::ranges::max_element(policy.buckets, {}, &model::BucketPolicy::expected_bytes);
    return largest == policy.buckets.end() ? nullptr : &*largest;
}

std::string chunk_text(const model::DevicePolicy& from, const model::DevicePolicy& to) {
    const auto* one = largest_bucket(from);
    const auto* other = largest_bucket(to);
    if (one == nullptr || other == nullptr) return "";
    if (one->chunk_size_bytes.value == other->chunk_size_bytes.value)
        return fmt::format(", chunk {} as before", byte_text(one->chunk_size_bytes.value));
    return fmt::format(", chunk {} to {}", byte_text(one->chunk_size_bytes.value),
                       byte_text(other->chunk_size_bytes.value));
}

// What the workload needs, chunks included: drivers that ask for more or less change it at equal waste.
std::string need_text(const model::DevicePolicy& from, const model::DevicePolicy& to) {
    if (!from.capacity || !to.capacity) return "";
    if (from.capacity->fits != to.capacity->fits) return ", " + model::statement_of(*to.capacity);
    const std::uint64_t one = from.capacity->needed_bytes;
    const std::uint64_t other = to.capacity->needed_bytes;
    if (one == other) return "";
    return fmt::format(", needs {} where it needed {}", byte_text(other), byte_text(one));
}

std::string not_simulated_text(const model::DevicePolicy& policy, const model::Workload& workload) {
    const std::string told = "not simulated under " + workload.name;
    if (workload.images.empty() && workload.buffers.empty()) return told + ": it asks for no memory";
    if (policy.warnings.empty()) return told + ": the device serves nothing of it";
    return model::with_reason(told, policy.warnings.claims().back());
}

}  // namespace

void make_comparable(model::DeviceReport& one, model::DeviceReport& other) {
    one.run.heap_budgets.clear();
    other.run.heap_budgets.clear();
    if (!one.run.memory_cost.empty() && !other.run.memory_cost.empty()) return;
    one.run.memory_cost.clear();
    other.run.memory_cost.clear();
}

model::PolicyImpact policy_impact(model::DeviceReport baseline, model::DeviceReport other,
                                  const model::Workload& workload) {
    make_comparable(baseline, other);
    model::PolicyImpact impact{.workload = workload.name};
    const auto from = policy::advise(baseline, workload, 0);
    const auto to = policy::advise(other, workload, 0);
    if (!from || !to) {
        const auto& error = from ? to.error() : from.error();
        impact.statement = fmt::format("no policy under {} for the {}: {}", workload.name,
                                       from ? "new driver" : "baseline", error.message);
        return impact;
    }
    impact.numbers = number_changes(numbers_of(*from, layout_of(baseline)), numbers_of(*to, layout_of(other)));
    if (!from->expectations || !to->expectations) {
        impact.statement = not_simulated_text(from->expectations ? *to : *from, workload) + chunk_text(*from, *to);
        return impact;
    }
    impact.waste_from = from->expectations->mean_waste.value;
    impact.waste_to = to->expectations->mean_waste.value;
    const double points = (impact.waste_to - impact.waste_from) * 100;
    const std::string change =
        std::abs(points) < 0.05
            ? fmt::format("the advised policy wastes as much under {} ({})", workload.name, share_text(impact.waste_to))
            : fmt::format("the advised policy wastes {:.1f}% {} under {} ({} to {})", std::abs(points),
                          points > 0 ? "more" : "less", workload.name, share_text(impact.waste_from),
                          share_text(impact.waste_to));
    impact.statement = change + need_text(*from, *to) + chunk_text(*from, *to);
    return impact;
}

namespace {

// Many policies over many devices: smaller samples than the advisor's. A play takes sixteen times a sample's steps.
constexpr policy::SampleOptions kAdvisedSample{.most_resources = 1024, .churn_steps = 256, .most_played = 1024};
constexpr policy::SampleOptions kPlayedSample{.most_resources = 1024, .churn_steps = 16, .most_played = 1024};

struct Candidate {
    std::optional<model::DeviceReport> device;
    std::optional<model::DevicePolicy> policy;
    std::string error;
    PolicyFigures own;
};

Candidate make_candidate(CoverDevice&& given, const model::Workload& workload, const CoverOptions& options) {
    Candidate candidate{.device = std::move(given.device), .policy = {}, .error = std::move(given.error), .own = {}};
    if (!candidate.device) return candidate;
    // A policy for many machines rests on none's budget or speed.
    candidate.device->run = {};
    auto advised =
        policy::advise(*candidate.device, workload, 0,
                       {.sample = kAdvisedSample, .humongous = options.humongous, .with_expectations = false});
    if (!advised) {
        candidate.error = advised.error().message;
        return candidate;
    }
    const auto figures =
        simulate_policy(*advised, *candidate.device, *candidate.device, *advised, workload, kPlayedSample);
    if (!figures) {
        candidate.error = to_string(figures.error());
        return candidate;
    }
    candidate.own = *figures;
    candidate.policy = std::move(*advised);
    return candidate;
}

struct Tried {
    bool serves = false;
    double waste = 0;
};

using Matrix = std::vector<std::vector<Tried>>;  // [policy][device]

Matrix try_all(const std::vector<Candidate>& candidates, const model::Workload& workload, const CoverOptions& options) {
    Matrix matrix(candidates.size(), std::vector<Tried>(candidates.size()));
    for_each_index(candidates.size() * candidates.size(), options.threads, [&](std::size_t index) {
        if (interrupted()) return;
        const Candidate& made_for = candidates[index / candidates.size()];
        const Candidate& other = candidates[index % candidates.size()];
        if (!made_for.policy || !other.policy) return;
        Tried& tried = matrix[index / candidates.size()][index % candidates.size()];
        if (&made_for == &other) {
            tried = {.serves = true, .waste = other.own.waste};
            return;
        }
        const auto figures =
            simulate_policy(*made_for.policy, *made_for.device, *other.device, *other.policy, workload, kPlayedSample);
        if (!figures) return;
        tried = {.serves = figures->failed_requests <= other.own.failed_requests &&
                           figures->waste <= other.own.waste + options.allowed_waste,
                 .waste = figures->waste};
    });
    return matrix;
}

std::vector<std::size_t> greedy_cover(const Matrix& matrix, const std::vector<std::uint64_t>& weights) {
    std::vector<bool> covered(matrix.size(), false);
    std::vector<std::size_t> chosen;
    for (;;) {
        std::size_t best = matrix.size();
        std::uint64_t most = 0;
        for (std::size_t policy = 0; policy < matrix.size(); ++policy) {
            std::uint64_t gain = 0;
            for (std::size_t device = 0; device < matrix.size(); ++device) {
                if (!covered[device] && matrix[policy][device].serves) gain += weights[device];
            }
            if (gain > most) {
                most = gain;
                best = policy;
            }
        }
        if (best == matrix.size()) return chosen;
        chosen.push_back(best);
        for (std::size_t device = 0; device < matrix.size(); ++device)
            if (matrix[best][device].serves) covered[device] = true;
    }
}

// Later policies fill gaps, and may have made an earlier one superfluous.
void drop_superfluous(std::vector<std::size_t>& chosen, const Matrix& matrix) {
    for (std::size_t at = 0; at < chosen.size();) {
        bool needed = false;
        for (std::size_t device = 0; device < matrix.size() && !needed; ++device) {
            if (!matrix[chosen[at]][device].serves) continue;
            needed = std::none_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
                return other != chosen[at] && matrix[other][device].serves;
            });
        }
        if (needed)
            ++at;
        else
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

CoverDevice representative_of(const model::BehaviourGroup& group) {
    CoverDevice found{.device = {}, .error = {}, .weight = group.reports};
    const auto text = read_named(group.representative);
    auto report = text ? model::read_report(*text, group.representative)
                       : Result<model::Report>(tl::unexpected<Error>(text.error()));
    if (!report || group.representative_device >= report->devices.size()) {
        found.error = report ? "the report changed meanwhile" : to_string(report.error());
    } else {
        found.device = std::move(report->devices[group.representative_device]);
    }
    return found;
}

}  // namespace

Result<Cover> cover_devices(std::vector<CoverDevice> devices, const model::Workload& workload,
                            const CoverOptions& options) {
    std::vector<std::uint64_t> weights;
    for (const CoverDevice& device : devices) weights.push_back(device.weight);
    std::vector<Candidate> candidates(devices.size());
    for_each_index(devices.size(), options.threads, [&](std::size_t index) {
        if (!interrupted()) candidates[index] = make_candidate(std::move(devices[index]), workload, options);
    });
    const Matrix matrix = try_all(candidates, workload, options);
    HEAPWRIGHT_TRY(check_interrupted());
    Cover cover{.policies = greedy_cover(matrix, weights), .devices = std::vector<Cover::Served>(devices.size())};
    drop_superfluous(cover.policies, matrix);
    for (std::size_t device = 0; device < devices.size(); ++device) {
        Cover::Served& served = cover.devices[device];
        for (std::size_t index = 0; index < cover.policies.size(); ++index) {
            const Tried& tried = matrix[cover.policies[index]][device];
            if (!tried.serves || (served.by && tried.waste >= served.waste)) continue;
            served.by = index;
            served.waste = std::max(0.0, tried.waste);
        }
        if (!served.by) served.not_served = candidates[device].error;
    }
    return cover;
}

Status find_covering_policies(model::Clusters& clusters, const ClusterOptions& options) {
    const std::size_t count = std::min(clusters.groups.size(), options.most_groups_in_cover);
    if (count < clusters.groups.size()) {
        clusters.cover_bound =
            fmt::format("policies were searched for the {} largest of {} groups", count, clusters.groups.size());
        for (std::size_t group = count; group < clusters.groups.size(); ++group)
            clusters.groups[group].not_served = "not among the groups for which policies were searched";
    }
    std::vector<CoverDevice> devices(count);
    for_each_index(count, options.threads, [&](std::size_t index) {
        if (!interrupted()) devices[index] = representative_of(clusters.groups[index]);
    });
    HEAPWRIGHT_ASSIGN(Cover cover, cover_devices(std::move(devices), *options.workload,
                                                 {.allowed_waste = options.allowed_waste, .threads = options.threads}));
    for (const std::size_t policy : cover.policies) {
        clusters.policies.push_back(
            {.made_for = clusters.groups[policy].fingerprint, .file = clusters.groups[policy].representative});
    }
    for (std::size_t group = 0; group < count; ++group) {
        model::BehaviourGroup& entry = clusters.groups[group];
        Cover::Served& served = cover.devices[group];
        entry.served_by = served.by;
        entry.waste = served.waste;
        if (!served.by) {
            entry.not_served = std::move(served.not_served);
            continue;
        }
        ++clusters.policies[*served.by].groups;
        clusters.policies[*served.by].reports += entry.reports;
    }
    return {};
}

namespace {

// The policy in another device's memory types. Buckets of types that it lacks take nothing.
Result<model::DevicePolicy> translated(model::DevicePolicy policy, const model::DeviceReport& made_for,
                                       const model::DeviceReport& device) {
    const MemoryLayout layout = layout_of(made_for);
    const TypeTranslation translation(layout, layout_of(device));
    for (model::MemoryUsePolicy& use : policy.memory_uses) {
        std::vector<std::uint32_t> here;
        for (const std::uint32_t type : use.memory_types.value) {
            if (const auto same = translation.type(type)) here.push_back(*same);
        }
        if (here.empty() && !use.memory_types.value.empty()) {
            const std::uint32_t best = use.memory_types.value.front();
            return fail(ErrorCode::kNotSupported,
                        fmt::format("no memory type such as {}",
                                    best < layout.types.size() ? layout.types[best] : std::to_string(best)));
        }
        use.memory_types.value = std::move(here);
    }
    std::erase_if(policy.buckets,
                  [&](const model::BucketPolicy& bucket) { return !translation.type(bucket.memory_type); });
    for (model::BucketPolicy& bucket : policy.buckets)
        bucket.memory_type = translation.type(bucket.memory_type).value_or(bucket.memory_type);
    policy.memory_types = device.memory_types;
    return policy;
}

Status check_chunks(const model::DevicePolicy& policy, const model::DeviceReport& device) {
    const auto limit = device.limit("maxMemoryAllocationSize");
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (!model::is_in_use(bucket)) continue;
        const std::uint64_t usable =
            policy.heaps[device.memory_types[bucket.memory_type].heap_index].usable_bytes.value;
        const std::uint64_t most = std::min(limit.value_or(usable), usable);
        if (bucket.chunk_size_bytes.value <= most) continue;
        return fail({.code = ErrorCode::kNotSupported,
                     .message = fmt::format("chunks of bucket {} are too large here", bucket.id),
                     .value = bucket.chunk_size_bytes.value,
                     .limit = most});
    }
    return {};
}

}  // namespace

Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy, const model::DeviceReport& made_for,
                                      const model::DeviceReport& device, const model::DevicePolicy& own,
                                      const model::Workload& workload, const policy::SampleOptions& sample) {
    HEAPWRIGHT_ASSIGN(model::DevicePolicy here, translated(policy, made_for, device));
    here.heaps = own.heaps;
    here.max_chunks = own.max_chunks;
    HEAPWRIGHT_TRY(check_chunks(here, device));
    const model::Workload planned = workload::split_buffers(policy::plan_workload(device, workload).workload, here);
    const policy::Context context{.device = device, .workload = planned, .device_index = 0};
    HEAPWRIGHT_ASSIGN(const policy::PlayedPolicy played,
                      policy::PolicyPlayer(context, here, sample).play_seed(workload.seed));
    return PolicyFigures{.waste = std::max(0.0, played.pool.mean_waste), .failed_requests = played.failures};
}

}  // namespace heapwright::compare
