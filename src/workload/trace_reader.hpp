// A trace (trace.hpp) read as a stream: an operation at a time, in memory that grows with what is alive and not with
// the trace. What is created is described once for all creations with the same words, so that whoever plays a trace
// asks a device once. Move-only; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/file.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"
#include "workload/slots.hpp"

namespace heapwright::workload {

class TraceReader {
public:
    struct Description {
        model::ResourceDescription resource;
        model::MemoryUse memory_use = model::MemoryUse::kDeviceOnly;
    };
    struct Event {
        enum class Kind : std::uint8_t { kCreate, kDestroy, kEndFrame };

        Kind kind = Kind::kEndFrame;
        std::uint64_t id = 0;           // of kCreate and kDestroy
        std::uint32_t slot = 0;         // the same: dense, used again once it is free
        std::uint32_t description = 0;  // of kCreate
    };

    static constexpr std::size_t kMostLineBytes = 64 << 10;
    static constexpr std::size_t kMostDescriptions = 65'536;
    static constexpr std::size_t kMostWordsBytes = 16 << 20;  // of all descriptions that are known at once

    // Reads the first line. `source` names the text in errors. Errors: kParseError ("SOURCE:LINE"),
    // kUnsupportedVersion; those of `read`.
    [[nodiscard]] static Result<TraceReader> create(ReadBytes read, std::string source);

    // Empty: the trace is over. Errors: kParseError; those of the reading function.
    [[nodiscard]] Result<std::optional<Event>> next();

    // Its position means the same until generation() changes: the table was full and began anew.
    [[nodiscard]] const Description& description(std::uint32_t position) const { return descriptions_[position]; }
    [[nodiscard]] std::uint64_t generation() const { return generation_; }

private:
    // Looked up by words that lie in the text.
    struct WordsHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view words) const { return std::hash<std::string_view>()(words); }
    };

    TraceReader(ReadBytes read, std::string source) : read_(std::move(read)), source_(std::move(source)) {}

    [[nodiscard]] Result<std::optional<std::string_view>> next_line();
    [[nodiscard]] std::string where() const;
    [[nodiscard]] Status read_header();
    [[nodiscard]] Result<Event> read_event(std::string_view line);
    // Of a line of the usual form whose description is known; empty: read_event() tells.
    [[nodiscard]] std::optional<Event> known_event(std::string_view line);
    std::uint32_t keep(std::string_view words, const Description& description);

    ReadBytes read_;
    std::string source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  // of what is not read yet
    std::size_t end_ = 0;
    bool is_over_ = false;
    std::uint64_t line_ = 0;
    Slots alive_;
    std::unordered_map<std::string, std::uint32_t, WordsHash, std::equal_to<>> known_;
    std::size_t words_bytes_ = 0;
    std::vector<Description> descriptions_;
    std::uint64_t generation_ = 0;
};

// What is asked of each description once, whatever the reader's table does.
template <class Value>
class ByDescription {
public:
    template <class Ask>
    const Value& of(const TraceReader& reader, std::uint32_t position, Ask&& ask) {
        if (generation_ != reader.generation()) {
            generation_ = reader.generation();
            known_.clear();
        }
        if (known_.size() <= position) known_.resize(position + std::size_t{1});
        std::optional<Value>& known = known_[position];
        if (!known) known = ask(reader.description(position));
        return *known;
    }

private:
    std::vector<std::optional<Value>> known_;
    std::uint64_t generation_ = 0;
};

// From the beginning each time: who needs to know what comes later reads twice.
using OpenTrace = std::function<Result<TraceReader>()>;

// A text that outlives the reader.
[[nodiscard]] ReadBytes bytes_of(std::string_view text);

}  // namespace heapwright::workload
