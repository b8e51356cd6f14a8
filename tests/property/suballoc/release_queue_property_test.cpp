// The release queue against fences that complete late and in bursts: nothing leaves early, all leave in order.
#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <memory>

#include "core/random.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "property_run.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;
using namespace heapwright::test;

TEST_CASE("nothing leaves the release queue before its value is completed") {
    const std::uint64_t seed = property_seed();
    const std::uint64_t operations = property_operations();
    Random random(seed);
    struct Expected {
        std::uint64_t serial;
        std::uint64_t value;
    };
    ReleaseQueue<std::unique_ptr<std::uint64_t>> queue;
    std::deque<Expected> expected;
    std::uint64_t next_serial = 0;
    std::uint64_t submitted = 1;
    std::uint64_t completed = 0;
    std::uint64_t latest = 0;
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
        const std::uint64_t choice = random.below(100);
        if (choice < 80) {
            // A thread may have read the next number a little before another pushed with a higher one.
            const std::uint64_t value = random.below(50) == 0 ? submitted - random.below(2) : submitted;
            latest = std::max(latest, value);
            queue.push({value}, std::make_unique<std::uint64_t>(next_serial));
            expected.push_back({next_serial++, latest});
        } else if (choice < 92) {
            ++submitted;
        } else {
            // Late by up to all that is in flight, or caught up at once.
            const std::uint64_t in_flight = submitted - 1 - completed;
            completed += random.below(3) == 0 ? in_flight : random.below(in_flight + 1) / 4;
            queue.release_completed({completed}, [&](std::unique_ptr<std::uint64_t>&& object) {
                if (expected.empty() || *object != expected.front().serial || expected.front().value > completed)
                    FAIL("object " << *object << " left at " << completed << "; " << replay_hint(seed, operation));
                expected.pop_front();
            });
            if (!expected.empty() && expected.front().value <= completed)
                FAIL("object " << expected.front().serial << " stayed; " << replay_hint(seed, operation));
            if (queue.pending_count() != expected.size()) FAIL("the count is wrong; " << replay_hint(seed, operation));
        }
    }
    queue.release_completed({submitted});
    CHECK(queue.empty());
}
