// Whether a child still does something: it sends, or leaves other breadcrumbs. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "heapwright/core/clock.hpp"

namespace heapwright::isolate::detail {

enum class Served : std::uint8_t { kDone, kTimedOut, kStalled };

template <class Page>
class SignOfLife {
public:
    // `page` outlives it. ~0: nothing is ever missing.
    SignOfLife(const Page& page, std::uint64_t most_ns) : page_(page), most_ns_(most_ns) {}

    void seen(std::uint64_t now_ns) { last_ns_ = now_ns; }

    [[nodiscard]] bool missing(std::uint64_t now_ns) {
        if (most_ns_ == ~0ull) return false;
        std::string trace = page_.step() + page_.text();
        if (trace != trace_) {
            trace_ = std::move(trace);
            last_ns_ = now_ns;
        }
        return now_ns - last_ns_ >= most_ns_;
    }

private:
    const Page& page_;
    std::uint64_t most_ns_;
    std::uint64_t last_ns_ = SteadyClock().now_ns();
    std::string trace_;
};

}  // namespace heapwright::isolate::detail
