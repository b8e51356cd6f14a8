#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "device/gate.hpp"

using namespace heapwright;

namespace {

// Refuses as many signals as it is told to.
class RefusingGate final : public device::Timeline {
public:
    explicit RefusingGate(int refusals) : refusals_(refusals) {}

    Result<TimelineValue> completed() override { return value_; }
    Status signal(TimelineValue value) override {
        if (refusals_-- > 0) return fail(ErrorCode::kOutOfHostMemory, "no memory", "vkSignalSemaphore");
        value_ = value;
        return {};
    }
    Status wait(TimelineValue, std::uint64_t) override { return {}; }
    Status signal_event(TimelineValue, CompletionEvent) override { return {}; }

private:
    int refusals_;
    TimelineValue value_{0};
};

}  // namespace

TEST_CASE("A gate whose signal fails once is open all the same, and the failure is told") {
    RefusingGate good(0);
    CHECK(device::open_gate(good));
    RefusingGate once(1);
    const Status opened = device::open_gate(once);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().where == "vkSignalSemaphore");
    CHECK(once.completed().value().value == device::kOpenForGood.value);
    RefusingGate always(9);
    CHECK_FALSE(device::open_gate(always));
}
