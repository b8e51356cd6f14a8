// Dumps of D3D12MA in both shapes, made for these tests.
#include "dump_texts.hpp"

namespace d3d12ma_dump_test {

using namespace heapwright;
using workload::AllocationKind;
using workload::DumpTotals;

namespace {

constexpr const char* kOld = R"({
"Total": {"Blocks": 3, "Allocations": 4, "UsedBytes": 5636096, "UnusedBytes": 61669376},
"DEFAULT": {"Blocks": 2}, "UPLOAD": {"Blocks": 1}, "READBACK": {"Blocks": 0}, "CUSTOM": {"Blocks": 0},
"Budget": {"GPU": {}, "CPU": {}},
"DetailedMap": {
  "DefaultPools": {
    "DEFAULT": {"Blocks": {"0": {"TotalBytes": 33554432, "UnusedBytes": 29294592, "Allocations": 2, "UnusedRanges": 1,
      "Suballocations": [
        {"Offset": 0, "Type": "BUFFER", "Size": 65536},
        {"Offset": 65536, "Type": "TEXTURE2D", "Size": 4194304, "Name": "sky", "Flags": 1},
        {"Offset": 4259840, "Type": "FREE", "Size": 29294592}]}}},
    "UPLOAD": {"Blocks": {"0": {"TotalBytes": 33554432, "UnusedBytes": 32374784, "Allocations": 1,
      "Suballocations": [{"Offset": 0, "Type": "BUFFER", "Size": 1179648},
        {"Offset": 1179648, "Type": "FREE", "Size": 32374784}]}}},
    "READBACK": {"Blocks": {}}},
  "CommittedAllocations": {"DEFAULT": [{"Type": "TEXTURE2D", "Size": 196608, "Flags": 2}], "UPLOAD": [], "READBACK": []},
  "Pools": {"DEFAULT": [], "UPLOAD": [], "READBACK": [], "CUSTOM": []}}})";

constexpr const char* kNew = R"({
"General": {"API": "Direct3D 12", "GPU": "A GPU", "DedicatedVideoMemory": 8573157376, "DedicatedSystemMemory": 0,
  "SharedSystemMemory": 17179869184, "ResourceHeapTier": 1, "UMA": false},
"Total": {"BlockCount": 4, "BlockBytes": 2359296, "AllocationCount": 4, "AllocationBytes": 1310720},
"MemoryInfo": {"L0": {}, "L1": {}},
"DefaultPools": {
  "DEFAULT - Buffers": {"Flags": ["HEAP_FLAG_CREATE_NOT_ZEROED"], "PreferredBlockSize": 67108864,
    "Blocks": {"0": {"TotalBytes": 1048576, "UnusedBytes": 786432, "Allocations": 1, "UnusedRanges": 1, "Suballocations": [
      {"Offset": 0, "Type": "BUFFER", "Size": 262144, "Usage": 4}, {"Offset": 262144, "Type": "FREE", "Size": 786432}]}},
    "DedicatedAllocations": [{"Type": "TEXTURE2D", "Size": 524288, "Usage": 1, "Layout": 0}]},
  "DEFAULT - Textures": {"Flags": [], "PreferredBlockSize": 67108864, "Blocks": {},
    "DedicatedAllocations": [{"Type": "TEXTURE2D", "Size": 524288, "Usage": 1, "Layout": 0}]},
  "READBACK - Buffers": {"Flags": [], "Blocks": {},
    "DedicatedAllocations": [{"Type": "BUFFER", "Size": 262144, "Usage": 0, "Name": "picture"}]}},
"CustomPools": {"CUSTOM": [{"Name": "0 - mine", "Flags": ["MEMORY_POOL_L0", "CPU_PAGE_PROPERTY_WRITE_COMBINE"],
  "Blocks": {"0": {"TotalBytes": 524288, "UnusedBytes": 262144, "Allocations": 1, "Suballocations": [
    {"Offset": 0, "Type": "TEXTURE2D", "Size": 262144, "Usage": 0, "Layout": 1},
    {"Offset": 262144, "Type": "FREE", "Size": 262144}]}}, "DedicatedAllocations": []}]}})";

}  // namespace

TEST_CASE("a dump of D3D12MA 1 is read to the byte") {
    const auto dump = workload::read_dump(kOld, "in");
    REQUIRE(dump);
    CHECK(dump->format == workload::DumpFormat::kD3d12ma1);
    CHECK(workload::listed_totals(*dump) == DumpTotals{3, 67'305'472, 4, 5'636'096});
    CHECK(workload::listed_totals(*dump, 1) == DumpTotals{1, 33'554'432, 1, 1'179'648});
    CHECK(dump->findings.empty());
    CHECK(dump->allocations[1].name == "sky");
    const model::Workload workload = test::good_workload(*dump);
    CHECK(workload.images.size() == 2);
    CHECK(workload.buffers.size() == 2);
}

TEST_CASE("a dump of D3D12MA 2 is read to the byte, and a list that tier 1 repeats once") {
    const auto dump = workload::read_dump(kNew, "in");
    REQUIRE(dump);
    CHECK(dump->format == workload::DumpFormat::kD3d12ma2);
    CHECK(dump->device_name == "A GPU");
    REQUIRE(dump->heaps.size() == 2);
    CHECK(dump->heaps[1].size_bytes == 8'573'157'376);
    CHECK(workload::listed_totals(*dump) == DumpTotals{4, 2'359'296, 4, 1'310'720});
    CHECK(dump->findings.empty());
    REQUIRE(dump->allocations.size() == 4);
    const workload::DumpAllocation& custom = dump->allocations.back();
    CHECK(custom.kind == AllocationKind::kImageLinear);
    CHECK(dump->blocks[custom.block].pool == "0 - mine");
    CHECK(dump->memory_types[dump->blocks[custom.block].memory_type].properties == 0x6);
    (void)test::good_workload(*dump);
}

TEST_CASE("dumps of D3D12MA are read as they are written on Windows, with the zero at their end") {
    for (const char* text : {kOld, kNew}) {
        const std::string bytes = test::utf16(std::string(text) + '\0', false, true);
        CHECK(workload::is_dump(bytes));
        CHECK(workload::read_dump(bytes, "in"));
    }
}

}  // namespace d3d12ma_dump_test
