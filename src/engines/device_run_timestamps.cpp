// When work ran by the device's own clock. Written around a submission's work: one of recorded lists alone has none, so
// that the whole run is told by what the host saw.
#include <algorithm>

#include "engines/device_run.hpp"

namespace heapwright::engines {

// Those of all engines of the run have to compare.
void DeviceRun::prepare_timestamps() {
    const device::TimestampSource* const source = device_.timestamps();
    if (source == nullptr || !source->compare_across_submissions()) return;
    std::optional<device::TimestampUnits> all;
    for (const device::EngineId engine : map_.engine_of) {
        const auto units = source->units(engine);
        if (!units) return;
        all = all ? device::common_units(*all, *units) : *units;
        if (!all) return;
    }
    timestamp_units_ = all;
}

std::optional<device::TimestampPairId> DeviceRun::timestamps_for(ActorIndex actor, const Outgoing& outgoing) {
    if (!timestamp_units_ || outgoing.work.empty() || !outgoing.lists.empty()) return std::nullopt;
    const auto made = device_.timestamps()->create(map_.engine_of[actor.value]);
    // A driver that makes none is one whose times the host tells.
    if (!made) return std::nullopt;
    return *made;
}

// After the queues are at rest. What cannot be read is told by the host. Errors: kDeviceLost.
Status DeviceRun::read_timestamps() {
    if (!timestamp_units_) return {};
    std::vector<std::optional<device::TimestampPair>> pairs(sent_.size());
    std::optional<std::size_t> first;
    const auto ns_between = [&](std::uint64_t from_ticks, std::uint64_t to_ticks) {
        return device::ns_between(from_ticks, to_ticks, *timestamp_units_);
    };
    for (std::size_t i = 0; i < sent_.size(); ++i) {
        if (!timestamps_[i]) continue;
        const auto pair = device_.timestamps()->read(*timestamps_[i]);
        if (!pair && pair.error().code == ErrorCode::kDeviceLost) return fail(pair.error());
        if (!pair) continue;
        pairs[i] = *pair;
        if (!first || ns_between(pair->begin_ticks, pairs[*first]->begin_ticks) > 0) first = i;
    }
    for (std::size_t i = 0; i < sent_.size(); ++i) {
        if (!pairs[i]) continue;
        const auto since_first_ns = [&](std::uint64_t ticks) {
            const double ns = ns_between(pairs[*first]->begin_ticks, ticks);
            return sent_[*first].submitted_ns + static_cast<std::uint64_t>(std::max(ns, 0.0));
        };
        sent_[i].device = {.begin_ns = since_first_ns(pairs[i]->begin_ticks),
                           .end_ns = since_first_ns(pairs[i]->end_ticks)};
    }
    return {};
}

// A device that does not come to rest may still write them.
void DeviceRun::destroy_timestamps() {
    if (!at_rest_) return;
    for (const auto& pair : timestamps_)
        if (pair) device_.timestamps()->destroy(*pair);
}

}  // namespace heapwright::engines
