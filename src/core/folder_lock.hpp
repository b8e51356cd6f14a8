// One process at a time writes a set of files into a folder, so that the files of two are never mixed. Held while it
// lives, and gone with the process however that ends; no file of it stays. Of POSIX it is a lock (flock) on the folder
// itself, of Windows a hidden file that goes when it is closed. It binds heapwright alone. A file system without such
// locks has none. Not thread-safe.
#pragma once

#include <filesystem>

#include "heapwright/core/result.hpp"

namespace heapwright {

class FolderLock {
public:
    // Of nothing.
    FolderLock() = default;
    // Of a folder that is there. Errors: kIoError, when another holds it or the folder cannot be opened.
    [[nodiscard]] static Result<FolderLock> take(const std::filesystem::path& folder);

    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;
    ~FolderLock();

private:
#ifdef _WIN32
    void* file_ = nullptr;
#else
    int folder_ = -1;
#endif
};

}  // namespace heapwright
