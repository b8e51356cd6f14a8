#include "export/sheet.hpp"

#include <utility>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heapwright::exporting {
namespace {

// Why engines in general have no setting for it; an exporter that knows better says so with explain().
constexpr std::array kGeneralReasons{
    Reason{"/heaps/*/usable_bytes",
           "it has no limit for a heap; keep to it with the memory budget that the API reports"},
    Reason{"/heaps/*/parts", "K only decides chunk sizes, which are exported where there is a setting for them"},
    Reason{"/heaps/*/reserve_share", "it leaves no share of the budget to others; compare before each allocation"},
    Reason{"/memory_uses/*/memory_types", "it chooses memory types itself, by property flags"},
    Reason{"/largest_ordinary_bytes", "M only decides chunk sizes and the humongous threshold"},
    Reason{"/humongous_threshold_bytes",
           "it refuses no request for its size; the application must compare, and ask for memory of its own"},
    Reason{"/largest_buffer_bytes", "it takes buffers as they come; the application splits its data itself"},
    Reason{"/largest_storage_buffer_bytes", "it takes buffers as they come; the application splits its data itself"},
    Reason{"/split/*/part_bytes", "it takes buffers as they come; the application makes the parts itself"},
    Reason{"/humongous", "it refuses no request for its size; the application does, where the policy says so"},
    Reason{"/dedicated", "it decides by its own rule when a resource gets memory of its own"},
    Reason{"/separate_linear_and_optimal", "it keeps bufferImageGranularity by its own rule"},
    Reason{"/max_chunks", "it counts no device allocations"},
    Reason{"/frames_in_flight", "the application's frame loop decides it"},
    Reason{"/buckets/*/resource_classes", "it does not let the classes of resources in one block be chosen"},
    Reason{"/buckets/*/chunk_size_bytes", "it has no block size for this memory type"},
    Reason{"/buckets/*/growth/first_chunk_bytes", "its blocks do not grow from a first size that can be set"},
    Reason{"/buckets/*/growth/divisor", "its blocks grow by its own rule"},
    Reason{"/buckets/*/dedicated_threshold_bytes",
           "it has no size from which a resource gets memory of its own; the application asks for that itself"},
    Reason{"/buckets/*/chunk_choice", "it has its own rule for which block takes a request"},
    Reason{"/buckets/*/suballocator", "it brings its own suballocator"},
    Reason{"/buckets/*/granule_bytes", "it has no least alignment that can be set"},
    Reason{"/buckets/*/chunks_ahead", "it allocates no memory ahead of need; a thread of the application could"},
    Reason{"/buckets/*/priority", "it gives its memory no priority that can be set"},
    Reason{"/buckets/*/expected_bytes", "it takes no forecast of how much will be in use"},
    Reason{"/expectations/", "it sets nothing: a measurement is compared with it"},
    Reason{"/descriptors/", "it does not manage the descriptor heaps"},
    Reason{"/uploads/", "it does not manage upload memory"},
    Reason{"/creations/memory_priority", "the application switches the device's features on"},
    Reason{"/creations/", "it limits no threads; the application does"},
    Reason{"/engines/", "which queue does which work is the application's to set up, or its own rule"},
};

}  // namespace

Sheet::Sheet(std::string_view target_title, const model::Policy& policy, std::size_t device, std::string policy_hash)
    : title_(target_title),
      policy_(policy),
      device_(device),
      policy_hash_(std::move(policy_hash)),
      all_(policy_values(policy, device)) {}

void Sheet::mark(std::string_view path) {
    used_.emplace(path);
}

std::string Sheet::named(std::string_view path) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const PolicyValue& v) { return v.path == path; });
    return found == all_.end() ? std::string(path) : fmt::format("{} = {}", name_of(*found), found->text);
}

std::uint64_t Sheet::set(const Setting& setting, std::uint64_t policy_value, std::string_view path,
                         std::string_view where) {
    mark(path);
    const Applied applied = apply(setting, policy_value);
    const std::string key = where.empty() ? std::string(setting.key) : fmt::format("{} [{}]", setting.key, where);
    values_.push_back(fmt::format("{} = {}{}{} from {}", key, applied.value, setting.unit.empty() ? "" : " ",
                                  setting.unit, named(path)));
    for (const std::string& what : applied.changes) change(key, what);
    return applied.value;
}

void Sheet::set_text(const Setting& setting, std::string_view value, const std::vector<std::string>& paths,
                     std::string_view where) {
    std::string from;
    for (const std::string& path : paths) {
        mark(path);
        from += (from.empty() ? "" : " and ") + named(path);
    }
    const std::string key = where.empty() ? std::string(setting.key) : fmt::format("{} [{}]", setting.key, where);
    values_.push_back(fmt::format("{} = {} from {}", key, value, from));
}

std::optional<std::uint64_t> Sheet::set_decided(const Setting& setting, const model::Decided<std::uint64_t>& decided,
                                                std::string_view path, std::string_view where) {
    if (decided.value != 0) return set(setting, decided.value, path, where);
    leave_out(setting, fmt::format("the policy has no {}", path));
    return std::nullopt;
}

void Sheet::leave_out(const Setting& setting, std::string_view why) {
    left_out_.push_back(fmt::format("{} (default {}): {}", setting.key, setting.by_default, why));
}

void Sheet::change(std::string_view key, std::string_view what) {
    changes_.push_back(fmt::format("{}: {}", key, what));
}

void Sheet::explain(std::string_view pattern_or_path, std::string_view reason) {
    reasons_[std::string(pattern_or_path)] = reason;
}

std::string Sheet::reason_for(const PolicyValue& value) const {
    for (const std::string_view key : {std::string_view(value.path), std::string_view(value.pattern)}) {
        if (const auto own = reasons_.find(key); own != reasons_.end()) return own->second;
    }
    // A reason for all that lies below a place ends with a slash.
    const auto below = [&](std::string_view place) { return place.ends_with('/') && value.pattern.starts_with(place); };
    for (const auto& [place, reason] : reasons_) {
        if (below(place)) return reason;
    }
    for (const Reason& general : kGeneralReasons) {
        if (general.pattern == value.pattern || below(general.pattern)) return std::string(general.reason);
    }
    return "it has no setting for it";
}

std::vector<std::string> Sheet::not_expressible() const {
    std::vector<std::string> lines;
    for (const PolicyValue& value : all_) {
        if (used_.contains(value.path)) continue;
        lines.push_back(
            fmt::format("not expressible in {}: {} = {}: {}", title_, name_of(value), value.text, reason_for(value)));
    }
    return lines;
}

}  // namespace heapwright::exporting
