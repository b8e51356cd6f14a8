// A one-shot event: signalled once, stays so. Copies share one state, so that who signals and who waits may end in any
// order. All calls from any thread.
#pragma once

#include <cstdint>
#include <memory>

namespace heapwright {

class CompletionEvent {
public:
    CompletionEvent();
    void signal();
    [[nodiscard]] bool is_signalled() const;
    // False when the time passed first.
    [[nodiscard]] bool wait_for(std::uint64_t timeout_ns) const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace heapwright
