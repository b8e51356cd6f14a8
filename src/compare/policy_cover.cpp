#include "compare/policy_cover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compare/policy_simulation.hpp"
#include "compare/report_source.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"

namespace heapwright::compare {
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

}  // namespace heapwright::compare
