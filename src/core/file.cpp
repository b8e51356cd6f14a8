#include "heapwright/core/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#ifdef _WIN32
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

namespace heapwright {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

enum class Access : std::uint8_t { kRead, kWrite };

FileHandle open_file(const fs::path& path, Access access) {
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

tl::unexpected<Error> io_error(const std::string& where, const char* what) {
    return fail(ErrorCode::kIoError, std::string(what) + ": " + std::strerror(errno), where);
}

tl::unexpected<Error> io_error(const fs::path& path, const char* what) {
    return io_error(path_text(path), what);
}

Result<std::string> read_open_file(std::FILE* file, const std::string& where, std::uint64_t max_bytes) {
    std::string bytes;
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
        if (bytes.size() + count > max_bytes) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "file is larger than a document may be",
                              .where = where,
                              .value = bytes.size() + count,
                              .limit = max_bytes});
        }
        bytes.append(buffer, count);
    }
    if (std::ferror(file) != 0) return io_error(where, "cannot be read");
    return bytes;
}

Status write_through(const fs::path& path, std::string_view bytes) {
    const FileHandle file = open_file(path, Access::kWrite);
    if (!file) return io_error(path, "cannot be created");
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0) {
        return io_error(path, "cannot be written");
    }
    return {};
}

// A device, a named pipe or a socket: what stands there must not be replaced by a file.
bool is_special(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// What a symbolic link stands for, so that the link is written through and not replaced. The target may be absent.
fs::path link_target(fs::path path) {
    constexpr int kMostLinks = 40;
    std::error_code error;
    for (int link = 0; link < kMostLinks && fs::is_symlink(path, error) && !is_special(path); ++link) {
        const fs::path next = fs::read_symlink(path, error);
        if (error) return path;
        path = path.parent_path() / next;
    }
    return path;
}

bool is_accessible(const fs::path& path) {
#ifdef _WIN32
    return _waccess(path.c_str(), 2) == 0;
#else
    return access(path.c_str(), W_OK) == 0;
#endif
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
    if (path.empty()) return fail(ErrorCode::kInvalidArgument, "the name of the file is empty");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return fail(ErrorCode::kIoError, "is a folder, not a file", path_text(path));
    }
    FileHandle file = open_file(path, Access::kRead);
    if (!file) return io_error(path, "cannot be opened");
    return read_open_file(file.get(), path_text(path), max_bytes);
}

Result<std::string> read_standard_input(std::uint64_t max_bytes) {
    return read_open_file(stdin, "standard input", max_bytes);
}

Status check_writable(const std::filesystem::path& path) {
    const fs::path target = link_target(path);
    std::error_code ignored;
    if (fs::is_directory(target, ignored)) return fail(ErrorCode::kIoError, "is a folder, not a file", path_text(path));
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored)) {
        return fail(ErrorCode::kIoError, "cannot be written: no folder " + path_text(folder), path_text(path));
    }
    const fs::path& written = is_special(target) ? target : folder;
    if (!is_accessible(written)) return io_error(path, "cannot be written");
    return {};
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
    HEAPWRIGHT_TRY(check_writable(path));
    const fs::path target = link_target(path);
    if (is_special(target)) return write_through(target, bytes);
    fs::path temporary = target;
    temporary += ".tmp-" + std::to_string(process_id());
    std::error_code ignored;
    if (const Status written = write_through(temporary, bytes); !written) {
        fs::remove(temporary, ignored);
        return fail(ErrorCode::kIoError, written.error().message, path_text(path));
    }
    const fs::file_status old = fs::status(target, ignored);
    if (fs::is_regular_file(old)) fs::permissions(temporary, old.permissions(), ignored);
    std::error_code error;
    fs::rename(temporary, target, error);
    if (error) {
        fs::remove(temporary, ignored);
        return fail(ErrorCode::kIoError, "cannot be replaced: " + error.message(), path_text(path));
    }
    return {};
}

}  // namespace heapwright
