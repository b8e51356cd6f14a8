#include "test_paths.hpp"

namespace heapwright::test {
namespace {

std::string joined(std::string_view folder, std::string_view below) {
    std::string path(folder);
    if (!below.empty()) path.append("/").append(below);
    return path;
}

}  // namespace

std::string source_path(std::string_view below) {
    return joined(HEAPWRIGHT_SOURCE_DIR, below);
}

std::string build_path(std::string_view below) {
    return joined(HEAPWRIGHT_BINARY_DIR, below);
}

}  // namespace heapwright::test
