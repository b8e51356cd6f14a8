#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <vector>

#include "heapwright/suballoc/release_queue.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

TEST_CASE("objects leave in order once their value is completed") {
    ReleaseQueue<int> queue;
    for (int object = 0; object < 100; ++object) queue.push({static_cast<std::uint64_t>(object / 10)}, object);
    std::vector<int> released;
    const auto keep = [&](int object) { released.push_back(object); };
    CHECK(queue.release_completed({4}, keep) == 50);
    CHECK(released.size() == 50);
    CHECK(released.back() == 49);
    CHECK(queue.oldest_value() == TimelineValue{5});
    CHECK(queue.newest_value() == TimelineValue{9});
    CHECK(queue.release_completed({4}, keep) == 0);
    CHECK(queue.release_completed({100}, keep) == 50);
    CHECK(queue.empty());
    CHECK_FALSE(queue.oldest_value());
}

TEST_CASE("a lower value waits with the higher one before it") {
    ReleaseQueue<int> queue;
    queue.push({7}, 1);
    queue.push({6}, 2);
    CHECK(queue.release_completed({6}) == 0);
    CHECK(queue.release_completed({7}) == 2);
}

TEST_CASE("what a release pushes waits for its own value, also when that is completed") {
    ReleaseQueue<int> queue;
    queue.push({1}, 0);
    queue.push({1}, 1);
    std::vector<int> released;
    queue.release_completed({2}, [&](int object) {
        released.push_back(object);
        if (object < 40) queue.push({object % 2 == 0 ? 2u : 3u}, object + 2);
    });
    CHECK(queue.pending_count() > 0);
    queue.release_completed({3}, [&](int object) { released.push_back(object); });
    CHECK(queue.empty());
    CHECK(released.front() == 0);
}

TEST_CASE("the queue destroys what it still holds, and moves") {
    auto shared = std::make_shared<int>(1);
    {
        ReleaseQueue<std::shared_ptr<int>> queue;
        for (std::uint64_t value = 0; value < 40; ++value) queue.push({value}, shared);
        ReleaseQueue<std::shared_ptr<int>> moved = std::move(queue);
        moved.release_completed({9});
        CHECK(shared.use_count() == 31);
    }
    CHECK(shared.use_count() == 1);
}
