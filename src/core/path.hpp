// Paths as text: UTF-8 on every system. std::filesystem::path's own constructor from a narrow string takes it for
// Windows' code page there, which loses letters. On other systems the bytes stay as they are. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright {

[[nodiscard]] std::filesystem::path path_of(std::string_view utf8_text);
[[nodiscard]] std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& utf8_texts);
[[nodiscard]] std::string path_text(const std::filesystem::path& path);

// Errors: kIoError, when the current folder is gone.
[[nodiscard]] Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

// Whether a folder is there that can be told to be one: what cannot be looked at is none, and its reader says why.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);

}  // namespace heapwright
