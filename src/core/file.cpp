#include "core/file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#ifdef _WIN32
#include <io.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <fmt/format.h>

#include "core/random.hpp"

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

Status write_all(std::FILE* file, const fs::path& path, std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fflush(file) != 0) {
        return io_error(path, "cannot be written");
    }
    return {};
}

Status write_through(const fs::path& path, std::string_view bytes) {
    const FileHandle file = open_file(path, Access::kWrite);
    if (!file) return io_error(path, "cannot be created");
    return write_all(file.get(), path, bytes);
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

// Of the file that is replaced; none where there is none yet.
std::optional<fs::perms> mode_of(const fs::path& target) {
    std::error_code ignored;
    const fs::file_status old = fs::status(target, ignored);
    if (!fs::is_regular_file(old)) return std::nullopt;
    return old.permissions();
}

// Nobody can guess it, so that nobody can lie in wait under it.
fs::path temporary_name(const fs::path& target) {
    static std::atomic<std::uint64_t> names{0};
    std::uint64_t number = ++names;
    try {
        std::random_device device;
        number = (static_cast<std::uint64_t>(device()) << 32 | device()) ^ number;
    } catch (const std::exception&) {  // without a source of chance the name is merely new
        number = Random(number ^ reinterpret_cast<std::uintptr_t>(&number)).next();
    }
    fs::path temporary = target.parent_path() / ".";
    temporary += fmt::format("{:016x}.tmp", number);
    return temporary;
}

constexpr int kMostNames = 100;

// The file under the temporary name takes the target's place, or goes.
Status take_place(const fs::path& temporary, const fs::path& target, const fs::path& path) {
    std::error_code error;
    fs::rename(temporary, target, error);
    if (!error) return {};
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return fail(ErrorCode::kIoError, "cannot be replaced: " + error.message(), path_text(path));
}

#ifdef _WIN32
FileHandle create_file(const fs::path& path) {
    const int descriptor =
        _wopen(path.c_str(), _O_CREAT | _O_EXCL | _O_WRONLY | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    return FileHandle(descriptor < 0 ? nullptr : _fdopen(descriptor, "wb"));
}

bool set_mode(std::FILE*, const fs::path& path, fs::perms mode) {
    std::error_code error;
    fs::permissions(path, mode, error);
    return !error;
}
#else
// At no moment may more people read it than its target; what is new gets what the umask leaves.
constexpr mode_t kNewMode = 0666;

mode_t first_mode(std::optional<fs::perms> mode) {
    return mode ? static_cast<mode_t>(*mode) & (S_IRUSR | S_IWUSR) : kNewMode;
}

FileHandle stream_of(int descriptor) {
    if (descriptor < 0) return nullptr;
    std::FILE* const file = fdopen(descriptor, "wb");
    if (file == nullptr) close(descriptor);
    return FileHandle(file);
}

bool set_mode(std::FILE* file, const fs::path&, fs::perms mode) {
    return fchmod(fileno(file), static_cast<mode_t>(mode)) == 0;
}
#endif

#ifdef O_TMPFILE
struct Names {
    const char* nameless;
    const char* temporary;
    const char* target;
};

struct Renaming {
    int link_error = 0;
    int rename_error = 0;
};

void link_and_rename_here(const Names& names, volatile Renaming& done) {
    if (linkat(AT_FDCWD, names.nameless, AT_FDCWD, names.temporary, AT_SYMLINK_FOLLOW) != 0) {
        done.link_error = errno;
    } else if (rename(names.temporary, names.target) != 0) {
        done.rename_error = errno;
        unlink(names.temporary);
    }
}

// A name that is taken can only be given by way of another. A process of its own does both, so that one that is killed
// between the two leaves nothing. It has this one's memory, which waits meanwhile (vfork), and only calls the system.
Renaming link_and_rename(const Names& names) {
    volatile Renaming done;
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): two calls, and it ends
    // Also where there can be no other process.
    if (child <= 0) link_and_rename_here(names, done);  // NOLINT(clang-analyzer-unix.Vfork): its memory is waiting
    if (child == 0) _exit(0);
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    return {.link_error = done.link_error, .rename_error = done.rename_error};
}
#endif

// A file that has no name until it is whole: a process that is killed leaves nothing. Errors: kNotSupported where that
// cannot be done.
Status replace_nameless([[maybe_unused]] const fs::path& target, [[maybe_unused]] std::optional<fs::perms> mode,
                        [[maybe_unused]] const fs::path& path, [[maybe_unused]] std::string_view bytes) {
    const auto unsupported = [&] { return fail(ErrorCode::kNotSupported, "no file without a name", path_text(path)); };
#ifdef O_TMPFILE
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const FileHandle file = stream_of(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode(mode)));
    if (!file) return unsupported();
    HEAPWRIGHT_TRY(write_all(file.get(), path, bytes));
    if (mode && !set_mode(file.get(), {}, *mode)) return io_error(path, "its permissions cannot be kept");
    const std::string self = fmt::format("/proc/self/fd/{}", fileno(file.get()));
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
    int error = errno;
    for (int attempt = 0; error == EEXIST && attempt < kMostNames; ++attempt) {
        const fs::path temporary = temporary_name(target);
        const Renaming done = link_and_rename({self.c_str(), temporary.c_str(), target.c_str()});
        if (done.rename_error != 0) {
            errno = done.rename_error;
            return io_error(path, "cannot be replaced");
        }
        if (done.link_error == 0) return {};
        error = done.link_error;
    }
#endif
    return unsupported();
}

Status replace_named(const fs::path& target, std::optional<fs::perms> mode, const fs::path& path,
                     std::string_view bytes) {
    fs::path temporary;
    FileHandle file;
    for (int attempt = 0; !file && attempt < kMostNames; ++attempt) {
        temporary = temporary_name(target);
#ifdef _WIN32
        file = create_file(temporary);
#else
        file =
            stream_of(open(temporary.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, first_mode(mode)));
#endif
        if (!file && errno != EEXIST) break;
    }
    if (!file) return io_error(path, "cannot be created");
    Status written = write_all(file.get(), path, bytes);
    if (written && mode && !set_mode(file.get(), temporary, *mode))
        written = io_error(path, "its permissions cannot be kept");
    file.reset();  // Windows renames no open file
    if (written) return take_place(temporary, target, path);
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return written;
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

Result<ReadBytes> open_for_reading(const fs::path& path) {
    std::shared_ptr<std::FILE> file(open_file(path, Access::kRead).release(), [](std::FILE* opened) {
        if (opened != nullptr) std::fclose(opened);
    });
    if (!file) return io_error(path, "cannot be opened");
    return ReadBytes([file, where = path_text(path)](std::span<char> into) -> Result<std::size_t> {
        const std::size_t count = std::fread(into.data(), 1, into.size(), file.get());
        if (count == 0 && std::ferror(file.get()) != 0) return io_error(where, "cannot be read");
        return count;
    });
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
    const std::optional<fs::perms> mode = mode_of(target);
    Status replaced = replace_nameless(target, mode, path, bytes);
    if (replaced || replaced.error().code != ErrorCode::kNotSupported) return replaced;
    return replace_named(target, mode, path, bytes);
}

}  // namespace heapwright
