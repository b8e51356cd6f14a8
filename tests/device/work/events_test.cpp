// Waits that are submitted before their signals, and events on completion.
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "cases.hpp"
#include "device/submitter.hpp"
#include "scene.hpp"

namespace heapwright::test {
namespace {

using device::TimelinePoint;
using device::Work;

constexpr std::uint64_t kTimeoutNs = 60'000'000'000;
constexpr std::uint64_t kShortNs = 20'000'000;

std::unique_ptr<device::Timeline> timeline_of(Scene& scene, std::uint64_t value = 0) {
    auto timeline = (*scene).create_timeline(value);
    if (!timeline) FAIL(to_string(timeline.error()));
    return std::move(*timeline);
}

void submit(Scene& scene, std::uint32_t engine, std::vector<TimelinePoint> waits, std::vector<Work> work,
            std::vector<TimelinePoint> signals) {
    const Status done =
        (*scene).submitter().submit({.engine = {engine}, .waits = waits, .work = work, .signals = signals});
    if (!done) FAIL(to_string(done.error()));
}

void ask(device::Timeline& timeline, std::uint64_t value, const CompletionEvent& event) {
    const Status asked = timeline.signal_event({value}, event);
    if (!asked) FAIL(to_string(asked.error()));
}

Work step(Scene& scene, std::uint32_t engine, std::uint32_t key) {
    const bool computes = (*scene).submitter().engines()[engine].kind != device::EngineKind::kCopy;
    if (!computes) {
        return device::CopyBuffer{
            .source = scene.words, .destination = scene.output, .destination_offset_bytes = 1024, .size_bytes = 4};
    }
    return device::TransformBuffer{.source = scene.words, .destination = scene.words, .size_bytes = 4, .key = key};
}

TEST_CASE("engines have names of their own, and say why a priority has no effect", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        const auto engines = (*scene).submitter().engines();
        REQUIRE_FALSE(engines.empty());
        CHECK(engines[0].name == (engines[0].kind == device::EngineKind::kGraphics ? "graphics" : "compute"));
        CHECK_FALSE((engines[0].kind == device::EngineKind::kGraphics && engines[0].dedicated));
        for (std::size_t i = 0; i < engines.size(); ++i) {
            CAPTURE(engines[i].name, engines[i].priority_note);
            CHECK_FALSE(engines[i].name.empty());
            for (std::size_t j = 0; j < i; ++j) {
                CHECK(engines[j].name != engines[i].name);
                CHECK((engines[j].queue_family != engines[i].queue_family || engines[j].queue != engines[i].queue));
            }
            if (engines[i].priority == device::EnginePriority::kNormal) CHECK(engines[i].priority_note.empty());
        }
        const bool is_vkd3d = (*scene).is_real() && (*scene).facts().identity.api == model::Api::kD3d12;
        // Several queues under validation layers depend on the layers' age.
        if (is_vkd3d || engines.size() == 1 || !scene.is_validated())
            CHECK((*scene).submitter().accepts_early_waits() != is_vkd3d);
        for (const device::EngineInfo& engine : engines) {
            if (is_vkd3d && engine.priority == device::EnginePriority::kHigh)
                CHECK(engine.priority_note.find("vkd3d") != std::string::npos);
        }
        scene.finish();
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("every engine's work may be submitted before the work that it waits for", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        const auto count = static_cast<std::uint32_t>((*scene).submitter().engines().size());
        // A chain whose last link is submitted first; only one engine then waits for the host.
        auto chain = timeline_of(scene);
        std::uint32_t expected = scene.read(scene.words, 0, 1).front();
        for (std::uint32_t engine = count; engine-- > 0;) {
            const std::uint32_t key = 0x100 + engine;
            submit(scene, engine, {{chain.get(), {engine + 1}}}, {step(scene, engine, key)},
                   {{chain.get(), {engine + 2}}});
        }
        const Status early = chain->wait({count + 1}, kShortNs);
        REQUIRE_FALSE(early);
        CHECK(early.error().code == ErrorCode::kTimeLimit);
        REQUIRE(chain->signal({1}));
        REQUIRE(chain->wait({count + 1}, kTimeoutNs));
        for (std::uint32_t engine = 0; engine < count; ++engine) {
            if ((*scene).submitter().engines()[engine].kind != device::EngineKind::kCopy) {
                expected = device::transform_word(expected, 0x100 + engine, 1);
            }
        }
        CHECK(scene.read(scene.words, 0, 1).front() == expected);
        chain.reset();
        scene.finish();
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("an event comes when its value is reached, by the device or by the host", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        auto host = timeline_of(scene, 4);
        auto done = timeline_of(scene);
        CompletionEvent past;
        ask(*host, 4, past);
        CHECK(past.wait_for(kTimeoutNs));

        CompletionEvent by_host;
        CompletionEvent by_device;
        CompletionEvent never;
        ask(*host, 6, by_host);
        ask(*done, 1, by_device);
        ask(*done, 2, never);
        submit(scene, 0, {{host.get(), {5}}}, {step(scene, 0, 1)}, {{done.get(), {1}}});
        CHECK_FALSE(by_host.wait_for(kShortNs));
        CHECK_FALSE(by_device.is_signalled());
        REQUIRE(host->signal({7}));
        CHECK(by_host.wait_for(kTimeoutNs));
        CHECK(by_device.wait_for(kTimeoutNs));
        CHECK(done->completed()->value == 1);
        CHECK_FALSE(never.is_signalled());
        host.reset();
        done.reset();
        scene.finish();
        CHECK(never.wait_for(0));  // the device ended
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("a thousand events of several timelines come in any order, each when it is due", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        constexpr std::uint64_t kValues = 250;
        const auto count = static_cast<std::uint32_t>((*scene).submitter().engines().size());
        std::vector<std::unique_ptr<device::Timeline>> timelines;
        for (int i = 0; i < 4; ++i) timelines.push_back(timeline_of(scene));
        std::vector<CompletionEvent> events(4 * kValues);
        // Half of them before anything is submitted, from the last to the first.
        for (std::uint64_t value = kValues; value > 0; --value) {
            for (std::size_t i = 0; i < 2; ++i) ask(*timelines[i], value, events[i * kValues + value - 1]);
        }
        for (std::uint64_t value = 1; value <= kValues; ++value) {
            for (std::size_t i = 0; i < timelines.size(); ++i) {
                const std::uint32_t engine = static_cast<std::uint32_t>(i) % count;
                const bool works = value % 50 == 0 && engine == 0;
                submit(scene, engine, {}, works ? std::vector<Work>{step(scene, engine, 1)} : std::vector<Work>{},
                       {{timelines[i].get(), {value}}});
                if (i >= 2) ask(*timelines[i], value, events[i * kValues + value - 1]);
            }
        }
        for (std::size_t i = 0; i < events.size(); ++i) {
            CAPTURE(i);
            REQUIRE(events[i].wait_for(kTimeoutNs));
            // No earlier than its value.
            CHECK(timelines[i / kValues]->completed()->value >= i % kValues + 1);
        }
        timelines.clear();
        scene.finish();
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("an event outlives its timeline, and what nobody signals comes when the device ends", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        std::vector<CompletionEvent> lost(20);
        std::thread waiter;
        {
            Scene scene(backend);
            CompletionEvent kept;
            auto gate = timeline_of(scene);
            {
                const auto short_lived = timeline_of(scene);
                ask(*short_lived, 1, kept);
                submit(scene, 0, {{gate.get(), {1}}}, {step(scene, 0, 1)}, {{short_lived.get(), {1}}});
            }
            CHECK_FALSE(kept.wait_for(kShortNs));
            REQUIRE(gate->signal({1}));
            CHECK(kept.wait_for(kTimeoutNs));
            for (std::size_t i = 0; i < lost.size(); ++i) ask(*gate, 2 + i, lost[i]);
            waiter = std::thread([&lost] { static_cast<void>(lost.back().wait_for(kTimeoutNs)); });
            gate.reset();
            scene.finish();
        }
        waiter.join();
        for (const CompletionEvent& event : lost) CHECK(event.is_signalled());
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

}  // namespace
}  // namespace heapwright::test
