#include "isolate/driver_manifests.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "core/path.hpp"
#include "core/system.hpp"
#ifdef _WIN32
#include "core/windows_text.hpp"
#endif

namespace heapwright::isolate {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32
constexpr char kListSeparator = ';';
#else
constexpr char kListSeparator = ':';
#endif

std::string variable(const char* name) {
    return environment_variable(name).value_or("");
}

std::vector<fs::path> split(std::string_view list) {
    std::vector<fs::path> result;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(kListSeparator), list.size());
        if (end != 0) result.push_back(path_of(list.substr(0, end)));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return result;
}

// A list may name folders; a folder stands for the manifests in it, in the order of their names.
void add(std::vector<fs::path>& manifests, const fs::path& path) {
    std::error_code error;
    std::vector<fs::path> found;
    if (fs::is_directory(path, error)) {
        for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
            if (entry->path().extension() == ".json") found.push_back(entry->path());
        }
        std::sort(found.begin(), found.end());
    } else if (fs::is_regular_file(path, error)) {
        found.push_back(path);
    }
    for (const fs::path& manifest : found) {
        if (std::find(manifests.begin(), manifests.end(), manifest) == manifests.end()) manifests.push_back(manifest);
    }
}

#ifndef _WIN32
std::vector<fs::path> system_folders() {
    std::vector<fs::path> bases;
    const fs::path home(variable("HOME"));
    const auto add_list = [&bases](std::string_view list, const char* fallback) {
        for (const fs::path& path : split(list.empty() ? std::string_view(fallback) : list)) bases.push_back(path);
    };
    const auto add_home = [&bases, &home](std::string_view value, const char* fallback) {
        if (!value.empty()) {
            bases.emplace_back(value);
        } else if (!home.empty()) {
            bases.push_back(home / fallback);
        }
    };
    add_home(variable("XDG_CONFIG_HOME"), ".config");
    add_list(variable("XDG_CONFIG_DIRS"), "/etc/xdg");
    bases.emplace_back("/usr/local/etc");
    bases.emplace_back("/etc");
    add_home(variable("XDG_DATA_HOME"), ".local/share");
    add_list(variable("XDG_DATA_DIRS"), "/usr/local/share:/usr/share");
    return bases;
}
#endif

}  // namespace

std::vector<fs::path> vulkan_driver_manifests() {
    std::vector<fs::path> manifests;
#ifdef _WIN32
    if (wine_version()) return manifests;  // the host's loader reads these variables, in the host's own form
#endif
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        for (const fs::path& path : split(variable(name))) add(manifests, path);
        if (!manifests.empty()) return manifests;
    }
    for (const fs::path& path : split(variable("VK_ADD_DRIVER_FILES"))) add(manifests, path);
#ifndef _WIN32
    for (const fs::path& base : system_folders()) add(manifests, base / "vulkan" / "icd.d");
#endif
    return manifests;
}

}  // namespace heapwright::isolate
