#include "render/device_list.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::render {
namespace {

using model::DeviceIdentity;

struct DriverName {
    std::string_view id;
    std::string_view name;
};
constexpr DriverName kDriverNames[] = {
    {"MESA_RADV", "RADV"},
    {"INTEL_OPEN_SOURCE_MESA", "ANV"},
    {"NVIDIA_PROPRIETARY", "NVIDIA"},
    {"MESA_LLVMPIPE", "lavapipe"},
    {"GOOGLE_SWIFTSHADER", "SwiftShader"},
    {"MESA_NVK", "NVK"},
    {"MESA_TURNIP", "Turnip"},
    {"D3D12", "driver"},
};
constexpr std::string_view kMakers[] = {"AMD", "Radeon", "Intel", "NVIDIA", "GeForce"};

// The first "1.2", "580.159.04" in a text.
std::string_view version_in(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789";
    for (std::size_t start = text.find_first_of(kDigits); start != std::string_view::npos;
         start = text.find_first_of(kDigits, start)) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", start), text.size());
        std::string_view found = text.substr(start, end - start);
        while (found.ends_with('.')) found.remove_suffix(1);
        if (found.find('.') != std::string_view::npos) return found;
        start = end;
    }
    return {};
}

std::string driver_text(const DeviceIdentity& identity) {
    const auto [name, version] = driver_words(identity);
    return version.empty() || name.find(version) != std::string::npos ? name : fmt::format("{} {}", name, version);
}

// "AMD Radeon RX 5700 XT (RADV NAVI10)" -> "RX 5700 XT"
std::string model_text(std::string_view name) {
    std::string bare;
    int depth = 0;
    for (const char c : name) {
        if (c == '(') ++depth;
        if (depth == 0) bare += c;
        if (c == ')' && depth > 0) --depth;
    }
    std::string text;
    for (std::size_t start = bare.find_first_not_of(' '); start != std::string::npos;) {
        const std::size_t end = std::min(bare.find(' ', start), bare.size());
        const std::string_view word = std::string_view(bare).substr(start, end - start);
        if (std::find(std::begin(kMakers), std::end(kMakers), word) == std::end(kMakers)) append(text, " ", word);
        start = bare.find_first_not_of(' ', end);
    }
    return text.empty() ? std::string(name) : text;
}

std::string label_of(const DeviceIdentity& identity) {
    const std::string driver = driver_text(identity);
    return fmt::format("{}{}{}{}", model_text(identity.name), driver.empty() ? "" : " · ", driver,
                       identity.api == model::Api::kD3d12 ? " · D3D12" : "");
}

bool same_device(const DeviceIdentity& a, const DeviceIdentity& b) {
    return a.api == b.api && a.name == b.name && model::same_device_and_driver(a, b);
}

class DeviceList {
public:
    void add_report(const DeviceIdentity& identity, DevicePlace place) {
        devices_.push_back({.identity = identity, .reports = {place}});
    }
    ListedDevice& of(const DeviceIdentity& identity) {
        const auto found = std::find_if(devices_.begin(), devices_.end(),
                                        [&](const ListedDevice& each) { return same_device(each.identity, identity); });
        if (found != devices_.end()) return *found;
        return devices_.emplace_back(ListedDevice{.identity = identity});
    }
    [[nodiscard]] std::vector<ListedDevice> take() {
        std::map<std::string, int> seen;
        for (ListedDevice& device : devices_) {
            device.label = label_of(device.identity);
            const int times = ++seen[device.label];
            if (times > 1) device.label += fmt::format(" ({})", times);
        }
        return std::move(devices_);
    }

private:
    std::vector<ListedDevice> devices_;
};

}  // namespace

DriverWords driver_words(const DeviceIdentity& identity) {
    const auto* known = std::find_if(std::begin(kDriverNames), std::end(kDriverNames),
                                     [&](const DriverName& each) { return each.id == identity.driver_id; });
    DriverWords words{
        .name = std::string(known != std::end(kDriverNames) ? known->name : std::string_view(identity.driver_name)),
        .version = {}};
    // "libvkd3d-utils.so.1.1.0 over NVIDIA": the library's file says less than what lies under it.
    const std::size_t over = identity.driver_name.find(" over ");
    if (identity.driver_id == "VKD3D" && over != std::string::npos) {
        words.name = "vkd3d" + identity.driver_name.substr(over);
    }
    std::string_view version = version_in(identity.driver_info);
    if (version.empty()) version = version_in(identity.driver_name);
    if (version.empty()) version = identity.driver_info;
    words.version = version;
    return words;
}

std::vector<ListedDevice> list_devices(std::span<const ReportDocument> documents) {
    DeviceList list;
    const auto each_device = [&]<class Document>(auto&& action) {
        for (std::size_t i = 0; i < documents.size(); ++i) {
            const auto* document = std::get_if<Document>(&documents[i].document);
            if (document == nullptr) continue;
            for (std::size_t d = 0; d < document->devices.size(); ++d) {
                action(document->devices[d].identity, DevicePlace{.document = i, .device = d});
            }
        }
    };
    // Reports first, whatever the order of the files, so that the others find their device.
    each_device.operator()<model::Report>(
        [&](const DeviceIdentity& identity, DevicePlace place) { list.add_report(identity, place); });
    each_device.operator()<model::Policy>(
        [&](const DeviceIdentity& identity, DevicePlace place) { list.of(identity).policies.push_back(place); });
    each_device.operator()<model::Validation>(
        [&](const DeviceIdentity& identity, DevicePlace place) { list.of(identity).validations.push_back(place); });
    return list.take();
}

const model::DeviceReport* report_of(std::span<const ReportDocument> documents, const ListedDevice& device) {
    if (device.reports.empty()) return nullptr;
    const DevicePlace& place = device.reports.front();
    return &document_at<model::Report>(documents, place).devices[place.device];
}

}  // namespace heapwright::render
