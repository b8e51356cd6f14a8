// Events on completion by the runtime's own fences, as where queues are trusted with waits.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "d3d12/completion_waiter.hpp"
#include "d3d12/device.hpp"
#include "source.hpp"

namespace heapwright::test {
namespace {

constexpr std::uint64_t kLongNs = 20'000'000'000;
constexpr std::uint64_t kShortNs = 20'000'000;

struct NothingHeld final : d3d12::HeldWork {
    Status release_ready() override { return {}; }
    Status watch_submitted() override { return {}; }
};

TEST_CASE("the runtime signals events for its own fences, whoever raises them", "[device]") {
    auto adapters = d3d12::list_adapters({.icd_files = {manifest_of(GENERATE(from_range(kDrivers)))}});
    REQUIRE(adapters);
    REQUIRE_FALSE(adapters->empty());
    auto created = adapters->front()->create_device();
    REQUIRE(created);

    d3d12::CompletionWaiter waiter;
    NothingHeld held;
    CompletionEvent never;
    {
        d3d12::OpenDevice context(*adapters->front(), std::move(*created), 0);
        context.host_waits = false;
        auto fence = d3d12::Fence::create(context, 1);
        REQUIRE(fence);
        d3d12::Timeline timeline(*fence, held, waiter);
        CompletionEvent past;
        CompletionEvent by_host;
        CompletionEvent by_queue;
        REQUIRE(timeline.signal_event({1}, past));
        CHECK(past.is_signalled());
        REQUIRE(timeline.signal_event({2}, by_host));
        REQUIRE(timeline.signal_event({5}, by_queue));
        REQUIRE(timeline.signal_event({8}, never));
        CHECK_FALSE(by_host.wait_for(kShortNs));
        REQUIRE(timeline.signal({3}));
        CHECK(by_host.wait_for(kLongNs));
        CHECK_FALSE(by_queue.wait_for(kShortNs));

        d3d12::Com<ID3D12CommandQueue> queue;
        const D3D12_COMMAND_QUEUE_DESC desc{};
        REQUIRE(SUCCEEDED(context.device->CreateCommandQueue(&desc, IID_ID3D12CommandQueue, queue.out())));
        REQUIRE(SUCCEEDED(queue->Signal((*fence)->handle(), 6)));
        CHECK(by_queue.wait_for(kLongNs));
        CHECK_FALSE(never.is_signalled());
        waiter.stop();
    }
    CHECK(never.is_signalled());
}

}  // namespace
}  // namespace heapwright::test
