// Finds an object that may die while work for it is queued, without keeping it alive: the object holds the Anchor, the
// work a BackPointer. The anchor's destructor waits for a use that is going on and cuts the pointer.
// Thread-safety: with_alive() from any thread; the use neither destroys the object nor looks for it again. The anchor
// is a member of its object and the last one, so that it is destroyed first.
// Source: D3D12 background processing specification, lifetime of pipelines under background compilation.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace heapwright::device {

template <class T>
class BackPointer {
public:
    // Calls use(T&) while the object cannot die, and says whether it was alive.
    template <class Use>
    bool with_alive(Use&& use) const {
        const std::lock_guard lock(shared_->mutex);
        if (!shared_->object) return false;
        std::forward<Use>(use)(*shared_->object);
        return true;
    }

private:
    template <class>
    friend class Anchor;

    struct Shared {
        std::mutex mutex;
        T* object = nullptr;
    };

    explicit BackPointer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
};

template <class T>
class Anchor {
public:
    explicit Anchor(T& object) : shared_(std::make_shared<typename BackPointer<T>::Shared>()) {
        shared_->object = &object;
    }
    ~Anchor() {
        const std::lock_guard lock(shared_->mutex);
        shared_->object = nullptr;
    }
    Anchor(const Anchor&) = delete;
    Anchor& operator=(const Anchor&) = delete;

    [[nodiscard]] BackPointer<T> back_pointer() const { return BackPointer<T>(shared_); }

private:
    std::shared_ptr<typename BackPointer<T>::Shared> shared_;
};

}  // namespace heapwright::device
