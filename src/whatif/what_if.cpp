#include "heapwright/whatif/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "heapwright/core/count_text.hpp"
#include "heapwright/core/parallel.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/ranked_types.hpp"
#include "heapwright/whatif/evidence.hpp"

namespace heapwright::whatif {
namespace {

using model::WhatIfColumn;

// A row of the document or a point of a curve.
struct Cast {
    const Way* way = nullptr;
    bool is_real = false;
    std::string not_played;
};

// The report's median costs, by memory type.
class MedianPrices {
public:
    explicit MedianPrices(const model::DeviceReport& facts)
        : context_{.device = facts, .workload = none_, .device_index = 0} {
        for (std::uint32_t type = 0; type < facts.memory_types.size(); ++type) costs_.emplace_back(context_, type);
    }
    MedianPrices(const MedianPrices&) = delete;
    MedianPrices& operator=(const MedianPrices&) = delete;

    [[nodiscard]] double of(const policy::DeviceMemoryCall& call) const {
        const policy::AllocationCost& cost = costs_[call.memory_type];
        return call.takes ? cost.median_allocate_ns(call.size_bytes, owner_of(call))
                          : cost.median_free_ns(call.size_bytes, owner_of(call));
    }
    // What stands in for measured costs of the memory type that the policy gives the device's own resources first;
    // empty: they are measured.
    [[nodiscard]] std::string assumption(const model::DevicePolicy& policy) const {
        policy::RankedTypes types(policy);
        const auto ranked = types.of(~0u, model::MemoryUse::kDeviceOnly, model::ResourceClass::kOptimal);
        // A policy for another device may rank types that this one lacks.
        const auto type = std::ranges::find_if(ranked, [&](std::uint32_t one) { return one < costs_.size(); });
        if (type == ranked.end() || costs_[*type].is_measured()) return {};
        return costs_[*type].source();
    }

private:
    const model::Workload none_;
    const policy::Context context_;
    std::vector<policy::AllocationCost> costs_;
};

// One run of one program: what came of every player of the cast.
struct Pass {
    StepCounts counts;
    std::vector<std::optional<Account>> accounts;  // by cast; empty: not played
    std::vector<std::string> not_played;           // by cast
};

class WhatIfPlay {
public:
    explicit WhatIfPlay(const WhatIfRequest& request) : request_(request), prices_(request.facts) {
        for (const Way& way : request.ways) cast_.push_back({.way = &way, .not_played = way.not_played});
        if (request.memory != nullptr) {
            for (const Way& way : request.ways) {
                if (way.kind == Way::Kind::kAsDumped) continue;
                cast_.push_back({.way = &way, .is_real = true, .not_played = way.not_played});
            }
        }
        rows_ = cast_.size();
        for (const Curve& curve : request.curves) {
            for (const Way& way : curve.swept.ways) cast_.push_back({.way = &way, .not_played = way.not_played});
        }
    }

    Result<model::WhatIf> run() {
        std::vector<InputEvidence> evidence;
        for (const Program& program : request_.programs) {
            HEAPWRIGHT_ASSIGN(InputEvidence of_program, play(program));
            evidence.push_back(std::move(of_program));
        }
        write(Evidence(std::move(evidence)));
        return std::move(what_if_);
    }

private:
    [[nodiscard]] Stage stage_of(const Program& program, bool is_real) const {
        Stage stage{.facts = request_.facts,
                    .price_ns = {},
                    .frames_in_flight = program.frames_in_flight,
                    .frame_budget_ns = program.frame_budget_ns,
                    .memory = is_real ? request_.memory : nullptr};
        if (is_real)
            stage.price_ns = [](const policy::DeviceMemoryCall& call) { return static_cast<double>(call.measured_ns); };
        else
            stage.price_ns = [this](const policy::DeviceMemoryCall& call) { return prices_.of(call); };
        return stage;
    }

    // Players on the device's memory each have it for themselves.
    Result<Pass> pass(const Program& program, std::uint64_t run, const Stage& numbers, const Stage& real) const {
        Pass done;
        done.accounts.resize(cast_.size());
        done.not_played.resize(cast_.size());
        std::vector<std::size_t> together;
        for (std::size_t i = 0; i < cast_.size(); ++i) {
            if (!cast_[i].not_played.empty() || cast_[i].way->kind == Way::Kind::kAsDumped) continue;
            if (!cast_[i].is_real) {
                together.push_back(i);
                continue;
            }
            HEAPWRIGHT_TRY(play_together(program, run, real, std::vector{i}, done));
        }
        HEAPWRIGHT_TRY(play_together(program, run, numbers, together, done));
        return done;
    }

    Status play_together(const Program& program, std::uint64_t run, const Stage& stage,
                         const std::vector<std::size_t>& cast, Pass& done) const {
        std::vector<std::pair<std::size_t, std::unique_ptr<Player>>> players;
        for (const std::size_t i : cast) {
            auto player = make_player(*cast_[i].way, stage);
            if (player)
                players.emplace_back(i, std::move(*player));
            else
                done.not_played[i] = player.error().message;
        }
        HEAPWRIGHT_ASSIGN(const auto source, program.open(run));
        std::vector<Step> steps;
        while (true) {
            HEAPWRIGHT_TRY(source->read(steps));
            if (steps.empty()) break;
            for (const auto& [i, player] : players) HEAPWRIGHT_TRY(player->play(steps));
        }
        for (const auto& [i, player] : players) {
            HEAPWRIGHT_TRY(player->finish());
            done.accounts[i] = player->account();
        }
        done.counts = source->counts();
        return {};
    }

    Result<InputEvidence> play(const Program& program) {
        const Stage numbers = stage_of(program, false);
        const Stage real = stage_of(program, true);
        // A device's own times differ from one play to the next.
        const bool is_repeated = program.is_drawn || request_.memory != nullptr;
        const std::uint64_t runs = is_repeated ? kSeeds : 1;
        std::vector<Result<Pass>> passes(runs);
        const std::size_t threads =
            request_.memory != nullptr ? 1 : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, runs);
        std::vector<std::vector<Figures>> seeds(cast_.size());
        for_each_index(runs, threads, [&](std::size_t run) { passes[run] = pass(program, run, numbers, real); });
        for (Result<Pass>& done : passes) {
            if (!done) return fail(std::move(done.error()));
            for (std::size_t i = 0; i < cast_.size(); ++i) {
                if (cast_[i].not_played.empty()) cast_[i].not_played = done->not_played[i];
                if (done->accounts[i]) seeds[i].push_back(done->accounts[i]->figures());
            }
        }
        const StepCounts& counts = passes.front()->counts;
        if (counts.creations == counts.refused)
            return fail(ErrorCode::kInvalidArgument,
                        counts.creations == 0 ? "it creates nothing: there is nothing to play"
                                              : fmt::format("the device refuses every resource of it ({})",
                                                            counted(counts.creations, "creation")),
                        program.name);
        note(program, counts);
        for (std::size_t i = 0; i < cast_.size(); ++i) {
            if (cast_[i].way->kind == Way::Kind::kAsDumped && cast_[i].not_played.empty()) {
                if (program.as_dumped)
                    seeds[i].assign(runs, *program.as_dumped);
                else
                    cast_[i].not_played =
                        fmt::format("{} is no dump: it does not say what the program had", program.name);
            }
            seeds[i].resize(runs);  // without figures where it was not played
        }
        if (is_repeated) {
            what_if_.seeds = runs;
            if (!program.is_drawn)
                what_if_.notes.push_back(
                    fmt::format("{} is a {}: it is played {} times on the device, and what holds of it holds of its "
                                "operations as they are.",
                                program.name, program.kind, runs));
            return evidence_of_seeds(seeds, program.weight);
        }
        return of_trace(program, passes.front()->accounts);
    }

    InputEvidence of_trace(const Program& program, const std::vector<std::optional<Account>>& accounts) {
        std::vector<const Account*> played;
        for (const std::optional<Account>& account : accounts)
            if (account) played.push_back(&*account);
        InputEvidence of_played = evidence_of_stretches(played, program.weight);
        if (!played.empty()) {
            const std::size_t stretches = played.front()->stretches().size();
            if (stretches >= kLeastStretches)
                what_if_.stretches = std::max<std::uint64_t>(what_if_.stretches, stretches);
            else
                what_if_.notes.push_back(fmt::format(
                    "{} has {} after its load, too few to tell noise: differences hold for this trace as it "
                    "is.",
                    program.name, counted(stretches, "frame")));
        }
        InputEvidence evidence = of_played;
        evidence.rows.clear();
        auto next = of_played.rows.begin();
        for (const std::optional<Account>& account : accounts) {
            if (account)
                evidence.rows.push_back(std::move(*next++));
            else
                evidence.rows.emplace_back();
        }
        return evidence;
    }

    void note(const Program& program, const StepCounts& counts) {
        what_if_.inputs.push_back({.name = program.name,
                                   .kind = program.kind,
                                   .weight = program.weight,
                                   .operations = counts.operations,
                                   .creations = counts.creations,
                                   .frames = counts.frames});
        if (program.kind == "dump")
            what_if_.notes.push_back(
                fmt::format("{} is a dump: it has no order and no times. Its resources are created in {} drawn orders, "
                            "and nothing is said of frames.",
                            program.name, kSeeds));
        if (counts.refused != 0)
            what_if_.notes.push_back(
                fmt::format("{} of {} in {} are of kinds that this device refuses; nobody plays "
                            "them.",
                            counts.refused, counted(counts.creations, "creation"), program.name));
        const double estimated = counts.asked_bytes > 0 ? counts.estimated_bytes / counts.asked_bytes : 0;
        if (estimated > 0.001)
            what_if_.notes.push_back(
                fmt::format("{:.0f}% of the bytes of {} are of sizes that the report does not tell; they are taken "
                            "from the nearest that it does.",
                            std::max(1.0, 100 * estimated), program.name));
    }

    template <class Played>
    void write_cells(const Evidence& evidence, std::size_t cast, Played& played) const {
        if (!cast_[cast].not_played.empty()) {
            played.not_played = cast_[cast].not_played;
            return;
        }
        for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) {
            const auto column = static_cast<WhatIfColumn>(i);
            const auto value = evidence.value(cast, column);
            if (!value) continue;
            model::WhatIfCell cell{.column = column, .value = *value};
            if (cast != 0 && evidence.value(0, column)) {
                const Difference difference = evidence.difference(0, cast, column);
                cell.verdict = difference.verdict();
                cell.least_difference = difference.least();
                cell.most_difference = difference.most();
            }
            played.cells.push_back(cell);
        }
        if (played.cells.empty()) played.not_played = "the inputs have no figure in common for it";
    }

    // Those of a row or a point, as they were written.
    using Cells = std::vector<model::WhatIfCell>;

    // Who found no memory for more requests than another holds less: it is best in nothing.
    void mark_best(const Evidence& evidence, const std::vector<std::pair<std::size_t, Cells*>>& compared) const {
        std::vector<std::pair<std::size_t, Cells*>> able;
        double fewest = 0;
        for (const auto& [cast, cells] : compared) {
            if (!cast_[cast].not_played.empty()) continue;
            const double failed = evidence.value(cast, WhatIfColumn::kFailedRequests).value_or(0);
            if (able.empty() || failed < fewest) {
                able.clear();
                fewest = failed;
            }
            if (failed == fewest) able.emplace_back(cast, cells);
        }
        for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) mark_best(evidence, static_cast<WhatIfColumn>(i), able);
    }

    void mark_best(const Evidence& evidence, WhatIfColumn column,
                   std::vector<std::pair<std::size_t, Cells*>> able) const {
        std::erase_if(able, [&](const auto& one) { return !evidence.value(one.first, column); });
        if (able.empty()) return;
        const std::size_t best = std::ranges::min_element(able, {}, [&](const auto& one) {
                                     return evidence.value(one.first, column).value_or(0);
                                 })->first;
        for (const auto& [cast, cells] : able) {
            if (evidence.difference(best, cast, column).verdict() == model::WhatIfVerdict::kMore) continue;
            for (model::WhatIfCell& cell : *cells)
                if (cell.column == column) cell.is_best = true;
        }
    }

    void mark_best(const Evidence& evidence) {
        std::vector<std::pair<std::size_t, Cells*>> of_numbers;
        std::vector<std::pair<std::size_t, Cells*>> of_device;
        for (std::size_t row = 0; row < rows_; ++row)
            (cast_[row].is_real ? of_device : of_numbers).emplace_back(row, &what_if_.rows[row].cells);
        mark_best(evidence, of_numbers);
        mark_best(evidence, of_device);
        std::size_t cast = rows_;
        for (model::WhatIfCurve& curve : what_if_.curves) {
            std::vector<std::pair<std::size_t, Cells*>> points;
            for (model::WhatIfPoint& point : curve.points) points.emplace_back(cast++, &point.cells);
            mark_best(evidence, points);
        }
    }

    void write(const Evidence& evidence) {
        what_if_.device = request_.facts.identity;
        for (std::size_t row = 0; row < rows_; ++row) {
            model::WhatIfRow written{.name = cast_[row].way->name,
                                     .how = cast_[row].way->how,
                                     .is_real = cast_[row].is_real,
                                     .not_played = {},
                                     .cells = {}};
            write_cells(evidence, row, written);
            what_if_.rows.push_back(std::move(written));
        }
        std::size_t cast = rows_;
        for (const Curve& curve : request_.curves) {
            model::WhatIfCurve written{.setting = curve.swept.setting, .of = curve.of, .points = {}};
            for (const std::uint64_t size : curve.swept.sizes) {
                model::WhatIfPoint point{.size_bytes = size, .not_played = {}, .cells = {}};
                write_cells(evidence, cast++, point);
                written.points.push_back(std::move(point));
            }
            what_if_.curves.push_back(std::move(written));
        }
        mark_best(evidence);
        if (const std::string assumed = prices_.assumption(*request_.ways.front().policy); !assumed.empty())
            what_if_.notes.push_back(fmt::format("Times are assumed: {}.", assumed));
    }

    const WhatIfRequest& request_;
    const MedianPrices prices_;
    std::vector<Cast> cast_;  // rows, then the points of the curves
    std::size_t rows_ = 0;
    model::WhatIf what_if_;
};

}  // namespace

Result<model::WhatIf> play_what_if(const WhatIfRequest& request) {
    return WhatIfPlay(request).run();
}

}  // namespace heapwright::whatif
