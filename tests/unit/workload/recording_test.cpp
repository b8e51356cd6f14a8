// Recordings of VMA 2 as traces.
#include "workload/recording.hpp"
#include "dump_texts.hpp"

namespace recording_test {

using namespace heapwright;
using model::MemoryUse;
using workload::TraceCreate;

namespace {

constexpr std::string_view kHead = "Vulkan Memory Allocator,Calls recording\n1,8\n";

workload::Recording recorded(const std::string& lines) {
    auto recording = workload::read_recording(std::string(kHead) + lines, "in");
    INFO((recording ? std::string() : to_string(recording.error())));
    REQUIRE(recording);
    const std::string text = workload::write_trace(recording->trace);
    const auto again = workload::read_trace(text, "trace");
    INFO((again ? std::string() : to_string(again.error())));
    REQUIRE(again);
    CHECK(workload::write_trace(*again) == text);
    return std::move(*recording);
}

std::string recording_error(const std::string& lines) {
    const auto recording = workload::read_recording(std::string(kHead) + lines, "in");
    REQUIRE_FALSE(recording);
    return to_string(recording.error());
}

std::size_t creates(const workload::Recording& recording) {
    std::size_t count = 0;
    for (const auto& operation : recording.trace.operations)
        count += std::holds_alternative<TraceCreate>(operation) ? 1u : 0u;
    return count;
}

}  // namespace

TEST_CASE("a published recording becomes a trace") {
    const std::string text = test::dump_case("vma-recording.csv");
    CHECK(workload::is_recording(text));
    const auto recording = workload::read_recording(text, "in");
    REQUIRE(recording);
    CHECK(recording->device_name == "GeForce GTX 660M");
    CHECK(creates(*recording) == 18);
    const auto& depth = std::get<TraceCreate>(recording->trace.operations.at(0));
    const auto& image = std::get<model::ImageDescription>(depth.resource);
    CHECK(depth.id == 0x7F66FA0);
    CHECK(image.format == model::Format::kD32Sfloat);
    CHECK(image.width == 800);
    CHECK(image.height == 600);
    CHECK(depth.memory_use == MemoryUse::kDeviceOnly);
    const auto& staging = std::get<TraceCreate>(recording->trace.operations.at(1));
    CHECK(std::get<model::BufferDescription>(staging.resource).size_bytes == 4'194'304);
    CHECK(staging.memory_use == MemoryUse::kStreaming);
    CHECK(workload::read_recording(test::utf16(text, false, true), "in"));
    CHECK(workload::is_recording(test::utf16(text, true, false)));
}

TEST_CASE("frames, pages, memory alone and memory uses") {
    const workload::Recording recording = recorded(
        "1,0.1,5,vmaCreateBuffer,0,100,16,0,0,2,0,0,0,0,A1,a, b\n"
        "1,0.1,7,vmaAllocateMemoryPages,4096,1,7,0,0,10,0,0,0,B1 B2 B3,\r\n"
        "1,0.1,7,vmaFreeMemoryPages,B1 B3\n"
        "1,0.1,7,vmaAllocateMemoryForImage,8192,1,7,0,1,0,4,0,0,0,0x0,0xC1,\n"
        "1,0.1,8,vmaDestroyBuffer,A1\n");
    const auto& operations = recording.trace.operations;
    REQUIRE(operations.size() == 11);
    CHECK(std::get<TraceCreate>(operations[0]).memory_use == MemoryUse::kUpload);
    CHECK(std::holds_alternative<workload::EndFrame>(operations[1]));
    CHECK(std::holds_alternative<workload::EndFrame>(operations[2]));
    CHECK(std::get<TraceCreate>(operations[3]).memory_use == MemoryUse::kReadback);
    CHECK(std::get<workload::Destroy>(operations[6]).id == 0xB1);
    CHECK(std::get<TraceCreate>(operations[8]).memory_use == MemoryUse::kReadback);
    CHECK(std::get<workload::Destroy>(operations[10]).id == 0xA1);
    REQUIRE(recording.findings.size() == 1);
}

TEST_CASE("what a trace cannot say is a finding with its line") {
    const workload::Recording recording = recorded(
        "1,0,0,vmaCreatePool,0,0,0,0,0,0,F00\n"
        "1,0,0,vmaCreateBuffer,1,100,16,0,9,1,0,0,0,F00,A1,\n"
        "1,0,0,vmaCreateLostAllocation,A2\n"
        "1,0,0,vmaCreateImage,8,1,1234567,8,8,1,1,1,1,0,4,0,0,0,1,0,0,0,0,A3,\n"
        "1,0,0,vmaDestroyImage,A3\n"
        "1,0,0,vmaCreateBuffer,0,100,16,0,0,1,0,0,0,0,A1,\n"
        "1,0,0,vmaCreateBuffer,0,100,16,0,0,1,0,0,0,0,0,\n"
        "1,0,4000000000,vmaDestroyAllocator\n1,0,3,vmaDestroyAllocator\n");
    std::string all;
    for (const std::string& finding : recording.findings) all += finding + "\n";
    INFO(all);
    for (const char* part : {"vmaCreatePool", "custom pool", "memory of its own", "may be lost", "VkBufferCreateFlags",
                             "vmaCreateLostAllocation", "VkFormat 1234567", "not created", "not freed", "failed",
                             "(line 3)", "leaps", "goes back"}) {
        INFO(part);
        CHECK(all.find(part) != std::string::npos);
    }
    CHECK(recording.trace.operations.size() < 100'000);
}

TEST_CASE("bad lines are errors with line and column") {
    CHECK(recording_error("1,0,0,vmaCreateBuffer,0,0,16\n").find("in:3:6") != std::string::npos);
    CHECK(recording_error("1,0,0,vmaCreateBuffer,0,9\n").find("in:3:7") != std::string::npos);
    CHECK(recording_error("1,0,x,vmaCreateBuffer\n").find("in:3:3") != std::string::npos);
    CHECK(recording_error("\n1,0,0,other\n").find("in:4:4") != std::string::npos);
    CHECK(recording_error("1,0,0,vmaFreeMemory,zz\n").find("in:3:5") != std::string::npos);
    const auto newer = workload::read_recording("Vulkan Memory Allocator,Calls recording\n2,0\n", "in");
    REQUIRE_FALSE(newer);
    CHECK(newer.error().code == ErrorCode::kUnsupportedVersion);
}

}  // namespace recording_test
