#include "heapwright/model/report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "model/untold_limit.hpp"

namespace heapwright::model {

const Fact* find_fact(const std::vector<Fact>& facts, FactName name, std::string_view group) {
    const auto fact = std::find_if(facts.begin(), facts.end(), [&](const Fact& entry) {
        return entry.name == name.text() && (group.empty() || entry.group == group);
    });
    return fact == facts.end() ? nullptr : &*fact;
}

bool same_device_and_driver(const DeviceIdentity& a, const DeviceIdentity& b) {
    const auto key = [](const DeviceIdentity& device) {
        return std::tie(device.api, device.vendor_id, device.device_id, device.name, device.driver_id,
                        device.driver_version, device.driver_info);
    };
    return key(a) == key(b);
}

bool is_untold(const Fact& limit) {
    constexpr std::array<std::string_view, 6> kNeverZero{"bufferImageGranularity",   "maxBufferSize",
                                                         "maxMemoryAllocationCount", "maxMemoryAllocationSize",
                                                         "maxStorageBufferRange",    "nonCoherentAtomSize"};
    return limit.value == 0 && std::ranges::find(kNeverZero, limit.name) != kNeverZero.end();
}

namespace {

bool are_near(std::uint64_t least, std::uint64_t median, std::uint64_t most) {
    constexpr std::uint64_t kNear = 20;  // a twentieth
    return median - std::min(median, least) <= median / kNear && most - std::min(most, median) <= median / kNear;
}

}  // namespace

bool settled(const MeasuredTime& time) {
    return are_near(time.min_ns, time.ns, time.p90_ns);
}

bool settled(const EngineOverlap& overlap) {
    return settled(overlap.first_alone) && settled(overlap.second_alone) && settled(overlap.serial) &&
           settled(overlap.concurrent);
}

bool settled(const CreationPoint& point) {
    return are_near(point.least_pairs_per_s, point.pairs_per_s, point.most_pairs_per_s);
}

const CreationCurve* find_curve(const CreationMeasurements& measured, CreatedObject object, bool memory_priority) {
    const auto found = std::ranges::find_if(measured.curves, [&](const CreationCurve& curve) {
        return curve.object == object && curve.memory_priority == memory_priority;
    });
    return found == measured.curves.end() ? nullptr : &*found;
}

std::uint32_t serving_threads(const CreationCurve& curve) {
    std::uint64_t most = 0;
    for (const CreationPoint& point : curve.points) most = std::max(most, point.pairs_per_s);
    const auto serves = std::ranges::find_if(
        curve.points, [&](const CreationPoint& point) { return point.pairs_per_s >= most - most / 10; });
    return serves == curve.points.end() ? 0 : serves->threads;
}

std::optional<std::uint64_t> DeviceReport::limit(FactName name, std::string_view group) const {
    const Fact* fact = find_fact(limits, name, group);
    return fact == nullptr || is_untold(*fact) ? std::nullopt : std::optional(fact->value);
}

bool DeviceReport::feature(FactName name) const {
    const Fact* fact = find_fact(features, name);
    return fact != nullptr && fact->value != 0;
}

}  // namespace heapwright::model
