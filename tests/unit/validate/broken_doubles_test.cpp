// Allocators and devices that are broken on purpose: each makes validate fail with its own diagnostic.
#include <algorithm>
#include <variant>

#include <catch2/catch_test_macros.hpp>

#include "broken_allocator.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"

using namespace heapwright;
using model::Fault;

namespace {

// Loses one in `one_in` writes: the bytes that were there before stay.
class ForgetfulDevice final : public device::Device, device::Submitter {
public:
    ForgetfulDevice(device::Device& inner, std::uint64_t one_in) : inner_(inner), one_in_(one_in) {}

    const model::DeviceReport& facts() const override { return inner_.facts(); }
    bool is_real() const override { return inner_.is_real(); }
    device::MemorySource& memory() override { return inner_.memory(); }
    device::ResourceBinder& resources() override { return inner_.resources(); }
    device::Submitter& submitter() override { return *this; }
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        return inner_.create_timeline(initial_value);
    }
    std::vector<std::string> take_validation_messages() override { return inner_.take_validation_messages(); }

private:
    std::span<const device::EngineInfo> engines() const override { return inner_.submitter().engines(); }
    bool accepts_early_waits() const override { return inner_.submitter().accepts_early_waits(); }
    Status wait_idle() override { return inner_.submitter().wait_idle(); }
    Status submit(const device::Submission& submission) override {
        std::vector<device::Work> kept;
        for (const device::Work& work : submission.work) {
            const auto* fill = std::get_if<device::FillBuffer>(&work);
            const bool is_write = (fill != nullptr && fill->value != 0xDEADBEEFu) ||
                                  std::holds_alternative<device::CopyBufferToImage>(work);
            if (is_write && ++writes_ > 500 && writes_ % one_in_ == 0) continue;
            kept.push_back(work);
        }
        device::Submission shortened = submission;
        shortened.work = kept;
        return inner_.submitter().submit(shortened);
    }

    device::Device& inner_;
    std::uint64_t one_in_;
    std::uint64_t writes_ = 0;
};

Result<model::DeviceValidation> run_with(validate::AllocatorFactory allocator) {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = test::scene_options();
    options.allocator = std::move(allocator);
    return validate::validate(**replay, test::scene_policy(), test::scene_workload(), options);
}

std::uint64_t count(const model::ScenarioResult& result, Fault fault) {
    return static_cast<std::uint64_t>(std::ranges::count(result.findings, fault, &model::ValidationFinding::fault));
}

void expect_fault(test::Defect defect, Fault fault) {
    const auto result = run_with(test::broken(defect));
    if (!result) FAIL(to_string(result.error()));
    const model::ScenarioResult& scenario = result->scenarios.front();
    REQUIRE_FALSE(scenario.findings.empty());
    INFO(scenario.findings.front().resource << ": " << scenario.findings.front().statement);
    CHECK(result->verdict == model::Verdict::kFailed);
    CHECK(scenario.findings.front().fault == fault);
    CHECK(count(scenario, fault) > 0);
    CHECK_FALSE(scenario.findings.front().resource.empty());
    CHECK_FALSE(scenario.findings.front().statement.empty());
}

}  // namespace

TEST_CASE("an allocator without a defect passes, so that the defects alone make the doubles fail") {
    const auto result = run_with(test::broken(test::Defect::kNone));
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    if (!result->scenarios.front().findings.empty())
        UNSCOPED_INFO(result->scenarios.front().findings.front().statement);
    CHECK(result->verdict == model::Verdict::kReplayed);
}

TEST_CASE("overlap has its own diagnostic") {
    expect_fault(test::Defect::kOverlap, Fault::kOverlap);
}
TEST_CASE("misalignment has its own diagnostic") {
    expect_fault(test::Defect::kMisaligned, Fault::kMisalignment);
}
TEST_CASE("a wrong memory type has its own diagnostic") {
    expect_fault(test::Defect::kWrongMemoryType, Fault::kWrongMemoryType);
}
TEST_CASE("a granularity conflict has its own diagnostic") {
    expect_fault(test::Defect::kGranularityIgnored, Fault::kGranularityConflict);
}
TEST_CASE("early reuse has its own diagnostic") {
    expect_fault(test::Defect::kReusedEarly, Fault::kEarlyReuse);
}
TEST_CASE("a placement outside the chunk has its own diagnostic") {
    expect_fault(test::Defect::kOutsideChunk, Fault::kOutsideChunk);
}
TEST_CASE("a leak has its own diagnostic") {
    expect_fault(test::Defect::kLeaked, Fault::kLeak);
}

TEST_CASE("bytes left stale have their own diagnostic") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    ForgetfulDevice forgetful(**replay, 40);
    const auto result =
        validate::validate(forgetful, test::scene_policy(), test::scene_workload(), test::scene_options());
    if (!result) FAIL(to_string(result.error()));
    const model::ScenarioResult& scenario = result->scenarios.front();
    REQUIRE_FALSE(scenario.findings.empty());
    CHECK(result->verdict == model::Verdict::kFailed);
    CHECK(count(scenario, Fault::kStaleBytes) == scenario.findings.size());
    CHECK(std::ranges::any_of(scenario.findings, [](const model::ValidationFinding& finding) {
        return finding.statement.find("released") != std::string::npos;
    }));
}
