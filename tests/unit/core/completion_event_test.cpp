#include "heapwright/core/completion_event.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>

#include <catch2/catch_test_macros.hpp>

namespace heapwright {
namespace {

TEST_CASE("an event is signalled once and stays so, for every copy") {
    CompletionEvent event;
    const CompletionEvent copy = event;
    CHECK_FALSE(copy.is_signalled());
    CHECK_FALSE(copy.wait_for(0));
    CHECK_FALSE(copy.wait_for(1'000'000));
    event.signal();
    event.signal();
    CHECK(copy.is_signalled());
    CHECK(copy.wait_for(0));
    CHECK_FALSE(CompletionEvent().is_signalled());
}

TEST_CASE("the longest time that can be named is waited, not passed at once") {
    CompletionEvent event;
    std::thread other([event]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        event.signal();
    });
    CHECK(event.wait_for(std::numeric_limits<std::uint64_t>::max()));
    other.join();
}

TEST_CASE("an event may be signalled after whoever waited is gone") {
    CompletionEvent signaller;
    {
        const CompletionEvent waiter = signaller;
        CHECK_FALSE(waiter.wait_for(0));
    }
    signaller.signal();
    CHECK(signaller.is_signalled());
}

}  // namespace
}  // namespace heapwright
