// An event as the runtime signals it (ID3D12Fence::SetEventOnCompletion, ID3D12Device6::SetBackgroundProcessingMode):
//
//   Windows, Wine    an event object
//   vkd3d            an event of libvkd3d-utils
//   WSL              an event file descriptor
//
// Its first signal ends the one wait. Move-only; destruction closes it, so the runtime must be done with it.
// Thread-safety: signal() from any thread, wait() from one. Errors: kNoLoader (libvkd3d-utils has no events),
// kDriverFailure with the system's reason.
#pragma once

#include <utility>

#include "d3d12/api.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

class NativeEvent {
public:
    [[nodiscard]] static Result<NativeEvent> create();
    NativeEvent(NativeEvent&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    NativeEvent& operator=(NativeEvent&&) = delete;
    NativeEvent(const NativeEvent&) = delete;
    NativeEvent& operator=(const NativeEvent&) = delete;
    ~NativeEvent() {
        if (handle_ != nullptr) close();
    }

    [[nodiscard]] HANDLE handle() const { return handle_; }

    // As the runtime does.
    [[nodiscard]] Status signal() const;

    // Returns once it was signalled.
    [[nodiscard]] Status wait() const;

private:
    explicit NativeEvent(HANDLE handle) : handle_(handle) {}
    void close();

    HANDLE handle_ = nullptr;
};

}  // namespace heapwright::d3d12
