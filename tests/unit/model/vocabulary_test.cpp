// What a workload can say: formats, flags, the schema's descriptions, and what a wrong name is answered with.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "heapwright/model/json.hpp"
#include "model/names.hpp"

namespace vocabulary_test {

using namespace heapwright;
using namespace heapwright::model;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

std::string workload_text(const std::string& image) {
    return R"({"$schema": "urn:heapwright:schema:workload:1", "schema_version": 1, "name": "w", "images": [)" + image +
           R"(], "buffers": []})";
}

std::string refusal(const std::string& image) {
    const auto workload = read_workload(workload_text(image), "w");
    return workload ? std::string() : to_string(workload.error());
}

std::uint64_t packed(Format format, std::uint32_t width, std::uint32_t height) {
    return packed_size_bytes(ImageDescription{.format = format, .width = width, .height = height});
}

}  // namespace

TEST_CASE("a baseline's run is known by its name, and another name is none") {
    const auto names = names_of<Baseline>();
    for (std::size_t each = 0; each < names.size(); ++each) {
        const auto baseline = static_cast<Baseline>(each);
        CHECK(baseline_of({.name = name_of_baseline(kMixedWorkload, baseline)}) == baseline);
    }
    for (const char* name : {"mixed-workload", "mixed-workload/vma", "vma-default", "", "/"})
        CHECK_FALSE(baseline_of({.name = name}));
}

TEST_CASE("every format of the specification has a name, a number and a size") {
    std::set<std::string_view> names;
    std::set<std::uint32_t> numbers;
    for (const FormatInfo& format : all_formats()) {
        CAPTURE(format.name);
        names.insert(format.name);
        numbers.insert(format.vk_format);
        CHECK(format.block_width * format.block_height * format.block_bytes * format.planes > 0);
        CHECK(format_from_name(format.name) == format.format);
        CHECK((!format.compressed || format.has_blocks()));
    }
    CHECK(names.size() == kFormatCount);
    CHECK(numbers.size() == kFormatCount);
    CHECK(info(Format::kBc7SrgbBlock).vk_format == 146);
    CHECK(info(Format::kBc7SrgbBlock).dxgi_format == 99);
    CHECK(info(Format::kR16Unorm).vk_format == 70);
}

TEST_CASE("packed sizes follow the blocks and the planes of a format") {
    CHECK(packed(Format::kBc4UnormBlock, 16, 16) == 16 * 8);
    CHECK(packed(Format::kAstc12x12SrgbBlock, 25, 12) == 3 * 16);
    CHECK(packed(Format::kR64G64B64A64Sfloat, 2, 2) == 4 * 32);
    CHECK(packed(Format::kG8B8R82plane420Unorm, 64, 32) == 64 * 32 * 3 / 2);
    CHECK(packed(Format::kG8B8R83plane444Unorm, 4, 4) == 48);
    CHECK(packed(Format::kG10X6B10X6R10X62plane420Unorm3pack16, 64, 32) == 64 * 32 * 3);
    CHECK(packed(Format::kG8B8G8R8422Unorm, 64, 32) == 64 * 32 * 2);
    CHECK(packed(Format::kS8Uint, 8, 8) == 64);
}

TEST_CASE("usages of extensions and creation flags have names") {
    CHECK(parse_flag_name("ACCELERATION_STRUCTURE_STORAGE_KHR", buffer_usage_names()) == 0x100000u);
    CHECK(parse_flag_name("VIDEO_DECODE_DPB_KHR", image_usage_names()) == 0x1000u);
    CHECK(parse_flag_name("CUBE_COMPATIBLE", image_creation_names()) == image_creation::kCubeCompatible);
    CHECK(parse_flag_name("BIT_20", buffer_usage_names()) == 0x100000u);
}

TEST_CASE("every member of a workload is described, and states its default where it has one") {
    const Json schema = Json::parse(heapwright::model::schema("workload").value());
    const auto check = [](const std::string& record, const Json& definition, const std::set<std::string>& given) {
        for (const auto& [key, member] : definition.at("properties").items()) {
            if (key == "$schema" || key == "schema_version") continue;
            CAPTURE(record, key);
            CHECK(member.value("description", "").size() > 10);
            if (given.contains(key)) CHECK(member.contains("default"));
            for (const auto& required : definition.value("required", Json::array())) {
                if (required == key) CHECK_FALSE(member.contains("default"));
            }
        }
    };
    check("workload", schema, {"seed", "frame_budget_ns", "frames_in_flight", "reserve_share", "bindings", "uploads"});
    const Json& definitions = schema.at("definitions");
    check("image_hint", definitions.at("image_hint"), {"tiling", "full_mips", "lifetime", "memory_use", "samples"});
    check("buffer_hint", definitions.at("buffer_hint"), {"distribution", "lifetime", "memory_use"});
    check("binding_hint", definitions.at("binding_hint"), {"recording_contexts", "static_descriptors"});
    check("upload_hint", definitions.at("upload_hint"), {"largest_bytes"});
    check("memory_caps", definitions.at("memory_caps"), {});
    CHECK(definitions.at("image_hint").at("properties").at("lifetime").at("default") == "streaming");
    CHECK(schema.at("properties").at("frames_in_flight").at("default") == 3);
}

TEST_CASE("a wrong name is answered with the nearest right one") {
    CHECK_THAT(refusal(R"({"format": "BC7_UNORM", "usage": ["SAMPLED"], "count": 1})"),
               ContainsSubstring("the nearest is \"BC7_UNORM_BLOCK\""));
    CHECK_THAT(refusal(R"({"format": "R8_UNORM", "usage": ["SAMPELD"], "count": 1})"),
               ContainsSubstring("unknown flag \"SAMPELD\"; the nearest is \"SAMPLED\""));
    CHECK_THAT(refusal(R"({"format": "R8_UNORM", "usage": ["SAMPLED"], "count": 1, "lifetime": "frames"})"),
               ContainsSubstring("the nearest is \"frame\""));
    CHECK_THAT(refusal(R"({"format": "R8_UNORM", "usage": ["SAMPLED"], "count": 1, "fullmips": true})"),
               ContainsSubstring("unknown key; the nearest is \"full_mips\""));
    const std::string hot_reload =
        refusal(R"({"format": "R8_UNORM", "usage": ["SAMPLED"], "count": 1, "hot_reload": true})");
    CHECK(hot_reload.ends_with("unknown key"));
    CHECK_THAT(to_string(schema("polic").error()), ContainsSubstring("the nearest is \"policy\""));
}

TEST_CASE("a format's name of another API, or a short one, is answered with the format that it means") {
    CHECK_THAT(refusal(R"({"format": "RGBA8", "usage": ["SAMPLED"], "count": 1})"),
               ContainsSubstring("the nearest is \"R8G8B8A8_UNORM\""));
    CHECK_THAT(refusal(R"({"format": "DXGI_FORMAT_BC7_UNORM", "usage": ["SAMPLED"], "count": 1})"),
               ContainsSubstring("the nearest is \"BC7_UNORM_BLOCK\""));
    const std::string nothing = refusal(R"({"format": "my-texture", "usage": ["SAMPLED"], "count": 1})");
    CHECK(nothing.ends_with(fmt::format("is none of the {} names", kFormatCount)));
}

TEST_CASE("a duration with a unit is answered with what is expected") {
    std::string text = workload_text("");
    text.insert(text.rfind('}'), R"(, "frame_budget_ns": "16ms")");
    CHECK_THAT(to_string(read_workload(text, "w").error()),
               ContainsSubstring("w: /frame_budget_ns: \"16ms\" is not an integer; expected is the number alone, "
                                 "without quotes or a unit"));
    text.replace(text.find("16ms"), 4, "0xFF");
    CHECK_THAT(to_string(read_workload(text, "w").error()), ContainsSubstring("16 lower-case hexadecimal digits"));
}

TEST_CASE("a workload may hold comments, a report may not") {
    const auto commented = read_workload("// by hand\n" + workload_text(""), "w");
    CHECK(commented.has_value());
    const auto report = read_report("// by hand\n{}", "r");
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kParseError);
}

TEST_CASE("what a workload leaves out is not written, so that older workloads keep their hashes") {
    Workload workload;
    workload.name = "w";
    workload.images = {{}};
    workload.buffers = {{}};
    const std::string plain = write(workload);
    for (const char* key : {"flags", "depth", "mip_levels", "host_access", "dedicated", "importance", "caps"}) {
        CAPTURE(key);
        CHECK(plain.find("\"" + std::string(key) + "\"") == std::string::npos);
    }
    workload.images[0].depth = 4;
    workload.images[0].mip_levels = 2;
    workload.images[0].flags = image_creation::k2dArrayCompatible;
    workload.buffers[0].memory_use = MemoryUse::kUpload;
    workload.buffers[0].host_access = HostAccess::kRandom;
    workload.buffers[0].dedicated = OwnMemory::kNever;
    workload.buffers[0].importance = 7;
    workload.caps = MemoryCaps{.host_bytes = 1 << 20};
    const std::string full = write(workload);
    const auto read = read_workload(full, "w");
    REQUIRE(read);
    CHECK(write(*read) == full);
    CHECK(read->images[0].depth == 4u);
    CHECK(read->buffers[0].dedicated == OwnMemory::kNever);
    CHECK(read->caps->device_local_bytes == 0);
}

}  // namespace vocabulary_test
