#include "core/windows_text.hpp"

#include <windows.h>

#include <fmt/format.h>

namespace heapwright {

std::wstring wide(std::string_view utf8_text) {
    if (utf8_text.empty()) return {};
    const auto bytes = static_cast<int>(utf8_text.size());
    const int letters = MultiByteToWideChar(CP_UTF8, 0, utf8_text.data(), bytes, nullptr, 0);
    std::wstring result(static_cast<std::size_t>(letters), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, utf8_text.data(), bytes, result.data(), letters);
    return result;
}

std::string utf8(std::wstring_view wide_text) {
    if (wide_text.empty()) return {};
    const auto letters = static_cast<int>(wide_text.size());
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, wide_text.data(), letters, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<std::size_t>(bytes), '\0');
    WideCharToMultiByte(CP_UTF8, 0, wide_text.data(), letters, result.data(), bytes, nullptr, nullptr);
    return result;
}

std::string windows_error_text(unsigned long code) {
    wchar_t text[512];
    constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    DWORD length = FormatMessageW(kFlags, nullptr, code, 0, text, static_cast<DWORD>(std::size(text)), nullptr);
    while (length > 0 && (text[length - 1] <= L' ' || text[length - 1] == L'.')) --length;
    if (length == 0) return fmt::format("error {}", code);
    return fmt::format("{} (error {})", utf8({text, length}), code);
}

std::optional<std::string> wine_version() {
    using VersionFunction = const char* (*)();
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (ntdll == nullptr) return std::nullopt;
    auto* symbol = reinterpret_cast<void (*)()>(GetProcAddress(ntdll, "wine_get_version"));
    if (symbol == nullptr) return std::nullopt;
    return reinterpret_cast<VersionFunction>(symbol)();
}

}  // namespace heapwright
