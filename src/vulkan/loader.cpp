#include "heapwright/vulkan/loader.hpp"

#include <mutex>
#include <string>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "heapwright/core/windows_text.hpp"
#else
#include <dlfcn.h>
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "heapwright_generated/volk.hpp"

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/system.hpp"

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

// Empty: the manifest's library can be loaded.
std::string why_dropped(const std::filesystem::path& manifest) {
    const auto text = read_file(manifest, kMaxManifestBytes);
    if (!text) return text.error().message;
    const auto document = nlohmann::json::parse(*text, nullptr, false);
    if (document.is_discarded()) return "it is not JSON";
    const nlohmann::json::json_pointer place("/ICD/library_path");
    if (!document.contains(place) || !document.at(place).is_string()) return "it has no /ICD/library_path";
    std::string library = document.at(place).get<std::string>();
    if (library.find_first_of("/\\") != std::string::npos) {
        library = path_text(std::filesystem::absolute(manifest).parent_path() / path_of(library));
    }
    leave_breadcrumb("dlopen", library);
    std::string reason;
    return load(library.c_str(), reason) != nullptr
               ? ""
               : fmt::format("its library {} cannot be loaded: {}", library, reason);
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
        list += path_text(std::filesystem::absolute(file));
    }
    set_environment("VK_DRIVER_FILES", list);
    set_environment("VK_ICD_FILENAMES", list);
    return {};
}

std::string dropped_drivers(std::span<const std::filesystem::path> icd_files) {
    std::string reasons;
    for (const std::filesystem::path& file : icd_files) {
        const std::string reason = why_dropped(file);
        if (!reason.empty()) reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", path_text(file), reason);
    }
    return reasons;
}

}  // namespace heapwright::vulkan
