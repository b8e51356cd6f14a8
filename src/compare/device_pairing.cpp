#include "compare/device_pairing.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <string>

#include "compare/documents.hpp"

namespace heapwright::compare {
namespace {

using model::DeviceIdentity;

enum class Agreement : std::uint8_t { kEqual, kUnknown, kDiffers };

Agreement uuid_agreement(const DeviceIdentity& one, const DeviceIdentity& other) {
    if (one.device_uuid.empty() || other.device_uuid.empty()) return Agreement::kUnknown;
    return one.device_uuid == other.device_uuid ? Agreement::kEqual : Agreement::kDiffers;
}

Agreement pci_agreement(const DeviceIdentity& one, const DeviceIdentity& other) {
    if (!one.pci || !other.pci) return Agreement::kUnknown;
    return *one.pci == *other.pci ? Agreement::kEqual : Agreement::kDiffers;
}

// The less, the more surely the two are one device behind one driver.
struct Distance {
    Agreement uuid = Agreement::kUnknown;
    Agreement pci = Agreement::kUnknown;
    std::uint64_t version = 0;
    bool other_info = false;
    bool other_name = false;

    friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance distance(const DeviceIdentity& one, const DeviceIdentity& other) {
    const auto [less, more] = std::minmax(one.driver_version, other.driver_version);
    return {.uuid = uuid_agreement(one, other),
            .pci = pci_agreement(one, other),
            .version = std::uint64_t{more} - less,
            .other_info = one.driver_info != other.driver_info,
            .other_name = one.name != other.name};
}

bool same_driver(const DeviceIdentity& one, const DeviceIdentity& other) {
    return one.driver_version == other.driver_version && one.driver_info == other.driver_info;
}

// One device, as far as the two say.
bool same_device(const DeviceIdentity& one, const DeviceIdentity& other) {
    const Agreement uuid = uuid_agreement(one, other);
    const Agreement pci = pci_agreement(one, other);
    if (uuid == Agreement::kEqual || pci == Agreement::kEqual) return true;
    // A software driver's UUID changes with its version, and there is one such device.
    if (one.type == model::DeviceType::kCpu && other.type == model::DeviceType::kCpu) return true;
    return uuid == Agreement::kUnknown && pci == Agreement::kUnknown && one.name == other.name;
}

struct Candidate {
    Distance distance;
    std::size_t one = 0;
    std::size_t two = 0;
};

}  // namespace

Pairing pair_devices(std::span<const DeviceIdentity> baseline, std::span<const DeviceIdentity> other) {
    std::vector<Candidate> candidates;
    std::multimap<std::string, std::size_t> by_key;
    for (std::size_t two = 0; two < other.size(); ++two) by_key.emplace(device_key(other[two]), two);
    for (std::size_t one = 0; one < baseline.size(); ++one) {
        const auto [first, last] = by_key.equal_range(device_key(baseline[one]));
        for (auto at = first; at != last; ++at)
            candidates.push_back({distance(baseline[one], other[at->second]), one, at->second});
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::distance);
    std::vector<bool> paired(baseline.size());
    std::vector<bool> found(other.size());
    Pairing pairing;
    for (const Candidate& candidate : candidates) {
        if (paired[candidate.one] || found[candidate.two]) continue;
        paired[candidate.one] = true;
        found[candidate.two] = true;
        pairing.pairs.emplace_back(candidate.one, candidate.two);
    }
    std::ranges::sort(pairing.pairs);
    for (std::size_t one = 0; one < baseline.size(); ++one) {
        const bool other_version = std::ranges::any_of(pairing.pairs, [&](const auto& pair) {
            const DeviceIdentity& compared = baseline[pair.first];
            return device_key(compared) == device_key(baseline[one]) && same_device(compared, baseline[one]) &&
                   !same_driver(compared, baseline[one]);
        });
        if (!paired[one] && !other_version) pairing.missing.push_back(one);
    }
    for (std::size_t two = 0; two < other.size(); ++two) {
        if (!found[two]) pairing.added.push_back(two);
    }
    return pairing;
}

}  // namespace heapwright::compare
