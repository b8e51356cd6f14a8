#include "entries.hpp"
#include "expect.hpp"
#include "heapwright/model/json.hpp"
#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"
#include "workload/read.hpp"
#include "workload/recording.hpp"

namespace heapwright::fuzz {

void read_dump(std::string_view bytes) {
    (void)workload::is_dump(bytes);
    const auto dump = workload::read_dump(bytes, "input");
    if (!dump) {
        expect(!dump.error().message.empty(), "an error without a message");
        return;
    }
    expect(dump->findings.size() <= 64, "findings without end");
    const auto workload =
        workload::read_checked_workload(model::write(workload::workload_from_dump(*dump, "dump")), "dump");
    expect(workload.has_value(),
           "a dump's workload that is refused: " + (workload ? std::string() : to_string(workload.error())));
}

void read_recording(std::string_view bytes) {
    (void)workload::is_recording(bytes);
    const auto recording = workload::read_recording(bytes, "input");
    if (!recording) {
        expect(!recording.error().message.empty(), "an error without a message");
        return;
    }
    const std::string text = workload::write_trace(recording->trace);
    const auto again = workload::read_trace(text, "trace");
    expect(again.has_value(),
           "a recording's trace that is refused: " + (again ? std::string() : to_string(again.error())));
    expect(workload::write_trace(*again) == text, "a recording's trace that does not read back as it was written");
}

}  // namespace heapwright::fuzz
