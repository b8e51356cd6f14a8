#include "entries.hpp"
#include "expect.hpp"
#include "heapwright/model/json.hpp"
#include "workload/trace.hpp"
#include "workload/trace_hints.hpp"

namespace heapwright::fuzz {
namespace {

// What was accepted is written, and what was written is accepted and written the same.
template <class Read, class Write>
void round_trip(Read read, Write write, std::string_view bytes) {
    const auto document = read(bytes, "input");
    if (!document) {
        expect(!document.error().message.empty(), "an error without a message");
        return;
    }
    const std::string text = write(*document);
    const auto again = read(text, "written");
    expect(again.has_value(),
           "an accepted document is refused once written: " + (again ? std::string() : to_string(again.error())));
    expect(write(*again) == text, "a document does not read back as it was written");
}

constexpr auto kWrite = [](const auto& document) { return model::write(document); };

}  // namespace

void read_policy(std::string_view bytes) {
    round_trip(model::read_policy, kWrite, bytes);
}
void read_report(std::string_view bytes) {
    round_trip(model::read_report, kWrite, bytes);
}
void read_validation(std::string_view bytes) {
    round_trip(model::read_validation, kWrite, bytes);
}
void read_workload(std::string_view bytes) {
    round_trip(model::read_workload, kWrite, bytes);
}

void read_trace(std::string_view bytes) {
    round_trip(workload::read_trace, workload::write_trace, bytes);
    const auto trace = workload::read_trace(bytes, "input");
    if (!trace) return;
    const auto hints = workload::workload_from_trace(
        [&] { return workload::TraceReader::create(workload::bytes_of(bytes), "input"); }, "input");
    expect(hints.has_value(), "a trace that reads has no hints");
    const auto again = model::read_workload(model::write(*hints), "hints");
    expect(again.has_value(),
           "a trace's hints are refused as a workload: " + (again ? std::string() : to_string(again.error())));
}

}  // namespace heapwright::fuzz
