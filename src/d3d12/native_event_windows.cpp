#include "core/windows_text.hpp"
#include "d3d12/native_event.hpp"

namespace heapwright::d3d12 {
namespace {

Error last_error(const char* call) {
    return {.code = ErrorCode::kDriverFailure, .message = windows_error_text(GetLastError()), .where = call};
}

}  // namespace

Result<NativeEvent> NativeEvent::create() {
    HANDLE const handle = CreateEventW(nullptr, FALSE, FALSE, nullptr);
    if (handle == nullptr) return fail(last_error("CreateEvent"));
    return NativeEvent(handle);
}

Status NativeEvent::signal() const {
    if (SetEvent(handle_) == 0) return fail(last_error("SetEvent"));
    return {};
}

Status NativeEvent::wait() const {
    if (WaitForSingleObject(handle_, INFINITE) != WAIT_OBJECT_0) return fail(last_error("WaitForSingleObject"));
    return {};
}

void NativeEvent::close() {
    CloseHandle(handle_);
}

}  // namespace heapwright::d3d12
