#include "workload/read.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/workload_presets.hpp"
#include "workload/creation_rules.hpp"
#include "workload/stream.hpp"

namespace heapwright::workload {

Result<model::Workload> read_checked_workload(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(model::Workload read, model::read_workload(text, source));
    Status checked = check_workload(read);
    if (checked) checked = check_creation(read);
    if (checked) return read;
    Error error = std::move(checked.error());
    error.where = fmt::format("{}: {}", source, error.where);
    return fail(std::move(error));
}

std::vector<std::string_view> preset_names() {
    std::vector<std::string_view> names;
    for (const auto& entry : generated::kPresets) names.push_back(entry.name);
    return names;
}

Result<std::string_view> preset_text(std::string_view name) {
    const auto* entry = std::find_if(std::begin(generated::kPresets), std::end(generated::kPresets),
                                     [name](const auto& preset) { return preset.name == name; });
    if (entry != std::end(generated::kPresets)) return entry->text;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no workload preset \"{}\"; known are {}{}", name, fmt::join(preset_names(), ", "),
                            nearest_word_hint(name, preset_names())),
                "workload");
}

Result<model::Workload> preset(std::string_view name) {
    const std::size_t at = name.find('@');
    const std::string_view whole = name.substr(0, at);
    HEAPWRIGHT_ASSIGN(const auto text, preset_text(whole));
    HEAPWRIGHT_ASSIGN(model::Workload workload, model::read_workload(text, fmt::format("preset {}", whole)));
    if (at == std::string_view::npos) return workload;
    std::uint32_t percent = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + at + 1, end, percent);
    if (read.ec != std::errc{} || end - read.ptr != 1 || *read.ptr != '%' || percent < 1 || percent > 100) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\": after @ stands a whole percentage from 1% to 100%, as in {}@50%", name, whole),
                    "workload");
    }
    return at_percent(std::move(workload), percent);
}

model::Workload at_percent(model::Workload workload, std::uint32_t percent) {
    if (percent >= 100) return workload;
    const auto lower = [percent](auto& hint) {
        if (hint.count != 0)
            hint.count = std::max(1u, static_cast<std::uint32_t>(std::uint64_t{hint.count} * percent / 100));
    };
    std::ranges::for_each(workload.images, lower);
    std::ranges::for_each(workload.buffers, lower);
    workload.name += fmt::format("@{}%", percent);
    return workload;
}

}  // namespace heapwright::workload
