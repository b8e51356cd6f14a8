#include <dlfcn.h>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/native_event.hpp"

namespace heapwright::d3d12 {
namespace {

// As vkd3d_utils.h declares them: not in the convention of the interfaces.
struct EventFunctions {
    HANDLE (*create)() = nullptr;
    HRESULT (*signal)(HANDLE) = nullptr;
    unsigned (*wait)(HANDLE, unsigned milliseconds) = nullptr;
    void (*destroy)(HANDLE) = nullptr;
};

constexpr unsigned kForever = ~0u;
constexpr unsigned kSignalled = 0;

Result<EventFunctions> load_functions() {
    for (const char* name : {"libvkd3d-utils.so.1", "libvkd3d-utils.so"}) {
        void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        EventFunctions functions;
        functions.create = reinterpret_cast<decltype(functions.create)>(dlsym(library, "vkd3d_create_event"));
        functions.signal = reinterpret_cast<decltype(functions.signal)>(dlsym(library, "vkd3d_signal_event"));
        functions.wait = reinterpret_cast<decltype(functions.wait)>(dlsym(library, "vkd3d_wait_event"));
        functions.destroy = reinterpret_cast<decltype(functions.destroy)>(dlsym(library, "vkd3d_destroy_event"));
        if (functions.create && functions.signal && functions.wait && functions.destroy) return functions;
    }
    return fail(ErrorCode::kNoLoader, "no libvkd3d-utils with events could be loaded", "vkd3d_create_event");
}

const Result<EventFunctions>& functions() {
    static const Result<EventFunctions> kLoaded = load_functions();
    return kLoaded;
}

}  // namespace

Result<NativeEvent> NativeEvent::create() {
    if (!functions()) return fail(functions().error());
    leave_call("vkd3d_create_event");
    HANDLE const handle = functions()->create();
    if (handle == nullptr) return fail(ErrorCode::kDriverFailure, "no event", "vkd3d_create_event");
    return NativeEvent(handle);
}

Status NativeEvent::signal() const {
    leave_call("vkd3d_signal_event");
    return check(functions()->signal(handle_), "vkd3d_signal_event");
}

Status NativeEvent::wait() const {
    leave_call("vkd3d_wait_event");
    if (functions()->wait(handle_, kForever) == kSignalled) return {};
    return fail(ErrorCode::kDriverFailure, "the wait failed", "vkd3d_wait_event");
}

void NativeEvent::close() {
    leave_call("vkd3d_destroy_event");
    functions()->destroy(handle_);
}

}  // namespace heapwright::d3d12
