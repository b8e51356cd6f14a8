#include "heapwright/model/report.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

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

std::optional<std::uint64_t> DeviceReport::limit(FactName name, std::string_view group) const {
    const Fact* fact = find_fact(limits, name, group);
    return fact == nullptr ? std::nullopt : std::optional(fact->value);
}

bool DeviceReport::feature(FactName name) const {
    const Fact* fact = find_fact(features, name);
    return fact != nullptr && fact->value != 0;
}

}  // namespace heapwright::model
