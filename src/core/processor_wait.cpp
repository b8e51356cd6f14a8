#include "core/processor_wait.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#endif

namespace heapwright {

#ifdef __linux__

namespace {

class Schedstat {
public:
    Schedstat() = default;
    Schedstat(const Schedstat&) = delete;
    Schedstat& operator=(const Schedstat&) = delete;
    ~Schedstat() {
        if (file_ >= 0) ::close(file_);
    }

    // "RUNNING WAITING SLICES", times in nanoseconds.
    [[nodiscard]] std::uint64_t waiting_ns() const {
        std::array<char, 96> text{};
        const ssize_t length = file_ < 0 ? -1 : ::pread(file_, text.data(), text.size(), 0);
        if (length <= 0) return 0;
        const char* const end = text.data() + length;
        std::uint64_t running = 0;
        std::uint64_t waiting = 0;
        const auto first = std::from_chars(text.data(), end, running);
        if (first.ec != std::errc() || first.ptr == end) return 0;
        return std::from_chars(first.ptr + 1, end, waiting).ec == std::errc() ? waiting : 0;
    }

private:
    int file_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
};

}  // namespace

std::uint64_t processor_wait_ns() {
    thread_local const Schedstat schedstat;
    return schedstat.waiting_ns();
}

#else

std::uint64_t processor_wait_ns() {
    return 0;
}

#endif

}  // namespace heapwright
