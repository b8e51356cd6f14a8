#include <catch2/catch_test_macros.hpp>

#include <limits>

#include "import/number_text.hpp"
#include "import/parts.hpp"

using namespace heapwright;
using namespace heapwright::imports;

TEST_CASE("numbers come in decimal, in hexadecimal and as words") {
    CHECK(parse_number("4096") == 4096);
    CHECK(parse_number(" 0x1000 ") == 4096);
    CHECK(parse_number("0XffffFFFFffffFFFF") == std::numeric_limits<std::uint64_t>::max());
    CHECK(parse_number("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
    CHECK(parse_number("true") == 1);
    CHECK(parse_number("false") == 0);
    for (const char* text : {"", "0x", "-1", "1.5", "18446744073709551616", "12 GiB", "0x1g", "+3"}) {
        INFO(text);
        CHECK_FALSE(parse_number(text));
    }
}

TEST_CASE("identifiers are read with and without dashes") {
    CHECK(parse_hexadecimal("00000000-00011797", 8) == "0000000000011797");
    CHECK(parse_hexadecimal("8680A056080000002F00000000000000", 16) == "8680a056080000002f00000000000000");
    CHECK_FALSE(parse_hexadecimal("8680A0", 16));
    CHECK_FALSE(parse_hexadecimal("8680A056080000002F0000000000000g", 16));
}

TEST_CASE("flags are known by every spelling that tools use") {
    const auto queue = model::queue_flag_names();
    CHECK(parse_flag("QUEUE_GRAPHICS", "QUEUE_", queue) == model::queue_flag::kGraphics);
    CHECK(parse_flag("VK_QUEUE_VIDEO_DECODE_BIT_KHR", "QUEUE_", queue) == model::queue_flag::kVideoDecode);
    CHECK(parse_flag("VK_QUEUE_OPTICAL_FLOW_BIT_NV", "QUEUE_", queue) == model::queue_flag::kOpticalFlowNv);
    // vulkaninfo 1.3.239 cuts the last letter.
    CHECK(parse_flag("QUEUE_OPTICAL_FLOW_BIT_N", "QUEUE_", queue) == model::queue_flag::kOpticalFlowNv);
    CHECK_FALSE(parse_flag("QUEUE_TELEPORT_BIT", "QUEUE_", queue));
    CHECK(parse_flag("MEMORY_HEAP_MULTI_INSTANCE_BIT_KHR", "MEMORY_HEAP_", model::memory_heap_names()) ==
          model::memory_heap::kMultiInstance);
    CHECK(parse_flag("MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD", "MEMORY_PROPERTY_", model::memory_property_names()) ==
          model::memory_property::kDeviceCoherentAmd);
    CHECK(parse_sample_count("VK_SAMPLE_COUNT_16_BIT") == 16);
    CHECK_FALSE(parse_sample_count("SAMPLE_COUNT_BIT"));
}

TEST_CASE("versions and their parts") {
    CHECK(vulkan_version_text(4210993) == "1.4.305");
    CHECK(api_minor_version("1.4.305") == 4);
    CHECK(api_minor_version("12_2") == 0);
    CHECK(conformance_text("0.0.0.0").empty());
    CHECK(conformance_text("1.4.1.3") == "1.4.1.3");
}
