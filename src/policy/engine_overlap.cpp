#include "heapwright/policy/engine_rules.hpp"

#include <fmt/format.h>

#include "heapwright/core/range_text.hpp"

namespace heapwright::policy {
namespace {

constexpr double kLeastGain = 0.1;
// No more than all of the shorter work can be gained; the rest for the spread of the medians.
constexpr double kMostGain = 1.05;
constexpr std::uint32_t kLeastSamples = 3;

model::Decided<bool> without_engine(const EngineFacts& facts, std::string_view kind, std::string_view what) {
    model::Decided<bool> decided;
    std::string names;
    for (std::size_t i = 0; i < facts.measured().engines.size(); ++i) {
        names += (i == 0 ? "" : ", ") + facts.engine(i).name;
        decided.why.inputs.push_back(facts.cite_engine(i, "name"));
    }
    decided.why.reason = fmt::format("the device's engines are {}: none is for {} beside graphics", names, kind);
    decided.why.alternatives = {{.value = "true", .reason = fmt::format("there is no engine to give the {} to", what)}};
    return decided;
}

model::Decided<bool> unmeasured(const EngineFacts& facts, std::size_t engine, std::string_view what,
                                std::string_view why) {
    const model::EngineDescription& described = facts.engine(engine);
    model::Decided<bool> decided{.value = described.dedicated, .why = {}};
    decided.why.inputs = {facts.cite_engine(engine, "dedicated")};
    decided.why.reason =
        described.dedicated
            ? fmt::format("{}: {} has queues that are not the graphics ones, so that {} need not wait for draws", why,
                          described.name, what)
            : fmt::format(
                  "{}: {} shares its queues' family with graphics, and nothing says that {} run beside draws there",
                  why, described.name, what);
    decided.why.alternatives = {
        {.value = described.dedicated ? "false" : "true", .reason = "only a measurement can tell"}};
    return decided;
}

}  // namespace

model::Decided<bool> decide_overlap(const EngineFacts& facts, std::string_view kind, std::string_view what) {
    const auto graphics = facts.first(kGraphicsEngine);
    const auto engine = facts.first(kind);
    if (!graphics || !engine) return without_engine(facts, kind, what);
    const auto index = facts.overlap(*graphics, *engine);
    if (!index || facts.measured().overlaps[*index].samples < kLeastSamples)
        return unmeasured(facts, *engine, what, "not measured");

    const model::EngineOverlap& overlap = facts.measured().overlaps[*index];
    const bool enough = overlap.gained >= kLeastGain;
    const bool surely = overlap.concurrent.p90_ns < overlap.serial.ns;
    const auto cite = [&](std::string_view member, std::string value) {
        return facts.cite(fmt::format("overlaps/{}/{}", *index, member), std::move(value));
    };
    if (overlap.disturbed) {
        model::Decided<bool> decided =
            unmeasured(facts, *engine, what, fmt::format("the measurement was disturbed ({})", *overlap.disturbed));
        decided.why.inputs.push_back(cite("disturbed", *overlap.disturbed));
        return decided;
    }
    if (overlap.gained > kMostGain) {
        model::Decided<bool> decided = unmeasured(
            facts, *engine, what,
            fmt::format("the measurement was disturbed ({:.3f} of the shorter one gained, more than all of it)",
                        overlap.gained));
        decided.why.inputs.push_back(cite("gained", fmt::format("{:.3f}", overlap.gained)));
        return decided;
    }
    model::Decided<bool> decided{.value = enough && surely, .why = {}};
    decided.why.inputs = {cite("gained", fmt::format("{:.3f}", overlap.gained)),
                          cite("serial/ns", std::to_string(overlap.serial.ns)),
                          cite("concurrent/ns", std::to_string(overlap.concurrent.ns)),
                          cite("concurrent/p90_ns", std::to_string(overlap.concurrent.p90_ns))};
    decided.why.reason = fmt::format(
        "{} on {} and {} on {} take {} ns one after the other and {} ns at the same time ({}): {:.3f} of the shorter "
        "one is gained, {}",
        overlap.first_work, overlap.first, overlap.second_work, overlap.second, overlap.serial.ns,
        overlap.concurrent.ns, range_text(overlap.concurrent.min_ns, overlap.concurrent.p90_ns, overlap.samples, "run"),
        overlap.gained,
        !enough   ? "less than a tenth, which pays for no more queues and fences"
        : !surely ? "but the slowest runs take as long as one after the other"
                  : "at least a tenth");
    decided.why.alternatives = {
        {.value = decided.value ? "false" : "true",
         .reason = decided.value ? fmt::format("the {} stand in the way of the draws on their queue", what)
                                 : "fences and a second queue for nothing"}};
    return decided;
}

}  // namespace heapwright::policy
