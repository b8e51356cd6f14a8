#include "heapwright/import/detail/profiles.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "heapwright/import/detail/number_limits.hpp"
#include "heapwright/import/number_text.hpp"
#include "heapwright/import/parts.hpp"
#include "heapwright/import/vulkan_facts.hpp"
#include "heapwright/import/vulkan_identity.hpp"

namespace heapwright::imports::detail {
namespace {

// One profile's capability blocks, read as one.
class Capabilities {
public:
    void add(const JsonValue& block) { blocks_.push_back(block); }

    // The member of a structure in "properties" or "features".
    [[nodiscard]] std::optional<JsonValue> find(std::string_view part, const FactStructure& structure,
                                                std::string_view member) const {
        for (const JsonValue& block : blocks_) {
            const auto structures = block.find(part);
            if (!structures) continue;
            if (auto value = structures->find(structure.name, member)) return value;
            if (auto value = find_renamed(*structures, structure, member)) return value;
            if (auto value = find_in_core(*structures, member)) return value;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<JsonValue> property(std::string_view structure, std::string_view member) const {
        for (const JsonValue& block : blocks_) {
            if (auto value = block.find("properties", structure, member)) return value;
        }
        return std::nullopt;
    }

    template <class Visit>
    Status for_each_block(Visit&& visit) const {
        for (const JsonValue& block : blocks_) HEAPWRIGHT_TRY(visit(block));
        return {};
    }

private:
    static std::optional<JsonValue> find_renamed(const JsonValue& structures, const FactStructure& structure,
                                                 std::string_view member) {
        std::optional<JsonValue> value;
        static_cast<void>(structures.for_each([&](std::string_view name, const JsonValue& entry) -> Status {
            if (!value && names_structure(name, structure)) value = entry.find(member);
            return {};
        }));
        return value;
    }

    static std::optional<JsonValue> find_in_core(const JsonValue& structures, std::string_view member) {
        for (const std::string_view minor : {"14", "13", "12", "11"}) {
            for (const std::string_view kind : {"Properties", "Features"}) {
                if (auto value = structures.find(fmt::format("VkPhysicalDeviceVulkan{}{}", minor, kind), member)) {
                    return value;
                }
            }
        }
        return std::nullopt;
    }

    std::vector<JsonValue> blocks_;
};

// A number, or the sum of an array of sample count bits.
std::optional<FoundValue> found(const std::optional<JsonValue>& value) {
    if (!value) return std::nullopt;
    FoundValue result{.value = value->number(), .where = value->pointer()};
    if (!value->is_array()) return result;
    std::uint64_t bits = 0;
    const Status read = value->for_each([&bits](std::string_view, const JsonValue& item) -> Status {
        const auto bit = parse_sample_count(item.text().value_or(""));
        if (!bit) return item.error("no sample count");
        bits |= *bit;
        return {};
    });
    if (read) result.value = bits;
    return result;
}

void read_driver(const Capabilities& capabilities, model::DeviceIdentity& identity) {
    constexpr std::array<std::string_view, 2> kStructures{"VkPhysicalDeviceDriverProperties",
                                                          "VkPhysicalDeviceVulkan12Properties"};
    for (const std::string_view structure : kStructures) {
        if (!capabilities.property(structure, "driverID")) continue;
        identity.driver_id = vulkan_driver_id(text_of(capabilities.property(structure, "driverID")));
        identity.driver_name = text_of(capabilities.property(structure, "driverName"));
        identity.driver_info = text_of(capabilities.property(structure, "driverInfo"));
        const auto version = capabilities.property(structure, "conformanceVersion");
        if (!version) return;
        const auto part = [&version](std::string_view key) { return number32(version->find(key)).value_or(0); };
        identity.conformance_version =
            conformance_text(fmt::format("{}.{}.{}.{}", part("major"), part("minor"), part("subminor"), part("patch")));
        return;
    }
}

void read_ids(const Capabilities& capabilities, model::DeviceReport& device) {
    constexpr std::array<std::string_view, 2> kStructures{"VkPhysicalDeviceIDProperties",
                                                          "VkPhysicalDeviceVulkan11Properties"};
    for (const std::string_view structure : kStructures) {
        const auto valid = capabilities.property(structure, "deviceLUIDValid");
        if (!valid || !valid->number()) continue;
        device.identity.device_uuid = hex_of(capabilities.property(structure, "deviceUUID"), 16);
        device.identity.driver_uuid = hex_of(capabilities.property(structure, "driverUUID"), 16);
        if (*valid->number() == 1) {
            device.identity.luid = hex_of(capabilities.property(structure, "deviceLUID"), 8);
        }
        return;
    }
    device.absent.emplace_back("/identity/luid");
}

void read_pci(const Capabilities& capabilities, model::DeviceIdentity& identity) {
    constexpr std::string_view kStructure = "VkPhysicalDevicePCIBusInfoPropertiesEXT";
    const auto domain = number32(capabilities.property(kStructure, "pciDomain"));
    const auto bus = number32(capabilities.property(kStructure, "pciBus"));
    const auto device = number32(capabilities.property(kStructure, "pciDevice"));
    const auto function = number32(capabilities.property(kStructure, "pciFunction"));
    if (!domain || !bus || !device || !function) return;
    identity.pci = model::PciAddress{.domain = *domain, .bus = *bus, .device = *device, .function = *function};
}

// A profile need not tell which device it is of; its own name and version then stand for them.
void read_identity(std::string_view profile_name, const JsonValue& profile, const Capabilities& capabilities,
                   model::DeviceReport& device) {
    constexpr std::string_view kStructure = "VkPhysicalDeviceProperties";
    model::DeviceIdentity& identity = device.identity;
    const auto number = [&](std::string_view member) {
        const auto value = number32(capabilities.property(kStructure, member));
        if (!value) device.absent.push_back(fmt::format("/identity/{}", member));
        return value.value_or(0);
    };
    identity.name = text_of(capabilities.property(kStructure, "deviceName"));
    if (identity.name.empty()) identity.name = profile_name;
    const auto type = capabilities.property(kStructure, "deviceType");
    if (!type) device.absent.emplace_back("/identity/type");
    identity.type = vulkan_device_type(text_of(type));
    identity.vendor_id = number("vendorID");
    identity.device_id = number("deviceID");
    identity.driver_version = number("driverVersion");
    identity.api_version = text_of(profile.find("api-version"));
    if (const auto version = number32(capabilities.property(kStructure, "apiVersion"))) {
        identity.api_version = vulkan_version_text(*version);
    }
    for (std::string& pointer : device.absent) {
        if (pointer == "/identity/vendorID") pointer = "/identity/vendor_id";
        if (pointer == "/identity/deviceID") pointer = "/identity/device_id";
        if (pointer == "/identity/driverVersion") pointer = "/identity/driver_version";
    }
    read_driver(capabilities, identity);
    read_ids(capabilities, device);
    read_pci(capabilities, identity);
}

Status read_extensions(const Capabilities& capabilities, model::DeviceReport& device) {
    return capabilities.for_each_block([&device](const JsonValue& block) -> Status {
        const auto extensions = block.find("extensions");
        if (!extensions) return {};
        return extensions->for_each([&device](std::string_view name, const JsonValue& value) -> Status {
            const auto version = value.number();
            if (!version || *version > kMax32 || name.empty()) {
                add_unreadable_extension(device, value.where(),
                                         fmt::format("{} of revision {}", quoted_start(name), value.shown()));
            } else {
                device.extensions.push_back(
                    {.name = std::string(name), .spec_version = static_cast<std::uint32_t>(*version)});
            }
            return {};
        });
    });
}

Result<model::Flags> read_queue_flags(const JsonValue& names, model::DeviceReport& device) {
    model::Flags flags = 0;
    HEAPWRIGHT_TRY(names.for_each([&](std::string_view, const JsonValue& item) -> Status {
        const auto name = item.text();
        if (!name) return item.error("expected a flag's name");
        if (const auto flag = parse_flag(*name, "QUEUE_", model::queue_flag_names())) {
            flags |= *flag;
        } else {
            add_unreadable_value(device, fmt::format("/queue_families/{}/flags", device.queue_families.size()),
                                 item.pointer());
        }
        return {};
    }));
    return flags;
}

Status read_queue_families(const Capabilities& capabilities, model::DeviceReport& device) {
    return capabilities.for_each_block([&device](const JsonValue& block) -> Status {
        const auto families = block.find("queueFamiliesProperties");
        if (!families || !device.queue_families.empty()) return {};
        return families->for_each([&device](std::string_view, const JsonValue& entry) -> Status {
            HEAPWRIGHT_ASSIGN(const JsonValue family, entry.require("VkQueueFamilyProperties"));
            HEAPWRIGHT_ASSIGN(const JsonValue names, family.require("queueFlags"));
            HEAPWRIGHT_ASSIGN(const model::Flags flags, read_queue_flags(names, device));
            HEAPWRIGHT_ASSIGN(const std::uint64_t count, family.require_number("queueCount", kMax32));
            HEAPWRIGHT_ASSIGN(const std::uint64_t bits, family.require_number("timestampValidBits", 64));
            HEAPWRIGHT_ASSIGN(const JsonValue granularity, family.require("minImageTransferGranularity"));
            HEAPWRIGHT_ASSIGN(const std::uint64_t width, granularity.require_number("width", kMax32));
            HEAPWRIGHT_ASSIGN(const std::uint64_t height, granularity.require_number("height", kMax32));
            HEAPWRIGHT_ASSIGN(const std::uint64_t depth, granularity.require_number("depth", kMax32));
            device.queue_families.push_back({.flags = flags,
                                             .queue_count = static_cast<std::uint32_t>(count),
                                             .timestamp_valid_bits = static_cast<std::uint32_t>(bits),
                                             .min_image_transfer_granularity = {static_cast<std::uint32_t>(width),
                                                                                static_cast<std::uint32_t>(height),
                                                                                static_cast<std::uint32_t>(depth)}});
            return {};
        });
    });
}

void read_facts(const Capabilities& capabilities, model::DeviceReport& device) {
    constexpr std::string_view kCore = "VkPhysicalDeviceProperties";
    collect_limits(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            std::string_view nested;
            if (structure.name == "VkPhysicalDeviceLimits") nested = "limits";
            if (structure.name == "VkPhysicalDeviceSparseProperties") nested = "sparseProperties";
            if (nested.empty()) return found(capabilities.find("properties", structure, member));
            const auto values = capabilities.property(kCore, nested);
            return values ? found(values->find(member)) : std::nullopt;
        },
        device);
    collect_features(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            return found(capabilities.find("features", structure, member));
        },
        device);
}

Result<Capabilities> capabilities_of(const JsonValue& profile, const JsonValue& blocks, model::DeviceReport& device) {
    Capabilities capabilities;
    HEAPWRIGHT_ASSIGN(const JsonValue names, profile.require("capabilities"));
    HEAPWRIGHT_TRY(names.for_each([&](std::string_view, const JsonValue& item) -> Status {
        if (item.is_array()) {
            device.findings.push_back({.id = "alternative-capabilities",
                                       .severity = model::FindingSeverity::kNote,
                                       .statement = fmt::format("{} lists alternatives; none of them is taken to be "
                                                                "what the device has",
                                                                item.pointer()),
                                       .clause = {},
                                       .evidence = {}});
            return {};
        }
        const auto name = item.text();
        if (!name) return item.error("expected the name of a capability block");
        const auto block = blocks.find(*name);
        if (!block) return item.error(fmt::format("the file has no capability block \"{}\"", *name));
        capabilities.add(*block);
        return {};
    }));
    return capabilities;
}

Result<model::DeviceReport> import_profile(std::string_view name, const JsonValue& profile, const JsonValue& blocks) {
    model::DeviceReport device;
    device.findings.push_back({.id = "no-memory-information",
                               .severity = model::FindingSeverity::kWarning,
                               .statement = "a Vulkan profile holds no memory heaps and no memory types; no policy can "
                                            "be computed from it",
                               .clause = {},
                               .evidence = {"/heaps", "/memory_types"}});
    HEAPWRIGHT_ASSIGN(const Capabilities capabilities, capabilities_of(profile, blocks, device));
    read_identity(name, profile, capabilities, device);
    HEAPWRIGHT_TRY(read_extensions(capabilities, device));
    HEAPWRIGHT_TRY(read_queue_families(capabilities, device));
    read_facts(capabilities, device);
    return device;
}

}  // namespace

bool is_profiles(const JsonValue& root) {
    const auto profiles = root.find("profiles");
    const auto capabilities = root.find("capabilities");
    return profiles && profiles->is_object() && capabilities && capabilities->is_object();
}

Result<std::vector<model::DeviceReport>> import_profiles(const JsonValue& root) {
    HEAPWRIGHT_ASSIGN(const JsonValue profiles, root.require("profiles"));
    HEAPWRIGHT_ASSIGN(const JsonValue blocks, root.require("capabilities"));
    std::vector<model::DeviceReport> devices;
    HEAPWRIGHT_TRY(profiles.for_each([&](std::string_view name, const JsonValue& profile) -> Status {
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_profile(name, profile, blocks));
        devices.push_back(std::move(device));
        return {};
    }));
    if (devices.empty()) return profiles.error("the file holds no profile");
    return devices;
}

}  // namespace heapwright::imports::detail
