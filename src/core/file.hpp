// Whole files in and out. A write goes to a file of its own in the target's folder, which takes the target's place when
// it is whole, so that no reader ever sees half a file and a failure leaves the old one; a symbolic link and the old
// file's permissions stay, and nobody can read meanwhile who cannot read the old one. Where the file system has files
// without a name (O_TMPFILE), a process that is killed leaves none; elsewhere it leaves one of the form ".0123....tmp",
// which nobody could guess and so prepare. A device or a named pipe is written straight. A path given as text is UTF-8
// (core/path.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/path.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright {

inline constexpr std::uint64_t kMaxDocumentBytes = 256ull << 20;

// Errors: kIoError with the path and the system's reason; kOutOfRange above `max_bytes`.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::uint64_t max_bytes = kMaxDocumentBytes);

// The same, of standard input, which errors name so.
[[nodiscard]] Result<std::string> read_standard_input(std::uint64_t max_bytes = kMaxDocumentBytes);

// The next bytes of a file into the beginning of the span, and how many; 0 at the end. Errors: kIoError.
using ReadBytes = std::function<Result<std::size_t>(std::span<char>)>;
// Of a file of any size, from its beginning. Errors: as read_file().
[[nodiscard]] Result<ReadBytes> open_for_reading(const std::filesystem::path& path);

[[nodiscard]] Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Whether that could work, as far as it can be told without writing: before minutes of work, not after. Errors: as
// write_file_atomically().
[[nodiscard]] Status check_writable(const std::filesystem::path& path);

template <std::convertible_to<std::string_view> Text>
[[nodiscard]] Result<std::string> read_file(const Text& path, std::uint64_t max_bytes = kMaxDocumentBytes) {
    return read_file(path_of(path), max_bytes);
}

template <std::convertible_to<std::string_view> Text>
[[nodiscard]] Status write_file_atomically(const Text& path, std::string_view bytes) {
    return write_file_atomically(path_of(path), bytes);
}

template <std::convertible_to<std::string_view> Text>
[[nodiscard]] Status check_writable(const Text& path) {
    return check_writable(path_of(path));
}

}  // namespace heapwright
