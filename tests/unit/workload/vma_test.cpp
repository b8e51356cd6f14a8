// Dumps of VMA 2 and 3: every figure by hand from the files.
#include "dump_texts.hpp"

namespace vma_dump_test {

using namespace heapwright;
using workload::AllocationKind;
using workload::DumpTotals;

TEST_CASE("a dump of VMA 2 is read to the byte") {
    const auto dump = workload::read_dump(test::dump_case("vma-dump-2.json"), "in");
    REQUIRE(dump);
    CHECK(dump->format == workload::DumpFormat::kVma2);
    CHECK(dump->device_name.empty());
    REQUIRE(dump->heaps.size() == 3);
    CHECK(dump->heaps[0].size_bytes == 8'304'721'920);
    CHECK(dump->heaps[2].flags == model::memory_heap::kDeviceLocal);
    REQUIRE(dump->memory_types.size() == 4);
    CHECK(dump->memory_types[3].heap == 1);
    CHECK(dump->memory_types[3].properties == 0xe);
    REQUIRE(dump->blocks.size() == 2);
    REQUIRE(dump->allocations.size() == 4);
    CHECK(dump->allocations[2].offset_bytes == 66'304);
    CHECK(dump->allocations[2].size_bytes == 60);
    CHECK(dump->allocations[2].usage == 66);
    CHECK(dump->allocations[3].kind == AllocationKind::kImageOptimal);
    CHECK(workload::listed_totals(*dump) == DumpTotals{2, 67'108'864, 4, 8'062'124});
    CHECK(workload::listed_totals(*dump, 0) == DumpTotals{1, 33'554'432, 4, 8'062'124});
    CHECK(dump->stated == workload::listed_totals(*dump));
    CHECK(dump->findings.empty());

    const model::Workload workload = test::good_workload(*dump);
    CHECK(workload.images.size() == 2);
    CHECK(workload.buffers.size() == 2);
    CHECK(workload.churn_steps == 0);
    for (const model::ImageHint& hint : workload.images) {
        CHECK(hint.lifetime == model::Lifetime::kPersistent);
        REQUIRE(hint.extents.size() == 1);
        const std::uint64_t size = std::uint64_t{4} * hint.extents[0][0] * hint.extents[0][1];
        const std::uint64_t wanted = hint.usage == 6 ? 65'536 : 7'995'760;
        CHECK(size <= wanted);
        CHECK(wanted - size < std::uint64_t{4} * hint.extents[0][0]);
    }
}

TEST_CASE("a dump of VMA 3 is read to the byte, with custom pools and memory of their own") {
    const auto dump = workload::read_dump(test::dump_case("vma-dump-3.json"), "in");
    REQUIRE(dump);
    CHECK(dump->format == workload::DumpFormat::kVma3);
    CHECK(dump->device_name == "AMD Radeon RX 6600 XT");
    CHECK(dump->max_memory_allocation_count == 4096);
    CHECK(dump->buffer_image_granularity_bytes == 1);
    CHECK(dump->non_coherent_atom_size_bytes == 128);
    REQUIRE(dump->memory_types.size() == 8);
    CHECK(dump->memory_types[7].properties == 0xce);
    CHECK(workload::listed_totals(*dump) == DumpTotals{69, 201'392'128, 132, 73'401'500});
    CHECK(workload::listed_totals(*dump, 0) == DumpTotals{34, 83'918'848, 68, 39'781'532});
    CHECK(workload::listed_totals(*dump, 1) == DumpTotals{5, 33'558'528, 8, 8'192});
    CHECK(workload::listed_totals(*dump, 3) == DumpTotals{30, 83'914'752, 56, 33'611'776});
    CHECK(dump->findings.empty());
    CHECK(dump->allocations[5].name == "SHEPURD");

    const model::Workload workload = test::good_workload(*dump);
    std::uint64_t count = 0;
    bool own = false;
    for (const model::ImageHint& hint : workload.images) count += hint.count;
    for (const model::BufferHint& hint : workload.buffers) {
        count += hint.count;
        own = own || hint.dedicated == model::OwnMemory::kAlways;
    }
    CHECK(count == 132);
    CHECK(own);
}

TEST_CASE("a dump is the same in UTF-8 and UTF-16 of both orders, with or without a mark") {
    for (const char* name : {"vma-dump-2.json", "vma-dump-3.json"}) {
        const std::string text = test::dump_case(name);
        const auto plain = workload::read_dump(text, "in");
        REQUIRE(plain);
        for (const bool big : {false, true}) {
            for (const bool mark : {false, true}) {
                const std::string bytes = test::utf16(text, big, mark);
                CHECK(workload::is_dump(bytes));
                const auto dump = workload::read_dump(bytes, "in");
                REQUIRE(dump);
                CHECK(workload::listed_totals(*dump) == workload::listed_totals(*plain));
            }
        }
    }
}

TEST_CASE("other texts are no dumps") {
    for (const char* text : {"", "{}", "[1]", R"({"Total": 1})", R"({"name": "Total", "x": "MemoryInfo"})"}) {
        CHECK_FALSE(workload::is_dump(text));
    }
    CHECK_FALSE(workload::is_dump(test::dump_case("vma-recording.csv")));
}

}  // namespace vma_dump_test
