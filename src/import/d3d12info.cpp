#include "import/detail/formats.hpp"

#include <fmt/format.h>

#include <limits>

#include "import/detail/number_limits.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"

namespace heapwright::imports::detail {
namespace {

constexpr std::uint64_t kAdapterFlagSoftware = 2;  // DXGI_ADAPTER_FLAG3_SOFTWARE

constexpr std::string_view kDescription = "DXGI_ADAPTER_DESC3";
constexpr std::string_view kFactPrefix = "D3D12_FEATURE_DATA_";
// These tell the feature level of the identity and the queue families, which the probe does not list as facts either.
constexpr std::string_view kFeatureLevels = "D3D12_FEATURE_DATA_FEATURE_LEVELS";
constexpr std::string_view kQueuePriority = "D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY";

// "31.0.101.5084" of the four 16-bit parts that CheckInterfaceSupport gives.
std::string driver_version_text(std::uint64_t version) {
    return fmt::format("{}.{}.{}.{}", version >> 48, version >> 32 & 0xffff, version >> 16 & 0xffff, version & 0xffff);
}

Status read_identity(const JsonValue& adapter, model::DeviceReport& device) {
    model::DeviceIdentity& identity = device.identity;
    identity.api = model::Api::kD3d12;
    HEAPWRIGHT_ASSIGN(const JsonValue description, adapter.require(kDescription));
    HEAPWRIGHT_ASSIGN(const JsonValue name, description.require("Description"));
    if (!name.text()) return name.error("expected a text");
    identity.name = *name.text();
    HEAPWRIGHT_ASSIGN(const std::uint64_t vendor, description.require_number("VendorId", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t device_id, description.require_number("DeviceId", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t flags, description.require_number("Flags", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t dedicated, description.require_number("DedicatedVideoMemory", kMax64));
    identity.vendor_id = static_cast<std::uint32_t>(vendor);
    identity.device_id = static_cast<std::uint32_t>(device_id);
    identity.type = (flags & kAdapterFlagSoftware) != 0 ? model::DeviceType::kCpu
                    : dedicated > 0                     ? model::DeviceType::kDiscreteGpu
                                                        : model::DeviceType::kIntegratedGpu;
    identity.driver_id = "D3D12";
    identity.driver_name = "d3d12.dll";
    const auto driver = adapter.find("CheckInterfaceSupport", "UMDVersion");
    if (const auto version = driver ? driver->number() : std::nullopt) {
        identity.driver_version = static_cast<std::uint32_t>(*version & kMax32);
        identity.driver_info = driver_version_text(*version);
    } else {
        device.absent.emplace_back("/identity/driver_version");
    }
    const auto levels = adapter.find(kFeatureLevels, "MaxSupportedFeatureLevel");
    if (const auto level = levels ? levels->number() : std::nullopt) {
        identity.api_version = fmt::format("{}_{}", *level >> 12, *level >> 8 & 0xf);
    }
    const auto luid = description.find("AdapterLuid");
    identity.luid = parse_hexadecimal(luid ? luid->text().value_or("") : "", 8).value_or("");
    if (identity.luid.empty()) device.absent.emplace_back("/identity/luid");
    const auto uuid = adapter.find("VkPhysicalDeviceIDProperties", "deviceUUID");
    identity.device_uuid = parse_hexadecimal(uuid ? uuid->text().value_or("") : "", 16).value_or("");
    return {};
}

void add_fact(const std::string& group, std::string_view name, const JsonValue& value, model::DeviceReport& device) {
    if (value.is_object() || value.is_array()) return;
    const auto number = value.number();
    if (!number) {
        add_unreadable_value(device, fmt::format("/limits/{}/{}", group, name), value.pointer());
        return;
    }
    const std::string text = text_of(value);
    const bool is_flag = value.is_bool() || text == "true" || text == "false";
    auto& facts = is_flag ? device.features : device.limits;
    facts.push_back({.group = group, .name = std::string(name), .value = *number});
}

Status read_facts(const JsonValue& adapter, model::DeviceReport& device) {
    return adapter.for_each([&device](std::string_view key, const JsonValue& structure) -> Status {
        const bool increments = key == "GetDescriptorHandleIncrementSize";
        if (!increments && !key.starts_with(kFactPrefix)) return {};
        if (key == kFeatureLevels || key == kQueuePriority) return {};
        if (!structure.is_object()) return {};
        const std::string group = increments ? fmt::format("ID3D12Device::{}", key) : std::string(key);
        return structure.for_each([&](std::string_view name, const JsonValue& value) -> Status {
            add_fact(group, name, value, device);
            return {};
        });
    });
}

// One family for each command list type that takes queues of normal priority.
void set_queue_families(const JsonValue& adapter, model::DeviceReport& device) {
    namespace flag = model::queue_flag;
    struct QueueType {
        std::string_view member;
        model::Flags flags;
    };
    constexpr QueueType kTypes[] = {
        {"TYPE_DIRECT.PRIORITY_NORMAL.PriorityForTypeIsSupported", flag::kGraphics | flag::kCompute | flag::kTransfer},
        {"TYPE_COMPUTE.PRIORITY_NORMAL.PriorityForTypeIsSupported", flag::kCompute | flag::kTransfer},
        {"TYPE_COPY.PRIORITY_NORMAL.PriorityForTypeIsSupported", flag::kTransfer}};
    for (const QueueType& type : kTypes) {
        const auto supported = adapter.find(kQueuePriority, type.member);
        if (!supported || supported->number() != 1) continue;
        device.queue_families.push_back({.flags = type.flags, .queue_count = 1});
    }
}

Result<model::DeviceReport> import_adapter(const JsonValue& adapter) {
    model::DeviceReport device;
    HEAPWRIGHT_TRY(read_identity(adapter, device));
    HEAPWRIGHT_TRY(read_d3d12_memory(adapter, device));
    HEAPWRIGHT_TRY(read_facts(adapter, device));
    set_queue_families(adapter, device);
    return device;
}

Status import_run(const JsonValue& run, std::vector<model::DeviceReport>& devices) {
    HEAPWRIGHT_ASSIGN(const JsonValue adapters, run.require("Adapters"));
    if (!adapters.is_array()) return adapters.error("expected an array");
    return adapters.for_each([&devices](std::string_view, const JsonValue& adapter) -> Status {
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_adapter(adapter));
        devices.push_back(std::move(device));
        return {};
    });
}

}  // namespace

bool is_d3d12info(const JsonValue& root) {
    if (root.find("Adapters")) return true;
    if (!root.is_array()) return false;
    bool found = false;
    static_cast<void>(root.for_each([&found](std::string_view, const JsonValue& run) -> Status {
        found = found || run.find("Adapters").has_value();
        return {};
    }));
    return found;
}

Result<std::vector<model::DeviceReport>> import_d3d12info(const JsonValue& root) {
    std::vector<model::DeviceReport> devices;
    if (root.is_array()) {
        HEAPWRIGHT_TRY(root.for_each(
            [&devices](std::string_view, const JsonValue& run) -> Status { return import_run(run, devices); }));
    } else {
        HEAPWRIGHT_TRY(import_run(root, devices));
    }
    if (devices.empty()) return root.error("the file lists no adapter");
    return devices;
}

}  // namespace heapwright::imports::detail
