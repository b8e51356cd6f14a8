#include "core/folder_lock.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

#include "core/path.hpp"

namespace heapwright {
namespace {

tl::unexpected<Error> taken(const std::filesystem::path& folder) {
    return fail(ErrorCode::kIoError, "another heapwright is writing into this folder", path_text(folder));
}

}  // namespace

#ifdef _WIN32

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / ".heapwright-lock";
    HANDLE handle = CreateFileW(file.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        // Denied: its last holder is just closing it.
        if (error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED) return taken(folder);
        return fail(ErrorCode::kIoError, "cannot be locked, error " + std::to_string(error), path_text(folder));
    }
    FolderLock lock;
    lock.file_ = handle;
    return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}

FolderLock::~FolderLock() {
    if (file_ != nullptr) CloseHandle(file_);
}

#else

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
    FolderLock lock;
    // No child inherits it: one that outlives this process must not hold the folder.
    lock.folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock.folder_ < 0) {
        return fail(ErrorCode::kIoError, std::string("cannot be opened: ") + std::strerror(errno), path_text(folder));
    }
    if (flock(lock.folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return taken(folder);
    return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
}

FolderLock::~FolderLock() {
    if (folder_ >= 0) close(folder_);
}

#endif

}  // namespace heapwright
