#include "vulkan/turns.hpp"

#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::vulkan {
namespace {

// So many threads make calls, each with `call` inside its turn, until it says that it is enough.
template <class Call>
void play(Turns& turns, std::size_t threads, Call call) {
    std::vector<std::jthread> crew;
    for (std::size_t i = 0; i < threads; ++i) {
        crew.emplace_back([&] {
            bool goes_on = true;
            while (goes_on) {
                const TurnTaken turn(turns);
                goes_on = call();
            }
        });
    }
}

TEST_CASE("no more threads are in it than a given limit lets in") {
    for (const std::uint32_t limit : {1u, 2u, 3u, Turns::kAll}) {
        Turns turns(limit);
        std::atomic<std::uint32_t> inside{0};
        std::atomic<std::uint32_t> most{0};
        std::atomic<std::uint32_t> calls{0};
        play(turns, 6, [&] {
            const std::uint32_t now = inside.fetch_add(1) + 1;
            for (std::uint32_t before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
            }
            std::this_thread::yield();
            inside.fetch_sub(1);
            return calls.fetch_add(1) < 6000;
        });
        CHECK(most.load() <= limit);
        CHECK(turns.limit() == limit);
    }
}

TEST_CASE("where a driver loses by company, one at a time is found; where threads never meet, nothing is limited") {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    Turns turns;
    std::atomic<int> inside{0};
    play(turns, 4, [&] {
        // Company costs fifty times what the call does.
        const bool has_company = inside.fetch_add(1) != 0;
        std::this_thread::sleep_for(std::chrono::microseconds(has_company ? 2000 : 10));
        inside.fetch_sub(1);
        return turns.limit() != 1 && std::chrono::steady_clock::now() < until;
    });
    CHECK(turns.limit() == 1);

    Turns alone;
    std::uint32_t calls = 0;
    play(alone, 1, [&] { return ++calls < 10 * Turns::kCallsOfTrial; });
    CHECK(alone.limit() == Turns::kAll);
}

}  // namespace
}  // namespace heapwright::vulkan
