#include "core/path.hpp"

#include <system_error>

#ifdef _WIN32
#include "core/windows_text.hpp"
#endif

namespace heapwright {

#ifdef _WIN32

std::filesystem::path path_of(std::string_view utf8_text) {
    return wide(utf8_text);
}

std::string path_text(const std::filesystem::path& path) {
    return utf8(path.native());
}

#else

std::filesystem::path path_of(std::string_view utf8_text) {
    return utf8_text;
}

std::string path_text(const std::filesystem::path& path) {
    return path.native();
}

#endif

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& utf8_texts) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& text : utf8_texts) paths.push_back(path_of(text));
    return paths;
}

Result<std::filesystem::path> absolute_path(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (error) return fail(ErrorCode::kIoError, "has no absolute path: " + error.message(), path_text(path));
    return absolute;
}

bool is_folder(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

}  // namespace heapwright
