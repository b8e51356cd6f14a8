#include "model/selection.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace heapwright::model {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
}

std::optional<std::uint32_t> parse(std::string_view text, int base) {
    if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

int preference(DeviceType type) {
    switch (type) {
        case DeviceType::kDiscreteGpu: return 0;
        case DeviceType::kIntegratedGpu: return 1;
        case DeviceType::kVirtualGpu: return 2;
        case DeviceType::kOther: return 3;
        case DeviceType::kCpu: return 4;
    }
    return 3;
}

}  // namespace

bool matches(std::string_view selector, const DeviceIdentity& device, std::size_t index) {
    if (const auto number = parse(selector, 10)) return *number == index;
    if (const auto colon = selector.find(':'); colon != std::string_view::npos) {
        const auto vendor = parse(selector.substr(0, colon), 16);
        const auto id = parse(selector.substr(colon + 1), 16);
        if (vendor && id) return *vendor == device.vendor_id && *id == device.device_id;
    }
    std::string text = lower(selector);
    if (!device.device_uuid.empty()) {
        std::string digits = text;
        std::erase(digits, '-');
        if (digits == device.device_uuid) return true;
    }
    return lower(device.name).find(text) != std::string::npos;
}

Result<std::vector<std::size_t>> select_devices(std::span<const std::string> selectors,
                                                std::span<const DeviceIdentity> devices) {
    if (devices.empty()) return fail(ErrorCode::kNoDevice, "no device was found");
    std::vector<bool> chosen(devices.size(), selectors.empty());
    for (const std::string& selector : selectors) {
        bool any = false;
        for (std::size_t index = 0; index < devices.size(); ++index) {
            if (!matches(selector, devices[index], index)) continue;
            chosen[index] = true;
            any = true;
        }
        if (any) continue;
        std::string known;
        for (std::size_t index = 0; index < devices.size(); ++index) {
            known += fmt::format("{}{} = {}", index == 0 ? "" : ", ", index, devices[index].name);
        }
        return fail(ErrorCode::kInvalidArgument, fmt::format("no device matches '{}'; devices: {}", selector, known),
                    "--device");
    }
    std::vector<std::size_t> result;
    for (std::size_t index = 0; index < devices.size(); ++index) {
        if (chosen[index]) result.push_back(index);
    }
    return result;
}

Result<std::vector<std::size_t>> select_in_report(std::span<const std::string> selectors, const Report& report) {
    std::vector<DeviceIdentity> identities;
    for (const DeviceReport& device : report.devices) identities.push_back(device.identity);
    return select_devices(selectors, identities);
}

Result<std::size_t> best_device(std::span<const DeviceIdentity> devices) {
    if (devices.empty()) return fail(ErrorCode::kNoDevice, "no device was found");
    const auto best =
        std::min_element(devices.begin(), devices.end(), [](const DeviceIdentity& left, const DeviceIdentity& right) {
            return preference(left.type) < preference(right.type);
        });
    return static_cast<std::size_t>(best - devices.begin());
}

}  // namespace heapwright::model
