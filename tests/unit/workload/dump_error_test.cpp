// Broken and odd dumps: an error or a finding that says where.
#include "dump_texts.hpp"

namespace dump_error_test {

using namespace heapwright;

namespace {

bool names(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string dump_error(std::string_view text) {
    const auto dump = workload::read_dump(text, "in");
    REQUIRE_FALSE(dump);
    return to_string(dump.error());
}

}  // namespace

TEST_CASE("impossible sizes are errors with place, value and limit") {
    const std::string text = test::dump_case("vma-dump-2.json");
    constexpr std::string_view kSize = R"("BUFFER", "Size": 768)";
    const std::string zero = dump_error(test::put(text, kSize, R"("BUFFER", "Size": 0)"));
    CHECK(names(zero, "in: /DefaultPools/Type 0/Blocks/0/Suballocations/1"));
    const std::string huge = dump_error(test::put(text, kSize, R"("BUFFER", "Size": 281474976710657)"));
    CHECK(names(huge, "281474976710657"));
    CHECK(names(huge, "281474976710656"));
    const std::string beyond = dump_error(test::put(text, kSize, R"("BUFFER", "Size": 33554432)"));
    CHECK(names(beyond, "beyond the block"));
    CHECK(names(beyond, "33619968"));
    CHECK(names(dump_error(test::put(text, R"("Offset": 66304)", R"("Offset": -1)")), "/Offset"));
    CHECK(names(dump_error(test::put(text, R"("Type 3")", R"("Type 32")")), "Type 32"));
    CHECK(names(dump_error(test::put(text, R"("Type 3")", R"("Type 1x")")), "names no index"));
}

TEST_CASE("overlaps and totals that disagree are findings") {
    const std::string text = test::dump_case("vma-dump-2.json");
    const auto overlap = workload::read_dump(test::put(text, R"("Offset": 66304)", R"("Offset": 66000)"), "in");
    REQUIRE(overlap);
    REQUIRE(overlap->findings.size() == 1);
    CHECK(names(overlap->findings[0], "overlap"));
    const auto total = workload::read_dump(test::put(text, R"("Allocations": 4)", R"("Allocations": 5)"), "in");
    REQUIRE(total);
    REQUIRE(total->findings.size() == 1);
    CHECK(names(total->findings[0], "/Total"));
    const auto type = workload::read_dump(test::put(text, R"("BUFFER", "Size": 768)", R"("NEW", "Size": 768)"), "in");
    REQUIRE(type);
    CHECK(type->findings.size() == 1);
    (void)test::good_workload(*type);
}

TEST_CASE("a dump without its map says how to get it") {
    std::string text = test::dump_case("vma-dump-3.json");
    text.resize(text.find("\"DefaultPools\""));
    text.resize(text.rfind(','));
    CHECK(names(dump_error(text + "}"), "detailedMap = VK_TRUE"));
    CHECK(workload::is_dump(text));
}

TEST_CASE("a dump that is cut short anywhere is an error or whole") {
    for (const char* name : {"vma-dump-2.json", "vma-dump-3.json"}) {
        const std::string text = test::dump_case(name);
        for (std::size_t size = 0; size + 2 < text.size(); size += 97) {
            CHECK_FALSE(workload::read_dump(std::string_view(text).substr(0, size), "in"));
        }
    }
}

TEST_CASE("any usage becomes one that can be created") {
    const std::string text = test::dump_case("vma-dump-2.json");
    for (const char* usage : {"0", "64", "96", "112", "48", "16", "127", "255", "4294967295", "18446744073709551615"}) {
        const auto dump =
            workload::read_dump(test::put(text, "\"Usage\": 6}", std::string("\"Usage\": ") + usage + "}"), "in");
        REQUIRE(dump);
        (void)test::good_workload(*dump);
    }
}

TEST_CASE("images of any size have extents near it") {
    workload::Dump dump;
    dump.memory_types.push_back({.name = "Type 0", .heap = 0, .properties = 1, .is_told = true});
    for (const std::uint64_t size :
         {1ull, 4ull, 64ull, 4100ull, 1ull << 30, (1ull << 31) + 4096, 1ull << 40, 1ull << 48}) {
        dump.blocks = {{.memory_type = 0, .size_bytes = size, .is_dedicated = true, .pool = {}}};
        dump.allocations = {{.block = 0,
                             .offset_bytes = 0,
                             .size_bytes = size,
                             .kind = workload::AllocationKind::kImageOptimal,
                             .usage = 6,
                             .layout = {},
                             .name = {}}};
        const model::Workload workload = test::good_workload(dump);
        const model::ImageHint& hint = workload.images.at(0);
        const auto [width, height] = hint.extents.at(0);
        const double packed = 4.0 * width * height * hint.array_layers;
        CHECK(packed <= std::max(4.0, static_cast<double>(size)));
        CHECK(packed >= 0.99 * static_cast<double>(size) - 64);
        CHECK(hint.dedicated == model::OwnMemory::kAlways);
    }
}

}  // namespace dump_error_test
