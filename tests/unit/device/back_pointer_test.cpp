// Objects that die while work for them is queued, running, or about to look for them.
#include "device/back_pointer.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <optional>
#include <thread>

#include "heapwright/device/background_processor.hpp"

namespace heapwright::device {
namespace {

constexpr std::uint64_t kLong = 60'000'000'000;

struct Pipeline {
    int optimised = 0;
    Anchor<Pipeline> anchor{*this};
};

}  // namespace

TEST_CASE("Work finds its object only while it lives") {
    std::optional<Pipeline> pipeline(std::in_place);
    const BackPointer<Pipeline> pointer = pipeline->anchor.back_pointer();
    CHECK(pointer.with_alive([](Pipeline& alive) { ++alive.optimised; }));
    CHECK(pipeline->optimised == 1);
    pipeline.reset();
    CHECK_FALSE(pointer.with_alive([](Pipeline&) { FAIL("the object is dead"); }));
}

TEST_CASE("An object that is in use dies when the use has ended") {
    std::optional<Pipeline> pipeline(std::in_place);
    const BackPointer<Pipeline> pointer = pipeline->anchor.back_pointer();
    CompletionEvent in_use;
    CompletionEvent go_on;
    std::atomic<bool> dead{false};
    std::atomic<bool> dead_in_use{true};
    std::thread user([&] {
        pointer.with_alive([&](Pipeline& alive) {
            in_use.signal();
            static_cast<void>(go_on.wait_for(kLong));
            ++alive.optimised;
            dead_in_use = dead.load();
        });
    });
    REQUIRE(in_use.wait_for(kLong));
    std::thread destroyer([&] {
        pipeline.reset();
        dead = true;
    });
    // Time to die too early in.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go_on.signal();
    user.join();
    destroyer.join();
    CHECK_FALSE(dead_in_use);
    CHECK(dead);
    CHECK_FALSE(pointer.with_alive([](Pipeline&) { FAIL("the object is dead"); }));
}

TEST_CASE("Objects die while work for them is queued and running") {
    constexpr int kQueued = 64;
    constexpr int kRacing = 1000;
    std::atomic<int> found{0};
    std::atomic<int> lost{0};
    BackgroundProcessor processor({});
    const auto submit_for = [&](Pipeline& pipeline) {
        processor.submit({.callback =
                              [&, pointer = pipeline.anchor.back_pointer()] {
                                  pointer.with_alive([](Pipeline& alive) { ++alive.optimised; }) ? ++found : ++lost;
                              },
                          .cancel = {}});
    };
    CompletionEvent open;
    for (int i = 0; i < 2; ++i)
        processor.submit({.callback = [&] { static_cast<void>(open.wait_for(kLong)); }, .cancel = {}});
    Pipeline survivor;
    for (int i = 0; i < kQueued; ++i) {
        Pipeline pipeline;
        submit_for(pipeline);
        submit_for(survivor);
    }
    open.signal();
    processor.drain();
    CHECK(found == kQueued);
    CHECK(lost == kQueued);
    CHECK(survivor.optimised == kQueued);

    for (int i = 0; i < kRacing; ++i) {
        Pipeline pipeline;
        submit_for(pipeline);
        if (i % 3 == 0) std::this_thread::yield();
    }
    processor.drain();
    CHECK(found + lost == 2 * kQueued + kRacing);
}

}  // namespace heapwright::device
