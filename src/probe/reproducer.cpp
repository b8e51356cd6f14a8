#include "probe/reproducer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

constexpr std::string_view kHead = R"(#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kDoesNotShow = 0;
constexpr int kShows = 1;
constexpr int kNotTried = 2;

[[maybe_unused]] bool any_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t bits,
                               VkMemoryPropertyFlags flags) {
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((bits >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return true;
    }
    return false;
}

[[noreturn]] void give_up(const char* what, VkResult result = VK_SUCCESS) {
    std::printf("could not be tried: %s (VkResult %d)\n", what, static_cast<int>(result));
    std::exit(kNotTried);
}

VkPhysicalDevice choose_device(VkInstance instance, int argc, char** argv) {
    std::uint32_t count = 0;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, nullptr);
    if (result != VK_SUCCESS || count == 0) give_up("no Vulkan device", result);
    std::vector<VkPhysicalDevice> devices(count);
    result = vkEnumeratePhysicalDevices(instance, &count, devices.data());
    if (result != VK_SUCCESS || count == 0) give_up("vkEnumeratePhysicalDevices", result);
    if (argc > 1) {
        const unsigned long index = std::strtoul(argv[1], nullptr, 10);
        if (index >= count) give_up("no device of that index");
        return devices[index];
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        VkPhysicalDeviceProperties properties{};
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        if (properties.vendorID == kVendorId && properties.deviceID == kDeviceId) return devices[i];
    }
    std::printf("the report's device is not here; the first one stands in\n");
    return devices[0];
}

[[maybe_unused]] void print(const char* name, const VkMemoryRequirements& answer) {
    std::printf("%s: size %llu, alignment %llu, memoryTypeBits 0x%x\n", name,
                static_cast<unsigned long long>(answer.size), static_cast<unsigned long long>(answer.alignment),
                answer.memoryTypeBits);
}

[[maybe_unused]] VkMemoryRequirements ask(VkDevice device, const VkImageCreateInfo& info, bool without_object) {
    VkMemoryRequirements answer{};
#ifdef VK_VERSION_1_3
    const auto get = reinterpret_cast<PFN_vkGetDeviceImageMemoryRequirements>(
        vkGetDeviceProcAddr(device, "vkGetDeviceImageMemoryRequirements"));
    if (without_object && get != nullptr) {
        VkDeviceImageMemoryRequirements question{};
        question.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS;
        question.pCreateInfo = &info;
        VkMemoryRequirements2 chained{};
        chained.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
        get(device, &question, &chained);
        return chained.memoryRequirements;
    }
#endif
    (void)without_object;
    VkImage image = VK_NULL_HANDLE;
    const VkResult result = vkCreateImage(device, &info, nullptr, &image);
    if (result != VK_SUCCESS) give_up("vkCreateImage", result);
    vkGetImageMemoryRequirements(device, image, &answer);
    vkDestroyImage(device, image, nullptr);
    return answer;
}

[[maybe_unused]] VkMemoryRequirements ask(VkDevice device, const VkBufferCreateInfo& info, bool without_object) {
    VkMemoryRequirements answer{};
#ifdef VK_VERSION_1_3
    const auto get = reinterpret_cast<PFN_vkGetDeviceBufferMemoryRequirements>(
        vkGetDeviceProcAddr(device, "vkGetDeviceBufferMemoryRequirements"));
    if (without_object && get != nullptr) {
        VkDeviceBufferMemoryRequirements question{};
        question.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS;
        question.pCreateInfo = &info;
        VkMemoryRequirements2 chained{};
        chained.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
        get(device, &question, &chained);
        return chained.memoryRequirements;
    }
#endif
    (void)without_object;
    VkBuffer buffer = VK_NULL_HANDLE;
    const VkResult result = vkCreateBuffer(device, &info, nullptr, &buffer);
    if (result != VK_SUCCESS) give_up("vkCreateBuffer", result);
    vkGetBufferMemoryRequirements(device, buffer, &answer);
    vkDestroyBuffer(device, buffer, nullptr);
    return answer;
}

[[maybe_unused]] std::uint32_t count_allocations(VkDevice device, std::uint32_t type, VkDeviceSize bytes,
                                                 std::uint32_t at_most) {
    std::vector<VkDeviceMemory> held;
    while (held.size() < at_most) {
        VkMemoryAllocateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        info.allocationSize = bytes;
        info.memoryTypeIndex = type;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        if (vkAllocateMemory(device, &info, nullptr, &memory) != VK_SUCCESS) break;
        held.push_back(memory);
    }
    for (const VkDeviceMemory memory : held) vkFreeMemory(device, memory, nullptr);
    return static_cast<std::uint32_t>(held.size());
}

}  // namespace

int main(int argc, char** argv) {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_HEADER_VERSION_COMPLETE;
    VkInstanceCreateInfo instance_info{};
    instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instance_info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    VkResult result = vkCreateInstance(&instance_info, nullptr, &instance);
    if (result != VK_SUCCESS) give_up("vkCreateInstance", result);
    const VkPhysicalDevice physical = choose_device(instance, argc, argv);

    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(physical, &properties);
    std::printf("device: %s\n", properties.deviceName);
    [[maybe_unused]] const VkPhysicalDeviceLimits& limits = properties.limits;
    VkPhysicalDeviceMemoryProperties memory{};
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
)";

constexpr std::string_view kDevice = R"(
    VkPhysicalDeviceFeatures supported{};
    vkGetPhysicalDeviceFeatures(physical, &supported);
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.features.textureCompressionETC2 = supported.textureCompressionETC2;
    features.features.textureCompressionASTC_LDR = supported.textureCompressionASTC_LDR;
    features.features.textureCompressionBC = supported.textureCompressionBC;
    features.features.shaderStorageImageMultisample = supported.shaderStorageImageMultisample;
    bool has_1_3 = false;
#ifdef VK_VERSION_1_3
    has_1_3 = properties.apiVersion >= VK_API_VERSION_1_3;
    VkPhysicalDeviceMaintenance4Features maintenance4{};
    maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
    maintenance4.maintenance4 = VK_TRUE;
    if (has_1_3) features.pNext = &maintenance4;
#endif
    VkPhysicalDeviceBufferDeviceAddressFeatures address{};
    address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    address.bufferDeviceAddress = VK_TRUE;
    if (kNeedsDeviceAddress) {
        if (properties.apiVersion < VK_API_VERSION_1_2) give_up("the device has no bufferDeviceAddress");
        address.pNext = features.pNext;
        features.pNext = &address;
    }
    const float priority = 0.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device_info{};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue;
    if (properties.apiVersion >= VK_API_VERSION_1_1) {
        device_info.pNext = &features;
    } else {
        device_info.pEnabledFeatures = &features.features;
    }
    VkDevice device = VK_NULL_HANDLE;
    result = vkCreateDevice(physical, &device_info, nullptr, &device);
    if (result != VK_SUCCESS) give_up("vkCreateDevice", result);
)";

struct Structure {
    std::string_view name;
    std::string_view type;
    std::string_view needs;                 // an expression over `properties` and has_extension()
    std::string_view chain = "Properties";  // which vkGetPhysicalDevice*2 fills it
    std::string_view chain_type = "PROPERTIES";
};

constexpr Structure kStructures[] = {
    {"VkPhysicalDeviceMaintenance3Properties", "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES",
     "properties.apiVersion >= VK_API_VERSION_1_1"},
    {"VkPhysicalDeviceMaintenance4Properties", "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES",
     "properties.apiVersion >= VK_API_VERSION_1_3"},
    {"VkPhysicalDeviceExternalMemoryHostPropertiesEXT",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT",
     "properties.apiVersion >= VK_API_VERSION_1_1 && has_extension(\"VK_EXT_external_memory_host\")"},
    {"VkPhysicalDeviceMemoryBudgetPropertiesEXT", "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT",
     "properties.apiVersion >= VK_API_VERSION_1_1 && has_extension(\"VK_EXT_memory_budget\")", "MemoryProperties",
     "MEMORY_PROPERTIES"},
};

// A finding's text stands in comments; a line break in it must not end one.
std::string comment_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
    return text;
}

std::string comment(const model::DeviceIdentity& device, const model::Finding& finding) {
    std::string text = fmt::format("// Finding {}\n// {}\n", comment_line(finding.id), comment_line(finding.statement));
    if (!finding.clause.empty()) text += fmt::format("// Clause: {}\n", comment_line(finding.clause));
    text += fmt::format("// Reported of {}, {} {}, Vulkan {}\n", comment_line(device.name),
                        comment_line(device.driver_name), comment_line(device.driver_info),
                        comment_line(device.api_version));
    for (const std::string& entry : finding.evidence) text += fmt::format("//   {}\n", comment_line(entry));
    text +=
        "//\n// Build: c++ -std=c++17 FILE.cpp -lvulkan\n"
        "// Exit code: 0 the violation does not show on this device, 1 it shows, 2 it could not be tried.\n"
        "// Argument: the index of the device; without one the reported device, or the first.\n";
    return text;
}

bool needs_device_address(const Reproduction& reproduction) {
    return std::any_of(reproduction.queries.begin(), reproduction.queries.end(), [](const Query& query) {
        const auto* buffer = std::get_if<model::BufferDescription>(&query.resource);
        return buffer != nullptr && (buffer->usage & model::buffer_usage::kShaderDeviceAddress) != 0;
    });
}

std::string constants(const model::DeviceIdentity& device, const Reproduction& reproduction) {
    return fmt::format(
        "namespace {{\n\nconstexpr std::uint32_t kVendorId = {:#x};\nconstexpr std::uint32_t kDeviceId = {:#x};\n"
        "[[maybe_unused]] constexpr bool kNeedsDeviceAddress = {};\n\n}}  // namespace\n",
        device.vendor_id, device.device_id, needs_device_address(reproduction));
}

std::string query_text(std::string_view name, const Query& query) {
    std::string text = fmt::format("\n    // {}\n", model::resource_text(query.resource));
    const std::string info = fmt::format("{}_info", name);
    if (const auto* image = std::get_if<model::ImageDescription>(&query.resource)) {
        text += fmt::format(
            "    VkImageCreateInfo {0}{{}};\n"
            "    {0}.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;\n"
            "    {0}.imageType = VK_IMAGE_TYPE_{1};\n"
            "    {0}.format = VK_FORMAT_{2};\n"
            "    {0}.extent = {{{3}, {4}, {5}}};\n"
            "    {0}.mipLevels = {6};\n"
            "    {0}.arrayLayers = {7};\n"
            "    {0}.samples = static_cast<VkSampleCountFlagBits>({8});\n"
            "    {0}.tiling = VK_IMAGE_TILING_{9};\n"
            "    {0}.usage = {10:#x};\n",
            info, image->dimension == model::ImageDimension::k3d ? "3D" : "2D", model::info(image->format).name,
            image->width, image->height, image->depth, image->mip_levels, image->array_layers, image->samples,
            image->tiling == model::ImageTiling::kLinear ? "LINEAR" : "OPTIMAL", image->usage);
    } else {
        const auto& buffer = std::get<model::BufferDescription>(query.resource);
        text += fmt::format(
            "    VkBufferCreateInfo {0}{{}};\n"
            "    {0}.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;\n"
            "    {0}.size = {1}ull;\n"
            "    {0}.usage = {2:#x};\n",
            info, buffer.size_bytes, buffer.usage);
    }
    text += fmt::format("    const VkMemoryRequirements {0} = ask(device, {1}, has_1_3);\n    print(\"{0}\", {0});\n",
                        name, info);
    return text;
}

std::string structure_text(const Structure& structure) {
    return fmt::format(
        "\n    std::uint32_t extension_count = 0;\n"
        "    vkEnumerateDeviceExtensionProperties(physical, nullptr, &extension_count, nullptr);\n"
        "    std::vector<VkExtensionProperties> extensions(extension_count);\n"
        "    vkEnumerateDeviceExtensionProperties(physical, nullptr, &extension_count, extensions.data());\n"
        "    [[maybe_unused]] const auto has_extension = [&](const char* name) {{\n"
        "        for (const VkExtensionProperties& entry : extensions) {{\n"
        "            if (std::strcmp(entry.extensionName, name) == 0) return true;\n"
        "        }}\n"
        "        return false;\n"
        "    }};\n"
        "    if (!({2})) give_up(\"the device does not report {0}\");\n"
        "    {0} fact{{}};\n"
        "    fact.sType = {1};\n"
        "    VkPhysicalDevice{3}2 chained{{}};\n"
        "    chained.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_{4}_2;\n"
        "    chained.pNext = &fact;\n"
        "    vkGetPhysicalDevice{3}2(physical, &chained);\n",
        structure.name, structure.type, structure.needs, structure.chain, structure.chain_type);
}

}  // namespace

Result<std::string> reproducer(const model::DeviceIdentity& device, const DetailedFinding& detailed) {
    if (device.api != model::Api::kVulkan) {
        return fail(ErrorCode::kNotSupported, "findings of Direct3D 12 devices cannot be reproduced",
                    detailed.finding.id);
    }
    const Reproduction& reproduction = detailed.reproduction;
    std::string text = comment(device, detailed.finding);
    std::string head(kHead);
    // The constants stand between the includes and the functions that use them.
    const std::size_t functions = head.find("namespace {");
    head.insert(functions, constants(device, reproduction) + "\n");
    text += head;
    if (!reproduction.structure.empty()) {
        const auto structure =
            std::find_if(std::begin(kStructures), std::end(kStructures),
                         [&](const Structure& entry) { return entry.name == reproduction.structure; });
        if (structure == std::end(kStructures)) {
            return fail(ErrorCode::kNotSupported, "no program is written for a member of " + reproduction.structure,
                        detailed.finding.id);
        }
        text += structure_text(*structure);
    }
    const bool opens_device = !reproduction.queries.empty() || reproduction.allocations.has_value();
    if (opens_device) {
        text += kDevice;
        constexpr std::string_view kNames[] = {"first", "second"};
        for (std::size_t i = 0; i < std::min<std::size_t>(reproduction.queries.size(), 2); ++i) {
            text += query_text(kNames[i], reproduction.queries[i]);
        }
        if (reproduction.allocations) {
            text += fmt::format(
                "\n    if (memory.memoryTypeCount <= {0}) give_up(\"the device has no such memory type\");\n"
                "    const std::uint32_t allocated = count_allocations(device, {0}, {1}, {2});\n"
                "    std::printf(\"%u allocations\\n\", allocated);\n"
                "    (void)has_1_3;\n",
                reproduction.allocations->memory_type, reproduction.allocations->bytes_each,
                reproduction.allocations->at_most);
        }
    }
    text += fmt::format("\n    const bool shows =\n        {};\n", reproduction.violated);
    text += "    std::printf(shows ? \"the violation shows\\n\" : \"the violation does not show\\n\");\n";
    if (opens_device) text += "    vkDestroyDevice(device, nullptr);\n";
    text += "    vkDestroyInstance(instance, nullptr);\n    return shows ? kShows : kDoesNotShow;\n}\n";
    return text;
}

Result<FoundFinding> find_finding(const model::Report& report, std::string_view id) {
    std::string known;
    bool only_reported = false;
    for (const model::DeviceReport& device : report.devices) {
        for (DetailedFinding& detailed : examine_in_detail(device)) {
            if (detailed.finding.id == id)
                return FoundFinding{.device = device.identity, .detailed = std::move(detailed)};
            known += (known.empty() ? "" : ", ") + detailed.finding.id;
        }
        only_reported = only_reported || std::any_of(device.findings.begin(), device.findings.end(),
                                                     [&](const model::Finding& finding) { return finding.id == id; });
    }
    if (only_reported) {
        return fail(ErrorCode::kNotSupported, "no query shows this finding again", std::string(id));
    }
    return fail(ErrorCode::kInvalidArgument,
                known.empty() ? "the report holds no finding that can be reproduced"
                              : "the report has no such finding; it has " + known,
                std::string(id));
}

}  // namespace heapwright::probe
