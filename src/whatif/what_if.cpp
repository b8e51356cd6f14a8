#include "whatif/what_if.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "device/measurement_session.hpp"
#include "policy/allocation_cost.hpp"
#include "policy/memory_types.hpp"
#include "whatif/evidence.hpp"

namespace heapwright::whatif {

namespace {

using model::WhatIfColumn;

// A row of the document or a point of a curve.
struct Cast {
    const Way* way = nullptr;
    std::string not_played;
};

// Those that are compared with each other, the first with all others: over numbers, or on the device's own memory.
struct Company {
    bool is_real = false;
    std::vector<Cast> cast;
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
    [[nodiscard]] model::Statement assumption(const model::DevicePolicy& policy) const {
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

// One run of one program: what came of every player of a company.
struct Pass {
    StepCounts counts;
    std::vector<std::optional<Account>> accounts;  // by cast; empty: not played
    std::vector<std::string> not_played;           // by cast
};

class WhatIfPlay {
public:
    explicit WhatIfPlay(const WhatIfRequest& request) : request_(request), prices_(request.facts) {
        for (const Way& way : request.ways) {
            numbers_.cast.push_back({.way = &way, .not_played = way.not_played});
            if (request.memory != nullptr && way.kind != Way::Kind::kAsDumped)
                device_.cast.push_back({.way = &way, .not_played = way.not_played});
        }
        for (const Curve& curve : request.curves) {
            for (const Way& way : curve.swept.ways)
                numbers_.cast.push_back({.way = &way, .not_played = way.not_played});
        }
    }

    Result<model::WhatIf> run() {
        std::vector<InputEvidence> of_numbers;
        std::vector<InputEvidence> of_device;
        for (const Program& program : request_.programs) {
            HEAPWRIGHT_ASSIGN(InputEvidence of_program, play(program, numbers_));
            of_numbers.push_back(std::move(of_program));
            if (device_.cast.empty()) continue;
            HEAPWRIGHT_ASSIGN(of_program, play(program, device_));
            of_device.push_back(std::move(of_program));
        }
        write(Evidence(std::move(of_numbers)), Evidence(std::move(of_device)));
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

    // Players on the device's memory each have it for themselves, every run in a drawn order, so that what one leaves
    // behind in the driver meets now this one, now that.
    Result<Pass> pass(const Program& program, std::uint64_t run, const Company& company) const {
        Pass done;
        done.accounts.resize(company.cast.size());
        done.not_played.resize(company.cast.size());
        std::vector<std::size_t> playing;
        for (std::size_t i = 0; i < company.cast.size(); ++i) {
            const Cast& cast = company.cast[i];
            if (cast.not_played.empty() && cast.way->kind != Way::Kind::kAsDumped) playing.push_back(i);
        }
        const Stage stage = stage_of(program, company.is_real);
        if (!company.is_real) {
            HEAPWRIGHT_TRY(play_together(program, run, stage, company, playing, done));
            return done;
        }
        Random random(run);
        for (std::size_t left = playing.size(); left > 1; --left)
            std::swap(playing[left - 1], playing[random.below(left)]);
        for (const std::size_t i : playing)
            HEAPWRIGHT_TRY(play_together(program, run, stage, company, std::vector{i}, done));
        return done;
    }

    Status play_together(const Program& program, std::uint64_t run, const Stage& stage, const Company& company,
                         const std::vector<std::size_t>& playing, Pass& done) const {
        std::vector<std::pair<std::size_t, std::unique_ptr<Player>>> players;
        for (const std::size_t i : playing) {
            auto player = make_player(*company.cast[i].way, stage);
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

    // The figures of each of the company, by run; the accounts of the first run.
    struct Played {
        std::vector<std::vector<Figures>> runs;
        std::vector<std::optional<Account>> accounts;
        StepCounts counts;
    };
    Result<Played> play_runs(const Program& program, Company& company, std::uint64_t runs) const {
        // What the driver does once, it does before anything counts.
        if (company.is_real) HEAPWRIGHT_TRY(pass(program, runs, company));
        const std::size_t threads =
            company.is_real ? 1 : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, runs);
        std::vector<Result<Pass>> passes(runs);
        for_each_index(runs, threads, [&](std::size_t run) { passes[run] = pass(program, run, company); });
        Played played{.runs = std::vector<std::vector<Figures>>(company.cast.size()), .accounts = {}, .counts = {}};
        for (Result<Pass>& done : passes) {
            if (!done) return fail(std::move(done.error()));
            for (std::size_t i = 0; i < company.cast.size(); ++i) {
                if (company.cast[i].not_played.empty()) company.cast[i].not_played = done->not_played[i];
                if (done->accounts[i]) played.runs[i].push_back(done->accounts[i]->figures());
            }
        }
        for (auto& figures : played.runs) figures.resize(runs);  // without figures where it was not played
        played.accounts = std::move(passes.front()->accounts);
        played.counts = passes.front()->counts;
        return played;
    }

    Result<InputEvidence> play(const Program& program, Company& company) {
        // A device's own times differ from one play to the next.
        const std::uint64_t runs = program.is_drawn || company.is_real ? kSeeds : 1;
        HEAPWRIGHT_ASSIGN(Played played, play_runs(program, company, runs));
        if (company.is_real) {
            what_if_.plays = runs;
            return evidence_of_seeds(played.runs, program.weight);
        }
        const StepCounts& counts = played.counts;
        if (counts.creations == counts.refused)
            return fail(ErrorCode::kInvalidArgument,
                        counts.creations == 0 ? "it creates nothing: there is nothing to play"
                                              : fmt::format("the device refuses every resource of it ({})",
                                                            counted(counts.creations, "creation")),
                        program.name);
        note(program, counts);
        for (std::size_t i = 0; i < company.cast.size(); ++i) {
            Cast& cast = company.cast[i];
            if (cast.way->kind != Way::Kind::kAsDumped || !cast.not_played.empty()) continue;
            if (program.as_dumped && counts.refused != 0)
                cast.not_played = fmt::format("the dump holds {} that this device refuses, which no other way plays",
                                              counted(counts.refused, "resource"));
            else if (program.as_dumped)
                played.runs[i].assign(runs, *program.as_dumped);
            else
                cast.not_played = fmt::format("{} is no dump: it does not say what the program had", program.name);
        }
        if (!program.is_drawn) return of_trace(program, played.accounts);
        what_if_.seeds = runs;
        return evidence_of_seeds(played.runs, program.weight);
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
        if (!program.device_name.empty() && program.device_name != request_.facts.identity.name)
            what_if_.notes.push_back(fmt::format("{} was made on {}: its sizes, and what it had, are of that device.",
                                                 program.name, program.device_name));
        if (counts.refused != 0)
            what_if_.notes.push_back(
                fmt::format("{} of {} in {} are of kinds that this device refuses; nobody plays "
                            "them.",
                            counts.refused, counted(counts.creations, "creation"), program.name));
        const double estimated = counts.asked_bytes > 0 ? counts.estimated_bytes / counts.asked_bytes : 0;
        if (estimated > 0.001)
            what_if_.notes.push_back(
                fmt::format("{:.0f}% of the bytes of {} are of sizes that the report does not tell; {}.",
                            std::max(1.0, 100 * estimated), program.name,
                            request_.facts.image_sweep.cases.empty() && request_.facts.buffer_sweep.cases.empty()
                                ? "packed bytes are taken, rounded up to a usual alignment"
                                : "they are taken from the nearest that it does"));
    }

    template <class Written>
    static void write_cells(const Company& company, const Evidence& evidence, std::size_t cast, Written& written) {
        if (!company.cast[cast].not_played.empty()) {
            written.not_played = company.cast[cast].not_played;
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
            written.cells.push_back(cell);
        }
        if (written.cells.empty()) written.not_played = "the inputs have no figure in common for it";
    }

    // Those of a row or a point, as they were written, by cast.
    using Compared = std::vector<std::pair<std::size_t, std::vector<model::WhatIfCell>*>>;

    // Who found no memory for more requests than another holds less: it is best in nothing.
    static void mark_best(const Evidence& evidence, const Compared& compared) {
        Compared able;
        double fewest = 0;
        for (const auto& [cast, cells] : compared) {
            if (cells->empty()) continue;
            const double failed = evidence.value(cast, WhatIfColumn::kFailedRequests).value_or(0);
            if (able.empty() || failed < fewest) {
                able.clear();
                fewest = failed;
            }
            if (failed == fewest) able.emplace_back(cast, cells);
        }
        for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) mark_best(evidence, static_cast<WhatIfColumn>(i), able);
    }

    static void mark_best(const Evidence& evidence, WhatIfColumn column, Compared able) {
        std::erase_if(able, [&](const auto& one) { return !evidence.value(one.first, column); });
        if (able.empty()) return;
        std::ranges::stable_sort(able, {},
                                 [&](const auto& one) { return evidence.value(one.first, column).value_or(0); });
        // What is not told from the best by its spread alone is none while less is told from it.
        for (const auto& [cast, cells] : able) {
            if (evidence.difference(able.front().first, cast, column).verdict() == model::WhatIfVerdict::kMore) break;
            for (model::WhatIfCell& cell : *cells)
                if (cell.column == column) cell.is_best = true;
        }
    }

    void write_rows(const Company& company, const Evidence& evidence, std::size_t rows) {
        const std::size_t begin = what_if_.rows.size();
        for (std::size_t row = 0; row < rows; ++row) {
            const Way& way = *company.cast[row].way;
            model::WhatIfRow written{
                .name = way.name, .how = way.how, .is_real = company.is_real, .not_played = {}, .cells = {}};
            write_cells(company, evidence, row, written);
            what_if_.rows.push_back(std::move(written));
        }
        Compared compared;
        for (std::size_t row = 0; row < rows; ++row) compared.emplace_back(row, &what_if_.rows[begin + row].cells);
        mark_best(evidence, compared);
    }

    void write(const Evidence& of_numbers, const Evidence& of_device) {
        what_if_.device = request_.facts.identity;
        write_rows(numbers_, of_numbers, request_.ways.size());
        write_rows(device_, of_device, device_.cast.size());
        std::size_t cast = request_.ways.size();
        for (const Curve& curve : request_.curves) {
            model::WhatIfCurve written{.setting = curve.swept.setting, .of = curve.of, .points = {}};
            const std::size_t begin = cast;
            for (const std::uint64_t size : curve.swept.sizes) {
                model::WhatIfPoint point{.size_bytes = size, .not_played = {}, .cells = {}};
                write_cells(numbers_, of_numbers, cast++, point);
                written.points.push_back(std::move(point));
            }
            Compared compared;
            for (std::size_t i = 0; i < written.points.size(); ++i)
                compared.emplace_back(begin + i, &written.points[i].cells);
            mark_best(of_numbers, compared);
            what_if_.curves.push_back(std::move(written));
        }
        if (what_if_.plays != 0)
            what_if_.notes.push_back(
                fmt::format("On the device every way is played {} times, in drawn orders, after a play that does not "
                            "count; its rows are compared with each other.",
                            what_if_.plays));
        what_if_.notes += prices_.assumption(*request_.ways.front().policy);
    }

    const WhatIfRequest& request_;
    const MedianPrices prices_;
    Company numbers_;  // rows, then the points of the curves
    Company device_{.is_real = true, .cast = {}};
    model::WhatIf what_if_;
};

}  // namespace

Result<model::WhatIf> play_what_if(const WhatIfRequest& request) {
    return WhatIfPlay(request).run();
}

Result<model::WhatIf> play_on_device(WhatIfRequest request, device::Device& device) {
    request.memory = &device.memory();
    const device::TrainingWork work{.run = [&]() -> Status {
                                        HEAPWRIGHT_TRY(play_what_if(request));
                                        return {};
                                    },
                                    .drain = [&] { return device.submitter().wait_idle(); }};
    HEAPWRIGHT_ASSIGN(auto session, device::MeasurementSession::begin(device.background_processing(), work));
    HEAPWRIGHT_ASSIGN(model::WhatIf played, play_what_if(request));
    HEAPWRIGHT_TRY(session.end());
    played.notes.push_back(
        "On the device memory alone is taken and given back: its calls are timed, no resource is created in it, and "
        "memory of an image's own is not bound to it.");
    return played;
}

}  // namespace heapwright::whatif
