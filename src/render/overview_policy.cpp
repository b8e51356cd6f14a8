#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "heapwright/model/flags.hpp"
#include "model/claim_words.hpp"
#include "model/claims.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"
#include "render/engine_text.hpp"
#include "render/overview.hpp"

namespace heapwright::render {
namespace {

using detail::Screen;
using detail::Tone;

std::string expectation_text(const model::Expectations& expected) {
    std::string text = fmt::format("{} waste, {}", share_text(expected.mean_waste.value),
                                   counted(expected.device_allocations.value, "device allocation"));
    if (expected.worst_frame_ns) text += fmt::format(", worst frame {}", time_text(expected.worst_frame_ns->value));
    if (!expected.failed_requests) return text;
    return fmt::format("{} without memory; of the others {}", counted(*expected.failed_requests, "request"), text);
}

void tell_fit(const model::DevicePolicy& device, Screen& screen) {
    // First, and alone on its line, which both figures of a limit have to fit.
    const bool does_not_fit = device.capacity && !device.capacity->fits;
    if (does_not_fit) screen.verdict(Tone::kBad, model::statement_of(*device.capacity));
    if (!device.assumed.empty())
        screen.verdict(Tone::kDoubtful, fmt::format("assumed, not measured: {}",
                                                    fmt::join(detail::assumed_parts(device.assumed), ", ")));
    if (!device.left_out.empty()) screen.verdict(Tone::kDoubtful, model::left_out_text(device.left_out));
    if (!device.capacity || does_not_fit) return;
    const model::CapacityPlan& capacity = *device.capacity;
    const auto& frame = device.expectations ? device.expectations->worst_frame_ns : std::nullopt;
    if (frame && frame->value > device.frame_budget_ns) {
        screen.verdict(Tone::kDoubtful, fmt::format("the worst frame spends {} on memory, more than its {}",
                                                    time_text(frame->value), time_text(device.frame_budget_ns)));
    }
    screen.verdict(Tone::kGood,
                   fmt::format("the workload {}{}", model::statement_of(capacity),
                               capacity.moved.empty() ? "" : "; some of it in a memory type that is not its first"));
}

std::string copies_text(const model::EnginePolicy& engines) {
    std::vector<std::string> parts;
    if (engines.buffer_moves) {
        const auto moves = std::ranges::find(engines.assignments, "buffer-moves", &model::EngineAssignment::work);
        parts.push_back(fmt::format("moves of buffers by {}{}{}", to_words(engines.buffer_moves->value),
                                    moves == engines.assignments.end() ? "" : " on ",
                                    moves == engines.assignments.end() ? "" : moves->engine.value));
    }
    if (engines.direct_uploads)
        parts.emplace_back(engines.direct_uploads->value ? "uploads in place" : "uploads through the ring");
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string creators_text(const model::CreationPolicy& creations) {
    std::vector<std::string> parts;
    if (creations.image_threads) parts.push_back("images " + counted(creations.image_threads->value, "thread"));
    if (creations.buffer_threads) parts.push_back("buffers " + counted(creations.buffer_threads->value, "thread"));
    if (creations.descriptor_threads)
        parts.push_back("descriptor pools " + counted(creations.descriptor_threads->value, "thread"));
    if (creations.memory_priority && !creations.memory_priority->value) parts.emplace_back("memoryPriority off");
    return fmt::format("{}", fmt::join(parts, ", "));
}

void tell(const model::Policy& policy, const model::DevicePolicy& device, Screen& screen) {
    screen.title(fmt::format("{}: policy for {}", device.identity.name, policy.workload_name));
    tell_fit(device, screen);
    detail::tell_workload(policy, screen);
    constexpr std::size_t kBuckets = 6;
    if (device.expectations) screen.row("Expect", expectation_text(*device.expectations));
    detail::tell_policy_rows(device, kBuckets, screen);
    screen.row("Upload ring", byte_text(device.uploads.ring_bytes.value));
    screen.row("Frames in flight", std::to_string(device.frames_in_flight.value));
    if (device.engines) {
        screen.row("Beside draws",
                   fmt::format("copies {}, compute {}", device.engines->async_copy.value ? "gain time" : "gain nothing",
                               device.engines->async_compute.value ? "gains time" : "gains nothing"));
    }
    if (device.engines && (device.engines->buffer_moves || device.engines->direct_uploads))
        screen.row("Copy by", copies_text(*device.engines));
    if (device.creations) screen.row("Create by", creators_text(*device.creations));
    const std::vector<std::string> warnings = model::lines_of(device.warnings);
    constexpr std::size_t kWarnings = 2;
    for (std::size_t index = 0; index < std::min(warnings.size(), kWarnings); ++index)
        screen.verdict(Tone::kDoubtful, warnings[index]);
    if (warnings.size() > kWarnings)
        screen.line(fmt::format("  and {} (-v)", counted(warnings.size() - kWarnings, "more warning")));
}

std::string sides_text(const model::ImageHint& hint) {
    if (!hint.extents.empty()) {
        const auto& [width, height] = hint.extents.front();
        return fmt::format("{}x{}{}", width, height, hint.extents.size() > 1 ? " and others" : "");
    }
    return fmt::format("{} to {}", hint.smallest_side, hint.largest_side);
}

}  // namespace

namespace detail {

std::vector<std::string> assumed_parts(const model::Statement& assumed) {
    const auto has = [&](model::ClaimId id) {
        return std::ranges::any_of(assumed.claims(),
                                   [id](const auto& one) { return model::ClaimParts::id(one) == id; });
    };
    std::vector<std::string> parts;
    if (has(model::ClaimId::kSizesAssumed)) parts.emplace_back(kAssumedSizes);
    if (has(model::ClaimId::kCostAssumed)) parts.emplace_back("the costs of device memory");
    if (parts.empty()) parts = model::lines_of(assumed);  // of an older policy
    return parts;
}

std::string_view reason_beside_plan(const model::DeviceValidation& device) {
    std::string_view reason = device.reason;
    const std::string plan = model::left_out_text(device.left_out) + "; ";
    if (!device.left_out.empty() && reason.starts_with(plan)) reason.remove_prefix(plan.size());
    return reason;
}

void tell_workload(const model::Policy& policy, Screen& screen) {
    const std::size_t at = policy.workload_name.find('@');
    if (at == std::string::npos || !policy.workload_name.ends_with('%')) return;
    screen.row("Workload", fmt::format("{} at {} of its resources", policy.workload_name.substr(0, at),
                                       policy.workload_name.substr(at + 1)));
}

std::string memory_type_text(const model::DevicePolicy& device, std::uint32_t memory_type) {
    const model::MemoryType* type = model::memory_type_of(device, memory_type);
    if (type == nullptr) return std::to_string(memory_type);
    const bool local = (type->property_flags & model::memory_property::kDeviceLocal) != 0;
    const bool host = (type->property_flags & model::memory_property::kHostVisible) != 0;
    return fmt::format("{} ({}{}{})", memory_type, local ? "device" : "", local && host ? ", " : "",
                       host ? "host" : "");
}

std::string contents_text(const model::BucketPolicy& bucket) {
    const auto takes = [&](model::ResourceClass kind) {
        return std::ranges::find(bucket.resource_classes, kind) != bucket.resource_classes.end();
    };
    const bool images = takes(model::ResourceClass::kOptimal);
    std::string text = images ? "images" : takes(model::ResourceClass::kOptimalRenderTarget) ? "render targets" : "";
    if (takes(model::ResourceClass::kLinear)) text += text.empty() ? "buffers" : " and buffers";
    return text;
}

std::string place_text(const model::DevicePolicy& device, const model::BucketPolicy& bucket) {
    return fmt::format("memory type {}, aligned to {}", memory_type_text(device, bucket.memory_type),
                       byte_text(bucket.alignment_bytes));
}

std::optional<double> bucket_frame_ns(const model::DevicePolicy& device) {
    for (const model::BucketPolicy& bucket : device.buckets) {
        for (const model::Claim& claim : bucket.chunk_size_bytes.why.reason.claims()) {
            if (model::ClaimParts::id(claim) != model::ClaimId::kChunkFramePart) continue;
            const auto* parts = std::get_if<std::uint64_t>(&model::ClaimParts::figures(claim).front().value);
            if (parts != nullptr && *parts != 0)
                return static_cast<double>(device.frame_budget_ns) / static_cast<double>(*parts);
        }
    }
    return {};
}

std::string chunk_sizes_text(const model::BucketPolicy& bucket) {
    const std::string most = byte_text(bucket.chunk_size_bytes.value);
    return bucket.growth ? byte_text(bucket.growth->first_chunk_bytes.value) + " to " + most : most;
}

std::vector<const model::BucketPolicy*> used_buckets(const model::DevicePolicy& device) {
    std::vector<const model::BucketPolicy*> used;
    for (const model::BucketPolicy& bucket : device.buckets)
        if (model::is_in_use(bucket)) used.push_back(&bucket);
    std::ranges::stable_sort(used, std::ranges::greater{}, &model::BucketPolicy::expected_bytes);
    return used;
}

void tell_policy_rows(const model::DevicePolicy& device, std::size_t buckets, Screen& screen) {
    std::vector<std::vector<std::string>> rows{{"bucket", "memory type", "alignment", "chunks of", "in use"}};
    for (const model::BucketPolicy* bucket : used_buckets(device)) {
        rows.push_back({bucket->id, memory_type_text(device, bucket->memory_type), byte_text(bucket->alignment_bytes),
                        chunk_sizes_text(*bucket), byte_text(bucket->expected_bytes)});
    }
    if (rows.size() > 1) screen.table(std::move(rows), buckets, "buckets");
    screen.row("Humongous",
               fmt::format("above {}, in memory of its own", byte_text(device.humongous_threshold_bytes.value)));
    for (const model::HintSplit& split : device.split) screen.line("  " + model::split_text(split));
}

}  // namespace detail

std::string overview(const model::Policy& policy, const ScreenStyle& style, std::string_view next) {
    Screen screen(style);
    for (const model::DevicePolicy& device : policy.devices) tell(policy, device, screen);
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string overview(const model::Workload& workload, const ScreenStyle& style) {
    Screen screen(style);
    screen.title(fmt::format("{}: {}", workload.name, detail::first_clause(workload.description)));
    screen.row("Frames",
               fmt::format("{} each, {} in flight, {} resources replaced in one", time_text(workload.frame_budget_ns),
                           workload.frames_in_flight, workload.steps_per_frame));
    constexpr std::size_t kHints = 7;
    constexpr std::size_t kUsageColumns = 56;
    std::vector<std::vector<std::string>> images{{"images", "sides", "count", "usage"}};
    for (const model::ImageHint& hint : workload.images)
        images.push_back({std::string(model::info(hint.format).name), sides_text(hint), std::to_string(hint.count),
                          detail::cut(model::flags_text(hint.usage, model::image_usage_names()), kUsageColumns)});
    screen.table(std::move(images), kHints, "image hints");
    std::vector<std::vector<std::string>> buffers{{"buffers of", "count", "usage"}};
    for (const model::BufferHint& hint : workload.buffers)
        buffers.push_back({fmt::format("{} to {}", byte_text(hint.smallest_bytes), byte_text(hint.largest_bytes)),
                           std::to_string(hint.count),
                           detail::cut(model::flags_text(hint.usage, model::buffer_usage_names()), kUsageColumns)});
    screen.table(std::move(buffers), kHints, "buffer hints");
    screen.line("All of it: --json. A file of your own: heapwright workload --example.");
    return screen.take();
}

}  // namespace heapwright::render
