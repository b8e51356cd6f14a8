#include "heapwright/core/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

namespace heapwright {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

enum class Access : std::uint8_t { kRead, kWrite };

FileHandle open_file(const std::filesystem::path& path, Access access) {
#ifdef _WIN32
    return FileHandle(_wfopen(path.c_str(), access == Access::kRead ? L"rb" : L"wb"));
#else
    return FileHandle(std::fopen(path.c_str(), access == Access::kRead ? "rb" : "wb"));
#endif
}

int process_id() {
#ifdef _WIN32
    return _getpid();
#else
    return static_cast<int>(getpid());
#endif
}

tl::unexpected<Error> io_error(const std::filesystem::path& path, const char* what) {
    return fail(ErrorCode::kIoError, std::string(what) + ": " + std::strerror(errno), path_text(path));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return fail(ErrorCode::kIoError, "is a folder, not a file", path_text(path));
    }
    FileHandle file = open_file(path, Access::kRead);
    if (!file) return io_error(path, "cannot be opened");
    std::string bytes;
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
        if (bytes.size() + count > max_bytes) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "file is larger than a document may be",
                              .where = path_text(path),
                              .value = bytes.size() + count,
                              .limit = max_bytes});
        }
        bytes.append(buffer, count);
    }
    if (std::ferror(file.get()) != 0) return io_error(path, "cannot be read");
    return bytes;
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::path temporary = path;
    temporary += ".tmp-" + std::to_string(process_id());
    std::error_code ignored;
    {
        FileHandle file = open_file(temporary, Access::kWrite);
        if (!file) return io_error(temporary, "cannot be created");
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0) {
            auto error = io_error(temporary, "cannot be written");
            file.reset();
            std::filesystem::remove(temporary, ignored);
            return error;
        }
    }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error) {
        std::filesystem::remove(temporary, ignored);
        return fail(ErrorCode::kIoError, "cannot be replaced: " + error.message(), path_text(path));
    }
    return {};
}

}  // namespace heapwright
