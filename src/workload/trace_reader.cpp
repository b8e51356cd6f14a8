#include "workload/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "core/checked.hpp"
#include "core/text.hpp"
#include "model/format_word.hpp"
#include "workload/detail/trace_words.hpp"
#include "workload/trace.hpp"

namespace heapwright::workload {
namespace {

using detail::kMemoryUses;
using detail::kTraceMagic;

// The fields of one line, taken from the left. The first failure stays, so that a parser reads as the format does.
class Line {
public:
    explicit Line(std::string_view text) : rest_(text) {}

    [[nodiscard]] std::string_view rest() const { return rest_; }

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
        if (!error_) error_ = Error{.code = ErrorCode::kParseError, .message = std::move(message)};
    }

    // `where`: what the error names.
    [[nodiscard]] Status finish(const std::string& where) {
        if (!at_end_) refuse(fmt::format("\"{}\" is too much", rest_));
        if (!error_) return {};
        error_->where = where;
        return fail(std::move(*error_));
    }

private:
    std::string_view rest_;
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

// Behind the id.
TraceReader::Description read_description(Line& line) {
    TraceReader::Description described;
    const std::string_view kind = line.word();
    if (kind == "image") {
        described.resource = read_image(line);
    } else if (kind == "buffer") {
        model::BufferDescription buffer;
        buffer.size_bytes = line.number(line.word(), 1, 1ull << 48);
        buffer.usage = read_usage(line, line.field("usage"), model::buffer_usage_names());
        described.resource = buffer;
    } else {
        line.refuse(fmt::format("\"image\" or \"buffer\" is expected, not \"{}\"", kind));
    }
    described.memory_use = read_memory(line);
    return described;
}

// The number that the text begins with and the text behind it; empty: it begins with none, or too large a one.
std::optional<std::pair<std::uint64_t, std::string_view>> leading_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return std::pair(value, text.substr(static_cast<std::size_t>(end - text.data())));
}

}  // namespace

Result<TraceReader> TraceReader::create(ReadBytes read, std::string source) {
    TraceReader reader(std::move(read), std::move(source));
    HEAPWRIGHT_TRY(reader.read_header());
    return reader;
}

std::string TraceReader::where() const {
    return fmt::format("{}:{}", source_, line_);
}

Status TraceReader::read_header() {
    HEAPWRIGHT_ASSIGN(const auto first, next_line());
    line_ = 1;  // also where there is none
    Line header(first.value_or(std::string_view{}));
    if (header.word() != kTraceMagic)
        header.refuse(fmt::format("a trace begins with \"{} {}\"", kTraceMagic, kTraceVersion));
    const std::uint64_t version = header.number(header.word(), 0, std::numeric_limits<std::uint32_t>::max());
    HEAPWRIGHT_TRY(header.finish(where()));
    if (version != kTraceVersion) {
        return fail({.code = ErrorCode::kUnsupportedVersion,
                     .message = "a trace of another version",
                     .where = where(),
                     .value = version,
                     .limit = kTraceVersion});
    }
    return {};
}

// Without its end, LF or CR LF.
Result<std::optional<std::string_view>> TraceReader::next_line() {
    std::size_t searched = begin_;
    while (true) {
        const auto* const from = buffer_.data() + searched;
        const auto* const found =
            searched == end_ ? nullptr : static_cast<const char*>(std::memchr(from, '\n', end_ - searched));
        const std::size_t length =
            found != nullptr ? static_cast<std::size_t>(found - buffer_.data()) - begin_ : end_ - begin_;
        if (length > kMostLineBytes) {
            ++line_;
            return fail({.code = ErrorCode::kParseError,
                         .message = "a line longer than any of a trace",
                         .where = where(),
                         .value = length,
                         .limit = kMostLineBytes});
        }
        if (found != nullptr || is_over_) {
            if (found == nullptr && length == 0) return std::optional<std::string_view>();
            std::string_view line(buffer_.data() + begin_, length);
            begin_ += length + (found != nullptr ? 1 : 0);
            ++line_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            return std::optional(line);
        }
        searched = length;
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        begin_ = 0;
        end_ = length;
        buffer_.resize(2 * kMostLineBytes);
        HEAPWRIGHT_ASSIGN(const std::size_t count, read_(std::span(buffer_).subspan(end_)));
        end_ += count;
        is_over_ = count == 0;
    }
}

Result<std::optional<TraceReader::Event>> TraceReader::next() {
    while (true) {
        HEAPWRIGHT_ASSIGN(const auto line, next_line());
        if (!line) return std::optional<Event>();
        if (line->empty() || line->front() == '#') continue;
        if (const auto known = known_event(*line)) return known;
        HEAPWRIGHT_ASSIGN(const Event event, read_event(*line));
        return std::optional(event);
    }
}

std::optional<TraceReader::Event> TraceReader::known_event(std::string_view line) {
    constexpr std::string_view kCreate = "create ";
    constexpr std::string_view kDestroy = "destroy ";
    if (line.starts_with(kCreate)) {
        const auto number = leading_number(line.substr(kCreate.size()));
        if (!number || !number->second.starts_with(' ')) return std::nullopt;
        const auto known = known_.find(number->second.substr(1));
        if (known == known_.end()) return std::nullopt;
        const auto slot = alive_.take(number->first);
        if (!slot) return std::nullopt;
        return Event{.kind = Event::Kind::kCreate, .id = number->first, .slot = *slot, .description = known->second};
    }
    if (line.starts_with(kDestroy)) {
        const auto number = leading_number(line.substr(kDestroy.size()));
        if (!number || !number->second.empty()) return std::nullopt;
        const auto slot = alive_.give_back(number->first);
        if (!slot) return std::nullopt;
        return Event{.kind = Event::Kind::kDestroy, .id = number->first, .slot = *slot};
    }
    return std::nullopt;
}

Result<TraceReader::Event> TraceReader::read_event(std::string_view text) {
    constexpr std::uint64_t kLargestId = std::numeric_limits<std::uint64_t>::max();
    Line line(text);
    Event event;
    const std::string_view verb = line.word();
    if (verb == "destroy") {
        event.kind = Event::Kind::kDestroy;
        event.id = line.number(line.word(), 0, kLargestId);
        const auto slot = alive_.give_back(event.id);
        if (!slot) line.refuse(fmt::format("{} is not alive", event.id));
        event.slot = slot.value_or(0);
    } else if (verb == "create") {
        event.kind = Event::Kind::kCreate;
        event.id = line.number(line.word(), 0, kLargestId);
        const std::string_view words = line.rest();
        const Description described = read_description(line);
        const auto slot = alive_.take(event.id);
        if (!slot) line.refuse(fmt::format("{} is alive already", event.id));
        HEAPWRIGHT_TRY(line.finish(where()));
        event.slot = *slot;
        event.description = keep(words, described);
    } else if (verb != "frame") {
        line.refuse(fmt::format("\"create\", \"destroy\" or \"frame\" is expected, not \"{}\"", verb));
    }
    HEAPWRIGHT_TRY(line.finish(where()));
    return event;
}

std::uint32_t TraceReader::keep(std::string_view words, const Description& description) {
    if (descriptions_.size() == kMostDescriptions || words_bytes_ > kMostWordsBytes) {
        descriptions_.clear();
        known_.clear();
        words_bytes_ = 0;
        ++generation_;
    }
    const auto position = static_cast<std::uint32_t>(descriptions_.size());
    descriptions_.push_back(description);
    known_.emplace(words, position);
    words_bytes_ += words.size();
    return position;
}

ReadBytes bytes_of(std::string_view text) {
    return [text](std::span<char> into) mutable -> Result<std::size_t> {
        const std::size_t count = std::min(into.size(), text.size());
        std::memcpy(into.data(), text.data(), count);
        text.remove_prefix(count);
        return count;
    };
}

}  // namespace heapwright::workload
