#include "vulkan/loader.hpp"

#include <mutex>
#include <string>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "core/windows_text.hpp"
#else
#include <dlfcn.h>
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "heapwright_generated/volk.hpp"

#include "core/breadcrumb.hpp"
#include "core/file.hpp"
#include "core/system.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint64_t kMaxManifestBytes = 1 << 20;

#if defined(_WIN32)
constexpr const char* kLoaderNames[] = {"vulkan-1.dll"};
constexpr char kPathSeparator = ';';
#elif defined(__APPLE__)
constexpr const char* kLoaderNames[] = {"libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"};
constexpr char kPathSeparator = ':';
#else
constexpr const char* kLoaderNames[] = {"libvulkan.so.1", "libvulkan.so"};
constexpr char kPathSeparator = ':';
#endif

std::mutex g_mutex;
bool g_loaded = false;

#ifdef _WIN32
using Library = HMODULE;
#else
using Library = void*;
#endif

// Null, and the system's reason.
Library load(const char* name, std::string& reason) {
#ifdef _WIN32
    HMODULE library = LoadLibraryW(wide(name).c_str());
    if (library == nullptr) reason = windows_error_text(GetLastError());
#else
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* text = dlerror();
        reason = text == nullptr ? "unknown reason" : text;
    }
#endif
    return library;
}

// The entry point, or nothing and the system's reason.
PFN_vkGetInstanceProcAddr open_library(const char* name, std::string& reason) {
    Library library = load(name, reason);
    if (library == nullptr) return nullptr;
#ifdef _WIN32
    auto* symbol = reinterpret_cast<void (*)()>(GetProcAddress(library, "vkGetInstanceProcAddr"));
    if (symbol == nullptr) FreeLibrary(library);
#else
    void* symbol = dlsym(library, "vkGetInstanceProcAddr");
    if (symbol == nullptr) dlclose(library);
#endif
    if (symbol == nullptr) reason = "it has no vkGetInstanceProcAddr";
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
}

// The manifest's library; null, and why it cannot be loaded.
Library load_driver(const std::filesystem::path& manifest, std::string& why) {
    const auto refuse = [&](std::string reason) {
        why = std::move(reason);
        return Library{};
    };
    const auto text = read_file(manifest, kMaxManifestBytes);
    if (!text) return refuse(text.error().message);
    const auto document = nlohmann::json::parse(*text, nullptr, false);
    if (document.is_discarded()) return refuse("it is not JSON");
    const nlohmann::json::json_pointer place("/ICD/library_path");
    if (!document.contains(place) || !document.at(place).is_string()) return refuse("it has no /ICD/library_path");
    std::string library = document.at(place).get<std::string>();
    if (library.find_first_of("/\\") != std::string::npos) {
        const auto absolute = absolute_path(manifest);
        if (!absolute) return refuse(absolute.error().message);
        library = path_text(absolute->parent_path() / path_of(library));
    }
    leave_breadcrumb("dlopen", library);
    std::string reason;
    Library loaded = load(library.c_str(), reason);
    return loaded != nullptr ? loaded : refuse(fmt::format("its library {} cannot be loaded: {}", library, reason));
}

template <class Function>
Function exported(Library library, const char* name) {
#ifdef _WIN32
    return reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
#else
    return reinterpret_cast<Function>(dlsym(library, name));
#endif
}

Status ask_driver(const std::filesystem::path& manifest) {
    std::string why;
    Library library = load_driver(manifest, why);
    if (library == nullptr) return {};
    const auto get = exported<PFN_vkGetInstanceProcAddr>(library, "vk_icdGetInstanceProcAddr");
    if (get == nullptr) return {};
    using Negotiate = VkResult(VKAPI_PTR*)(std::uint32_t * version);
    if (const auto negotiate = exported<Negotiate>(library, "vk_icdNegotiateLoaderICDInterfaceVersion")) {
        std::uint32_t version = 5;  // where a driver may be created for any version of Vulkan
        leave_breadcrumb("vk_icdNegotiateLoaderICDInterfaceVersion");
        if (negotiate(&version) != VK_SUCCESS) return {};
    }
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
    if (create == nullptr) return {};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pNext = nullptr,
                                    .flags = 0,
                                    .pApplicationInfo = nullptr,
                                    .enabledLayerCount = 0,
                                    .ppEnabledLayerNames = nullptr,
                                    .enabledExtensionCount = 0,
                                    .ppEnabledExtensionNames = nullptr};
    VkInstance instance = VK_NULL_HANDLE;
    leave_breadcrumb("vkCreateInstance");
    HEAPWRIGHT_TRY(check(create(&info, nullptr, &instance), "vkCreateInstance"));
    const auto enumerate =
        reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(get(instance, "vkEnumeratePhysicalDevices"));
    const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(get(instance, "vkDestroyInstance"));
    std::uint32_t count = 0;
    leave_breadcrumb("vkEnumeratePhysicalDevices");
    const VkResult counted = enumerate == nullptr ? VK_SUCCESS : enumerate(instance, &count, nullptr);
    if (destroy != nullptr) destroy(instance, nullptr);
    // Without an array to fill there is nothing that VK_INCOMPLETE could mean.
    if (counted == VK_SUCCESS) return {};
    return fail(call_error(counted, "vkEnumeratePhysicalDevices", "the driver cannot list its devices"));
}

void set_environment(const char* name, const std::string& value) {
#ifdef _WIN32
    // The loader may use another C library's environment than ours: set the process's own too.
    SetEnvironmentVariableW(wide(name).c_str(), wide(value).c_str());
    _wputenv_s(wide(name).c_str(), wide(value).c_str());
#else
    setenv(name, value.c_str(), 1);
#endif
}

}  // namespace

std::span<const char* const> loader_names() {
    static const std::string name = environment_variable("HEAPWRIGHT_VULKAN_LOADER").value_or("");
    static const char* const chosen[] = {name.c_str()};
    if (!name.empty()) return chosen;
    return kLoaderNames;
}

Status load_loader(std::span<const char* const> names) {
    const std::scoped_lock lock(g_mutex);
    if (g_loaded) return {};
    std::string tried;
    for (const char* name : names) {
        leave_breadcrumb("dlopen", name);
        std::string reason;
        if (const PFN_vkGetInstanceProcAddr entry = open_library(name, reason)) {
            volkInitializeCustom(entry);
            g_loaded = true;
            return {};
        }
        tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", name, reason);
    }
    return fail(ErrorCode::kNoLoader, "no Vulkan loader could be loaded; tried " + tried);
}

Status select_drivers(std::span<const std::filesystem::path> icd_files) {
    if (icd_files.empty()) return {};
#ifdef _WIN32
    if (wine_version()) {
        return fail(ErrorCode::kNotSupported,
                    "under Wine the host's Vulkan loader chooses the drivers; set VK_ICD_FILENAMES before Wine starts",
                    path_text(icd_files.front()));
    }
#endif
    std::string list;
    for (const std::filesystem::path& file : icd_files) {
        HEAPWRIGHT_ASSIGN(const std::string text, read_file(file, kMaxManifestBytes));
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (first == std::string::npos || text[first] != '{') {
            return fail(ErrorCode::kParseError, "a driver manifest is a JSON object, this file is not",
                        path_text(file));
        }
        if (!list.empty()) list += kPathSeparator;
        HEAPWRIGHT_ASSIGN(const std::filesystem::path absolute, absolute_path(file));
        list += path_text(absolute);
    }
    set_environment("VK_DRIVER_FILES", list);
    set_environment("VK_ICD_FILENAMES", list);
    return {};
}

std::string dropped_drivers(std::span<const std::filesystem::path> icd_files) {
    std::string reasons;
    for (const std::filesystem::path& file : icd_files) {
        std::string reason;
        if (load_driver(file, reason) == nullptr)
            reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", path_text(file), reason);
    }
    return reasons;
}

Status ask_drivers(std::span<const std::filesystem::path> icd_files) {
    for (const std::filesystem::path& file : icd_files) HEAPWRIGHT_TRY(ask_driver(file));
    return {};
}

}  // namespace heapwright::vulkan
