#include "heapwright/policy/engine_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/policy/upload_rate.hpp"

namespace heapwright::policy {
namespace {

constexpr double kMuchFaster = 1.1;
constexpr double kAboutAsFast = 0.9;

using Inputs = std::vector<model::DecisionInput>;

void append(Inputs& inputs, const Inputs& more) {
    inputs.insert(inputs.end(), more.begin(), more.end());
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
        engine.why.reason =
            kind == kGraphicsEngine
                ? "the device's engine of the kind graphics; no other kind draws"
                : fmt::format("the device has no engine that draws; {} is of the kind {}", name(graphics_), kind);
        return engine;
    }

    [[nodiscard]] Engine frame_compute() const {
        const auto compute = facts_.first(kComputeEngine);
        const bool apart = async_compute_.value && compute;
        Engine engine{.value = name(apart ? *compute : graphics_), .why = {}};
        engine.why.inputs = async_compute_.why.inputs;
        engine.why.reason =
            fmt::format("compute beside draws {}: {}", apart ? "pays" : "does not pay here", async_compute_.why.reason);
        if (compute) {
            engine.why.alternatives = {{.value = name(apart ? graphics_ : *compute),
                                        .reason = apart ? "the frame's draws wait for its compute work"
                                                        : "a fence for each hand-over, and nothing gained by it"}};
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
            engine.why.reason =
                fmt::format("a {} queue of its own with the priority {}: the frame's work does not wait behind it{}{}",
                            described.kind, described.priority, described.priority_note.empty() ? "" : "; ",
                            described.priority_note);
            if (!described.priority_note.empty())
                engine.why.inputs.push_back(facts_.cite_engine(chosen, "priority_note"));
        } else {
            engine.why.reason = fmt::format(
                "no compute engine has a low priority; {} (priority {}) is {}", described.name, described.priority,
                described.kind == kComputeEngine
                    ? "of the kind compute, apart from the draws"
                    : fmt::format("of the kind {}: the application keeps each piece short", described.kind));
        }
        if (chosen != graphics_) {
            engine.why.alternatives = {{.value = name(graphics_), .reason = "the frame's draws would wait behind it"}};
        }
        return engine;
    }

    // A copy engine where that pays, else the faster of the two.
    [[nodiscard]] Engine copies(model::CopyDirection direction, std::string_view what) const {
        const auto copier = facts_.first(kCopyEngine);
        if (!copier) {
            Engine engine{
                .value = name(graphics_),
                .why = {.reason = async_copy_.why.reason, .inputs = async_copy_.why.inputs, .alternatives = {}}};
            return engine;
        }
        const auto own = facts_.copy(*copier, direction);
        const auto other = facts_.copy(graphics_, direction);
        std::string rates;
        Inputs inputs = async_copy_.why.inputs;
        bool faster = false;
        bool too_slow = false;
        if (own && other) {
            const std::uint64_t own_rate = cited_rate(*own, inputs);
            const std::uint64_t other_rate = cited_rate(*other, inputs);
            faster = static_cast<double>(own_rate) >= kMuchFaster * static_cast<double>(other_rate);
            rates =
                fmt::format("; {} take {} bytes a second there, {} on {}", what, own_rate, other_rate, name(graphics_));
            if (direction == model::CopyDirection::kUpload) {
                const std::uint64_t frame_ns = frame_upload_ns(own_rate, inputs, rates);
                too_slow = other_rate > own_rate && frame_ns > facts_.context().workload.frame_budget_ns;
            }
        }
        const bool apart = (async_copy_.value || faster) && !too_slow;
        Engine engine{.value = name(apart ? *copier : graphics_), .why = {}};
        engine.why.reason =
            fmt::format("{}: {}{}",
                        too_slow ? fmt::format("{} does not copy a frame's uploads within its budget", name(*copier))
                        : async_copy_.value ? fmt::format("copies beside draws pay on {}", name(*copier))
                        : faster ? fmt::format("copies beside draws do not pay, but {} copies faster", name(*copier))
                                 : fmt::format("copies beside draws do not pay on {}", name(*copier)),
                        async_copy_.why.reason, rates);
        engine.why.inputs = std::move(inputs);
        engine.why.alternatives = {{.value = name(apart ? graphics_ : *copier),
                                    .reason = apart      ? fmt::format("draws wait behind the {}", what)
                                              : too_slow ? "the frame waits for its uploads"
                                                         : "a fence for each hand-over, and nothing gained by it"}};
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
        engine.why.reason += fmt::format(
            "; {} downloads {} bytes a second, {}", name(copiers[1]), second_rate,
            as_fast ? "about as many, and uploads do not stand in its queue" : "too few to take them there");
        if (as_fast) {
            engine.value = name(copiers[1]);
            engine.why.alternatives.insert(engine.why.alternatives.begin(),
                                           {.value = name(copiers[0]), .reason = "downloads wait behind uploads"});
        }
        return engine;
    }

    // What the workload's uploads of a frame take at a rate.
    std::uint64_t frame_upload_ns(std::uint64_t bytes_per_s, Inputs& inputs, std::string& text) const {
        const Context& context = facts_.context();
        const UploadRate uploads = upload_rate(context);
        const std::uint64_t bytes = uploads.bytes_per_frame;
        const std::uint64_t budget_ns = context.workload.frame_budget_ns;
        const std::uint64_t ns = saturating_bytes(static_cast<double>(bytes) * 1e9 /
                                                  static_cast<double>(std::max<std::uint64_t>(1, bytes_per_s)));
        append(inputs, uploads.inputs);
        append(inputs, {context.cite_workload("/frame_budget_ns", std::to_string(budget_ns))});
        text += fmt::format("; the {} bytes of a frame take {} ns of its {} there", bytes, ns, budget_ns);
        return ns;
    }

    std::uint64_t cited_rate(std::size_t copy, Inputs& inputs) const {
        const std::uint64_t rate = facts_.measured().copies[copy].bytes_per_s;
        append(inputs, {facts_.cite(fmt::format("copies/{}/bytes_per_s", copy), std::to_string(rate))});
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
