#include "import/detail/near_json.hpp"

#include <fmt/format.h>

namespace heapwright::imports::detail {
namespace {

std::optional<std::string> near_profiles(const JsonValue& root) {
    constexpr std::string_view kKind = "near to Vulkan Profiles JSON, but";
    const auto holds = [&root](std::string_view key) {
        const auto value = root.find(key);
        return value && (value->is_object() || value->is_array());
    };
    if (holds("profiles")) return fmt::format("{} it lacks \"capabilities\"", kKind);
    if (holds("capabilities")) return fmt::format("{} it lacks \"profiles\"", kKind);
    if (text_of(root.find("$schema")).find("/vulkan/profiles") == std::string::npos) return std::nullopt;
    return "this is a Vulkan profile that states nothing: it has neither \"profiles\" nor \"capabilities\"; "
           "vulkaninfo --json writes the profile of a device";
}

std::optional<std::string> near_gpuinfo(const JsonValue& root) {
    if (root.find("properties", "deviceName")) {
        return "near to gpuinfo.org JSON and vkjson, but it lacks \"environment\" of the one and \"features\", "
               "\"memory\" and \"queues\" of the other";
    }
    if (!root.find("environment") || !(root.find("extended") || root.find("core11") || root.find("memory"))) {
        return std::nullopt;
    }
    return "near to gpuinfo.org JSON, but it lacks \"properties\" with \"deviceName\"";
}

std::optional<std::string> near_d3d12info(const JsonValue& root) {
    const bool adapter = root.find("DXGI_ADAPTER_DESC3").has_value();
    const bool header = text_of(root.find("Header", "Program")) == "D3d12info";
    if (!adapter && !header) return std::nullopt;
    return fmt::format("near to D3d12info JSON, but it lacks \"Adapters\"{}",
                       adapter ? ": it is one entry of them alone" : "");
}

}  // namespace

std::optional<std::string> nearest_json_kind(const JsonValue& root) {
    if (auto near = near_profiles(root)) return near;
    if (auto near = near_gpuinfo(root)) return near;
    return near_d3d12info(root);
}

}  // namespace heapwright::imports::detail
