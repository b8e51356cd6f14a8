// Background processing on the runtime that is here: it says whether it has it and why not, and a change of mode is
// harmless either way.
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "device/measurement_session.hpp"
#include "opened_device.hpp"

namespace heapwright::test {

TEST_CASE("The runtime has background processing or says why not, and a session on it ends in an answer", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::BackgroundProcessing* const seam = device->background_processing();
    REQUIRE(seam != nullptr);
    INFO(seam->unsupported_reason());
    CHECK(seam->supported() == seam->unsupported_reason().empty());

    CompletionEvent ended;
    REQUIRE(
        seam->set_mode(device::BackgroundProcessingMode::kAllowed, device::MeasurementsAction::kCommitResults, &ended));
    CHECK(ended.wait_for(kTimeoutNs));

    const auto idle = [&] { return device->submitter().wait_idle(); };
    {
        const auto session = device::MeasurementSession::begin(seam, {.run = idle, .drain = idle});
        REQUIRE(session);
        CHECK(session->driver_decides() == seam->supported());
        const model::MeasurementSteadiness steadiness = session->judge(std::vector<double>(16, 1.0));
        CHECK(steadiness.answer == model::Steadiness::kSteady);
        if (!seam->supported()) CHECK(steadiness.note.find(seam->unsupported_reason()) != std::string::npos);
    }
    device.close();
}

}  // namespace heapwright::test
