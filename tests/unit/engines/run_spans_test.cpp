// What is said of submissions that the host saw at certain times.
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engines/run_spans.hpp"

using namespace heapwright;
using engines::ActorIndex;
using engines::FenceIndex;
using engines::FencePoint;
using engines::RunSpan;
using engines::RunSubmission;

namespace {

constexpr ActorIndex kCopy{1};
constexpr ActorIndex kGraphics{2};
constexpr FenceIndex kCopied{0};
const std::vector<engines::Fence> kFences{{.name = "copied", .initial_value = 0}};

void check(const RunSpan& span, const std::string& name, std::uint64_t begin_ns, std::uint64_t end_ns) {
    CHECK(span.name == name);
    CHECK(span.begin_ns == begin_ns);
    CHECK(span.end_ns == end_ns);
}

}  // namespace

TEST_CASE("a span begins after what its submission waits for, on its own queue and on others") {
    const std::vector<RunSubmission> seen{{kCopy, "copy", 10, 100, 1, {}, {{kCopied, 1}}},
                                          {kGraphics, "draw", 20, 150, 2, {{kCopied, 1}}, {}},
                                          {kCopy, "copy", 30, 190, 3, {}, {{kCopied, 2}}},
                                          {kGraphics, "draw", 40, 260, 4, {{kCopied, 2}}, {}},
                                          {kGraphics, "present", 300, 320, 5, {{kCopied, 1}}, {}}};
    const auto spans = engines::spans_of(seen, kFences);
    REQUIRE(spans.size() == 5);
    check(spans[0], "copy", 10, 100);
    check(spans[1], "copy", 100, 190);  // the copy before
    check(spans[2], "draw", 100, 150);  // copied, though handed over at 20
    check(spans[3], "draw", 190, 260);
    check(spans[4], "present", 300, 320);
}

TEST_CASE("a wait is met by the first signal of its value or a higher one, and one met from the start by none") {
    const std::vector<engines::Fence> fences{{.name = "copied", .initial_value = 7}};
    const std::vector<RunSubmission> seen{{kCopy, "copy", 10, 100, 1, {}, {{kCopied, 9}}},
                                          {kCopy, "copy", 10, 300, 2, {}, {{kCopied, 12}}},
                                          {kGraphics, "early", 20, 90, 1, {{kCopied, 7}}, {}},
                                          {kGraphics, "draw", 30, 150, 3, {{kCopied, 8}}, {}}};
    const auto spans = engines::spans_of(seen, fences);
    REQUIRE(spans.size() == 4);
    check(spans[1], "early", 20, 90);
    check(spans[2], "copy", 100, 300);
    check(spans[3], "draw", 100, 150);
}

TEST_CASE("what is seen to be over in one look is one span, and what has no known length is none") {
    const std::vector<RunSubmission> seen{{kCopy, "copy", 10, 100, 1, {}, {{kCopied, 1}}},
                                          {kCopy, "copy", 12, 100, 1, {}, {{kCopied, 2}}},
                                          {kCopy, "clear", 14, 100, 1, {}, {}},
                                          {kCopy, "copy", 16, 180, 2, {}, {}},
                                          {kCopy, "copy", 17, 180, 2, {}, {}},
                                          {kGraphics, "draw", 20, 100, 1, {{kCopied, 1}}, {}}};
    const auto spans = engines::spans_of(seen, kFences);
    REQUIRE(spans.size() == 2);
    check(spans[0], "copy + clear", 10, 100);
    CHECK(spans[0].submissions == 3);
    check(spans[1], "copy (2 submissions)", 100, 180);
}

TEST_CASE("work overtakes other work only where the host surely saw it over before") {
    const auto seen = [](ActorIndex ahead, std::uint64_t ahead_look, ActorIndex behind, std::uint64_t behind_look) {
        const std::vector<RunSubmission> all{{ahead, "urgent", 0, 5, 1, {}, {}},  // nothing to overtake
                                             {behind, "long", 10, 50, behind_look, {}, {}},
                                             {ahead, "urgent", 20, 30, ahead_look, {}, {}}};
        const engines::Overtaking found = engines::overtaking(all, "urgent", "long");
        CHECK(found.of == 1);
        return found.times == 1;
    };
    CHECK(seen(kCopy, 2, kGraphics, 3));
    CHECK_FALSE(seen(kCopy, 3, kGraphics, 3));
    CHECK_FALSE(seen(kCopy, 4, kGraphics, 3));
    // The long work was asked about before the urgent work in each look.
    CHECK_FALSE(seen(kGraphics, 2, kCopy, 3));
    CHECK(seen(kGraphics, 2, kCopy, 4));
}

TEST_CASE("spans are the timestamps' where all work has some, and the host's where any has none") {
    std::vector<RunSubmission> all{
        {kCopy, "copy", 10, 100, 1, {}, {{kCopied, 1}}, true, engines::DeviceSpan{.begin_ns = 12, .end_ns = 90}},
        {kGraphics, "draw", 20, 150, 1, {}, {}, true, engines::DeviceSpan{.begin_ns = 22, .end_ns = 60}},
        {kGraphics, "signal", 30, 160, 1, {}, {}, false}};
    auto spans = engines::spans_of(all, kFences);
    REQUIRE(spans.size() == 2);
    check(spans[0], "copy", 12, 90);
    check(spans[1], "draw", 22, 60);
    CHECK(spans[0].by_device);
    CHECK(spans[1].by_device);
    all[2].has_work = true;
    spans = engines::spans_of(all, kFences);
    REQUIRE(!spans.empty());
    for (const RunSpan& span : spans) CHECK(!span.by_device);
}

TEST_CASE("by timestamps, work overtook other work whenever the host looked") {
    const auto overtakes = [](std::uint64_t ahead_end_ns, std::uint64_t behind_end_ns) {
        const std::vector<RunSubmission> all{
            {kCopy, "long", 10, 50, 3, {}, {}, true, engines::DeviceSpan{.begin_ns = 10, .end_ns = behind_end_ns}},
            {kGraphics,
             "urgent",
             20,
             50,
             3,
             {},
             {},
             true,
             engines::DeviceSpan{.begin_ns = 20, .end_ns = ahead_end_ns}}};
        return engines::overtaking(all, "urgent", "long").times == 1;
    };
    CHECK(overtakes(30, 40));
    CHECK_FALSE(overtakes(40, 40));
    CHECK_FALSE(overtakes(41, 40));
}
