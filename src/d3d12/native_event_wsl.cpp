#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "d3d12/native_event.hpp"

namespace heapwright::d3d12 {
namespace {

Error last_error(const char* call) {
    return {.code = ErrorCode::kDriverFailure, .message = std::strerror(errno), .where = call};
}

int descriptor_of(HANDLE handle) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}

}  // namespace

Result<NativeEvent> NativeEvent::create() {
    int descriptor = eventfd(0, EFD_CLOEXEC);
    if (descriptor == 0) {
        // As a handle it would be null, which means none.
        const int other = fcntl(descriptor, F_DUPFD_CLOEXEC, 1);
        ::close(descriptor);
        descriptor = other;
    }
    if (descriptor < 0) return fail(last_error("eventfd"));
    return NativeEvent(reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(descriptor)));
}

Status NativeEvent::signal() const {
    if (eventfd_write(descriptor_of(handle_), 1) != 0) return fail(last_error("eventfd_write"));
    return {};
}

Status NativeEvent::wait() const {
    eventfd_t value = 0;
    while (eventfd_read(descriptor_of(handle_), &value) != 0) {
        if (errno != EINTR) return fail(last_error("eventfd_read"));
    }
    return {};
}

void NativeEvent::close() {
    ::close(descriptor_of(handle_));
}

}  // namespace heapwright::d3d12
