// The calls of background processing against a device that has them: what arrives through the interface's real table,
// and what becomes of the answers. Behind the fake stands the simulated driver of the module's own tests.
#include "d3d12/background_processing.hpp"

#include <catch2/catch_test_macros.hpp>

#include <list>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef _WIN32
#ifdef HEAPWRIGHT_D3D12_OF_WSL
#include <sys/eventfd.h>
#else
#include <dlfcn.h>
#endif
#endif

#include "device/measurement_session.hpp"
#include "fake_device6.hpp"
#include "simulated_driver.hpp"

namespace heapwright::d3d12 {
namespace {

using device::BackgroundProcessingMode;
using device::MeasurementsAction;
using device::test::SimulatedDriver;
using device::test::SimulatedDriverOptions;
using test::BackgroundCall;
using test::FakeAnswer;
using test::FakeDevice6;
using test::FakeScript;

constexpr std::uint64_t kLong = 20'000'000'000;
constexpr BackgroundProcessingMode kModes[] = {
    BackgroundProcessingMode::kAllowed, BackgroundProcessingMode::kAllowIntrusiveMeasurements,
    BackgroundProcessingMode::kDisableBackgroundWork, BackgroundProcessingMode::kDisableProfilingBySystem};
constexpr MeasurementsAction kActions[] = {MeasurementsAction::kKeepAll, MeasurementsAction::kCommitResults,
                                           MeasurementsAction::kCommitResultsHighPriority,
                                           MeasurementsAction::kDiscardPrevious};

// As the runtime does it, not as NativeEvent does.
void signal_as_runtime(void* event) {
#ifdef _WIN32
    SetEvent(event);
#elif defined(HEAPWRIGHT_D3D12_OF_WSL)
    eventfd_write(static_cast<int>(reinterpret_cast<std::intptr_t>(event)), 1);
#else
    using Signal = HRESULT (*)(HANDLE);
    static const auto kSignal =
        reinterpret_cast<Signal>(dlsym(dlopen("libvkd3d-utils.so.1", RTLD_NOW), "vkd3d_signal_event"));
    kSignal(event);
#endif
}

// The fake and the code under test on it.
struct Rig {
    explicit Rig(FakeScript script, bool developer_mode = true)
        : fake(std::move(script)), seam(static_cast<ID3D12Device*>(fake.get()), events, developer_mode) {}

    EventRelay events;
    FakeDevice6 fake;
    BackgroundProcessing seam;
};

// A runtime and driver with the specification's rules.
class Runtime {
public:
    explicit Runtime(SimulatedDriverOptions options) : developer_(options.developer_mode), driver(std::move(options)) {}
    ~Runtime() {
        for (std::thread& waiter : waiters_) waiter.join();
    }

    FakeScript script() {
        return {.set_background_processing_mode = [this](const BackgroundCall& call) { return answer(call); }};
    }

private:
    FakeAnswer answer(const BackgroundCall& call) {
        const auto mode = static_cast<BackgroundProcessingMode>(call.mode);
        const auto action = static_cast<MeasurementsAction>(call.action);
        if (call.event != nullptr && !device::commits(action)) return {.result = E_INVALIDARG};
        if (!developer_ && device::needs_developer_mode(mode, action)) return {.result = E_INVALIDARG};
        CompletionEvent ended;
        const Result<bool> more = driver.set_mode(mode, action, call.event == nullptr ? nullptr : &ended);
        if (!more) return {.result = E_FAIL};
        if (call.event != nullptr) {
            waiters_.emplace_back([ended, event = call.event] {
                if (ended.wait_for(kLong)) signal_as_runtime(event);
            });
        }
        return {.result = S_OK, .more = *more};
    }

    bool developer_;
    std::list<std::thread> waiters_;

public:
    SimulatedDriver driver;
};

device::TrainingWork work_on(SimulatedDriver& driver) {
    return {.run = [&driver]() -> Status {
                static_cast<void>(driver.run_workload());
                return {};
            },
            .drain = []() -> Status { return {}; }};
}

}  // namespace

TEST_CASE("The interface's table has SetBackgroundProcessingMode at the place of the documented order") {
    // IUnknown 3, ID3D12Object 4, ID3D12Device 37, 1: 3, 2: 1, 3: 3, 4: 6, 5: 8, 6: 1.
    CHECK(test::device6_layout().methods == 3 + 4 + 37 + 3 + 1 + 3 + 6 + 8 + 1);
    CHECK(test::device6_layout().set_background_processing_mode == test::device6_layout().methods - 1);
    const IID& id = IID_ID3D12Device6;
    CHECK(id.Data1 == 0xc70b221b);
    CHECK(id.Data4[7] == 0xdc);
}

TEST_CASE("Every mode and action arrives as it was given, with an event for a commit alone") {
    std::optional<void*> signalled;
    Rig rig({.set_background_processing_mode = [&](const BackgroundCall& call) {
        if (call.event != nullptr) signal_as_runtime(call.event);
        return FakeAnswer{.result = S_OK, .more = call.mode == 1};
    }});
    CHECK(rig.seam.supported());
    CHECK(rig.seam.unsupported_reason().empty());
    CHECK(rig.seam.developer_mode());
    for (const BackgroundProcessingMode mode : kModes) {
        for (const MeasurementsAction action : kActions) {
            for (const bool with_event : {false, true}) {
                INFO("mode " << static_cast<int>(mode) << ", action " << static_cast<int>(action) << ", event "
                             << with_event);
                rig.fake.calls.clear();
                CompletionEvent ended;
                const Result<bool> more = rig.seam.set_mode(mode, action, with_event ? &ended : nullptr);
                if (with_event && !device::commits(action)) {
                    REQUIRE_FALSE(more);
                    CHECK(more.error().code == ErrorCode::kInvalidArgument);
                    CHECK(rig.fake.calls.empty());
                    continue;
                }
                REQUIRE(more);
                CHECK(*more == (mode == BackgroundProcessingMode::kAllowIntrusiveMeasurements));
                REQUIRE(rig.fake.calls.size() == 1);
                const BackgroundCall& call = rig.fake.calls.front();
                CHECK(call.mode == static_cast<int>(mode));
                CHECK(call.action == static_cast<int>(action));
                CHECK((call.event != nullptr) == with_event);
                CHECK(call.wants_answer);
                CHECK((!with_event || ended.wait_for(kLong)));
            }
        }
    }
}

TEST_CASE("A runtime without the interface is not supported, and every change is a benign no-op") {
    Rig rig({.has_device6 = false});
    CHECK_FALSE(rig.seam.supported());
    CHECK(rig.seam.unsupported_reason() == "the runtime has no ID3D12Device6: E_NOINTERFACE (HRESULT 0x80004002)");
    CHECK_FALSE(rig.seam.developer_mode());
    for (const BackgroundProcessingMode mode : kModes) {
        for (const MeasurementsAction action : kActions) {
            CompletionEvent ended;
            const Result<bool> more = rig.seam.set_mode(mode, action, device::commits(action) ? &ended : nullptr);
            REQUIRE(more);
            CHECK_FALSE(*more);
            CHECK(ended.is_signalled() == device::commits(action));
        }
    }
    CompletionEvent unwanted;
    CHECK_FALSE(rig.seam.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll, &unwanted));
    CHECK(rig.fake.calls.empty());
}

TEST_CASE("A driver that takes no advantage of it is told all the same") {
    Rig rig({.background_processing_supported = false});
    CHECK_FALSE(rig.seam.supported());
    CHECK(rig.seam.unsupported_reason() == "the driver says of BackgroundProcessingSupported that it is false");
    const Result<bool> more =
        rig.seam.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kDiscardPrevious, nullptr);
    REQUIRE(more);
    CHECK_FALSE(*more);
    CHECK(rig.fake.calls.size() == 1);

    Rig old({.knows_options6 = false});
    CHECK(old.seam.unsupported_reason() ==
          "CheckFeatureSupport refuses D3D12_FEATURE_D3D12_OPTIONS6: E_INVALIDARG (HRESULT 0x80070057)");

    // The interface without a function behind it.
    Rig hollow({.background_processing_supported = false, .set_background_processing_mode = [](const BackgroundCall&) {
                    return FakeAnswer{.result = E_NOTIMPL};
                }});
    CompletionEvent ended;
    const Result<bool> none =
        hollow.seam.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResults, &ended);
    REQUIRE(none);
    CHECK_FALSE(*none);
    CHECK(ended.is_signalled());
}

TEST_CASE("Where developer mode is off in the system, what needs it is refused and the runtime not asked") {
    Rig rig({}, false);
    CHECK_FALSE(rig.seam.developer_mode());
    for (const BackgroundProcessingMode mode : kModes) {
        for (const MeasurementsAction action : kActions) {
            rig.fake.calls.clear();
            const Result<bool> more = rig.seam.set_mode(mode, action, nullptr);
            const bool refused = device::needs_developer_mode(mode, action);
            CHECK(more.has_value() == !refused);
            CHECK(rig.fake.calls.size() == (refused ? 0 : 1));
            if (!more) CHECK(more.error().code == ErrorCode::kRefused);
        }
    }
}

TEST_CASE("A runtime's refusal of what is for developers says so, and is not asked for again") {
    for (const std::uint32_t refusal : {0x80070057u, 0x80070005u, 0x887A0001u, 0x887A0004u, 0x887A002Bu}) {
        Rig rig({.set_background_processing_mode = [&](const BackgroundCall& call) {
            const bool refused = call.mode >= 2 || call.action == 2;
            return FakeAnswer{.result = refused ? static_cast<std::int32_t>(refusal) : S_OK};
        }});
        CHECK(rig.seam.developer_mode());
        CompletionEvent never;
        const Result<bool> refused = rig.seam.set_mode(BackgroundProcessingMode::kDisableProfilingBySystem,
                                                       MeasurementsAction::kCommitResultsHighPriority, &never);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kRefused);
        CHECK(refused.error().native_code == static_cast<std::int32_t>(refusal));
        CHECK(refused.error().message.find("developer mode") != std::string::npos);
        CHECK_FALSE(never.is_signalled());
        CHECK_FALSE(rig.seam.developer_mode());
        rig.fake.calls.clear();
        CHECK_FALSE(
            rig.seam.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kKeepAll, nullptr));
        CHECK(rig.fake.calls.empty());
        CHECK(rig.seam.set_mode(BackgroundProcessingMode::kAllowIntrusiveMeasurements,
                                MeasurementsAction::kCommitResults, nullptr));
    }
}

TEST_CASE("Other failures keep their own meaning") {
    Rig lost(
        {.removed_reason = static_cast<std::int32_t>(0x887A0006),
         .set_background_processing_mode = [](const BackgroundCall&) { return FakeAnswer{.result = E_INVALIDARG}; }});
    const Result<bool> gone =
        lost.seam.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kKeepAll, nullptr);
    REQUIRE_FALSE(gone);
    CHECK(gone.error().code == ErrorCode::kDeviceLost);
    CHECK(gone.error().message.find("DXGI_ERROR_DEVICE_HUNG") != std::string::npos);
    CHECK(lost.seam.developer_mode());

    Rig poor(
        {.set_background_processing_mode = [](const BackgroundCall&) { return FakeAnswer{.result = E_OUTOFMEMORY}; }});
    const Result<bool> none =
        poor.seam.set_mode(BackgroundProcessingMode::kDisableBackgroundWork, MeasurementsAction::kKeepAll, nullptr);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::kOutOfDeviceMemory);
    CHECK(poor.seam.developer_mode());

    Rig odd(
        {.set_background_processing_mode = [](const BackgroundCall&) { return FakeAnswer{.result = E_INVALIDARG}; }});
    const Result<bool> invalid =
        odd.seam.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll, nullptr);
    REQUIRE_FALSE(invalid);
    CHECK(invalid.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("The interface is held as long as the seam lives") {
    FakeDevice6 fake({});
    EventRelay events;
    {
        const BackgroundProcessing seam(static_cast<ID3D12Device*>(fake.get()), events, true);
        CHECK(fake.references == 2);
    }
    CHECK(fake.references == 1);
}

TEST_CASE("Events that the runtime never signals end with the relay") {
    CompletionEvent left;
    {
        EventRelay events;
        const Result<HANDLE> handle = events.relay_to(left);
        REQUIRE(handle);
        CHECK(*handle != nullptr);
        const Result<HANDLE> signalled = events.relay_to(CompletionEvent());
        REQUIRE(signalled);
        CHECK(*signalled != *handle);
        signal_as_runtime(*signalled);
        CHECK_FALSE(left.wait_for(1'000'000));
    }
    CHECK(left.is_signalled());
}

TEST_CASE("Training through the interface: until the driver wants no more, or as often as it may") {
    {
        Runtime runtime({});
        Rig rig(runtime.script());
        const auto trained = device::train(rig.seam, work_on(runtime.driver));
        REQUIRE(trained);
        CHECK(trained->passes == 3);
        CHECK(trained->steady);
        CHECK(trained->locked_down);
        CHECK(runtime.driver.optimised == 12);
        REQUIRE(rig.fake.calls.size() == 6);
        CHECK(rig.fake.calls[0] == BackgroundCall{1, 3, nullptr, true});  // intrusive, discard
        CHECK(rig.fake.calls[2] == BackgroundCall{1, 0, nullptr, true});  // intrusive, keep
        CHECK(rig.fake.calls[1].mode == 3);
        CHECK(rig.fake.calls[1].action == 2);
        CHECK(rig.fake.calls[1].event != nullptr);
        REQUIRE(device::restore(rig.seam));
        CHECK(rig.fake.calls.back() == BackgroundCall{0, 0, nullptr, true});
    }
    Runtime runtime({.settles_after = 0});
    Rig rig(runtime.script());
    const auto trained = device::train(rig.seam, work_on(runtime.driver), {.max_passes = 7});
    REQUIRE(trained);
    CHECK(trained->passes == 7);
    CHECK_FALSE(trained->steady);
}

TEST_CASE("Training falls back to what retail systems allow when the runtime refuses the rest") {
    Runtime runtime({.developer_mode = false});
    Rig rig(runtime.script());
    const auto session = device::MeasurementSession::begin(&rig.seam, work_on(runtime.driver));
    REQUIRE(session);
    CHECK_FALSE(rig.seam.developer_mode());
    CHECK(runtime.driver.mode() == BackgroundProcessingMode::kAllowed);
    std::size_t refused = 0;
    for (const BackgroundCall& call : rig.fake.calls) refused += call.mode >= 2 || call.action == 2 ? 1 : 0;
    CHECK(refused == 1);
    const model::MeasurementSteadiness steadiness = session->judge(std::vector<double>(16, 1.0));
    CHECK(steadiness.decided_by == model::SteadinessSource::kDriver);
    CHECK(steadiness.answer == model::Steadiness::kSteady);
}

}  // namespace heapwright::d3d12
