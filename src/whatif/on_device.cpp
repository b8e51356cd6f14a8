#include "whatif/on_device.hpp"

#include "device/measurement_session.hpp"

namespace heapwright::whatif {

Result<model::WhatIf> play_on_device(WhatIfRequest request, device::Device& device) {
    request.memory = &device.heaps();
    const device::TrainingWork work{.run = [&]() -> Status {
                                        HEAPWRIGHT_TRY(play_what_if(request));
                                        return {};
                                    },
                                    .drain = [&] { return device.submitter().wait_idle(); }};
    HEAPWRIGHT_ASSIGN(auto session, device::MeasurementSession::begin(device.background_processing(), work));
    HEAPWRIGHT_ASSIGN(model::WhatIf played, play_what_if(request));
    HEAPWRIGHT_TRY(session.end());
    played.notes.push_back(
        "On the device memory alone is taken and given back: its calls are timed, no resource is created in it, and "
        "memory of an image's own is not bound to it.");
    return played;
}

}  // namespace heapwright::whatif
