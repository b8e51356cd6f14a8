#include "import/detail/formats.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "import/detail/number_limits.hpp"
#include "import/detail/vulkan_structures.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"

namespace heapwright::imports::detail {
namespace {

// One profile's capability blocks, read as one.
class Capabilities {
public:
    void add(const JsonValue& block) {
        if (places_.insert(block.pointer()).second) blocks_.push_back(block);
    }

    // The member of a structure in "properties" or "features" in each block that has it.
    [[nodiscard]] std::vector<JsonValue> find(std::string_view part, const FactStructure& structure,
                                              std::string_view member) const {
        return of_each_block([&](const JsonValue& block) -> std::optional<JsonValue> {
            const auto structures = block.find(part);
            if (!structures) return std::nullopt;
            if (auto value = structures->find(structure.name, member)) return value;
            if (auto value = find_renamed(*structures, structure, member)) return value;
            return find_in_core(*structures, member);
        });
    }

    // The member of "limits" or "sparseProperties" in each block that has it.
    [[nodiscard]] std::vector<JsonValue> nested(std::string_view part, std::string_view member) const {
        return of_each_block([&](const JsonValue& block) {
            return block.find("properties", "VkPhysicalDeviceProperties", part, member);
        });
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
    template <class Find>
    [[nodiscard]] std::vector<JsonValue> of_each_block(Find&& find) const {
        std::vector<JsonValue> values;
        for (const JsonValue& block : blocks_) {
            if (auto value = find(block)) values.push_back(std::move(*value));
        }
        return values;
    }

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
    std::set<std::string> places_;
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
        identity.conformance_version = conformance_of(capabilities.property(structure, "conformanceVersion"));
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
    if (identity.name.empty()) identity.name = profile_name.empty() ? "unnamed profile" : profile_name;
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

model::Flags read_queue_flags(const JsonValue& family, model::DeviceReport& device) {
    const std::string place = fmt::format("/queue_families/{}/flags", device.queue_families.size());
    const auto names = family.find("queueFlags");
    if (!names) {
        device.absent.push_back(place);
        return 0;
    }
    if (!names->is_array()) {
        add_unreadable_value(device, place, names->pointer());
        return 0;
    }
    model::Flags flags = 0;
    static_cast<void>(names->for_each([&](std::string_view, const JsonValue& item) -> Status {
        if (const auto flag = parse_flag(item.text().value_or(""), "QUEUE_", model::queue_flag_names())) {
            flags |= *flag;
        } else {
            add_unreadable_value(device, place, item.pointer());
        }
        return {};
    }));
    return flags;
}

// Each block asks for its families; one that an earlier block asks for in the same words is the same family.
Status read_queue_families(const Capabilities& capabilities, model::DeviceReport& device) {
    const auto words = [](const model::QueueFamily& family) {
        return std::tuple{family.flags, family.queue_count, family.timestamp_valid_bits,
                          family.min_image_transfer_granularity};
    };
    std::set<decltype(words({}))> earlier;
    return capabilities.for_each_block([&](const JsonValue& block) -> Status {
        const auto families = block.find("queueFamiliesProperties");
        if (!families) return {};
        const std::size_t first = device.queue_families.size();
        HEAPWRIGHT_TRY(families->for_each([&](std::string_view, const JsonValue& entry) -> Status {
            const JsonValue family = entry.find("VkQueueFamilyProperties").value_or(entry);
            const std::size_t absent = device.absent.size();
            const std::size_t findings = device.findings.size();
            add_queue_family(family, read_queue_flags(family, device), device);
            if (earlier.contains(words(device.queue_families.back()))) {
                device.queue_families.pop_back();
                device.absent.resize(absent);
                device.findings.resize(findings);
            }
            return {};
        }));
        for (std::size_t i = first; i < device.queue_families.size(); ++i) {
            earlier.insert(words(device.queue_families[i]));
        }
        return {};
    });
}

// A number of a later block that differs from the first block's, which is the one that counts.
class DifferingBlocks {
public:
    std::optional<FoundValue> first_of(const std::vector<JsonValue>& values) {
        if (values.empty()) return std::nullopt;
        const auto first = found(values.front());
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (found(values[i])->value == first->value) continue;
            if (count_++ == 0) place_ = fmt::format("{} and {}", values.front().pointer(), values[i].pointer());
        }
        return first;
    }

    void tell(model::DeviceReport& device) const {
        if (count_ == 0) return;
        device.findings.push_back({.id = "differing-capabilities",
                                   .severity = model::FindingSeverity::kWarning,
                                   .statement = fmt::format("capability blocks of the profile state {} differently, as "
                                                            "at {}; the first block that states one counts",
                                                            counted(count_, "value"), place_),
                                   .clause = {},
                                   .evidence = {}});
    }

private:
    std::size_t count_ = 0;
    std::string place_;
};

void read_facts(const Capabilities& capabilities, model::DeviceReport& device) {
    DifferingBlocks blocks;
    collect_limits(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            std::string_view nested;
            if (structure.name == "VkPhysicalDeviceLimits") nested = "limits";
            if (structure.name == "VkPhysicalDeviceSparseProperties") nested = "sparseProperties";
            if (nested.empty()) return blocks.first_of(capabilities.find("properties", structure, member));
            return blocks.first_of(capabilities.nested(nested, member));
        },
        device);
    collect_features(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            return blocks.first_of(capabilities.find("features", structure, member));
        },
        device);
    blocks.tell(device);
}

// "capabilities" and "profiles": an object by name, or, in the form of 1.3.201, a list of objects that hold a "name".
std::optional<JsonValue> find_named(const JsonValue& container, std::string_view name) {
    if (container.is_object()) return container.find(name);
    std::optional<JsonValue> found;
    static_cast<void>(container.for_each([&](std::string_view, const JsonValue& item) -> Status {
        if (!found && text_of(item.find("name")) == name) found = item;
        return {};
    }));
    return found;
}

std::string name_of(std::string_view key, const JsonValue& item) {
    return key.empty() ? text_of(item.find("name")) : std::string(key);
}

class CapabilityReader {
public:
    CapabilityReader(const JsonValue& blocks, model::DeviceReport& device) : blocks_(blocks), device_(device) {}

    Result<Capabilities> read(const JsonValue& profile) {
        HEAPWRIGHT_ASSIGN(const JsonValue names, profile.require("capabilities"));
        if (!names.is_array()) return names.error("expected an array");
        HEAPWRIGHT_TRY(names.for_each([&](std::string_view, const JsonValue& item) -> Status {
            if (!item.is_array()) return add(item, names.size() == 1);
            return add_first_of(item);
        }));
        return std::move(capabilities_);
    }

private:
    Status add_first_of(const JsonValue& alternatives) {
        std::string taken;
        std::string left;
        HEAPWRIGHT_TRY(alternatives.for_each([&](std::string_view, const JsonValue& item) -> Status {
            if (!item.text()) return item.error("expected the name of a capability block");
            if (taken.empty()) {
                taken = quoted_start(*item.text());
                return add(item, false);
            }
            left += (left.empty() ? "" : ", ") + quoted_start(*item.text());
            return {};
        }));
        if (left.empty()) return {};
        note("alternative-capabilities", fmt::format("of the alternatives at {} the first, {}, is taken to be what the "
                                                     "device has; left out: {}",
                                                     alternatives.pointer(), taken, left));
        return {};
    }

    Status add(const JsonValue& item, bool names_one_block) {
        const auto name = item.text();
        if (!name) return item.error("expected the name of a capability block");
        if (const auto block = find_named(blocks_, *name)) {
            capabilities_.add(*block);
            return {};
        }
        // The blocks that there are, for whoever mends the file.
        std::string known;
        std::optional<JsonValue> only;
        static_cast<void>(blocks_.for_each([&](std::string_view key, const JsonValue& block) -> Status {
            if (known.size() < 200) known += (known.empty() ? "" : ", ") + quoted_start(name_of(key, block));
            only = block;
            return {};
        }));
        if (!names_one_block || blocks_.size() != 1) {
            return item.error(fmt::format("the file has no capability block {}{}{}", quoted_start(*name),
                                          known.empty() ? "" : "; it has ", known));
        }
        note("missing-capabilities", fmt::format("{} names the capability block {}, which the file does not have; its "
                                                 "only one, {}, is read instead",
                                                 item.pointer(), quoted_start(*name), known));
        capabilities_.add(*only);
        return {};
    }

    void note(std::string_view id, std::string statement) {
        device_.findings.push_back({.id = std::string(id),
                                    .severity = model::FindingSeverity::kWarning,
                                    .statement = std::move(statement),
                                    .clause = {},
                                    .evidence = {}});
    }

    JsonValue blocks_;
    model::DeviceReport& device_;
    Capabilities capabilities_;
};

Result<model::DeviceReport> import_profile(std::string_view name, const JsonValue& profile, const JsonValue& blocks) {
    model::DeviceReport device;
    add_no_memory_finding(device, "a Vulkan profile");
    HEAPWRIGHT_ASSIGN(const Capabilities capabilities, CapabilityReader(blocks, device).read(profile));
    read_identity(name, profile, capabilities, device);
    HEAPWRIGHT_TRY(read_extensions(capabilities, device));
    HEAPWRIGHT_TRY(read_queue_families(capabilities, device));
    read_facts(capabilities, device);
    return device;
}

bool is_container(const std::optional<JsonValue>& value) {
    return value && (value->is_object() || value->is_array());
}

}  // namespace

bool is_profiles(const JsonValue& root) {
    return is_container(root.find("profiles")) && is_container(root.find("capabilities"));
}

Result<std::vector<model::DeviceReport>> import_profiles(const JsonValue& root) {
    HEAPWRIGHT_ASSIGN(const JsonValue profiles, root.require("profiles"));
    HEAPWRIGHT_ASSIGN(const JsonValue blocks, root.require("capabilities"));
    std::vector<model::DeviceReport> devices;
    HEAPWRIGHT_TRY(profiles.for_each([&](std::string_view key, const JsonValue& profile) -> Status {
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_profile(name_of(key, profile), profile, blocks));
        devices.push_back(std::move(device));
        return {};
    }));
    if (devices.empty()) return profiles.error("the file holds no profile");
    return devices;
}

}  // namespace heapwright::imports::detail
