#include "policy/engine_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/claims.hpp"
#include "policy/uploads.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr double kMuchFaster = 1.1;
constexpr double kAboutAsFast = 0.9;

using Inputs = std::vector<model::DecisionInput>;

void append(Inputs& inputs, const Inputs& more) {
    inputs.insert(inputs.end(), more.begin(), more.end());
}

model::Figure rate_figure(std::uint64_t bytes_per_s) {
    return model::bytes_per_second(static_cast<double>(bytes_per_s));
}

class Assignments {
public:
    Assignments(const EngineFacts& facts, const model::Decided<bool>& async_copy,
                const model::Decided<bool>& async_compute)
        : facts_(facts),
          async_copy_(async_copy),
          async_compute_(async_compute),
          graphics_(facts.first(kGraphicsEngine).value_or(0)) {}

    std::vector<model::EngineAssignment> take() {
        add("draws", draws());
        add("frame-compute", frame_compute());
        add("background-compute", background_compute());
        add("uploads", copies(model::CopyDirection::kUpload, "uploads"));
        add("downloads", downloads());
        return std::move(assignments_);
    }

private:
    using Engine = model::Decided<std::string>;

    void add(const char* work, Engine engine) { assignments_.push_back({.work = work, .engine = std::move(engine)}); }

    [[nodiscard]] const std::string& name(std::size_t engine) const { return facts_.engine(engine).name; }

    [[nodiscard]] Engine draws() const {
        Engine engine{.value = name(graphics_), .why = {}};
        const std::string& kind = facts_.engine(graphics_).kind;
        engine.why.inputs = {facts_.cite_engine(graphics_, "kind")};
        engine.why.reason = kind == kGraphicsEngine ? claim<ClaimId::kGraphicsDraws>()
                                                    : claim<ClaimId::kNothingDraws>(name(graphics_), kind);
        return engine;
    }

    [[nodiscard]] Engine frame_compute() const {
        const auto compute = facts_.first(kComputeEngine);
        const bool apart = async_compute_.value && compute;
        Engine engine{.value = name(apart ? *compute : graphics_), .why = {}};
        engine.why.inputs = async_compute_.why.inputs;
        engine.why.reason = apart ? claim<ClaimId::kComputePays>() : claim<ClaimId::kComputeDoesNotPay>();
        engine.why.reason += async_compute_.why.reason;
        if (compute) {
            engine.why.alternatives = {
                {.value = name(apart ? graphics_ : *compute),
                 .reason = apart ? claim<ClaimId::kDrawsWaitForCompute>() : claim<ClaimId::kHandOverForNothing>()}};
        }
        return engine;
    }

    [[nodiscard]] Engine background_compute() const {
        const auto low = facts_.engines(kComputeEngine, "low");
        const auto compute = facts_.first(kComputeEngine);
        const std::size_t chosen = !low.empty() ? low.front() : compute.value_or(graphics_);
        const model::EngineDescription& described = facts_.engine(chosen);
        Engine engine{.value = described.name, .why = {}};
        engine.why.inputs = {facts_.cite_engine(chosen, "priority"), facts_.cite_engine(chosen, "kind")};
        if (!low.empty()) {
            engine.why.reason = claim<ClaimId::kLowPriorityQueue>(described.kind, described.priority);
            if (!described.priority_note.empty()) {
                engine.why.reason += claim<ClaimId::kPriorityWithoutEffect>(described.priority_note);
                engine.why.inputs.push_back(facts_.cite_engine(chosen, "priority_note"));
            }
        } else {
            engine.why.reason =
                described.kind == kComputeEngine
                    ? claim<ClaimId::kComputeApart>(described.name, described.priority)
                    : claim<ClaimId::kComputeInPieces>(described.name, described.priority, described.kind);
        }
        if (chosen != graphics_) {
            engine.why.alternatives = {{.value = name(graphics_), .reason = claim<ClaimId::kDrawsWaitBehind>()}};
        }
        return engine;
    }

    // A copy engine where that pays, else the faster of the two.
    [[nodiscard]] Engine copies(model::CopyDirection direction, std::string_view what) const {
        const auto copier = facts_.first(kCopyEngine);
        if (!copier) {
            return {.value = name(graphics_), .why = {async_copy_.why.reason, async_copy_.why.inputs, {}}};
        }
        const auto own = facts_.copy(*copier, direction);
        const auto other = facts_.copy(graphics_, direction);
        model::Statement rates;
        Inputs inputs = async_copy_.why.inputs;
        bool faster = false;
        bool too_slow = false;
        if (own && other) {
            const std::uint64_t own_rate = cited_rate(*own, inputs);
            const std::uint64_t other_rate = cited_rate(*other, inputs);
            faster = static_cast<double>(own_rate) >= kMuchFaster * static_cast<double>(other_rate);
            rates = claim<ClaimId::kCopyRates>(what, rate_figure(own_rate), name(*copier), rate_figure(other_rate),
                                               name(graphics_));
            rates += by_clock({facts_.measured().copies[*own].time, facts_.measured().copies[*other].time});
            if (direction == model::CopyDirection::kUpload) {
                const std::uint64_t frame_ns = frame_upload_ns(*copier, own_rate, inputs, rates);
                too_slow = other_rate > own_rate && frame_ns > facts_.context().workload.frame_budget_ns;
            }
        }
        const bool apart = (async_copy_.value || faster) && !too_slow;
        Engine engine{.value = name(apart ? *copier : graphics_), .why = {}};
        engine.why.reason = too_slow            ? claim<ClaimId::kCopierTooSlow>(name(*copier))
                            : async_copy_.value ? claim<ClaimId::kCopiesPay>(name(*copier))
                            : faster            ? claim<ClaimId::kCopierFaster>(name(*copier))
                                                : claim<ClaimId::kCopiesDoNotPay>(name(*copier));
        engine.why.reason += async_copy_.why.reason;
        engine.why.reason += rates;
        engine.why.inputs = std::move(inputs);
        engine.why.alternatives = {{.value = name(apart ? graphics_ : *copier),
                                    .reason = apart      ? claim<ClaimId::kDrawsWaitForCopies>(what)
                                              : too_slow ? claim<ClaimId::kFrameWaitsForUploads>()
                                                         : claim<ClaimId::kHandOverForNothing>()}};
        return engine;
    }

    [[nodiscard]] Engine downloads() const {
        constexpr auto kDirection = model::CopyDirection::kDownload;
        Engine engine = copies(kDirection, "downloads");
        const auto copiers = facts_.engines(kCopyEngine);
        if (copiers.size() < 2 || engine.value != name(copiers[0])) return engine;
        const auto first = facts_.copy(copiers[0], kDirection);
        const auto second = facts_.copy(copiers[1], kDirection);
        if (!first || !second) return engine;
        Inputs inputs = engine.why.inputs;
        const std::uint64_t second_rate = cited_rate(*second, inputs);
        const std::uint64_t first_rate = facts_.measured().copies[*first].bytes_per_s;
        const bool as_fast = static_cast<double>(second_rate) >= kAboutAsFast * static_cast<double>(first_rate);
        engine.why.inputs = std::move(inputs);
        engine.why.reason += as_fast ? claim<ClaimId::kSecondCopierAsFast>(name(copiers[1]), rate_figure(second_rate))
                                     : claim<ClaimId::kSecondCopierSlow>(name(copiers[1]), rate_figure(second_rate));
        if (as_fast) {
            engine.value = name(copiers[1]);
            engine.why.alternatives.insert(engine.why.alternatives.begin(),
                                           {.value = name(copiers[0]), .reason = claim<ClaimId::kDownloadsWait>()});
        }
        return engine;
    }

    // What the workload's uploads of a frame take at a rate.
    std::uint64_t frame_upload_ns(std::size_t engine, std::uint64_t bytes_per_s, Inputs& inputs,
                                  model::Statement& reason) const {
        const Context& context = facts_.context();
        const UploadRate uploads = upload_rate(context);
        const std::uint64_t bytes = uploads.bytes_per_frame;
        const std::uint64_t ns = saturating_bytes(static_cast<double>(bytes) * 1e9 /
                                                  static_cast<double>(std::max<std::uint64_t>(1, bytes_per_s)));
        append(inputs, uploads.inputs);
        const auto budget = model::nanoseconds(static_cast<double>(context.workload.frame_budget_ns));
        append(inputs, {context.cite_workload("/frame_budget_ns", budget)});
        reason += claim<ClaimId::kFrameUploadsTake>(name(engine), model::bytes(bytes),
                                                    model::nanoseconds(static_cast<double>(ns)), budget);
        return ns;
    }

    std::uint64_t cited_rate(std::size_t copy, Inputs& inputs) const {
        const std::uint64_t rate = facts_.measured().copies[copy].bytes_per_s;
        append(inputs, {facts_.cite(fmt::format("copies/{}/bytes_per_s", copy), rate_figure(rate))});
        return rate;
    }

    const EngineFacts& facts_;
    const model::Decided<bool>& async_copy_;
    const model::Decided<bool>& async_compute_;
    std::size_t graphics_;
    std::vector<model::EngineAssignment> assignments_;
};

}  // namespace

std::vector<model::EngineAssignment> assign_engines(const EngineFacts& facts, const model::Decided<bool>& async_copy,
                                                    const model::Decided<bool>& async_compute) {
    return Assignments(facts, async_copy, async_compute).take();
}

}  // namespace heapwright::policy
