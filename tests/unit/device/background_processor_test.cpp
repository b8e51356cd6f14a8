#include <catch2/catch_test_macros.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "heapwright/device/background_processor.hpp"

namespace heapwright::device {
namespace {

constexpr std::uint64_t kLongWait = 20'000'000'000;

// At normal priority: an idle thread may have to wait for as long as the machine is busy with something else.
ProcessorOptions developer() {
    return {.threads = {}, .idle_priority = false, .developer_mode = true, .listener = {}, .trace = {}};
}

// Holds work back until it is opened.
class Gate {
public:
    void open() { open_.signal(); }
    void pass() const { static_cast<void>(open_.wait_for(kLongWait)); }

private:
    CompletionEvent open_;
};

}  // namespace

TEST_CASE("At most two items run at a time, in order, and all of them run") {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    std::mutex mutex;
    std::vector<WorkItemId> started;
    ProcessorOptions options = developer();
    options.trace = [&](const TraceEvent& event) {
        const std::lock_guard lock(mutex);
        if (event.kind == TraceEvent::Kind::kStart) started.push_back(event.item);
    };
    {
        BackgroundProcessor processor(options);
        for (int i = 0; i < 64; ++i) {
            processor.submit({.callback =
                                  [&] {
                                      const int now = ++running;
                                      int seen = most;
                                      while (now > seen && !most.compare_exchange_weak(seen, now)) {
                                      }
                                      std::this_thread::yield();
                                      --running;
                                  },
                              .cancel = {}});
        }
        processor.drain();
    }
    CHECK(most <= 2);
    REQUIRE(started.size() == 64);
    // Whoever reports a start has taken it after all items before it, of which the other thread has one to report yet.
    for (std::size_t i = 0; i < started.size(); ++i) CHECK(started[i] <= i + 2);
}

TEST_CASE("Ordinary items run in the system's idle class") {
    ProcessorOptions options = developer();
    options.idle_priority = true;
    BackgroundProcessor processor(options);
    std::atomic<int> ordinary{-1};
    processor.submit({.callback = [&] { ordinary = sched_getscheduler(0); }, .cancel = {}});
    processor.drain();
    CHECK(ordinary == SCHED_IDLE);
}

TEST_CASE("Disabled work: what was submitted runs, what comes is cancelled on the caller's thread") {
    BackgroundProcessor processor(developer());
    Gate gate;
    std::atomic<int> ran{0};
    for (int i = 0; i < 5; ++i) {
        REQUIRE(processor.submit({.callback =
                                      [&] {
                                          gate.pass();
                                          ++ran;
                                      },
                                  .cancel = {}}));
    }
    REQUIRE(
        processor.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kKeepAll, nullptr));
    std::optional<std::thread::id> cancelled_on;
    CHECK_FALSE(
        processor.submit({.callback = [&] { ++ran; }, .cancel = [&] { cancelled_on = std::this_thread::get_id(); }}));
    CHECK(cancelled_on == std::this_thread::get_id());
    gate.open();
    processor.drain();
    CHECK(ran == 5);
}

TEST_CASE("A commit given with the disable lets the answer through, and its event waits for it") {
    BackgroundProcessor* processor = nullptr;
    Gate gate;
    std::atomic<int> ran{0};
    ProcessorOptions options = developer();
    options.listener = [&](BackgroundProcessingMode, MeasurementsAction action) {
        if (commits(action))
            processor->submit({.callback =
                                   [&] {
                                       gate.pass();
                                       ++ran;
                                   },
                               .cancel = {}});
        return true;
    };
    BackgroundProcessor made(options);
    processor = &made;
    CompletionEvent event;
    const Result<bool> more =
        made.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kCommitResults, &event);
    REQUIRE(more);
    CHECK(*more);
    CHECK_FALSE(made.submit({.callback = [&] { ++ran; }, .cancel = {}}));
    CHECK_FALSE(event.is_signalled());
    gate.open();
    CHECK(event.wait_for(kLongWait));
    CHECK(ran == 1);
}

TEST_CASE("A commit without work signals its event at once; an event without a commit is refused") {
    BackgroundProcessor processor(developer());
    CompletionEvent event;
    REQUIRE(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResults, &event));
    CHECK(event.is_signalled());
    for (const MeasurementsAction action : {MeasurementsAction::kKeepAll, MeasurementsAction::kDiscardPrevious}) {
        CompletionEvent unwanted;
        const Result<bool> refused = processor.set_mode(BackgroundProcessingMode::kAllowed, action, &unwanted);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    }
}

TEST_CASE("What is for developers needs developer mode; the hints do not") {
    BackgroundProcessor processor({});
    for (const BackgroundProcessingMode mode :
         {BackgroundProcessingMode::kDisableBackgroundWork, BackgroundProcessingMode::kDisableProfilingBySystem}) {
        const Result<bool> refused = processor.set_mode(mode, MeasurementsAction::kKeepAll, nullptr);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kRefused);
    }
    CHECK_FALSE(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResultsHighPriority,
                                   nullptr));
    CHECK(processor.set_mode(BackgroundProcessingMode::kAllowIntrusiveMeasurements, MeasurementsAction::kCommitResults,
                             nullptr));
    CHECK(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kDiscardPrevious, nullptr));
    CHECK(processor.submit({.callback = [] {}, .cancel = {}}));
}

TEST_CASE("A high-priority commit runs on more threads until its items end") {
    std::mutex mutex;
    std::vector<TraceEvent> starts;
    ProcessorOptions options = developer();
    options.threads = {.idle = 2, .committed = 4};
    options.trace = [&](const TraceEvent& event) {
        const std::lock_guard lock(mutex);
        if (event.kind == TraceEvent::Kind::kStart) starts.push_back(event);
    };
    BackgroundProcessor processor(options);
    Gate gate;
    std::atomic<int> running{0};
    CompletionEvent four;
    for (int i = 0; i < 8; ++i) {
        processor.submit({.callback =
                              [&] {
                                  if (++running == 4) four.signal();
                                  gate.pass();
                              },
                          .cancel = {}});
    }
    CompletionEvent event;
    REQUIRE(
        processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResultsHighPriority, &event));
    CHECK(four.wait_for(kLongWait));
    gate.open();
    REQUIRE(event.wait_for(kLongWait));
    processor.drain();
    processor.submit({.callback = [] {}, .cancel = {}});
    processor.drain();
    REQUIRE(starts.size() == 9);
    CHECK_FALSE(starts.back().high_priority);
    CHECK(std::count_if(starts.begin(), starts.end(), [](const TraceEvent& start) { return start.high_priority; }) >=
          2);
}

TEST_CASE("Destruction waits for running items and cancels the rest, each exactly once") {
    std::atomic<int> ran{0};
    std::atomic<int> cancelled{0};
    Gate gate;
    std::atomic<int> started{0};
    CompletionEvent event;
    std::thread opener;
    {
        BackgroundProcessor processor(developer());
        for (int i = 0; i < 10; ++i) {
            processor.submit({.callback =
                                  [&] {
                                      ++started;
                                      gate.pass();
                                      ++ran;
                                  },
                              .cancel = [&] { ++cancelled; }});
        }
        REQUIRE(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResults, &event));
        while (started < 2) std::this_thread::yield();
        // Nothing else empties the queue: the two items that run wait at the gate.
        opener = std::thread([&] {
            while (processor.queued_count() > 0) std::this_thread::yield();
            gate.open();
        });
    }
    opener.join();
    CHECK(ran == 2);
    CHECK(cancelled == 8);
    CHECK(event.is_signalled());
}

TEST_CASE("Each item has one start and one end on its thread, or one cancellation, in the trace") {
    constexpr std::size_t kItems = 200;
    std::mutex mutex;
    std::vector<TraceEvent> events;
    std::atomic<std::uint64_t> ran{0};
    ProcessorOptions options = developer();
    options.trace = [&](const TraceEvent& event) {
        const std::lock_guard lock(mutex);
        events.push_back(event);
    };
    Gate gate;
    std::size_t refused = 0;
    {
        BackgroundProcessor processor(options);
        processor.submit({.callback = [&] { gate.pass(); }, .cancel = {}});
        processor.submit({.callback = [&] { gate.pass(); }, .cancel = {}});
        for (std::size_t i = 2; i < kItems; ++i) processor.submit({.callback = [&] { ++ran; }, .cancel = {}});
        REQUIRE(processor.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kKeepAll,
                                   nullptr));
        for (int i = 0; i < 3; ++i) refused += processor.submit({.callback = [&] { ++ran; }, .cancel = {}}) ? 0u : 1u;
        while (processor.running_count() < 2) std::this_thread::yield();
        CHECK(processor.queued_count() == kItems - 2);
        gate.open();
        while (ran < 20) std::this_thread::yield();
    }
    CHECK(refused == 3);
    struct Seen {
        std::optional<TraceEvent> start;
        std::size_t ends = 0;
        std::size_t cancels = 0;
    };
    std::map<WorkItemId, Seen> seen;
    std::size_t unnumbered = 0;
    for (const TraceEvent& event : events) {
        Seen& item = seen[event.item];
        switch (event.kind) {
            case TraceEvent::Kind::kStart:
                CHECK_FALSE(item.start);
                item.start = event;
                break;
            case TraceEvent::Kind::kEnd:
                REQUIRE(item.start);
                CHECK(item.start->thread == event.thread);
                CHECK(item.start->time_ns <= event.time_ns);
                ++item.ends;
                break;
            case TraceEvent::Kind::kCancel: event.item == 0 ? ++unnumbered : ++item.cancels; break;
        }
    }
    CHECK(unnumbered == refused);
    seen.erase(0);
    REQUIRE(seen.size() == kItems);
    for (const auto& [item, what] : seen) {
        INFO("item " << item);
        CHECK(what.ends == (what.start ? 1 : 0));
        CHECK(what.cancels == (what.start ? 0 : 1));
    }
}

TEST_CASE("A commit's event does not wait for what was submitted after it; work allowed again is accepted") {
    BackgroundProcessor processor(developer());
    Gate gate;
    std::atomic<bool> later{false};
    processor.submit({.callback = [] {}, .cancel = {}});
    CompletionEvent event;
    REQUIRE(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResults, &event));
    processor.submit({.callback =
                          [&] {
                              gate.pass();
                              later = true;
                          },
                      .cancel = {}});
    CHECK(event.wait_for(kLongWait));
    CHECK_FALSE(later);
    REQUIRE(processor.set_mode(BackgroundProcessingMode::kDisableProfilingBySystem,
                               MeasurementsAction::kDiscardPrevious, nullptr));
    CHECK_FALSE(processor.submit({.callback = [] {}, .cancel = {}}));
    REQUIRE(processor.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll, nullptr));
    CHECK(processor.submit({.callback = [] {}, .cancel = {}}));
    gate.open();
    processor.drain();
    CHECK(later);
}

TEST_CASE("Items submit items, until destruction cancels them") {
    std::atomic<std::uint64_t> submitted{1};
    std::atomic<std::uint64_t> ended{0};
    std::atomic<std::uint64_t> ran{0};
    std::function<void()> again;
    {
        BackgroundProcessor processor(developer());
        again = [&] {
            ++ran;
            submitted += 2;
            for (int i = 0; i < 2; ++i) processor.submit({.callback = again, .cancel = [&] { ++ended; }});
            ++ended;
        };
        processor.submit({.callback = again, .cancel = [&] { ++ended; }});
        while (ran < 500) std::this_thread::yield();
    }
    CHECK(ended == submitted);
    CHECK(ended > ran);
}

TEST_CASE("100,000 items with random mode changes: none lost, none run twice") {
    constexpr std::size_t kItems = 100'000;
    constexpr std::size_t kSubmitters = 3;
    std::vector<std::atomic<std::uint8_t>> ended(kItems);
    std::atomic<std::size_t> callbacks{0};
    std::atomic<std::size_t> cancels{0};
    // What the driver submits in answer to a change.
    std::atomic<std::size_t> answers{0};
    std::atomic<std::size_t> answers_ended{0};
    std::atomic<std::size_t> answers_ended_again{0};
    std::atomic<std::size_t> commit_answers_cancelled{0};
    std::atomic<std::size_t> changes{0};
    BackgroundProcessor* driver = nullptr;
    ProcessorOptions options = developer();
    std::atomic<bool> destroying{false};
    options.listener = [&](BackgroundProcessingMode, MeasurementsAction action) {
        ++answers;
        const auto end = [&, action, once = std::make_shared<std::atomic<int>>(0)](bool cancelled) {
            ++(once->fetch_add(1) == 0 ? answers_ended : answers_ended_again);
            if (cancelled && commits(action) && !destroying) ++commit_answers_cancelled;
        };
        driver->submit({.callback = [end] { end(false); }, .cancel = [end] { end(true); }});
        return true;
    };
    {
        BackgroundProcessor processor(options);
        driver = &processor;
        std::atomic<bool> stop{false};
        std::thread changer([&] {
            Random random(7);
            while (!stop) {
                const auto mode = static_cast<BackgroundProcessingMode>(random.below(4));
                const auto action = static_cast<MeasurementsAction>(random.below(4));
                CompletionEvent event;
                static_cast<void>(processor.set_mode(mode, action, commits(action) ? &event : nullptr));
                ++changes;
                if (commits(action) && random.below(4) == 0) static_cast<void>(event.wait_for(1'000'000));
                std::this_thread::yield();
            }
        });
        std::vector<std::thread> submitters;
        for (std::size_t thread = 0; thread < kSubmitters; ++thread) {
            submitters.emplace_back([&, thread] {
                for (std::size_t i = thread; i < kItems; i += kSubmitters) {
                    // Else all items would be in before the mode has changed a few times.
                    for (const std::size_t before = changes; i / kSubmitters % 64 == 0 && changes == before;)
                        std::this_thread::yield();
                    processor.submit({.callback =
                                          [&, i] {
                                              ++ended[i];
                                              ++callbacks;
                                          },
                                      .cancel =
                                          [&, i] {
                                              ++ended[i];
                                              ++cancels;
                                          }});
                }
            });
        }
        for (std::thread& submitter : submitters) submitter.join();
        stop = true;
        changer.join();
        destroying = true;
    }
    CHECK(callbacks + cancels == kItems);
    CHECK(std::all_of(ended.begin(), ended.end(), [](const std::atomic<std::uint8_t>& count) { return count == 1; }));
    CHECK(callbacks > 0);
    CHECK(cancels > 0);
    CHECK(changes >= kItems / kSubmitters / 64);
    CHECK(answers_ended == answers);
    CHECK(answers_ended_again == 0);
    CHECK(commit_answers_cancelled == 0);
}

}  // namespace heapwright::device
