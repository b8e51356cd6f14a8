// Whether a child still does something: it sends, or leaves other breadcrumbs. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "isolate/child_process.hpp"

namespace heapwright::isolate::detail {

enum class Served : std::uint8_t { kDone, kTimedOut, kStalled };

template <class Page>
class SignOfLife {
public:
    // Both outlive it.
    SignOfLife(const Page& page, const ChildRequest& request)
        : page_(page), request_(request), counts_(!request.stalls_after) {}

    void frame(char kind) {
        if (kind == request_.stalls_after) counts_ = true;
        if (request_.stalls_after && kind == request_.next_turn) counts_ = false;
    }

    void seen(std::uint64_t now_ns) { last_ns_ = now_ns; }

    [[nodiscard]] bool missing(std::uint64_t now_ns) {
        if (!counts_ || request_.stall_ns == ~0ull) return false;
        std::string trace = page_.step() + page_.text();
        if (trace != trace_) {
            trace_ = std::move(trace);
            last_ns_ = now_ns;
        }
        return now_ns - last_ns_ >= request_.stall_ns;
    }

private:
    const Page& page_;
    const ChildRequest& request_;
    bool counts_;
    std::uint64_t last_ns_ = SteadyClock().now_ns();
    std::string trace_;
};

}  // namespace heapwright::isolate::detail
