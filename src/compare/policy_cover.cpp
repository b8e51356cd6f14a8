#include "heapwright/compare/policy_cover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "heapwright/compare/policy_simulation.hpp"
#include "heapwright/compare/report_source.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/parallel.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/policy/advise.hpp"

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

Candidate make_candidate(const model::BehaviourGroup& group, const model::Workload& workload) {
    Candidate candidate;
    const auto text = read_named(group.representative);
    auto report = text ? model::read_report(*text, group.representative)
                       : Result<model::Report>(tl::unexpected<Error>(text.error()));
    if (!report || group.representative_device >= report->devices.size()) {
        candidate.error = report ? "the report changed meanwhile" : to_string(report.error());
        return candidate;
    }
    candidate.device = std::move(report->devices[group.representative_device]);
    // A policy for many machines rests on none's budget or speed.
    candidate.device->run = {};
    auto advised =
        policy::advise(*candidate.device, workload, 0, {.sample = kAdvisedSample, .with_expectations = false});
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

struct Served {
    bool serves = false;
    double waste = 0;
};

using Matrix = std::vector<std::vector<Served>>;  // [policy][group]

Matrix try_all(const std::vector<Candidate>& candidates, const ClusterOptions& options) {
    Matrix matrix(candidates.size(), std::vector<Served>(candidates.size()));
    for_each_index(candidates.size() * candidates.size(), options.threads, [&](std::size_t index) {
        if (interrupted()) return;
        const Candidate& made_for = candidates[index / candidates.size()];
        const Candidate& group = candidates[index % candidates.size()];
        if (!made_for.policy || !group.policy) return;
        Served& served = matrix[index / candidates.size()][index % candidates.size()];
        if (&made_for == &group) {
            served = {.serves = true, .waste = group.own.waste};
            return;
        }
        const auto figures = simulate_policy(*made_for.policy, *made_for.device, *group.device, *group.policy,
                                             *options.workload, kPlayedSample);
        if (!figures) return;
        served = {.serves = figures->failed_requests <= group.own.failed_requests &&
                            figures->waste <= group.own.waste + options.allowed_waste,
                  .waste = figures->waste};
    });
    return matrix;
}

std::vector<std::size_t> greedy_cover(const Matrix& matrix, const model::Clusters& clusters) {
    std::vector<bool> covered(matrix.size(), false);
    std::vector<std::size_t> chosen;
    for (;;) {
        std::size_t best = matrix.size();
        std::uint64_t most = 0;
        for (std::size_t policy = 0; policy < matrix.size(); ++policy) {
            std::uint64_t gain = 0;
            for (std::size_t group = 0; group < matrix.size(); ++group) {
                // A group counts as much as its devices; one more than none even if it is small.
                if (!covered[group] && matrix[policy][group].serves) gain += clusters.groups[group].reports;
            }
            if (gain > most) {
                most = gain;
                best = policy;
            }
        }
        if (best == matrix.size()) return chosen;
        chosen.push_back(best);
        for (std::size_t group = 0; group < matrix.size(); ++group)
            if (matrix[best][group].serves) covered[group] = true;
    }
}

// Last chosen first: later policies fill gaps, and may have made an earlier one superfluous.
void drop_superfluous(std::vector<std::size_t>& chosen, const Matrix& matrix) {
    for (std::size_t at = 0; at < chosen.size();) {
        bool needed = false;
        for (std::size_t group = 0; group < matrix.size() && !needed; ++group) {
            if (!matrix[chosen[at]][group].serves) continue;
            needed = std::none_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
                return other != chosen[at] && matrix[other][group].serves;
            });
        }
        if (needed)
            ++at;
        else
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

}  // namespace

Status find_covering_policies(model::Clusters& clusters, const ClusterOptions& options) {
    const std::size_t count = std::min(clusters.groups.size(), options.most_groups_in_cover);
    if (count < clusters.groups.size()) {
        clusters.cover_bound =
            fmt::format("policies were searched for the {} largest of {} groups", count, clusters.groups.size());
        for (std::size_t group = count; group < clusters.groups.size(); ++group)
            clusters.groups[group].not_served = "not among the groups for which policies were searched";
    }
    std::vector<Candidate> candidates(count);
    for_each_index(count, options.threads, [&](std::size_t index) {
        if (!interrupted()) candidates[index] = make_candidate(clusters.groups[index], *options.workload);
    });
    const Matrix matrix = try_all(candidates, options);
    HEAPWRIGHT_TRY(check_interrupted());
    std::vector<std::size_t> chosen = greedy_cover(matrix, clusters);
    drop_superfluous(chosen, matrix);
    for (const std::size_t policy : chosen) {
        clusters.policies.push_back(
            {.made_for = clusters.groups[policy].fingerprint, .file = clusters.groups[policy].representative});
    }
    for (std::size_t group = 0; group < count; ++group) {
        model::BehaviourGroup& entry = clusters.groups[group];
        for (std::size_t index = 0; index < chosen.size(); ++index) {
            const Served& served = matrix[chosen[index]][group];
            if (!served.serves || (entry.served_by && served.waste >= entry.waste)) continue;
            entry.served_by = index;
            entry.waste = std::max(0.0, served.waste);
        }
        if (!entry.served_by) {
            entry.not_served = candidates[group].error;
            continue;
        }
        ++clusters.policies[*entry.served_by].groups;
        clusters.policies[*entry.served_by].reports += entry.reports;
    }
    return {};
}

}  // namespace heapwright::compare
