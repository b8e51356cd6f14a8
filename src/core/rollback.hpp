// Undoes what was done so far when its scope is left, unless keep() said that all went well. For the steps between
// which host memory may run out. `undo` throws nothing.
#pragma once

#include <utility>

namespace heapwright {

template <class Undo>
class Rollback {
public:
    explicit Rollback(Undo undo) : undo_(std::move(undo)) {}
    Rollback(const Rollback&) = delete;
    Rollback& operator=(const Rollback&) = delete;
    ~Rollback() {
        if (!kept_) undo_();
    }

    void keep() { kept_ = true; }

private:
    Undo undo_;
    bool kept_ = false;
};

}  // namespace heapwright
