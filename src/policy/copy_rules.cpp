#include "policy/engine_rules.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "model/claims.hpp"
#include "model/names.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr double kAsFast = 0.9;
constexpr double kEnoughMapped = 0.5;  // of the device's memory
// A curve that ends below it, where others go on, says too little: there latency alone counts.
constexpr std::uint64_t kLeastCompared = 1 << 20;

// A curve with the size at which it is compared.
struct RatedCurve {
    std::size_t curve = 0;
    std::size_t point = 0;
    double bytes_per_s = 0;
    model::MeasuredTime time;
    model::DecisionInput input;
};

class CopyRules {
public:
    explicit CopyRules(const EngineFacts& facts) : facts_(facts) {}

    // The curves that `is_wanted`, at the largest size that all of them have and that is at most `largest_bytes`, or at
    // the smallest; without those that end before kLeastCompared where others go on.
    template <class Predicate>
    [[nodiscard]] std::vector<RatedCurve> candidates(std::uint64_t largest_bytes, Predicate is_wanted) const {
        const auto& curves = facts_.measured().copy_curves;
        std::vector<RatedCurve> found;
        const auto most_of = [&](const RatedCurve& each) {
            std::uint64_t most = curves[each.curve].points.front().bytes;
            for (const model::CopyPoint& point : curves[each.curve].points)
                if (point.bytes <= largest_bytes) most = std::max(most, point.bytes);
            return most;
        };
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (curves[i].points.empty() || !is_wanted(curves[i])) continue;
            found.push_back({.curve = i});
            most = std::max(most, most_of(found.back()));
        }
        std::uint64_t common = most;
        std::erase_if(found, [&](const RatedCurve& each) { return most_of(each) < std::min(most, kLeastCompared); });
        for (const RatedCurve& each : found) common = std::min(common, most_of(each));
        std::erase_if(found, [&](RatedCurve& each) {
            const auto& points = curves[each.curve].points;
            const auto at = std::ranges::find(points, common, &model::CopyPoint::bytes);
            each.point = static_cast<std::size_t>(at - points.begin());
            return at == points.end() || at->bytes_per_s == 0;
        });
        // Figures of two clocks do not compare; the host saw all of them.
        const bool by_host = std::ranges::any_of(
            found, [&](const RatedCurve& each) { return point_of(each).time.clock == model::MeasuredBy::kHost; });
        for (RatedCurve& each : found) rate(each, by_host);
        return found;
    }

    [[nodiscard]] const model::CopyCurve& curve_of(const RatedCurve& each) const {
        return facts_.measured().copy_curves[each.curve];
    }
    [[nodiscard]] const model::CopyPoint& point_of(const RatedCurve& each) const {
        return curve_of(each).points[each.point];
    }

private:
    void rate(RatedCurve& each, bool by_host) const {
        const model::CopyPoint& point = point_of(each);
        const std::string member = fmt::format("copy_curves/{}/points/{}", each.curve, each.point);
        each.time = point.time;
        if (by_host && point.time.host_ns && *point.time.host_ns > 0) {
            each.bytes_per_s = static_cast<double>(point.bytes) * 1e9 / static_cast<double>(*point.time.host_ns);
            each.input = facts_.cite_ns(member + "/time/host_ns", *point.time.host_ns);
            each.time.clock = model::MeasuredBy::kHost;
            return;
        }
        each.bytes_per_s = static_cast<double>(point.bytes_per_s);
        each.input = facts_.cite(member + "/bytes_per_s", model::bytes_per_second(each.bytes_per_s));
    }

    const EngineFacts& facts_;
};

std::vector<model::MeasuredTime> times_of(const std::vector<RatedCurve>& curves) {
    std::vector<model::MeasuredTime> times;
    for (const RatedCurve& each : curves) times.push_back(each.time);
    return times;
}

std::string_view words_of(model::CopyMeans means) {
    return means == model::CopyMeans::kShader ? "a compute shader" : "copy commands";
}

model::Figure rate_of(const RatedCurve& each) {
    return model::bytes_per_second(each.bytes_per_s);
}

// The curves of copies within device memory by the means, best first.
class Movers {
public:
    Movers(const EngineFacts& facts, const model::EnginePolicy& policy, std::uint64_t largest_bytes,
           std::initializer_list<model::CopyMeans> means)
        : facts_(facts), policy_(policy), rules_(facts) {
        found_ = rules_.candidates(largest_bytes, [&](const model::CopyCurve& curve) {
            return std::ranges::find(means, curve.means) != means.end() &&
                   curve.direction == model::CopyDirection::kOnDevice && !curve.mapped &&
                   !kind_of(curve.engine).empty();
        });
        if (found_.empty()) return;
        best_ = std::ranges::max(found_, {}, &RatedCurve::bytes_per_s).bytes_per_s;
        std::ranges::stable_sort(found_, {}, [&](const RatedCurve& each) {
            return std::tuple(!is_fast(each), curve_of(each).means, !is_beside_draws(each), !is_graphics(each),
                              -each.bytes_per_s);
        });
    }

    [[nodiscard]] bool empty() const { return found_.empty(); }
    [[nodiscard]] const RatedCurve& chosen() const { return found_.front(); }
    [[nodiscard]] const model::CopyCurve& curve_of(const RatedCurve& each) const { return rules_.curve_of(each); }

    [[nodiscard]] model::Claim run(std::string_view what) const {
        const model::CopyCurve& curve = curve_of(chosen());
        return claim<ClaimId::kMovesRun>(what, model::bytes(rules_.point_of(chosen()).bytes), rate_of(chosen()),
                                         words_of(curve.means), curve.engine);
    }

    // The engine, with the best of each other one by the same means.
    [[nodiscard]] model::Decided<std::string> engine(std::string_view what) const {
        const model::CopyCurve& curve = curve_of(chosen());
        model::Decided<std::string> engine{.value = curve.engine, .why = {}};
        engine.why.inputs = {chosen().input};
        engine.why.reason = run(what);
        engine.why.reason += by_clock(times_of(found_));
        const bool another_is_apart = std::ranges::any_of(found_, [&](const RatedCurve& each) {
            return !is_graphics(each) && is_fast(each) && curve_of(each).means == curve.means;
        });
        engine.why.reason += is_beside_draws(chosen()) ? claim<ClaimId::kMovesBesideDraws>(curve.engine)
                             : another_is_apart        ? claim<ClaimId::kMovesGainNothing>()
                                                       : claim<ClaimId::kMovesInTheWay>();
        for (const RatedCurve& each : found_) {
            if (curve_of(each).means == curve.means && curve_of(each).engine != curve.engine)
                add_other(engine.why, curve_of(each).engine, each);
        }
        return engine;
    }

    // The means, with the best of the others.
    [[nodiscard]] model::Decided<model::CopyMeans> means(std::string_view what) const {
        const model::CopyCurve& curve = curve_of(chosen());
        model::Decided<model::CopyMeans> means{.value = curve.means, .why = {}};
        means.why.inputs = {chosen().input};
        means.why.reason = run(what);
        means.why.reason += by_clock(times_of(found_));
        means.why.reason += claim<ClaimId::kMovesFastest>();
        means.why.reason += curve.means == model::CopyMeans::kCommand ? claim<ClaimId::kCommandsMoveAll>()
                                                                      : claim<ClaimId::kShaderMovesBuffers>();
        const RatedCurve* other = nullptr;
        for (const RatedCurve& each : found_) {
            if (curve_of(each).means != curve.means && (other == nullptr || each.bytes_per_s > other->bytes_per_s))
                other = &each;
        }
        if (other != nullptr) add_other(means.why, model::name_of(curve_of(*other).means), *other);
        return means;
    }

private:
    void add_other(model::Decision& why, std::string_view value, const RatedCurve& other) const {
        why.inputs.push_back(other.input);
        why.alternatives.push_back(
            {.value = std::string(value), .reason = claim<ClaimId::kMovesAt>(rate_of(other), curve_of(other).engine)});
    }
    [[nodiscard]] std::string_view kind_of(std::string_view name) const {
        for (const model::EngineDescription& engine : facts_.measured().engines)
            if (engine.name == name) return engine.kind;
        return {};
    }
    [[nodiscard]] bool is_fast(const RatedCurve& each) const { return each.bytes_per_s >= kAsFast * best_; }
    [[nodiscard]] bool is_graphics(const RatedCurve& each) const {
        return kind_of(curve_of(each).engine) == kGraphicsEngine;
    }
    [[nodiscard]] bool is_beside_draws(const RatedCurve& each) const {
        const std::string_view kind = kind_of(curve_of(each).engine);
        return (kind == kCopyEngine && policy_.async_copy.value) ||
               (kind == kComputeEngine && policy_.async_compute.value);
    }

    const EngineFacts& facts_;
    const model::EnginePolicy& policy_;
    CopyRules rules_;
    std::vector<RatedCurve> found_;
    double best_ = 0;
};

}  // namespace

void decide_moves(const EngineFacts& facts, std::uint64_t largest_bytes, model::EnginePolicy& policy) {
    const Movers buffers(facts, policy, largest_bytes, {model::CopyMeans::kCommand, model::CopyMeans::kShader});
    if (!buffers.empty()) {
        policy.buffer_moves = buffers.means("buffers");
        policy.assignments.push_back({.work = "buffer-moves", .engine = buffers.engine("buffers")});
    }
    const Movers images(facts, policy, largest_bytes, {model::CopyMeans::kImageCommand});
    if (!images.empty()) policy.assignments.push_back({.work = "image-moves", .engine = images.engine("images")});
}

std::optional<model::Decided<bool>> decide_direct_uploads(const EngineFacts& facts) {
    const CopyRules rules(facts);
    const auto found = rules.candidates(~0ull, [](const model::CopyCurve& curve) {
        return curve.means == model::CopyMeans::kHost && curve.direction == model::CopyDirection::kUpload;
    });
    const auto of = [&](bool mapped) {
        return std::ranges::find(found, mapped, [&](const RatedCurve& each) { return rules.curve_of(each).mapped; });
    };
    const auto direct = of(true);
    const auto staged = of(false);
    if (direct == found.end()) return std::nullopt;

    model::Decided<bool> decided{.value = true, .why = {}};
    decided.why.inputs = {direct->input};
    using namespace model::memory_property;
    const model::DeviceReport& device = facts.context().device;
    const bool has_ring_memory = std::ranges::any_of(device.memory_types, [](const model::MemoryType& type) {
        return (type.property_flags & (kHostVisible | kDeviceLocal)) == kHostVisible;
    });
    if (staged == found.end()) {
        if (has_ring_memory) return std::nullopt;  // it was left out
        decided.why.reason = claim<ClaimId::kAllMappedIsDevice>();
        decided.why.alternatives = {{.value = "false", .reason = claim<ClaimId::kRingCopiesLost>()}};
        return decided;
    }
    std::uint32_t largest_heap = 0;
    std::uint32_t mapped_heap = 0;
    std::uint64_t largest_bytes = 0;
    std::uint64_t mapped_bytes = 0;
    for (const model::MemoryType& type : device.memory_types) {
        if ((type.property_flags & kDeviceLocal) == 0) continue;
        const std::uint64_t bytes = device.heaps[type.heap_index].size_bytes;
        if (bytes > largest_bytes) std::tie(largest_bytes, largest_heap) = std::tuple(bytes, type.heap_index);
        if ((type.property_flags & kHostVisible) != 0 && bytes > mapped_bytes)
            std::tie(mapped_bytes, mapped_heap) = std::tuple(bytes, type.heap_index);
    }
    const bool is_fast = direct->bytes_per_s >= kAsFast * staged->bytes_per_s;
    const bool is_enough = static_cast<double>(mapped_bytes) >= kEnoughMapped * static_cast<double>(largest_bytes);
    decided.value = is_fast && is_enough;
    decided.why.inputs.push_back(staged->input);
    const auto cite_heap = [&](std::uint32_t heap, std::uint64_t bytes) {
        decided.why.inputs.push_back(
            facts.context().cite_device(fmt::format("/heaps/{}/size_bytes", heap), model::bytes(bytes)));
    };
    cite_heap(mapped_heap, mapped_bytes);
    if (largest_heap != mapped_heap) cite_heap(largest_heap, largest_bytes);
    decided.why.reason =
        claim<ClaimId::kDirectRates>(model::bytes(rules.point_of(*direct).bytes), rate_of(*direct), rate_of(*staged));
    decided.why.reason += by_clock({direct->time, staged->time});
    if (decided.value) decided.why.reason += claim<ClaimId::kDirectSaves>();
    if (!is_fast) decided.why.reason += claim<ClaimId::kDirectSlow>();
    if (!is_enough)
        decided.why.reason += claim<ClaimId::kLittleIsMapped>(model::bytes(largest_bytes), model::bytes(mapped_bytes));
    decided.why.alternatives = {
        {.value = decided.value ? "false" : "true",
         .reason = decided.value ? claim<ClaimId::kRingCopiesLost>() : claim<ClaimId::kDirectLost>()}};
    return decided;
}

}  // namespace heapwright::policy
