#include "heapwright/core/path.hpp"

#ifdef _WIN32
#include "heapwright/core/windows_text.hpp"
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

}  // namespace heapwright
