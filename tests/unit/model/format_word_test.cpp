// What a format's name of another API or a shorthand is taken for.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

#include "model/format_word.hpp"

namespace format_word_test {

using namespace heapwright::model;

namespace {

std::string meant(std::string_view word) {
    const auto format = format_from_word(word);
    return format ? std::string(info(*format).name) : "nothing";
}

}  // namespace

TEST_CASE("Vulkan's own name of every format means it, with the prefix and in small letters") {
    for (const FormatInfo& format : all_formats()) {
        CAPTURE(format.name);
        CHECK(meant("VK_FORMAT_" + std::string(format.name)) == format.name);
        std::string small(format.name);
        for (char& c : small) c = c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        CHECK(meant(small) == format.name);
    }
}

// DXGI_FORMAT's names by their numbers: its documentation.
TEST_CASE("DXGI's name of every format that it shares with Vulkan means it") {
    constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {{2, "R32G32B32A32_FLOAT"},
                                                                     {3, "R32G32B32A32_UINT"},
                                                                     {4, "R32G32B32A32_SINT"},
                                                                     {6, "R32G32B32_FLOAT"},
                                                                     {7, "R32G32B32_UINT"},
                                                                     {8, "R32G32B32_SINT"},
                                                                     {10, "R16G16B16A16_FLOAT"},
                                                                     {11, "R16G16B16A16_UNORM"},
                                                                     {12, "R16G16B16A16_UINT"},
                                                                     {13, "R16G16B16A16_SNORM"},
                                                                     {14, "R16G16B16A16_SINT"},
                                                                     {16, "R32G32_FLOAT"},
                                                                     {17, "R32G32_UINT"},
                                                                     {18, "R32G32_SINT"},
                                                                     {20, "D32_FLOAT_S8X24_UINT"},
                                                                     {24, "R10G10B10A2_UNORM"},
                                                                     {25, "R10G10B10A2_UINT"},
                                                                     {26, "R11G11B10_FLOAT"},
                                                                     {28, "R8G8B8A8_UNORM"},
                                                                     {29, "R8G8B8A8_UNORM_SRGB"},
                                                                     {30, "R8G8B8A8_UINT"},
                                                                     {31, "R8G8B8A8_SNORM"},
                                                                     {32, "R8G8B8A8_SINT"},
                                                                     {34, "R16G16_FLOAT"},
                                                                     {35, "R16G16_UNORM"},
                                                                     {36, "R16G16_UINT"},
                                                                     {37, "R16G16_SNORM"},
                                                                     {38, "R16G16_SINT"},
                                                                     {40, "D32_FLOAT"},
                                                                     {41, "R32_FLOAT"},
                                                                     {42, "R32_UINT"},
                                                                     {43, "R32_SINT"},
                                                                     {45, "D24_UNORM_S8_UINT"},
                                                                     {49, "R8G8_UNORM"},
                                                                     {50, "R8G8_UINT"},
                                                                     {51, "R8G8_SNORM"},
                                                                     {52, "R8G8_SINT"},
                                                                     {54, "R16_FLOAT"},
                                                                     {55, "D16_UNORM"},
                                                                     {56, "R16_UNORM"},
                                                                     {57, "R16_UINT"},
                                                                     {58, "R16_SNORM"},
                                                                     {59, "R16_SINT"},
                                                                     {61, "R8_UNORM"},
                                                                     {62, "R8_UINT"},
                                                                     {63, "R8_SNORM"},
                                                                     {64, "R8_SINT"},
                                                                     {67, "R9G9B9E5_SHAREDEXP"},
                                                                     {71, "BC1_UNORM"},
                                                                     {72, "BC1_UNORM_SRGB"},
                                                                     {74, "BC2_UNORM"},
                                                                     {75, "BC2_UNORM_SRGB"},
                                                                     {77, "BC3_UNORM"},
                                                                     {78, "BC3_UNORM_SRGB"},
                                                                     {80, "BC4_UNORM"},
                                                                     {81, "BC4_SNORM"},
                                                                     {83, "BC5_UNORM"},
                                                                     {84, "BC5_SNORM"},
                                                                     {85, "B5G6R5_UNORM"},
                                                                     {86, "B5G5R5A1_UNORM"},
                                                                     {87, "B8G8R8A8_UNORM"},
                                                                     {91, "B8G8R8A8_UNORM_SRGB"},
                                                                     {95, "BC6H_UF16"},
                                                                     {96, "BC6H_SF16"},
                                                                     {98, "BC7_UNORM"},
                                                                     {99, "BC7_UNORM_SRGB"}};
    for (const auto& [number, name] : kNames) {
        const auto format = format_from_word("DXGI_FORMAT_" + std::string(name));
        CAPTURE(name);
        REQUIRE(format);
        CHECK(info(*format).dxgi_format == number);
    }
}

TEST_CASE("shorthands and the names of other APIs mean the format with their channels") {
    constexpr std::pair<std::string_view, std::string_view> kWords[] = {
        {"RGBA8", "R8G8B8A8_UNORM"},
        {"rgba8", "R8G8B8A8_UNORM"},
        {"BGRA8", "B8G8R8A8_UNORM"},
        {"ARGB8", "B8G8R8A8_UNORM"},
        {"RG8", "R8G8_UNORM"},
        {"RGB8", "R8G8B8_UNORM"},
        {"SRGB8", "R8G8B8_SRGB"},
        {"R16", "R16_UNORM"},
        {"R16F", "R16_SFLOAT"},
        {"RG16F", "R16G16_SFLOAT"},
        {"RGBA16F", "R16G16B16A16_SFLOAT"},
        {"R32F", "R32_SFLOAT"},
        {"R32UI", "R32_UINT"},
        {"RGBA32I", "R32G32B32A32_SINT"},
        {"RGB10A2", "A2B10G10R10_UNORM_PACK32"},
        {"R11G11B10F", "B10G11R11_UFLOAT_PACK32"},
        {"R11F_G11F_B10F", "B10G11R11_UFLOAT_PACK32"},
        {"RGB9E5", "E5B9G9R9_UFLOAT_PACK32"},
        {"RGB565", "R5G6B5_UNORM_PACK16"},
        {"GL_RGBA8_SNORM", "R8G8B8A8_SNORM"},
        {"rgba8unorm-srgb", "R8G8B8A8_SRGB"},
        {"rgba16float", "R16G16B16A16_SFLOAT"},
        {"MTLPixelFormatBC7_RGBAUnorm", "BC7_UNORM_BLOCK"},
        {"D16", "D16_UNORM"},
        {"D24", "X8_D24_UNORM_PACK32"},
        {"D24S8", "D24_UNORM_S8_UINT"},
        {"DEPTH24_STENCIL8", "D24_UNORM_S8_UINT"},
        {"D32F", "D32_SFLOAT"},
        {"D32S8", "D32_SFLOAT_S8_UINT"},
        {"S8", "S8_UINT"},
        {"BC1", "BC1_RGBA_UNORM_BLOCK"},
        {"BC1_SRGB", "BC1_RGBA_SRGB_BLOCK"},
        {"BC4", "BC4_UNORM_BLOCK"},
        {"BC6H", "BC6H_UFLOAT_BLOCK"},
        {"bc7", "BC7_UNORM_BLOCK"},
        {"ETC2_RGB8", "ETC2_R8G8B8_UNORM_BLOCK"},
        {"EAC_R11", "EAC_R11_UNORM_BLOCK"},
        {"ASTC", "ASTC_4x4_UNORM_BLOCK"},
        {"ASTC6x6", "ASTC_6x6_UNORM_BLOCK"},
        {"ASTC_8X8_SRGB", "ASTC_8x8_SRGB_BLOCK"},
    };
    for (const auto& [word, name] : kWords) {
        CAPTURE(word);
        CHECK(meant(word) == name);
    }
}

TEST_CASE("a word that names no format's channels means none") {
    for (const char* word : {"", "FORMAT", "RGBA", "UNORM", "R8G8B8A8_UNROM", "hot_reload", "NV12", "R7", "R32_UNORM",
                             "DXGI_FORMAT_ASTC_4X4_UNORM", "BC9"}) {
        CAPTURE(word);
        CHECK(meant(word) == "nothing");
    }
    CHECK(nearest_format_hint("R8G8B8A8_UNROM") == "; the nearest is \"R8G8B8A8_UNORM\"");
    CHECK(nearest_format_hint("ETC2") == "; the nearest is \"ETC2_R8G8B8_UNORM_BLOCK\"");
    CHECK(nearest_format_hint("PVRTC").ends_with("UNORM_BLOCK_IMG\""));
    CHECK(nearest_format_hint("ETC2_R8G8B8_SRGB_BLOC").ends_with("SRGB_BLOCK\""));
    CHECK(nearest_format_hint("hot_reload").empty());
    CHECK(format_from_word(std::string(1 << 20, 'R')) == std::nullopt);
}

}  // namespace format_word_test
