// A run that breaks its times alone is played again; what breaks each time, and every other fault, fails it.
#include <catch2/catch_test_macros.hpp>

#include "validate/played_again.hpp"

using namespace heapwright;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr double kMostNs = 2e6;

model::Promise promise(model::PromiseKind kind, double measured) {
    return {.name = {kind},
            .predicted = kMostNs / 1.5,
            .measured = measured,
            .most = kMostNs,
            .tolerance = "1.5 times",
            .verdict = measured <= kMostNs ? model::PromiseVerdict::kKept : model::PromiseVerdict::kBroken};
}

model::ScenarioResult played(double worst_frame_ns, double waste = 1) {
    model::ScenarioResult result{.name = "mixed-workload", .seed = 1, .verdict = model::Verdict::kValidated};
    result.run.promises = {promise(model::PromiseKind::kMeanWaste, waste),
                           promise(model::PromiseKind::kWorstFrameNs, worst_frame_ns)};
    for (const model::Promise& one : result.run.promises) {
        if (one.verdict != model::PromiseVerdict::kBroken) continue;
        result.verdict = model::Verdict::kFailed;
        result.reason += text_of(one.name) + " broken";
    }
    return result;
}

model::ScenarioResult cut_short() {
    model::ScenarioResult result{.name = "mixed-workload", .seed = 1, .verdict = model::Verdict::kInconclusive};
    result.reason = "the time limit";
    return result;
}

// Gives these in turn; each takes a second.
struct Plays {
    std::vector<model::ScenarioResult> results;
    std::vector<std::uint64_t> limits = {};
    ManualClock clock = {};

    model::ScenarioResult judged(std::uint64_t time_limit_ns = 100 * kSecond) {
        auto done = validate::play_until_times_hold(clock, time_limit_ns, [this](std::uint64_t left_ns) {
            REQUIRE(limits.size() < results.size());
            limits.push_back(left_ns);
            clock.advance_ns(kSecond);
            return Result<model::ScenarioResult>(results[limits.size() - 1]);
        });
        REQUIRE(done);
        return *done;
    }
};

}  // namespace

TEST_CASE("a run that keeps its times is played once") {
    Plays plays{.results = {played(1e6)}};
    const model::ScenarioResult result = plays.judged();
    CHECK(result.verdict == model::Verdict::kValidated);
    CHECK(result.run.promises[1].reason.empty());
    CHECK(plays.limits == std::vector<std::uint64_t>{100 * kSecond});
}

TEST_CASE("a time that one play breaks and the next keeps is kept, and the first figure stays in sight") {
    Plays plays{.results = {played(6.4e6), played(3e6), played(1e6)}};
    const model::ScenarioResult result = plays.judged();
    CHECK(result.verdict == model::Verdict::kValidated);
    CHECK(result.run.promises[1].measured == 1e6);
    CHECK(result.run.promises[1].reason == "in play 3: 6.4 ms, 3 ms before");
    CHECK(result.run.promises[0].reason.empty());
    CHECK(plays.limits == std::vector<std::uint64_t>{100 * kSecond, 99 * kSecond, 98 * kSecond});
}

TEST_CASE("a time that each play breaks fails, with the figures of the first") {
    Plays plays{.results = {played(3e6), played(4e6), played(5e6)}};
    const model::ScenarioResult result = plays.judged();
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(result.run.promises[1].measured == 3e6);
    CHECK(result.reason == "worst_frame_ns broken; of 3 plays none kept its times");
}

TEST_CASE("a broken promise that is no matter of time, or a finding, is played once") {
    model::ScenarioResult found = played(6e6);
    found.findings_total = 1;
    for (const model::ScenarioResult& one : {played(1e6, 9e6), played(6e6, 9e6), found}) {
        Plays plays{.results = {one}};
        CHECK(plays.judged().verdict == model::Verdict::kFailed);
        CHECK(plays.limits.size() == 1);
    }
}

TEST_CASE("a fault of a later play is what counts") {
    Plays plays{.results = {played(6e6), played(1e6, 9e6)}};
    const model::ScenarioResult result = plays.judged();
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(result.reason == "mean_waste broken");
}

TEST_CASE("no play begins for which the limit leaves too little, and one that it cuts short takes nothing back") {
    Plays brief{.results = {played(6e6), played(1e6)}};
    CHECK(brief.judged(3 * kSecond / 2).verdict == model::Verdict::kFailed);
    CHECK(brief.limits.size() == 1);

    Plays cut{.results = {played(6e6), cut_short()}};
    const model::ScenarioResult result = cut.judged();
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(result.reason == "worst_frame_ns broken");
}
