#include "compare/engine_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/measured_figure.hpp"
#include "core/text.hpp"
#include "model/names.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::EngineMeasurements;
using model::PipelineMeasurement;

constexpr std::string_view kRoot = "/volatile/engines/";

// By how much a copy curve's times differ as a whole, where no sample of any size tells otherwise: a rate that halves
// is a difference, which a single figure does not show (NoiseOptions::least_figure_ratio). Chosen; of 90 pairs of runs
// on an H200 none alarmed. Devices that are the host's processor are not judged so: of one build of lavapipe 22.3.6 and
// of SwiftShader they differ by up to 3.5 times.
constexpr double kCurveRatio = 1.6;       // of the middle one of the sizes
constexpr double kLeastCurveRatio = 1.2;  // of every size
constexpr std::size_t kLeastCurveSizes = 3;

// Of what overlaps saved, how much less is a difference. Chosen: one half of what the shorter piece of work takes.
constexpr double kGainLost = 0.5;

std::string key_of(const model::EngineCopy& copy) {
    return fmt::format("{}copies/{} {}", kRoot, copy.engine, name_of(copy.direction));
}
std::string key_of(const model::CopyCurve& curve) {
    return fmt::format("{}copy_curves/{} {} by {}{}", kRoot, curve.engine, name_of(curve.direction),
                       name_of(curve.means), curve.mapped ? " mapped" : "");
}
std::string key_of(const model::CopyCurve& curve, std::uint64_t bytes) {
    return fmt::format("{}/{}", key_of(curve), byte_text(bytes));
}
std::string key_of(const model::EngineOverlap& overlap) {
    return fmt::format("{}overlaps/{} {} with {} {}", kRoot, overlap.first, overlap.first_work, overlap.second,
                       overlap.second_work);
}
std::string key_of(const model::SignalLatency& latency) {
    return fmt::format("{}signal_latencies/{} to {}", kRoot, latency.from, latency.to);
}
std::string key_of(const PipelineMeasurement& pipeline) {
    return fmt::format("{}pipelines/{}", kRoot, pipeline.name);
}
std::string key_of(const PipelineMeasurement& pipeline, const model::PipelinePoint& point) {
    return fmt::format("{}/cpu_latency {} engine_latency {}", key_of(pipeline), point.cpu_latency,
                       point.engine_latency);
}

// What was measured, by its key; of each what it holds.
struct EngineParts {
    std::map<std::string, Figure> times;
    std::map<std::string, const model::CopyCurve*> curves;
    std::map<std::string, const model::EngineOverlap*> overlaps;
    std::map<std::string, const PipelineMeasurement*> pipelines;
    std::vector<std::string> keys;  // of all parts
};

// Times by different clocks are of different things.
Figure time_of(const model::MeasuredTime& time, std::string_view of = {}) {
    return {.least = static_cast<double>(time.min_ns),
            .median = static_cast<double>(time.ns),
            .p90 = static_cast<double>(time.p90_ns),
            .of = fmt::format("{}{}by the {}'s clock", of, of.empty() ? "" : " ",
                              time.clock == model::MeasuredBy::kDevice ? "device" : "host")};
}

EngineParts parts_of(const EngineMeasurements& measured) {
    EngineParts parts;
    for (const model::EngineCopy& copy : measured.copies) {
        parts.keys.push_back(key_of(copy));
        parts.times.emplace(key_of(copy) + "/time", time_of(copy.time, byte_text(copy.bytes_each)));
    }
    for (const model::CopyCurve& curve : measured.copy_curves) {
        if (curve.points.empty()) continue;
        parts.keys.push_back(key_of(curve));
        parts.curves.emplace(key_of(curve), &curve);
        for (const model::CopyPoint& point : curve.points) {
            parts.keys.push_back(key_of(curve, point.bytes));
            parts.times.emplace(key_of(curve, point.bytes) + "/time",
                                time_of(point.time, counted(point.in_a_row, "copy", "copies") + " in a row"));
        }
    }
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        const std::string key = key_of(overlap);
        parts.keys.push_back(key);
        parts.overlaps.emplace(key, &overlap);
        const std::array<std::pair<std::string_view, const model::MeasuredTime*>, 4> times{
            {{"/first_alone", &overlap.first_alone},
             {"/second_alone", &overlap.second_alone},
             {"/serial", &overlap.serial},
             {"/concurrent", &overlap.concurrent}}};
        for (const auto& [name, time] : times) {
            Figure figure = time_of(*time);
            figure.tells_nothing = overlap.disturbed.value_or("");
            parts.times.emplace(key + std::string(name), std::move(figure));
        }
    }
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        parts.keys.push_back(key_of(latency));
        parts.times.emplace(key_of(latency) + "/time",
                            time_of(latency.time, latency.through_host ? "through the host" : ""));
    }
    for (const PipelineMeasurement& pipeline : measured.pipelines) {
        parts.keys.push_back(key_of(pipeline));
        parts.pipelines.emplace(key_of(pipeline), &pipeline);
        for (const model::PipelinePoint& point : pipeline.points) {
            parts.keys.push_back(key_of(pipeline, point));
            parts.times.emplace(key_of(pipeline, point) + "/frame", time_of(point.frame));
        }
    }
    return parts;
}

constexpr const char* kOtherClock = "the two runs are timed by different clocks";

// Of its frames.
model::MeasuredBy clock_of(const PipelineMeasurement& pipeline) {
    return pipeline.points.empty() ? model::MeasuredBy::kHost : pipeline.points.front().frame.clock;
}

constexpr const char* kSamplesOverlap = "no samples tell the two apart";

// Whether what was gained may be the same, by the samples that are kept.
bool gains_overlap(const model::EngineOverlap& from, const model::EngineOverlap& to) {
    const auto bounds = [](const model::EngineOverlap& overlap) {
        const auto of = [](std::uint64_t ns) { return static_cast<double>(ns); };
        const double shorter = std::max(1.0, of(std::min(overlap.first_alone.ns, overlap.second_alone.ns)));
        return std::pair{(of(overlap.serial.min_ns) - of(overlap.concurrent.p90_ns)) / shorter,
                         (of(overlap.serial.p90_ns) - of(overlap.concurrent.min_ns)) / shorter};
    };
    const auto [from_least, from_most] = bounds(from);
    const auto [to_least, to_most] = bounds(to);
    return from_least <= to_most && to_least <= from_most;
}

// Whether the frames of a pipeline at its own best latencies may be no shorter than at those of the other run, by the
// samples that are kept of both.
bool frames_overlap(const PipelineMeasurement& pipeline, const PipelineMeasurement& other) {
    const auto frame = [&](const PipelineMeasurement& best) -> const model::MeasuredTime* {
        const auto found = std::ranges::find_if(pipeline.points, [&](const model::PipelinePoint& point) {
            return point.cpu_latency == best.best_cpu_latency && point.engine_latency == best.best_engine_latency;
        });
        return found == pipeline.points.end() ? nullptr : &found->frame;
    };
    const model::MeasuredTime* own = frame(pipeline);
    const model::MeasuredTime* others = frame(other);
    return own == nullptr || others == nullptr || others->min_ns <= own->p90_ns;
}

// Of changes against several runs of one build, by path, the mildest of those that tell; where none does, the first.
class NearestChanges {
public:
    void add(model::FieldChange change, bool tells) {
        const auto [known, is_new] = changes_.try_emplace(change.path, Known{change, tells});
        Known& held = known->second;
        const bool is_nearer = tells != held.tells ? tells : tells && rank(change.status) < rank(held.change.status);
        if (!is_new && is_nearer) held = {std::move(change), tells};
    }
    void finish(CostDifferences& result) const {
        for (const auto& [path, known] : changes_) {
            const model::FieldChange& change = known.change;
            if (change.status == ChangeStatus::kSame)
                ++result.same_fields;
            else
                result.changes.push_back(change);
        }
    }

private:
    static int rank(ChangeStatus status) {
        return status == ChangeStatus::kSame ? 0 : status == ChangeStatus::kInconclusive ? 1 : 2;
    }
    struct Known {
        model::FieldChange change;
        bool tells;
    };
    std::map<std::string, Known> changes_;
};

// "2 of 9 settings of the pipeline compute-graphics: the time was up" as its two halves.
std::pair<std::string_view, std::string_view> what_and_why(std::string_view skipped) {
    const std::size_t colon = skipped.find(": ");
    if (colon == std::string_view::npos) return {skipped, ""};
    return {skipped.substr(0, colon), skipped.substr(colon + 2)};
}

// No device is to blame.
bool is_excuse(std::string_view why) {
    return why == model::kTimeWasUp || why == model::kHostWasAway || why == model::kLongerThanItsShare ||
           why.starts_with(model::kNoRoomForCopies);
}

class EngineComparison {
public:
    EngineComparison(const EngineMeasurements& from, const EngineMeasurements& to, bool is_processor,
                     CostDifferences& result)
        : from_(from),
          to_(to),
          is_processor_(is_processor),
          one_(parts_of(from)),
          other_(parts_of(to)),
          result_(result) {}

    void compare_parts() {
        compare_descriptions();
        compare_keys(one_.keys, other_.keys, true);
        compare_keys(other_.keys, one_.keys, false);
        compare_skipped(from_.skipped, to_.skipped, false);
        compare_skipped(to_.skipped, from_.skipped, true);
    }

    // What holds of the whole run, before single times.
    [[nodiscard]] std::string unlike(const NoiseOptions& options) const {
        for (const auto& [measured, which] :
             {std::pair{&from_, "the baseline's run"}, std::pair{&to_, "the other run"}}) {
            if (measured->steadiness.answer == model::Steadiness::kDidNotSettle)
                return std::string(which) + " had not settled";
        }
        return unlike_loads(from_.load, to_.load, options);
    }

    void compare_figures(const NoiseOptions& options, NearestChanges& nearest) const {
        const std::string unlike_runs = unlike(options);
        for (const auto& [path, curve] : one_.curves) {
            const auto same = other_.curves.find(path);
            if (same != other_.curves.end() && !is_processor_)
                compare_curve(path, *curve, *same->second, unlike_runs, nearest);
        }
        for (const auto& [path, overlap] : one_.overlaps) {
            const auto same = other_.overlaps.find(path);
            if (same != other_.overlaps.end()) compare_gain(path, *overlap, *same->second, unlike_runs, nearest);
        }
        for (const auto& [path, pipeline] : one_.pipelines) {
            const auto same = other_.pipelines.find(path);
            if (same == other_.pipelines.end()) continue;
            compare_latency(path, &PipelineMeasurement::best_cpu_latency, *pipeline, *same->second, unlike_runs,
                            nearest);
            compare_latency(path, &PipelineMeasurement::best_engine_latency, *pipeline, *same->second, unlike_runs,
                            nearest);
        }
    }

    [[nodiscard]] const std::map<std::string, Figure>& times() const { return one_.times; }
    [[nodiscard]] const std::map<std::string, Figure>& other_times() const { return other_.times; }

private:
    void add(std::string path, ChangeStatus status, std::string from, std::string to, std::string reason = {}) {
        result_.changes.push_back({.path = std::move(path),
                                   .field_class = model::FieldClass::kExact,
                                   .status = status,
                                   .from = std::move(from),
                                   .to = std::move(to),
                                   .reason = std::move(reason)});
    }

    void same() { ++result_.same_fields; }

    void compare_descriptions() {
        for (const model::EngineDescription& engine : from_.engines) {
            const std::string path = std::string(kRoot) + "engines/" + engine.name;
            const auto other = std::ranges::find(to_.engines, engine.name, &model::EngineDescription::name);
            if (other == to_.engines.end())
                add(path, ChangeStatus::kMissing, "measured", "");
            else
                compare_description(engine, *other, path);
        }
        for (const model::EngineDescription& engine : to_.engines) {
            if (std::ranges::find(from_.engines, engine.name, &model::EngineDescription::name) == from_.engines.end())
                add(std::string(kRoot) + "engines/" + engine.name, ChangeStatus::kNew, "", "measured");
        }
    }

    void compare_description(const model::EngineDescription& from, const model::EngineDescription& to,
                             const std::string& path) {
        if (from.kind == to.kind)
            same();
        else
            add(path + "/kind", ChangeStatus::kChanged, from.kind, to.kind);
        ordered(path + "/dedicated", from.dedicated, to.dedicated, from.dedicated ? "true" : "false",
                to.dedicated ? "true" : "false");
        ordered(path + "/priority", priority(from), priority(to), from.priority, to.priority);
        ordered(path + "/priority_note", from.priority_note.empty(), to.priority_note.empty(), from.priority_note,
                to.priority_note);
    }

    static int priority(const model::EngineDescription& engine) {
        return engine.priority == "high" ? 2 : engine.priority == "normal" ? 1 : 0;
    }

    template <class Value>
    void ordered(std::string path, Value from, Value to, std::string from_text, std::string to_text) {
        if (from == to) return same();
        add(std::move(path), to < from ? ChangeStatus::kRegressed : ChangeStatus::kImproved, std::move(from_text),
            std::move(to_text));
    }

    // Why a run lacks a part through no fault of the device; empty where nothing says so.
    [[nodiscard]] static std::string_view excuse(const EngineMeasurements& run, std::string_view key) {
        for (const model::CopyCurve& curve : run.copy_curves) {
            for (const model::CopyLeftOut& left_out : curve.left_out) {
                const bool is_of =
                    key == key_of(curve, left_out.bytes) || (curve.points.empty() && key == key_of(curve));
                if (is_of && is_excuse(left_out.reason)) return left_out.reason;
            }
        }
        for (const std::string& skipped : run.skipped) {
            const auto [what, why] = what_and_why(skipped);
            if (!is_excuse(why)) continue;
            constexpr std::string_view kSignal = "signal from ";
            const std::string part = what.starts_with(kSignal)
                                         ? fmt::format("{}signal_latencies/{}", kRoot, what.substr(kSignal.size()))
                                         : fmt::format("{}pipelines/{}", kRoot, what.substr(what.rfind(' ') + 1));
            if (key == part || key.starts_with(part + "/")) return why;
        }
        return {};
    }

    void compare_keys(const std::vector<std::string>& keys, const std::vector<std::string>& others, bool gone) {
        for (const std::string& key : keys) {
            if (std::ranges::find(others, key) != others.end()) {
                if (gone) same();
                continue;
            }
            const std::size_t parent = key.rfind('/');
            const bool with_parent = std::ranges::find(keys, key.substr(0, parent)) != keys.end() &&
                                     std::ranges::find(others, key.substr(0, parent)) == others.end();
            if (with_parent) continue;
            const std::string_view why = excuse(gone ? to_ : from_, key);
            const ChangeStatus status = !why.empty() ? ChangeStatus::kInconclusive
                                        : gone       ? ChangeStatus::kMissing
                                                     : ChangeStatus::kNew;
            add(key, status, gone ? "measured" : "", gone ? "" : "measured", std::string(why));
        }
    }

    // `come`: entries of `list` that the baseline has not.
    void compare_skipped(const std::vector<std::string>& list, const std::vector<std::string>& others, bool come) {
        for (const std::string& skipped : list) {
            const auto [what, why] = what_and_why(skipped);
            std::string path = fmt::format("{}skipped/{}", kRoot, what);
            // Known by what it is of: the reason holds figures of the run.
            const auto same = std::ranges::find_if(
                others, [&, of = what](const std::string& other) { return what_and_why(other).first == of; });
            if (same != others.end()) {
                const std::string_view other_why = what_and_why(*same).second;
                if (come && is_excuse(why) != is_excuse(other_why))
                    add(std::move(path), ChangeStatus::kInconclusive, *same, skipped,
                        std::string(is_excuse(why) ? why : other_why));
                continue;
            }
            if (is_excuse(why)) continue;
            add(std::move(path), come ? ChangeStatus::kRegressed : ChangeStatus::kImproved, come ? "" : skipped,
                come ? skipped : "", std::string(why));
        }
    }

    // All sizes together.
    static void compare_curve(const std::string& path, const model::CopyCurve& from, const model::CopyCurve& to,
                              const std::string& unlike_runs, NearestChanges& nearest) {
        std::vector<double> ratios;            // of the other's time
        const model::CopyPoint* at = nullptr;  // the largest size of both
        const model::CopyPoint* other_at = nullptr;
        bool all_slower = true;
        bool all_faster = true;
        bool one_clock = true;
        for (const model::CopyPoint& one : from.points) {
            const auto other = std::ranges::find(to.points, one.bytes, &model::CopyPoint::bytes);
            if (other == to.points.end() || one.time.ns == 0 || other->time.ns == 0) continue;
            const double ratio = static_cast<double>(other->time.ns) / static_cast<double>(one.time.ns);
            // To the host a copy alone takes all of its submission.
            if (one.time.clock == model::MeasuredBy::kHost && one.in_a_row != other->in_a_row) continue;
            ratios.push_back(ratio);
            at = &one;
            other_at = &*other;
            one_clock = one_clock && one.time.clock == other->time.clock;
            all_slower = all_slower && ratio >= kLeastCurveRatio && other->time.min_ns > one.time.p90_ns;
            all_faster = all_faster && ratio <= 1 / kLeastCurveRatio && one.time.min_ns > other->time.p90_ns;
        }
        if (ratios.size() < kLeastCurveSizes) return;
        std::ranges::sort(ratios);
        const double ratio = ratios[ratios.size() / 2];
        const std::string reason = one_clock ? unlike_runs : kOtherClock;
        const bool differs = (all_slower && ratio >= kCurveRatio) || (all_faster && ratio <= 1 / kCurveRatio);
        const ChangeStatus status = !differs          ? ChangeStatus::kSame
                                    : !reason.empty() ? ChangeStatus::kInconclusive
                                    : all_slower      ? ChangeStatus::kRegressed
                                                      : ChangeStatus::kImproved;
        nearest.add({.path = path + "/rate",
                     .field_class = model::FieldClass::kNoisy,
                     .status = status,
                     .from = fmt::format("{}/s with {}", byte_text(at->bytes_per_s), byte_text(at->bytes)),
                     .to = fmt::format("{}/s with {}", byte_text(other_at->bytes_per_s), byte_text(other_at->bytes)),
                     .reason = reason.empty() ? fmt::format("{:.3g} times as long, the middle one of {}", ratio,
                                                            counted(ratios.size(), "size"))
                                              : reason},
                    reason.empty());
    }

    static void compare_gain(const std::string& path, const model::EngineOverlap& from, const model::EngineOverlap& to,
                             const std::string& unlike_runs, NearestChanges& nearest) {
        std::string reason = from.disturbed                         ? *from.disturbed
                             : to.disturbed                         ? *to.disturbed
                             : from.serial.clock != to.serial.clock ? kOtherClock
                                                                    : unlike_runs;
        const bool tells = reason.empty();
        if (tells && gains_overlap(from, to)) reason = kSamplesOverlap;
        const ChangeStatus status = std::abs(from.gained - to.gained) < kGainLost ? ChangeStatus::kSame
                                    : !reason.empty()                             ? ChangeStatus::kInconclusive
                                    : to.gained < from.gained                     ? ChangeStatus::kRegressed
                                                                                  : ChangeStatus::kImproved;
        nearest.add({.path = path + "/gained",
                     .field_class = model::FieldClass::kNoisy,
                     .status = status,
                     .from = fmt::format("{:.2f}", from.gained),
                     .to = fmt::format("{:.2f}", to.gained),
                     .reason = std::move(reason)},
                    tells);
    }

    static void compare_latency(const std::string& path, std::uint32_t PipelineMeasurement::*best,
                                const PipelineMeasurement& from, const PipelineMeasurement& to,
                                const std::string& unlike_runs, NearestChanges& nearest) {
        std::string reason = from.unsettled                   ? *from.unsettled
                             : to.unsettled                   ? *to.unsettled
                             : clock_of(from) != clock_of(to) ? kOtherClock
                                                              : unlike_runs;
        const bool tells = reason.empty();
        const bool needs_more = to.*best > from.*best;
        if (tells && (needs_more ? frames_overlap(to, from) : frames_overlap(from, to))) reason = kSamplesOverlap;
        const ChangeStatus status = from.*best == to.*best ? ChangeStatus::kSame
                                    : !reason.empty()      ? ChangeStatus::kInconclusive
                                    : needs_more           ? ChangeStatus::kRegressed
                                                           : ChangeStatus::kImproved;
        nearest.add({.path = path + (best == &PipelineMeasurement::best_cpu_latency ? "/best_cpu_latency"
                                                                                    : "/best_engine_latency"),
                     .field_class = model::FieldClass::kNoisy,
                     .status = status,
                     .from = std::to_string(from.*best),
                     .to = std::to_string(to.*best),
                     .reason = std::move(reason)},
                    tells);
    }

    const EngineMeasurements& from_;
    const EngineMeasurements& to_;
    bool is_processor_;
    EngineParts one_;
    EngineParts other_;
    CostDifferences& result_;
};

}  // namespace

CostDifferences compare_engines(std::span<const model::DeviceReport* const> baselines, const model::DeviceReport& other,
                                const NoiseOptions& options, bool costs) {
    CostDifferences result;
    FigureComparison figures(options, FigureKind::kTime);
    NearestChanges nearest;
    bool first = true;
    for (const model::DeviceReport* baseline : baselines) {
        if (!baseline->run.engines) continue;
        if (!other.run.engines) {
            std::string reason = why_not_measured(other, model::kEnginesOutOfTime);
            const auto status = reason.empty() ? ChangeStatus::kMissing : ChangeStatus::kInconclusive;
            result.changes.push_back(
                {.path = "/volatile/engines", .status = status, .from = "measured", .reason = std::move(reason)});
            return result;
        }
        const bool is_processor = other.identity.type == model::DeviceType::kCpu;
        EngineComparison comparison(*baseline->run.engines, *other.run.engines, is_processor, result);
        // The first run stands for what is measured at all.
        if (first) comparison.compare_parts();
        first = false;
        if (!costs) continue;
        comparison.compare_figures(options, nearest);
        figures.add(comparison.times(), comparison.other_times(), comparison.unlike(options));
    }
    nearest.finish(result);
    figures.finish(result);
    return result;
}

std::vector<std::string> engine_paths(const model::DeviceReport& device, bool costs) {
    if (!device.run.engines) return {};
    EngineParts parts = parts_of(*device.run.engines);
    std::vector<std::string> paths = std::move(parts.keys);
    for (const model::EngineDescription& engine : device.run.engines->engines) {
        for (const char* member : {"", "/kind", "/dedicated", "/priority", "/priority_note"})
            paths.push_back(fmt::format("{}engines/{}{}", kRoot, engine.name, member));
    }
    if (!costs) return paths;
    for (const auto& [path, time] : parts.times) paths.push_back(path);
    for (const auto& [path, curve] : parts.curves) paths.push_back(path + "/rate");
    for (const auto& [path, overlap] : parts.overlaps) paths.push_back(path + "/gained");
    for (const auto& [path, pipeline] : parts.pipelines) {
        paths.push_back(path + "/best_cpu_latency");
        paths.push_back(path + "/best_engine_latency");
    }
    return paths;
}

}  // namespace heapwright::compare
