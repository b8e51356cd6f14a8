#include "heapwright/model/format.hpp"

#include <array>

namespace heapwright::model {
namespace {

constexpr std::array<FormatInfo, kFormatCount> kFormats{{
#define HEAPWRIGHT_FORMAT(enumerator, ...) {Format::enumerator, __VA_ARGS__},
#include "heapwright/model/detail/format_rows.inc"
#undef HEAPWRIGHT_FORMAT
}};

constexpr bool table_is_in_enum_order() {
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
        if (static_cast<std::size_t>(kFormats[i].format) != i) return false;
    }
    return true;
}
static_assert(table_is_in_enum_order());
static_assert(kFormats[kSweptFormatCount - 1].format == Format::kD32SfloatS8Uint);

}  // namespace

const FormatInfo& info(Format format) {
    return kFormats[static_cast<std::size_t>(format)];
}

std::span<const FormatInfo> all_formats() {
    return kFormats;
}

std::span<const FormatInfo> swept_formats() {
    return std::span(kFormats).first(kSweptFormatCount);
}

std::optional<Format> format_from_name(std::string_view name) {
    for (const FormatInfo& entry : kFormats) {
        if (entry.name == name) return entry.format;
    }
    return std::nullopt;
}

}  // namespace heapwright::model
