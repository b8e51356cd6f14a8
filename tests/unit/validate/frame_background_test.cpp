#include "validate/frame_background.hpp"

#include <atomic>

#include <catch2/catch_test_macros.hpp>

#include "core/clock.hpp"

using namespace heapwright;

TEST_CASE("the background of the frames tells when each of its items ran, as far as a document holds") {
    SteadyClock clock;
    const std::uint64_t origin_ns = clock.now_ns();
    validate::FrameBackground background(true);
    std::atomic<std::size_t> ran{0};
    for (std::size_t i = 0; i < model::kMaxEngineSpans + 10; ++i)
        REQUIRE(background.submit({.callback = [&] { ++ran; }, .cancel = {}}));
    background.rest(60'000'000'000);
    CHECK(ran == model::kMaxEngineSpans + 10);
    const auto spans = background.spans(origin_ns);
    REQUIRE(spans.size() == model::kMaxEngineSpans);
    const std::uint64_t elapsed_ns = clock.now_ns() - origin_ns;
    for (const model::EngineSpan& span : spans) {
        CHECK(span.engine == "background");
        CHECK(span.begin_ns <= span.end_ns);
        CHECK(span.end_ns <= elapsed_ns);
    }
    CHECK(background.spans(origin_ns + elapsed_ns).empty());
}
