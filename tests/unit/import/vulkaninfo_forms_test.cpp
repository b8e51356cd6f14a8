// vulkaninfo's text as people have it: of earlier years, in UTF-16, indented, quoted, fenced, among other output, in
// part.
#include <catch2/catch_test_macros.hpp>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace vulkaninfo_forms_test {

using namespace heapwright;

namespace {

constexpr std::string_view kH100 = "nvidia-h100-580.159.04.txt";

// The whole report but the statement with the file's hash.
std::string facts_of(std::string_view text) {
    model::Report report = test::imported_text(text);
    for (model::DeviceReport& device : report.devices) {
        REQUIRE(device.findings.at(0).id == "imported");
        device.findings.erase(device.findings.begin());
    }
    return model::write(report);
}

std::string prefixed(std::string_view text, std::string_view prefix, std::string_view line_end = "\n") {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        result += prefix;
        result += text.substr(0, end);
        result += line_end;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

// Of ASCII text.
std::string utf16(std::string_view text, bool big_endian, bool with_mark) {
    std::string result;
    if (with_mark) result = big_endian ? "\xfe\xff" : "\xff\xfe";
    for (const char c : text) {
        if (big_endian) result += '\0';
        result += c;
        if (!big_endian) result += '\0';
    }
    return result;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

const model::DeviceReport& only(const model::Report& report) {
    REQUIRE(report.devices.size() == 1);
    return report.devices.front();
}

}  // namespace

TEST_CASE("vulkaninfo's text gives one report in every form in which it is passed on") {
    const std::string other = replaced(test::input_text(kH100), "size   = 85520809984", "size   = 42760404992");
    for (const std::string& text : {test::input_text(kH100), other}) {
        const std::string plain = facts_of(text);
        const std::string windows = prefixed(text, "", "\r\n");
        for (const bool big_endian : {false, true}) {
            for (const bool with_mark : {false, true}) {
                INFO("UTF-16, big endian: " << big_endian << ", with a mark: " << with_mark);
                CHECK(facts_of(utf16(text, big_endian, with_mark)) == plain);
                CHECK(facts_of(utf16(windows, big_endian, with_mark)) == plain);
            }
        }
        CHECK(facts_of(windows) == plain);
        for (const std::string_view prefix : {"    ", "\t", "> ", ">> ", ">", "  > \t"}) {
            INFO("before each line: '" << prefix << "'");
            CHECK(facts_of(prefixed(text, prefix)) == plain);
        }
        // An editor cut the blanks at the end of each empty line.
        std::string cut = prefixed(text, "> ");
        for (std::size_t at = 0; (at = cut.find("> \n", at)) != std::string::npos;) cut.erase(at + 1, 1);
        CHECK(facts_of(cut) == plain);
    }
}

TEST_CASE("what stands before and after vulkaninfo's text changes nothing but the lines' numbers") {
    const std::string text = test::input_text(kH100);
    const std::string plain = facts_of(text);
    for (const std::string_view before :
         {"```\n", "<details>\n\n```text\n", "[me@here ~]$ vulkaninfo\n", "user@host:~$ vulkaninfo --show-all\n",
          "WARNING: radv is not a conformant Vulkan implementation, testing use only.\n",
          "[Loader Message] Code 0 : a layer was not found\n'DISPLAY' environment variable not set... skipping surface "
          "info\n",
          "# My GPU\n\nIt says: GPU\n\n~~~\n"}) {
        INFO(before);
        CHECK(facts_of(std::string(before) + text + "```\nuser@host:~$ exit\n</details>\n") == plain);
    }
    const std::string quoted_fence = prefixed("It says\n```\n" + text + "```\n", "> ");
    CHECK(facts_of(quoted_fence) == plain);
}

TEST_CASE("an error in a form names the line of the file") {
    const std::string broken = replaced(test::input_text(kH100), "heapIndex     = 1", "heapIndex     = one");
    for (const std::string& text : {prefixed(broken, "> "), utf16(broken, false, true), prefixed(broken, "", "\r\n")}) {
        const auto report = imports::import_report(text, "in");
        REQUIRE_FALSE(report);
        CHECK(report.error().where == "in:1263");
    }
}

TEST_CASE("vulkaninfo's text of 2016 and 2018 keeps queue families and extensions") {
    const std::string text_2016 = test::case_text("vulkaninfo-2016.txt");
    const model::Report report_2016 = test::imported_text(text_2016);
    const model::DeviceReport& gtx = only(report_2016);
    CHECK(gtx.identity.name == "GTX 860M");
    CHECK(gtx.identity.api_version == "1.0.8");
    CHECK(gtx.identity.driver_version == 1526988800);
    REQUIRE(gtx.heaps.size() == 2);
    CHECK(gtx.heaps[0].size_bytes == 4294967296);
    CHECK(gtx.heaps[0].flags == 1);
    CHECK(gtx.heaps[1].size_bytes == 12553638912);
    REQUIRE(gtx.memory_types.size() == 4);
    CHECK(gtx.memory_types[3].property_flags == 0xe);
    REQUIRE(gtx.queue_families.size() == 2);
    CHECK(gtx.queue_families[0].queue_count == 16);
    CHECK(gtx.queue_families[0].flags == 0xf);
    CHECK(gtx.queue_families[1].queue_count == 1);
    CHECK(gtx.queue_families[1].flags == 4);
    REQUIRE(gtx.extensions.size() == 3);
    CHECK(gtx.extensions[2].name == "VK_NV_glsl_shader");
    CHECK(gtx.extensions[1].spec_version == 67);
    CHECK(gtx.limit("bufferImageGranularity") == 0x10000);
    CHECK(gtx.feature(model::FactName::made("sparseBinding")) == true);
    for (const char* pointer : {"/queue_families", "/extensions", "/heaps", "/limits", "/features"}) {
        CHECK_FALSE(test::is_absent(gtx, pointer));
    }
    const model::Report report_2018 = test::imported_text(test::case_text("vulkaninfo-2018.txt"));
    const model::DeviceReport& quadro = only(report_2018);
    CHECK(quadro.identity.name == "Quadro K620");
    CHECK(quadro.heaps.at(1).size_bytes == 12570052608);
    CHECK(quadro.memory_types.size() == 11);
    REQUIRE(quadro.queue_families.size() == 2);
    CHECK(quadro.queue_families[0].queue_count == 16);
    CHECK(quadro.extensions.size() == 34);

    // Other figures; and a text that was cut.
    std::string other = replaced(text_2016, "queueCount         = 16", "queueCount         = 3");
    other = replaced(other, "GRAPHICS | COMPUTE | TRANSFER | SPARSE", "COMPUTE");
    other = replaced(other, "minImageTransferGranularity = (1, 1, 1)", "minImageTransferGranularity = (8, 4, 2)");
    other = replaced(other, "extension revision 67", "extension revision 68");
    const model::Report changed = test::imported_text(other);
    CHECK(only(changed).queue_families.at(0).queue_count == 3);
    CHECK(only(changed).queue_families[0].flags == 2);
    CHECK(only(changed).queue_families[0].min_image_transfer_granularity == std::array<std::uint32_t, 3>{8, 4, 2});
    CHECK(only(changed).extensions.at(1).spec_version == 68);
    const auto cut = imports::import_report(text_2016.substr(0, text_2016.find("memoryHeaps[1]")), "in");
    REQUIRE_FALSE(cut);
    CHECK(cut.error().value == 1);
    CHECK(cut.error().limit == 2);
}

TEST_CASE("published texts in passed-on forms import with their figures") {
    const model::Report windows = test::imported_text(test::case_text("vulkaninfo-utf16-crlf.txt"));
    CHECK(only(windows).identity.name == "Intel(R) Iris(R) Xe Graphics");
    CHECK(only(windows).heaps.at(0).size_bytes == 8387096576);
    CHECK(only(windows).run.heap_budgets.at(0).budget_bytes == 7699306292);
    CHECK(only(windows).memory_types.size() == 3);
    CHECK(only(windows).queue_families.size() == 1);
    CHECK(only(windows).extensions.size() == 40);

    for (const char* name : {"vulkaninfo-indented-4-spaces.txt", "vulkaninfo-quoted.txt"}) {
        INFO(name);
        const model::Report report = test::imported_text(test::case_text(name));
        const model::DeviceReport& device = only(report);
        CHECK(device.identity.name == "GeForce RTX 2080 Ti");
        REQUIRE(device.heaps.size() == 2);
        CHECK(device.heaps[0].size_bytes == 11811160064);
        CHECK(device.heaps[1].size_bytes == 25216204800);
        CHECK(device.memory_types.size() == 11);
        CHECK(device.queue_families.size() == 3);
        CHECK(device.extensions.size() == 40);
    }

    const model::Report fenced = test::imported_text(test::case_text("vulkaninfo-markdown-fence.md"));
    CHECK(only(fenced).heaps.at(0).size_bytes == 2147483648);
    CHECK(only(fenced).queue_families.size() == 1);
    CHECK(only(fenced).extensions.size() == 14);
    CHECK(test::is_absent(only(fenced), "/volatile/heap_budgets"));
}

TEST_CASE("a section alone imports as what it is") {
    const std::string text = test::case_text("vulkaninfo-memory-section-alone.txt");
    const model::Report report = test::imported_text(text);
    const model::DeviceReport& device = only(report);
    REQUIRE(device.heaps.size() == 3);
    CHECK(device.heaps[1].size_bytes == 16852713472);
    CHECK(device.run.heap_budgets.at(1).usage_bytes == 331776);
    REQUIRE(device.memory_types.size() == 8);
    CHECK(device.memory_types[7].property_flags == 0xce);
    CHECK(test::has_finding(device, "part-of-vulkaninfo"));
    for (const char* pointer :
         {"/identity/name", "/identity/vendor_id", "/limits", "/features", "/queue_families", "/extensions"}) {
        CHECK(test::is_absent(device, pointer));
    }
    CHECK_FALSE(test::is_absent(device, "/heaps"));

    // Quoted, with other figures, and with the device's properties before it.
    const std::string h100 = test::input_text(kH100);
    const std::size_t properties = h100.find("VkPhysicalDeviceProperties:");
    const std::size_t memory = h100.find("VkPhysicalDeviceMemoryProperties:");
    const std::size_t features = h100.find("VkPhysicalDeviceFeatures:");
    REQUIRE(features != std::string::npos);
    const model::Report memory_alone = test::imported_text(prefixed(h100.substr(memory, features - memory), "> "));
    CHECK(only(memory_alone).heaps.size() == 2);
    CHECK(only(memory_alone).memory_types.size() == 5);
    const model::Report with_name = test::imported_text(h100.substr(properties));
    CHECK(only(with_name).identity.name == "NVIDIA H100 80GB HBM3");
    CHECK(only(with_name).identity == only(test::imported(kH100)).identity);
    CHECK_FALSE(test::is_absent(only(with_name), "/identity/name"));

    const auto empty = imports::import_report("VkPhysicalDeviceMemoryProperties:\n====\n", "in");
    REQUIRE_FALSE(empty);
    CHECK(to_string(empty.error()).find("vulkaninfo > ") != std::string::npos);
}

TEST_CASE("JSON is read in UTF-16 and from a Markdown fence, too") {
    const std::string text = test::input_text("rtx4090.2025-06-05.json");
    const std::string plain = facts_of(text);
    CHECK(facts_of(utf16(text, false, true)) == plain);
    CHECK(facts_of(utf16(text, true, false)) == plain);
    CHECK(facts_of("My report:\n\n```json\n" + text + "\n```\nThanks!\n") == plain);
    const auto broken = imports::import_report("Look:\n```\n{\n  \"Adapters\": [}\n```\n", "in");
    REQUIRE_FALSE(broken);
    CHECK(to_string(broken.error()).find("line 4") != std::string::npos);
}

TEST_CASE("letters beyond Latin survive UTF-16, and what is none becomes U+FFFD") {
    const auto name_of = [](std::string_view name_units) {
        std::string text = utf16("GPU0:\n\tvendorID = 1\n\tdeviceID = 2\n\tdeviceName = a", false, true);
        text += name_units;
        text += utf16("z\n", false, false);
        const model::Report report = test::imported_text(text);
        return only(report).identity.name;
    };
    CHECK(name_of({"\xe9\x00\xac\x20\x3d\xd8\x00\xde", 8}) == "a\u00e9\u20ac\U0001f600z");
    CHECK(name_of({"\x3d\xd8", 2}) == "a\ufffdz");
    CHECK(name_of({"\x00\xde", 2}) == "a\ufffdz");
}

}  // namespace vulkaninfo_forms_test
