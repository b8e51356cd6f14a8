#include "import/parts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.hpp"
#include "import/number_text.hpp"

namespace heapwright::imports {

namespace {

// VK_MAX_MEMORY_HEAPS and VK_MAX_MEMORY_TYPES, the most that a report holds.
constexpr std::size_t kMaxHeaps = 16;
constexpr std::size_t kMaxMemoryTypes = 32;

void add_zero_size_heaps(model::DeviceReport& device) {
    for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
        if (device.heaps[heap].size_bytes != 0) continue;
        device.findings.push_back({.id = std::string(model::kZeroSizeHeapFinding),
                                   .severity = model::FindingSeverity::kWarning,
                                   .statement = fmt::format("memory heap {} has a size of 0 bytes", heap),
                                   .clause = device.identity.api == model::Api::kVulkan ? "VkMemoryHeap" : "",
                                   .evidence = {fmt::format("/heaps/{}", heap)}});
    }
}

void list_absent_identity(const model::DeviceIdentity& identity, std::vector<std::string>& absent) {
    const auto unless = [&absent](bool known, std::string_view pointer) {
        if (!known) absent.emplace_back(pointer);
    };
    unless(!identity.driver_info.empty(), "/identity/driver_info");
    unless(!identity.api_version.empty(), "/identity/api_version");
    // Direct3D 12 has none of the others.
    if (identity.api == model::Api::kD3d12) return;
    unless(!identity.driver_id.empty(), "/identity/driver_id");
    unless(!identity.driver_name.empty(), "/identity/driver_name");
    unless(!identity.device_uuid.empty(), "/identity/device_uuid");
    unless(!identity.driver_uuid.empty(), "/identity/driver_uuid");
    unless(identity.pci.has_value(), "/identity/pci");
}

void list_absent_parts(model::DeviceReport& device) {
    std::vector<std::string>& absent = device.absent;
    list_absent_identity(device.identity, absent);
    const auto unless = [&absent](bool present, std::string_view pointer) {
        if (!present) absent.emplace_back(pointer);
    };
    unless(!device.heaps.empty(), "/heaps");
    unless(!device.memory_types.empty(), "/memory_types");
    unless(!device.limits.empty(), "/limits");
    unless(!device.features.empty(), "/features");
    unless(!device.queue_families.empty(), "/queue_families");
    unless(!device.extensions.empty() || device.identity.api == model::Api::kD3d12, "/extensions");
    unless(!device.run.heap_budgets.empty(), "/volatile/heap_budgets");
    for (const std::string_view pointer :
         {"/image_sweep", "/buffer_sweep", "/observations", "/volatile/memory_cost", "/volatile/timing"}) {
        absent.emplace_back(pointer);
    }
    std::sort(absent.begin(), absent.end());
    absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
}

}  // namespace

void add_unreadable_value(model::DeviceReport& device, std::string pointer, std::string_view where) {
    device.findings.push_back(
        {.id = "unreadable-value",
         .severity = model::FindingSeverity::kWarning,
         .statement = fmt::format("the value at {} is none that {} can hold; it is left out", where, pointer),
         .clause = {},
         .evidence = {pointer}});
    device.absent.push_back(std::move(pointer));
}

void add_no_memory_finding(model::DeviceReport& device, std::string_view what) {
    device.findings.push_back({.id = "no-memory-information",
                               .severity = model::FindingSeverity::kWarning,
                               .statement = fmt::format("{} holds no memory heaps and no memory types; no policy can "
                                                        "be computed from it",
                                                        what),
                               .clause = {},
                               .evidence = {"/heaps", "/memory_types"}});
}

std::string quoted_start(std::string_view text) {
    constexpr std::size_t kMostShown = 80;
    std::size_t end = std::min(text.size(), kMostShown);
    while (end != 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
    return fmt::format("\"{}\"{}", printable(text.substr(0, end)), end < text.size() ? "..." : "");
}

void add_unreadable_extension(model::DeviceReport& device, std::string_view where, std::string_view shown) {
    constexpr std::ptrdiff_t kMostShown = 20;
    const auto known = std::count_if(device.findings.begin(), device.findings.end(), [](const model::Finding& finding) {
        return finding.id == "unreadable-extension";
    });
    if (known > kMostShown) return;
    device.findings.push_back({.id = "unreadable-extension",
                               .severity = model::FindingSeverity::kWarning,
                               .statement = known < kMostShown
                                                ? fmt::format("the extension at {} is left out: it is {}", where, shown)
                                                : fmt::format("from {} on more extensions are left out", where),
                               .clause = {},
                               .evidence = {"/extensions"}});
}

void add_absent_identity(model::DeviceReport& device, std::initializer_list<std::string_view> members) {
    for (const std::string_view member : members) device.absent.push_back(fmt::format("/identity/{}", member));
}

Status check_memory(const model::DeviceReport& device, const std::string& where) {
    const auto too_many = [&where](std::string_view what, std::size_t count, std::size_t limit) {
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = fmt::format("more {} than a report holds", what),
                     .where = where,
                     .value = count,
                     .limit = limit});
    };
    if (device.heaps.size() > kMaxHeaps) return too_many("memory heaps", device.heaps.size(), kMaxHeaps);
    if (device.memory_types.size() > kMaxMemoryTypes) {
        return too_many("memory types", device.memory_types.size(), kMaxMemoryTypes);
    }
    for (std::size_t type = 0; type < device.memory_types.size(); ++type) {
        if (device.memory_types[type].heap_index < device.heaps.size()) continue;
        return fail({.code = ErrorCode::kSchemaViolation,
                     .message = fmt::format("memory type {} names a heap that is not there", type),
                     .where = where,
                     .value = device.memory_types[type].heap_index,
                     .limit = device.heaps.size()});
    }
    return {};
}

void finish_device(model::DeviceReport& device) {
    device.origin = model::ReportOrigin::kImport;
    const auto by_name = [](const model::Extension& a, const model::Extension& b) { return a.name < b.name; };
    std::stable_sort(device.extensions.begin(), device.extensions.end(), by_name);
    const auto same = [](const model::Extension& a, const model::Extension& b) { return a.name == b.name; };
    device.extensions.erase(std::unique(device.extensions.begin(), device.extensions.end(), same),
                            device.extensions.end());
    add_zero_size_heaps(device);
    list_absent_parts(device);
}

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
