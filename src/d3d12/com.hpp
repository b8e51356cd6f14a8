// A counted reference to a COM object: released on destruction. Move-only; share() adds a reference.
// Not thread-safe itself; the objects' counts are.
#pragma once

#include <utility>

#include "core/breadcrumb.hpp"

namespace heapwright::d3d12 {

template <class T>
class Com {
public:
    Com() = default;
    explicit Com(T* owned) : object_(owned) {}
    Com(Com&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Com& operator=(Com&& other) noexcept {
        if (this != &other) {
            reset();
            object_ = std::exchange(other.object_, nullptr);
        }
        return *this;
    }
    Com(const Com&) = delete;
    Com& operator=(const Com&) = delete;
    ~Com() { reset(); }

    void reset() {
        if (object_ == nullptr) return;
        leave_call("IUnknown::Release");
        std::exchange(object_, nullptr)->Release();
    }
    [[nodiscard]] Com share() const {
        leave_call("IUnknown::AddRef");
        if (object_ != nullptr) object_->AddRef();
        return Com(object_);
    }

    [[nodiscard]] T* get() const { return object_; }
    [[nodiscard]] T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

    // Where a creating function writes its object; this is empty before.
    [[nodiscard]] void** out() { return reinterpret_cast<void**>(&object_); }

private:
    T* object_ = nullptr;
};

}  // namespace heapwright::d3d12
