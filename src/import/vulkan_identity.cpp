#include "import/vulkan_identity.hpp"

#include <fmt/format.h>

#include <array>

#include "import/number_text.hpp"

namespace heapwright::imports {
namespace {

constexpr std::array<std::string_view, 28> kDriverIds{"",
                                                      "AMD_PROPRIETARY",
                                                      "AMD_OPEN_SOURCE",
                                                      "MESA_RADV",
                                                      "NVIDIA_PROPRIETARY",
                                                      "INTEL_PROPRIETARY_WINDOWS",
                                                      "INTEL_OPEN_SOURCE_MESA",
                                                      "IMAGINATION_PROPRIETARY",
                                                      "QUALCOMM_PROPRIETARY",
                                                      "ARM_PROPRIETARY",
                                                      "GOOGLE_SWIFTSHADER",
                                                      "GGP_PROPRIETARY",
                                                      "BROADCOM_PROPRIETARY",
                                                      "MESA_LLVMPIPE",
                                                      "MOLTENVK",
                                                      "COREAVI_PROPRIETARY",
                                                      "JUICE_PROPRIETARY",
                                                      "VERISILICON_PROPRIETARY",
                                                      "MESA_TURNIP",
                                                      "MESA_V3DV",
                                                      "MESA_PANVK",
                                                      "SAMSUNG_PROPRIETARY",
                                                      "MESA_VENUS",
                                                      "MESA_DOZEN",
                                                      "MESA_NVK",
                                                      "IMAGINATION_OPEN_SOURCE_MESA",
                                                      "MESA_HONEYKRISP",
                                                      "VULKAN_SC_EMULATION_ON_VULKAN"};

constexpr std::array<std::string_view, 5> kDeviceTypes{"OTHER", "INTEGRATED_GPU", "DISCRETE_GPU", "VIRTUAL_GPU", "CPU"};

}  // namespace

model::DeviceType vulkan_device_type(std::uint64_t value) {
    return value < kDeviceTypes.size() ? static_cast<model::DeviceType>(value) : model::DeviceType::kOther;
}

model::DeviceType vulkan_device_type(std::string_view name) {
    const std::string_view plain = without_prefix(without_prefix(trimmed(name), "VK_"), "PHYSICAL_DEVICE_TYPE_");
    for (std::size_t i = 0; i < kDeviceTypes.size(); ++i) {
        if (plain == kDeviceTypes[i]) return static_cast<model::DeviceType>(i);
    }
    return model::DeviceType::kOther;
}

std::string vulkan_driver_id(std::uint64_t value) {
    if (value >= 1 && value < kDriverIds.size()) return std::string(kDriverIds[value]);
    return fmt::format("DRIVER_ID_{}", value);
}

std::string vulkan_driver_id(std::string_view name) {
    return std::string(without_prefix(without_prefix(trimmed(name), "VK_"), "DRIVER_ID_"));
}

std::string vulkan_version_text(std::uint64_t version) {
    return fmt::format("{}.{}.{}", (version >> 22) & 0x7f, (version >> 12) & 0x3ff, version & 0xfff);
}

std::string conformance_text(std::string_view version) {
    version = trimmed(version);
    return version.starts_with("0.") ? std::string() : std::string(version);
}

std::uint32_t api_minor_version(std::string_view version) {
    if (!version.starts_with("1.")) return 0;
    version.remove_prefix(2);
    const auto minor = parse_number(version.substr(0, version.find('.')));
    return minor && *minor < 1024 ? static_cast<std::uint32_t>(*minor) : 0;
}

}  // namespace heapwright::imports
