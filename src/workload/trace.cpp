#include "heapwright/workload/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/nearest_word.hpp"
#include "heapwright/model/format_word.hpp"

namespace heapwright::workload {
namespace {

constexpr std::string_view kMagic = "heapwright-trace";
constexpr std::array<std::string_view, 4> kMemoryUses{"device", "upload", "readback", "streaming"};

// The fields of one line, taken from the left. The first failure stays, so that a parser reads as the format does.
class Line {
public:
    Line(std::string_view text, std::string where) : rest_(text), where_(std::move(where)) {}

    std::string_view word() {
        const auto space = rest_.find(' ');
        const std::string_view taken = rest_.substr(0, space);
        at_end_ = space == std::string_view::npos;
        rest_ = at_end_ ? std::string_view{} : rest_.substr(space + 1);
        return taken;
    }

    // The value of "NAME=VALUE".
    std::string_view field(std::string_view name) {
        const std::string_view taken = word();
        if (taken.size() > name.size() && taken.substr(0, name.size()) == name && taken[name.size()] == '=') {
            return taken.substr(name.size() + 1);
        }
        refuse(fmt::format("\"{}=\" is expected, not \"{}\"", name, taken));
        return {};
    }

    std::uint64_t number(std::string_view text, std::uint64_t smallest, std::uint64_t largest) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < smallest || value > largest) {
            refuse(fmt::format("\"{}\" is not a number from {} to {}", text, smallest, largest));
        }
        return value;
    }

    std::uint32_t small_number(std::string_view text, std::uint32_t largest) {
        return static_cast<std::uint32_t>(number(text, 1, largest));
    }

    void refuse(std::string message) {
        if (!error_) error_ = Error{.code = ErrorCode::kParseError, .message = std::move(message), .where = where_};
    }

    [[nodiscard]] Status finish() {
        if (!at_end_) refuse(fmt::format("\"{}\" is too much", rest_));
        if (error_) return fail(std::move(*error_));
        return {};
    }

private:
    std::string_view rest_;
    std::string where_;
    bool at_end_ = false;
    std::optional<Error> error_;
};

model::Flags read_usage(Line& line, std::string_view text, std::span<const model::FlagName> names) {
    model::Flags flags = 0;
    if (text == "none") return flags;
    while (true) {
        const auto bar = text.find('|');
        const std::string_view part = text.substr(0, bar);
        const auto known = model::parse_flag_name(part, names);
        if (!known) {
            line.refuse(fmt::format("no usage \"{}\"{}", part, model::nearest_flag_hint(part, names)));
            return 0;
        }
        flags |= *known;
        if (bar == std::string_view::npos) return flags;
        text.remove_prefix(bar + 1);
    }
}

model::MemoryUse read_memory(Line& line) {
    const std::string_view text = line.field("memory");
    const auto known = std::find(kMemoryUses.begin(), kMemoryUses.end(), text);
    if (known == kMemoryUses.end()) {
        line.refuse(fmt::format("no memory use \"{}\"{}", text, nearest_word_hint(text, kMemoryUses)));
    }
    return static_cast<model::MemoryUse>(known == kMemoryUses.end() ? 0 : known - kMemoryUses.begin());
}

model::ImageDescription read_image(Line& line) {
    constexpr std::uint32_t kLargestSide = 1 << 20;
    model::ImageDescription image;
    const std::string_view format = line.word();
    if (const auto known = model::format_from_name(format)) {
        image.format = *known;
    } else {
        line.refuse(fmt::format("no format \"{}\"{}", format, model::nearest_format_hint(format)));
    }
    const std::string_view tiling = line.word();
    if (tiling != "optimal" && tiling != "linear") line.refuse(fmt::format("no tiling \"{}\"", tiling));
    image.tiling = tiling == "linear" ? model::ImageTiling::kLinear : model::ImageTiling::kOptimal;

    const std::string_view extent = line.word();
    const auto first = extent.find('x');
    const auto second = first == std::string_view::npos ? first : extent.find('x', first + 1);
    if (second == std::string_view::npos) {
        line.refuse(fmt::format("\"{}\" is not WIDTHxHEIGHTxDEPTH", extent));
    } else {
        image.width = line.small_number(extent.substr(0, first), kLargestSide);
        image.height = line.small_number(extent.substr(first + 1, second - first - 1), kLargestSide);
        image.depth = line.small_number(extent.substr(second + 1), kLargestSide);
    }
    image.dimension = image.depth > 1 ? model::ImageDimension::k3d : model::ImageDimension::k2d;
    image.mip_levels = line.small_number(line.field("mips"), 32);
    if (image.mip_levels > model::full_mip_chain(image.width, image.height, image.depth)) {
        line.refuse(fmt::format("{} mip levels are more than an extent of {} has", image.mip_levels, extent));
    }
    image.array_layers = line.small_number(line.field("layers"), 1 << 16);
    if (image.depth > 1 && image.array_layers > 1) line.refuse("a 3D image has one layer");
    image.samples = line.small_number(line.field("samples"), 64);
    if (!is_power_of_two(image.samples)) line.refuse(fmt::format("{} samples are no power of two", image.samples));
    image.usage = read_usage(line, line.field("usage"), model::image_usage_names());
    return image;
}

TraceCreate read_create(Line& line) {
    TraceCreate created;
    created.id = line.number(line.word(), 0, std::numeric_limits<std::uint64_t>::max());
    const std::string_view kind = line.word();
    if (kind == "image") {
        created.resource = read_image(line);
    } else if (kind == "buffer") {
        model::BufferDescription buffer;
        buffer.size_bytes = line.number(line.word(), 1, 1ull << 48);
        buffer.usage = read_usage(line, line.field("usage"), model::buffer_usage_names());
        created.resource = buffer;
    } else {
        line.refuse(fmt::format("\"image\" or \"buffer\" is expected, not \"{}\"", kind));
    }
    created.memory_use = read_memory(line);
    return created;
}

TraceOperation read_operation(Line& line, std::unordered_set<std::uint64_t>& alive) {
    const std::string_view verb = line.word();
    if (verb == "frame") return EndFrame{};
    if (verb == "destroy") {
        const Destroy destroyed{line.number(line.word(), 0, std::numeric_limits<std::uint64_t>::max())};
        if (alive.erase(destroyed.id) == 0) line.refuse(fmt::format("{} is not alive", destroyed.id));
        return destroyed;
    }
    if (verb != "create") {
        line.refuse(fmt::format("\"create\", \"destroy\" or \"frame\" is expected, not \"{}\"", verb));
        return EndFrame{};
    }
    TraceCreate created = read_create(line);
    if (!alive.insert(created.id).second) line.refuse(fmt::format("{} is alive already", created.id));
    return created;
}

// Takes one line off the text, without its end.
std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

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
    return text.substr(0, kMagic.size()) == kMagic;
}

Result<Trace> read_trace(std::string_view text, std::string_view source) {
    Line header(take_line(text), fmt::format("{}:1", source));
    if (header.word() != kMagic) header.refuse(fmt::format("a trace begins with \"{} {}\"", kMagic, kTraceVersion));
    const std::uint64_t version = header.number(header.word(), 0, std::numeric_limits<std::uint32_t>::max());
    HEAPWRIGHT_TRY(header.finish());
    if (version != kTraceVersion) {
        return fail({.code = ErrorCode::kUnsupportedVersion,
                     .message = "a trace of another version",
                     .where = fmt::format("{}:1", source),
                     .value = version,
                     .limit = kTraceVersion});
    }
    // A line of six bytes is an operation: the operations of a text are bounded by its size before they are stored.
    constexpr std::uint64_t kSpareBytes = 128ull << 20;
    const auto most_lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
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
    std::unordered_set<std::uint64_t> alive;
    for (std::uint64_t number = 2; !text.empty(); ++number) {
        const std::string_view content = take_line(text);
        if (content.empty() || content.front() == '#') continue;
        Line line(content, fmt::format("{}:{}", source, number));
        TraceOperation operation = read_operation(line, alive);
        HEAPWRIGHT_TRY(line.finish());
        trace.operations.push_back(std::move(operation));
    }
    return trace;
}

std::string write_trace(const Trace& trace) {
    std::string text = fmt::format("{} {}\n", kMagic, kTraceVersion);
    for (const TraceOperation& operation : trace.operations) write_operation(text, operation);
    return text;
}

}  // namespace heapwright::workload
