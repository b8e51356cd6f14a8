// Bad input: the error says what, where, which value and which limit.
#include <catch2/catch_test_macros.hpp>

#include "import/import.hpp"
#include "inputs.hpp"

using namespace heapwright;

namespace {

Error error_of(std::string_view text) {
    const auto report = imports::import_report(text, "in");
    REQUIRE_FALSE(report);
    return report.error();
}

bool mentions(const Error& error, std::string_view text) {
    return to_string(error).find(text) != std::string::npos;
}

// The text with the first occurrence of `from` replaced; the test fails when there is none.
std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("what is of no known format is refused with the list of known ones") {
    for (const char* text : {"", " \n", "hello", "{}", "[]", "[1, 2]", "{\"profiles\": 3}", "{\"properties\": {}}"}) {
        INFO(text);
        const Error error = error_of(text);
        CHECK(error.code == ErrorCode::kParseError);
        CHECK(error.where == "in");
        CHECK(mentions(error, "D3d12info JSON"));
    }
}

TEST_CASE("broken JSON is refused with its line") {
    const Error error = error_of("{\"properties\": {\n\"deviceName\" 3}}");
    CHECK(error.code == ErrorCode::kParseError);
    CHECK(mentions(error, "2"));
    const std::string cut = test::input_text("intel-b580-anv.38827.json").substr(0, 50'000);
    CHECK(error_of(cut).code == ErrorCode::kParseError);
}

TEST_CASE("a report of ours needs no import") {
    CHECK(mentions(error_of("{\"$schema\": \"urn:heapwright:schema:report:1\"}"), "needs no import"));
}

TEST_CASE("gpuinfo: memory that cannot be is refused") {
    const std::string text = test::input_text("apple-m1-moltenvk.38819.json");
    const Error heap = error_of(with(text, "\"heapIndex\": 0", "\"heapIndex\": 7"));
    CHECK(mentions(heap, "/memory"));
    CHECK(heap.value == 7);
    CHECK(heap.limit == 1);
    const Error size = error_of(with(text, "\"0x400000000\"", "\"much\""));
    CHECK(mentions(size, "/memory/memoryHeaps/0/size"));
    const Error count = error_of(with(text, "\"memoryTypeCount\": 4", "\"memoryTypeCount\": 5"));
    CHECK(mentions(count, "/memory/memoryTypeCount"));
    CHECK(count.value == 4);
    CHECK(count.limit == 5);
    const Error flags = error_of(with(text, "\"propertyFlags\": 15", "\"propertyFlags\": 4294967296"));
    CHECK(flags.limit == 4294967295);
}

TEST_CASE("gpuinfo: a limit that is no number is left out with a finding, and the rest stays") {
    const std::string text = test::input_text("apple-m1-moltenvk.38819.json");
    const auto report = imports::import_report(
        with(text, "\"bufferImageGranularity\": \"0x10\"", "\"bufferImageGranularity\": \"-1\""), "in");
    REQUIRE(report);
    const model::DeviceReport& device = report->devices.at(0);
    CHECK_FALSE(device.limit("bufferImageGranularity"));
    CHECK(test::is_absent(device, "/limits/VkPhysicalDeviceLimits/bufferImageGranularity"));
    CHECK(test::has_finding(device, "unreadable-value"));
    CHECK(device.limit("nonCoherentAtomSize") == 16);
}

TEST_CASE("vulkaninfo: text without devices, or cut in the middle") {
    CHECK(mentions(error_of("VULKANINFO\n==========\nInstance Extensions: count = 0\n"), "lists no device"));
    const std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    const Error cut = error_of(text.substr(0, text.find("\tmemoryTypes[3]:")));
    CHECK(mentions(cut, "memoryTypes holds another number of entries"));
    CHECK(cut.value == 3);
    CHECK(cut.limit == 5);
    CHECK(mentions(error_of(with(text, "heapIndex     = 1", "heapIndex     = one")), "in:1263"));
    CHECK(mentions(error_of(with(text, "heapIndex     = 1", "heapIndex     = 9")), "names a heap that is not there"));
    CHECK(mentions(error_of(with(text, "memoryHeaps[1]:", "memoryHeaps[3]:")), "expected memoryHeaps[1]"));
    CHECK(mentions(error_of("GPU0:\n\tnothing = 3\n"), "no deviceName"));
}

TEST_CASE("profiles: missing parts are named") {
    CHECK(mentions(error_of("{\"profiles\": {}, \"capabilities\": {}}"), "no profile"));
    CHECK(mentions(error_of("{\"profiles\": {\"p\": {\"capabilities\": [\"x\"]}}, \"capabilities\": {}}"),
                   "no capability block \"x\""));
}

TEST_CASE("D3d12info: missing parts are named") {
    CHECK(mentions(error_of("[{\"Adapters\": []}]"), "lists no adapter"));
    CHECK(mentions(error_of("[{\"Adapters\": 3}]"), "/0/Adapters"));
    CHECK(mentions(error_of("[{\"Adapters\": [{}]}]"), "DXGI_ADAPTER_DESC3"));
    const std::string text = test::input_text("rtx4090.2025-06-05.json");
    CHECK(mentions(error_of(with(text, "\"SharedSystemMemory\": 33868959744", "\"SharedSystemMemory\": -1")),
                   "/0/Adapters/0/DXGI_ADAPTER_DESC3/SharedSystemMemory"));
}

TEST_CASE("a number that cannot be one of its kind is refused with what it is") {
    // Two public reports of an old driver have such flags.
    const std::string flags = test::input_text("nvidia-rtx4090-win.38870.json");
    const Error negative =
        error_of(with(flags, "\"memoryHeaps\": [ { \"flags\": 1", "\"memoryHeaps\": [ { \"flags\": -1074900992"));
    CHECK(mentions(negative, "/memory/memoryHeaps/0/flags"));
    CHECK(mentions(negative, "expected a whole number from 0, here is -1074900992"));
    const Error part =
        error_of(with(flags, "\"memoryHeaps\": [ { \"flags\": 1", "\"memoryHeaps\": [ { \"flags\": 1.5"));
    CHECK(mentions(part, "here is 1.5"));
}
