#include "compare/policy_impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/detail/join.hpp"
#include "compare/memory_layout.hpp"
#include "core/byte_text.hpp"
#include "core/share_text.hpp"
#include "model/names.hpp"
#include "policy/advise.hpp"

namespace heapwright::compare {
namespace {

// Buckets by what they hold, so that another memory type order or alignment still meets its counterpart.
std::string bucket_key(const model::BucketPolicy& bucket, const MemoryLayout& layout) {
    std::string key;
    for (const model::ResourceClass resource : bucket.resource_classes) detail::append(key, "+", name_of(resource));
    if (bucket.memory_type < layout.types.size()) detail::append(key, "/", layout.types[bucket.memory_type]);
    return key;
}

using Numbers = std::map<std::string, std::string>;

Numbers numbers_of(const model::DevicePolicy& policy, const MemoryLayout& layout) {
    Numbers numbers;
    numbers["humongous_threshold_bytes"] = std::to_string(policy.humongous_threshold_bytes.value);
    numbers["max_chunks"] = std::to_string(policy.max_chunks.value);
    numbers["dedicated"] = name_of(policy.dedicated.value);
    numbers["separate_linear_and_optimal"] = policy.separate_linear_and_optimal.value ? "true" : "false";
    std::map<std::string, int> seen;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        std::string key = fmt::format("buckets/{}", bucket_key(bucket, layout));
        if (const int count = ++seen[key]; count > 1) key += fmt::format("#{}", count);
        numbers[key + "/alignment_bytes"] = std::to_string(bucket.alignment_bytes);
        numbers[key + "/chunk_size_bytes"] = std::to_string(bucket.chunk_size_bytes.value);
        numbers[key + "/granule_bytes"] = std::to_string(bucket.granule_bytes.value);
        if (bucket.dedicated_threshold_bytes)
            numbers[key + "/dedicated_threshold_bytes"] = std::to_string(bucket.dedicated_threshold_bytes->value);
        if (bucket.chunks_ahead) numbers[key + "/chunks_ahead"] = std::to_string(bucket.chunks_ahead->value);
    }
    return numbers;
}

std::vector<model::PolicyNumberChange> number_changes(const Numbers& from, const Numbers& to) {
    std::vector<model::PolicyNumberChange> changes;
    for (const auto& [path, value] : from) {
        const auto same = to.find(path);
        if (same == to.end())
            changes.push_back({.path = "/" + path, .from = value, .to = "none"});
        else if (same->second != value)
            changes.push_back({.path = "/" + path, .from = value, .to = same->second});
    }
    for (const auto& [path, value] : to) {
        if (!from.contains(path)) changes.push_back({.path = "/" + path, .from = "none", .to = value});
    }
    return changes;
}

const model::BucketPolicy* largest_bucket(const model::DevicePolicy& policy) {
    const auto largest = std::ranges::max_element(policy.buckets, {}, &model::BucketPolicy::expected_bytes);
    return largest == policy.buckets.end() ? nullptr : &*largest;
}

std::string chunk_text(const model::DevicePolicy& from, const model::DevicePolicy& to) {
    const auto* one = largest_bucket(from);
    const auto* other = largest_bucket(to);
    if (one == nullptr || other == nullptr) return "";
    if (one->chunk_size_bytes.value == other->chunk_size_bytes.value)
        return fmt::format(", chunk {} as before", byte_text(one->chunk_size_bytes.value));
    return fmt::format(", chunk {} to {}", byte_text(one->chunk_size_bytes.value),
                       byte_text(other->chunk_size_bytes.value));
}

// What the workload needs, chunks included: drivers that ask for more or less change it at equal waste.
std::string need_text(const model::DevicePolicy& from, const model::DevicePolicy& to) {
    if (!from.capacity || !to.capacity) return "";
    if (from.capacity->fits != to.capacity->fits) return ", " + model::statement_of(*to.capacity);
    const std::uint64_t one = from.capacity->needed_bytes;
    const std::uint64_t other = to.capacity->needed_bytes;
    if (one == other) return "";
    return fmt::format(", needs {} where it needed {}", byte_text(other), byte_text(one));
}

std::string not_simulated_text(const model::DevicePolicy& policy, const model::Workload& workload) {
    const std::string told = "not simulated under " + workload.name;
    if (workload.images.empty() && workload.buffers.empty()) return told + ": it asks for no memory";
    if (policy.warnings.empty()) return told + ": the device serves nothing of it";
    return model::with_reason(told, policy.warnings.claims().back());
}

}  // namespace

void make_comparable(model::DeviceReport& one, model::DeviceReport& other) {
    one.run.heap_budgets.clear();
    other.run.heap_budgets.clear();
    if (!one.run.memory_cost.empty() && !other.run.memory_cost.empty()) return;
    one.run.memory_cost.clear();
    other.run.memory_cost.clear();
}

model::PolicyImpact policy_impact(model::DeviceReport baseline, model::DeviceReport other,
                                  const model::Workload& workload) {
    make_comparable(baseline, other);
    model::PolicyImpact impact{.workload = workload.name};
    const auto from = policy::advise(baseline, workload, 0);
    const auto to = policy::advise(other, workload, 0);
    if (!from || !to) {
        const auto& error = from ? to.error() : from.error();
        impact.statement = fmt::format("no policy under {} for the {}: {}", workload.name,
                                       from ? "new driver" : "baseline", error.message);
        return impact;
    }
    impact.numbers = number_changes(numbers_of(*from, layout_of(baseline)), numbers_of(*to, layout_of(other)));
    if (!from->expectations || !to->expectations) {
        impact.statement = not_simulated_text(from->expectations ? *to : *from, workload) + chunk_text(*from, *to);
        return impact;
    }
    impact.waste_from = from->expectations->mean_waste.value;
    impact.waste_to = to->expectations->mean_waste.value;
    const double points = (impact.waste_to - impact.waste_from) * 100;
    const std::string change =
        std::abs(points) < 0.05
            ? fmt::format("the advised policy wastes as much under {} ({})", workload.name, share_text(impact.waste_to))
            : fmt::format("the advised policy wastes {:.1f}% {} under {} ({} to {})", std::abs(points),
                          points > 0 ? "more" : "less", workload.name, share_text(impact.waste_from),
                          share_text(impact.waste_to));
    impact.statement = change + need_text(*from, *to) + chunk_text(*from, *to);
    return impact;
}

}  // namespace heapwright::compare
