#include "export/policy_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/claim_words.hpp"
#include "model/decisions.hpp"
#include "model/names.hpp"

namespace heapwright::exporting {
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
