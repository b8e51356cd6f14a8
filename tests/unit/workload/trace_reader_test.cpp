#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "workload/trace_reader.hpp"

namespace heapwright::workload {
namespace {

using Event = TraceReader::Event;

struct Told {
    Event event;
    TraceReader::Description description;
};

// In pieces of that size.
ReadBytes in_pieces(const std::string& text, std::size_t piece) {
    return [bytes = bytes_of(text), piece](std::span<char> into) mutable {
        return bytes(into.first(std::min(piece, into.size())));
    };
}

std::vector<Told> events_of(const std::string& text, std::size_t piece) {
    auto reader = TraceReader::create(in_pieces(text, piece), "trace");
    REQUIRE(reader);
    std::vector<Told> told;
    while (true) {
        const auto event = reader->next();
        REQUIRE(event);
        if (!*event) return told;
        const bool is_created = (*event)->kind == Event::Kind::kCreate;
        told.push_back({**event, is_created ? reader->description((*event)->description) : TraceReader::Description{}});
    }
}

std::string error_of(const std::string& text, std::size_t piece) {
    auto reader = TraceReader::create(in_pieces(text, piece), "trace");
    if (!reader) return to_string(reader.error());
    while (true) {
        const auto event = reader->next();
        if (!event) return to_string(event.error());
        REQUIRE(*event);
    }
}

const std::string kShort =
    "heapwright-trace 1\r\n"
    "# a comment\n"
    "create 7 buffer 64 usage=none memory=device\r\n"
    "\n"
    "create 8 buffer 64 usage=none memory=device\n"
    "frame\n"
    "destroy 7\n"
    "create 7 image D32_SFLOAT optimal 4x4x1 mips=1 layers=1 samples=1 usage=SAMPLED memory=upload\n"
    "destroy 8";

}  // namespace

TEST_CASE("a trace is the same in pieces of any size") {
    const std::vector<Told> whole = events_of(kShort, 1 << 20);
    REQUIRE(whole.size() == 6);
    CHECK(whole[0].event.description == whole[1].event.description);
    CHECK(whole[0].event.slot != whole[1].event.slot);
    CHECK(whole[2].event.kind == Event::Kind::kEndFrame);
    CHECK(whole[4].event.slot == whole[0].event.slot);
    CHECK(whole[5].event.kind == Event::Kind::kDestroy);
    for (const std::size_t piece : {1u, 2u, 7u, 100u, 65536u}) {
        CAPTURE(piece);
        const std::vector<Told> told = events_of(kShort, piece);
        REQUIRE(told.size() == whole.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            CHECK(told[i].event.kind == whole[i].event.kind);
            CHECK(told[i].event.id == whole[i].event.id);
            CHECK(told[i].event.slot == whole[i].event.slot);
            CHECK(told[i].description.resource == whole[i].description.resource);
            CHECK(told[i].description.memory_use == whole[i].description.memory_use);
        }
    }
}

TEST_CASE("an error names its line, however the trace comes") {
    const std::size_t piece = GENERATE(1u, 13u, 1u << 20);
    const std::string head = "heapwright-trace 1\nframe\n";
    const auto names_line = [&](const std::string& text, const char* where) {
        CAPTURE(text.substr(0, 80), where);
        CHECK(error_of(text, piece).find(where) != std::string::npos);
    };
    names_line("", "trace:1");
    names_line("heapwright-trace 2\n", "trace:1");
    names_line(head + "create 1 buffer 64 usage=none memory=device\ncreate 1 buffer 64 usage=none memory=device\n",
               "trace:4: 1 is alive already");
    names_line(head + "destroy 9", "trace:3: 9 is not alive");
    names_line(head + "destroy 18446744073709551616\n", "trace:3");
    names_line(head + "frame 1\n", "trace:3");
    names_line(head + "create 1 buffer 64 usage=none memory=device \n", "trace:3");
    names_line(head + std::string(TraceReader::kMostLineBytes + 1, 'x') + "\nframe\n", "trace:3");
    names_line(head + "# " + std::string(TraceReader::kMostLineBytes, 'x'), "trace:3");
}

TEST_CASE("a line of the longest length is read, and a failing source ends the reading") {
    const std::string text = "heapwright-trace 1\n#" + std::string(TraceReader::kMostLineBytes - 1, 'x') + "\nframe\n";
    CHECK(events_of(text, 1 << 20).size() == 1);
    auto reader = TraceReader::create(
        [bytes = bytes_of(kShort), left = 60](std::span<char> into) mutable -> Result<std::size_t> {
            if (left-- == 0) return fail(ErrorCode::kIoError, "the disk is gone", "trace");
            return bytes(into.first(1));
        },
        "trace");
    REQUIRE(reader);
    auto event = reader->next();
    while (event && *event) event = reader->next();
    REQUIRE_FALSE(event);
    CHECK(event.error().code == ErrorCode::kIoError);
}

TEST_CASE("more descriptions than are kept begin a new table") {
    std::string text = "heapwright-trace 1\n";
    constexpr std::uint64_t kCreations = TraceReader::kMostDescriptions + 1000;
    for (std::uint64_t i = 1; i <= kCreations; ++i)
        text += "create " + std::to_string(i) + " buffer " + std::to_string(i) + " usage=none memory=device\n";
    auto reader = TraceReader::create(bytes_of(text), "trace");
    REQUIRE(reader);
    for (std::uint64_t i = 1; i <= kCreations; ++i) {
        const auto event = reader->next();
        REQUIRE(event);
        REQUIRE(*event);
        const TraceReader::Description& description = reader->description((*event)->description);
        REQUIRE(std::get<model::BufferDescription>(description.resource).size_bytes == i);
        REQUIRE(reader->generation() == (i <= TraceReader::kMostDescriptions ? 0 : 1));
    }
}

}  // namespace heapwright::workload
