#include "core/system.hpp"

#include <ctime>
#include <fstream>

#ifdef _WIN32
#include <windows.h>
//
#include <shellapi.h>

#include <fmt/format.h>

#include "core/windows_text.hpp"
#else
#include <sys/utsname.h>

#include <cstdlib>
#endif

namespace heapwright {

#ifdef _WIN32

std::optional<std::uint64_t> available_ram_bytes() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (GlobalMemoryStatusEx(&status) == 0) return std::nullopt;
    return status.ullAvailPhys;
}

std::string host_description() {
    // GetVersionEx() answers with the version that a program was made for; ntdll with the system's.
    using VersionFunction = LONG(WINAPI*)(OSVERSIONINFOW*);
    OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    auto* symbol = ntdll == nullptr ? nullptr : reinterpret_cast<void (*)()>(GetProcAddress(ntdll, "RtlGetVersion"));
    if (symbol != nullptr) reinterpret_cast<VersionFunction>(symbol)(&version);
    const auto wine = wine_version();
    return fmt::format("Windows {}.{}.{} x86_64{}", version.dwMajorVersion, version.dwMinorVersion,
                       version.dwBuildNumber, wine ? fmt::format(" (Wine {})", *wine) : "");
}

std::optional<std::string> environment_variable(const char* name) {
    const std::wstring wide_name = wide(name);
    std::wstring value;
    for (DWORD needed = 256; needed > value.size();) {
        value.resize(needed);
        SetLastError(ERROR_SUCCESS);
        needed = GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size()));
        if (needed == 0 && GetLastError() != ERROR_SUCCESS) return std::nullopt;
        if (needed < value.size()) {
            value.resize(needed);
            break;
        }
    }
    return utf8(value);
}

std::vector<std::string> program_arguments(int argc, const char* const* argv) {
    int count = 0;
    wchar_t** values = CommandLineToArgvW(GetCommandLineW(), &count);
    if (values == nullptr) return {argv, argv + argc};
    std::vector<std::string> arguments;
    for (int i = 0; i < count; ++i) arguments.push_back(utf8(values[i]));
    LocalFree(values);
    return arguments;
}

#else

std::optional<std::uint64_t> available_ram_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (file >> key >> kibibytes) {
        std::getline(file, unit);
        if (key == "MemAvailable:") return kibibytes * 1024;
    }
    return std::nullopt;
}

std::string host_description() {
    utsname names{};
    if (uname(&names) != 0) return "unknown";
    return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::optional<std::string> environment_variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
}

std::vector<std::string> program_arguments(int argc, const char* const* argv) {
    return {argv, argv + argc};
}

#endif

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
#ifdef _WIN32
    gmtime_s(&parts, &now);
#else
    gmtime_r(&now, &parts);
#endif
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text, length};
}

}  // namespace heapwright
