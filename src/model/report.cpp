#include "heapwright/model/report.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace heapwright::model {
namespace {

std::optional<std::uint64_t> find_fact(const std::vector<Fact>& facts, std::string_view name) {
    const auto fact =
        std::find_if(facts.begin(), facts.end(), [name](const Fact& entry) { return entry.name == name; });
    if (fact == facts.end()) return std::nullopt;
    return fact->value;
}

}  // namespace

bool same_device_and_driver(const DeviceIdentity& a, const DeviceIdentity& b) {
    const auto key = [](const DeviceIdentity& device) {
        return std::tie(device.api, device.vendor_id, device.device_id, device.name, device.driver_id,
                        device.driver_version, device.driver_info);
    };
    return key(a) == key(b);
}

std::optional<std::uint64_t> DeviceReport::limit(std::string_view name) const {
    return find_fact(limits, name);
}

bool DeviceReport::feature(std::string_view name) const {
    return find_fact(features, name).value_or(0) != 0;
}

}  // namespace heapwright::model
