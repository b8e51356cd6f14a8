#include "compare/case_path.hpp"

#include <fmt/format.h>

#include "model/names.hpp"

namespace heapwright::compare {
namespace {

constexpr std::string_view kNoFlags = "NONE";

}  // namespace

std::string case_path(const model::ImageCase& entry) {
    return fmt::format("/image_sweep/{}/{}/{}/{}/{}/layers_{}/samples_{}", name_of(entry.format), name_of(entry.tiling),
                       name_of(entry.dimension), model::flags_text(entry.usage, model::image_usage_names(), kNoFlags),
                       entry.full_mips ? "full_mips" : "one_mip", entry.array_layers, entry.samples);
}

std::string case_path(const model::BufferCase& entry) {
    return fmt::format("/buffer_sweep/{}", model::flags_text(entry.usage, model::buffer_usage_names(), kNoFlags));
}

}  // namespace heapwright::compare
