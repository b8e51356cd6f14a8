#include "workload/trace.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "workload/detail/trace_words.hpp"
#include "workload/trace_reader.hpp"

namespace heapwright::workload {
namespace {

using detail::kMemoryUses;
using detail::kTraceMagic;

void write_operation(std::string& text, const TraceOperation& operation) {
    const auto out = std::back_inserter(text);
    if (std::holds_alternative<EndFrame>(operation)) {
        text += "frame\n";
    } else if (const auto* destroyed = std::get_if<Destroy>(&operation)) {
        fmt::format_to(out, "destroy {}\n", destroyed->id);
    } else if (const auto* created = std::get_if<TraceCreate>(&operation)) {
        const std::string_view memory = kMemoryUses[static_cast<std::size_t>(created->memory_use)];
        if (const auto* image = std::get_if<model::ImageDescription>(&created->resource)) {
            fmt::format_to(out, "create {} image {} {} {}x{}x{} mips={} layers={} samples={} usage={} memory={}\n",
                           created->id, model::info(image->format).name,
                           image->tiling == model::ImageTiling::kLinear ? "linear" : "optimal", image->width,
                           image->height, image->depth, image->mip_levels, image->array_layers, image->samples,
                           model::flags_text(image->usage, model::image_usage_names(), "none"), memory);
        } else if (const auto* buffer = std::get_if<model::BufferDescription>(&created->resource)) {
            fmt::format_to(out, "create {} buffer {} usage={} memory={}\n", created->id, buffer->size_bytes,
                           model::flags_text(buffer->usage, model::buffer_usage_names(), "none"), memory);
        }
    }
}

}  // namespace

bool is_trace(std::string_view text) {
    return text.substr(0, kTraceMagic.size()) == kTraceMagic;
}

Result<Trace> read_trace(std::string_view text, std::string_view source) {
    using Kind = TraceReader::Event::Kind;
    HEAPWRIGHT_ASSIGN(TraceReader reader, TraceReader::create(bytes_of(text), std::string(source)));
    // A line of six bytes is an operation: the operations of a text are bounded by its size before they are stored.
    constexpr std::uint64_t kSpareBytes = 128ull << 20;
    const auto most_lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    const std::uint64_t most_operations = (text.size() / 2 + kSpareBytes) / sizeof(TraceOperation);
    if (most_lines > most_operations) {
        return fail({.code = ErrorCode::kParseError,
                     .message = "more operations than a trace of its size may hold",
                     .where = std::string(source),
                     .value = most_lines,
                     .limit = most_operations});
    }
    Trace trace;
    trace.operations.reserve(most_lines);
    while (true) {
        HEAPWRIGHT_ASSIGN(const auto event, reader.next());
        if (!event) return trace;
        if (event->kind == Kind::kCreate) {
            const TraceReader::Description& described = reader.description(event->description);
            trace.operations.emplace_back(
                TraceCreate{.id = event->id, .resource = described.resource, .memory_use = described.memory_use});
        } else if (event->kind == Kind::kDestroy) {
            trace.operations.emplace_back(Destroy{event->id});
        } else {
            trace.operations.emplace_back(EndFrame{});
        }
    }
}

std::string write_trace(const Trace& trace) {
    std::string text = fmt::format("{} {}\n", kTraceMagic, kTraceVersion);
    for (const TraceOperation& operation : trace.operations) write_operation(text, operation);
    return text;
}

}  // namespace heapwright::workload
