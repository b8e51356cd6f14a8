#include "export/setting.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/checked.hpp"
#include "heapwright/model/claim_text.hpp"
#include "model/decisions.hpp"
#include "model/names.hpp"

namespace heapwright::exporting {

namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

std::string with_unit(std::uint64_t value, const Setting& setting) {
    return setting.unit.empty() ? std::to_string(value) : fmt::format("{} {}", value, setting.unit);
}

std::uint64_t rounded(const Setting& setting, std::uint64_t value) {
    switch (setting.rounding) {
        case Rounding::kNone: return value;
        case Rounding::kDown: return value / setting.multiple * setting.multiple;
        case Rounding::kPowerOfTwoDown: return value == 0 ? 0 : std::bit_floor(value);
        case Rounding::kUp: {
            const auto up = checked_mul(div_ceil(value, setting.multiple), setting.multiple);
            return up ? *up : kUnbounded / setting.multiple * setting.multiple;
        }
    }
    return value;
}

}  // namespace

Applied apply(const Setting& setting, std::uint64_t policy_value) {
    Applied applied;
    const bool down = setting.rounding == Rounding::kDown || setting.rounding == Rounding::kPowerOfTwoDown;
    const std::uint64_t whole = policy_value / setting.unit_size;
    const bool uneven = policy_value % setting.unit_size != 0;
    applied.value = whole + (uneven && !down ? 1 : 0);
    if (uneven) {
        applied.changes.push_back(fmt::format("{} is no whole number of {}: rounded {} to {}", policy_value,
                                              setting.unit, down ? "down" : "up", with_unit(applied.value, setting)));
    }
    if (const std::uint64_t value = rounded(setting, applied.value); value != applied.value) {
        applied.changes.push_back(fmt::format("{} rounded {} to {} ({})", with_unit(applied.value, setting),
                                              value < applied.value ? "down" : "up", with_unit(value, setting),
                                              rounding_text(setting)));
        applied.value = value;
    }
    if (const std::uint64_t value = std::clamp(applied.value, setting.least, setting.most); value != applied.value) {
        applied.changes.push_back(fmt::format("{} {} {}, the {} that the setting takes",
                                              with_unit(applied.value, setting),
                                              value < applied.value ? "held down to" : "raised to",
                                              with_unit(value, setting), value < applied.value ? "most" : "least"));
        applied.value = value;
    }
    return applied;
}

std::string range_text(const Setting& setting) {
    if (setting.least == 0 && setting.most == kUnbounded) return "any";
    if (setting.most == kUnbounded) return fmt::format("{} and more", setting.least);
    return fmt::format("{} to {}", setting.least, setting.most);
}

std::string rounding_text(const Setting& setting) {
    switch (setting.rounding) {
        case Rounding::kNone: return "none";
        case Rounding::kPowerOfTwoDown: return "down to a power of two";
        case Rounding::kUp:
        case Rounding::kDown: {
            const std::string_view way = setting.rounding == Rounding::kUp ? "up" : "down";
            return setting.multiple == 1 ? fmt::format("{} to a whole number", way)
                                         : fmt::format("{} to a multiple of {}", way, setting.multiple);
        }
    }
    return {};
}

namespace {

std::vector<std::size_t> buckets_of(const model::DevicePolicy& device, bool of_device) {
    std::vector<std::size_t> indexes;
    for (std::size_t index = 0; index < device.buckets.size(); ++index) {
        const bool device_only = use_of(device, device.buckets[index].memory_type) == model::MemoryUse::kDeviceOnly;
        if (device_only == of_device) indexes.push_back(index);
    }
    return indexes;
}

}  // namespace

model::MemoryUse use_of(const model::DevicePolicy& device, std::uint32_t memory_type) {
    auto best = model::MemoryUse::kDeviceOnly;
    std::size_t best_rank = std::numeric_limits<std::size_t>::max();
    for (const model::MemoryUsePolicy& use : device.memory_uses) {
        const auto& ranked = use.memory_types.value;
        const auto found = std::find(ranked.begin(), ranked.end(), memory_type);
        if (found == ranked.end()) continue;
        const auto rank = static_cast<std::size_t>(found - ranked.begin());
        if (rank < best_rank) {
            best_rank = rank;
            best = use.use;
        }
    }
    return best;
}

std::vector<std::size_t> device_buckets(const model::DevicePolicy& device) {
    return buckets_of(device, true);
}

std::vector<std::size_t> host_buckets(const model::DevicePolicy& device) {
    return buckets_of(device, false);
}

std::optional<std::size_t> fullest(const model::DevicePolicy& device, const std::vector<std::size_t>& buckets) {
    const auto found = std::max_element(buckets.begin(), buckets.end(), [&](std::size_t a, std::size_t b) {
        return device.buckets[a].expected_bytes < device.buckets[b].expected_bytes;
    });
    return found == buckets.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::size_t> fullest_with(const model::DevicePolicy& device, const std::vector<std::size_t>& buckets,
                                        model::ResourceClass resource_class) {
    std::vector<std::size_t> fitting;
    for (const std::size_t index : buckets) {
        const auto& classes = device.buckets[index].resource_classes;
        if (std::find(classes.begin(), classes.end(), resource_class) != classes.end()) fitting.push_back(index);
    }
    return fullest(device, fitting);
}

std::optional<std::uint32_t> first_heap(const model::DevicePolicy& device, model::MemoryUse use) {
    for (const model::MemoryUsePolicy& ranked : device.memory_uses) {
        if (ranked.use == use && !ranked.memory_types.value.empty()) {
            const model::MemoryType* first = model::memory_type_of(device, ranked.memory_types.value.front());
            return first == nullptr ? std::nullopt : std::optional(first->heap_index);
        }
    }
    return std::nullopt;
}

std::optional<bool> has_properties(const model::DevicePolicy& device, std::uint32_t memory_type,
                                   model::Flags properties) {
    const model::MemoryType* type = model::memory_type_of(device, memory_type);
    return type == nullptr ? std::nullopt : std::optional((type->property_flags & properties) == properties);
}

std::string bucket_path(std::size_t bucket, std::string_view member) {
    return fmt::format("/buckets/{}/{}", bucket, member);
}

namespace {

PolicyValue of_bucket(const model::DevicePolicy& device, std::size_t index, std::string_view key, std::string text) {
    return {.path = fmt::format("/buckets/{}/{}", index, key),
            .pattern = fmt::format("/buckets/*/{}", key),
            .label = device.buckets[index].id,
            .text = text,
            .shown = text,
            .reason = {}};
}

std::string classes_text(const model::BucketPolicy& bucket) {
    std::vector<std::string> names;
    for (const model::ResourceClass each : bucket.resource_classes)
        names.push_back(fmt::format("\"{}\"", model::name_of(each)));
    return fmt::format("[{}]", fmt::join(names, ","));
}

}  // namespace

std::vector<PolicyValue> policy_values(const model::Policy& policy, std::size_t device) {
    std::vector<PolicyValue> values;
    if (device >= policy.devices.size()) return values;
    const model::DevicePolicy& from = policy.devices[device];
    std::size_t begun = 0;  // buckets
    const auto end_bucket = [&] {
        if (begun != 0)
            values.push_back(
                of_bucket(from, begun - 1, "expected_bytes", std::to_string(from.buckets[begun - 1].expected_bytes)));
    };
    bool in_buckets = false;
    for (const model::ListedDecision& each : model::list_decisions(from)) {
        const bool is_of_bucket = each.pattern.starts_with("/buckets/");
        // The first decision of a bucket.
        if (each.pattern == "/buckets/*/chunk_size_bytes") {
            end_bucket();
            values.push_back(of_bucket(from, begun, "resource_classes", classes_text(from.buckets[begun])));
            ++begun;
        }
        if (in_buckets && !is_of_bucket) end_bucket();
        in_buckets = is_of_bucket;
        values.push_back({.path = each.path,
                          .pattern = each.pattern,
                          .label = each.label,
                          .text = each.value,
                          .shown = model::text_of(each.figure),
                          .reason = model::text_of(each.why->reason)});
    }
    return values;
}

std::string name_of(const PolicyValue& value) {
    return value.label.empty() ? value.path : fmt::format("{} ({})", value.path, value.label);
}

}  // namespace heapwright::exporting
