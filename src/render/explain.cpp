#include "heapwright/render/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/model/decisions.hpp"
#include "heapwright/render/human_units.hpp"

namespace heapwright::render {
namespace {

std::string_view to_string(model::MemoryUse use) {
    switch (use) {
        case model::MemoryUse::kDeviceOnly: return "device-only";
        case model::MemoryUse::kUpload: return "upload";
        case model::MemoryUse::kReadback: return "readback";
        case model::MemoryUse::kStreaming: return "streaming";
    }
    return {};
}

std::string_view to_string(model::SuballocatorKind kind) {
    switch (kind) {
        case model::SuballocatorKind::kTlsf: return "tlsf";
        case model::SuballocatorKind::kFixedBlocks: return "fixed_blocks";
        case model::SuballocatorKind::kSlots: return "slots";
        case model::SuballocatorKind::kLinear: return "linear";
        case model::SuballocatorKind::kRing: return "ring";
    }
    return {};
}

std::string_view to_string(model::ChunkChoice choice) {
    return choice == model::ChunkChoice::kTightest ? "the tightest that holds it" : "the fullest that holds it";
}

std::string_view to_string(model::DedicatedRule rule) {
    return rule == model::DedicatedRule::kWhenPreferred ? "when preferred or required" : "when required";
}

std::string_view to_string(model::DocumentKind kind) {
    switch (kind) {
        case model::DocumentKind::kReport: return "report";
        case model::DocumentKind::kWorkload: return "workload";
        case model::DocumentKind::kPolicy: return "policy";
        case model::DocumentKind::kValidation: return "validation";
        case model::DocumentKind::kComparison: return "comparison";
        case model::DocumentKind::kWhatIf: return "what-if";
    }
    return {};
}

std::string bytes_text(std::uint64_t bytes) {
    return byte_text(bytes);
}

// "chunk_size", "Chunk size" and "/chunk/size" are one name.
std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char letter : name) {
        plain +=
            letter == '_' || letter == '/' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return plain;
}

// As much of a reason as fits two lines, cut where a clause ends.
std::string in_short(std::string_view reason) {
    constexpr std::size_t kIndent = 2;
    constexpr std::string_view kMore = " ...";
    constexpr std::size_t kLine = kExplanationWidth - kIndent;
    std::string text = in_units(reason);
    const auto wrap = [](std::string_view rest) {
        std::vector<std::string> lines;
        while (rest.size() > kLine) {
            std::size_t end = rest.rfind(' ', kLine);
            if (end == std::string_view::npos || end == 0) end = kLine;
            lines.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(rest.size(), end + (rest[end] == ' ' ? 1 : 0)));
        }
        lines.emplace_back(rest);
        return lines;
    };
    std::vector<std::string> lines = wrap(text);
    while (lines.size() > 2) {
        const std::size_t most = std::min(text.size() - kMore.size() - 1, 2 * kLine - kMore.size());
        std::size_t end = text.find_last_of(";:(,", most);
        if (end == std::string::npos || end < kLine / 2) end = text.rfind(' ', most);
        if (end == std::string::npos || end == 0) end = most;
        text.resize(end);
        while (!text.empty() && text.back() == ' ') text.pop_back();
        text += kMore;
        lines = wrap(text);
    }
    std::string out;
    for (const std::string& line : lines) out += "  " + line + "\n";
    return out;
}

class Explanation {
public:
    explicit Explanation(const ExplainOptions& options) : options_(options), why_(plain_name(options.why)) {}

    void begin(const model::DevicePolicy& device) {
        paths_.clear();
        for (const model::ListedDecision& decision : model::list_decisions(device))
            paths_[decision.why] = decision.path;
    }
    void line(std::string_view text) {
        text_ += in_units(text);
        text_ += '\n';
    }
    // What is no number of the policy: not told where certain numbers are asked for.
    void remark(std::string_view text) {
        if (why_.empty()) line(text);
    }
    void detail(std::string_view text) {
        if (options_.all) remark(text);
    }
    void decision(std::string_view name, std::string_view value, const model::Decision& why) {
        told_.insert(&why);
        if (!why_.empty() && !is_asked_for(name, why)) return;
        const bool is_long = options_.all || !why_.empty();
        text_ += fmt::format("{}{}: {}\n", is_long ? "\n" : "", name, value);
        if (!is_long) {
            text_ += in_short(why.reason);
            return;
        }
        text_ += fmt::format("  because {}\n", in_units(why.reason));
        for (const model::DecisionInput& input : why.inputs) {
            text_ += fmt::format("  from {} {} = {}\n", to_string(input.document), input.path, input.value);
        }
        for (const model::Alternative& other : why.alternatives) {
            text_ += fmt::format("  not {}: {}\n", in_units(other.value), in_units(other.reason));
        }
    }
    [[nodiscard]] bool has_told(const model::Decision& why) const { return told_.contains(&why); }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    [[nodiscard]] bool is_asked_for(std::string_view name, const model::Decision& why) const {
        const auto path = paths_.find(&why);
        return plain_name(name).find(why_) != std::string::npos ||
               (path != paths_.end() && plain_name(path->second).find(why_) != std::string::npos);
    }

    const ExplainOptions& options_;
    std::string why_;
    std::string text_;
    std::set<const model::Decision*> told_;
    std::map<const model::Decision*, std::string> paths_;
};

void explain_memory(const model::DevicePolicy& device, Explanation& out) {
    for (const model::HeapPolicy& heap : device.heaps) {
        out.decision(fmt::format("heap {} of {}: usable", heap.heap, bytes_text(heap.size_bytes)),
                     bytes_text(heap.usable_bytes.value), heap.usable_bytes.why);
        if (heap.reserve_share) {
            out.decision(fmt::format("heap {}: share of the budget at run time that is left to others", heap.heap),
                         fmt::format("{}", heap.reserve_share->value), heap.reserve_share->why);
        }
        out.decision(fmt::format("heap {}: parts (K)", heap.heap), std::to_string(heap.parts.value), heap.parts.why);
    }
    for (const model::MemoryUsePolicy& use : device.memory_uses) {
        out.decision(fmt::format("memory types for {} memory", to_string(use.use)),
                     fmt::format("{}", fmt::join(use.memory_types.value, ", ")), use.memory_types.why);
        for (const model::ExcludedMemoryType& excluded : use.excluded) {
            out.detail(fmt::format("  never type {}: {}", excluded.memory_type, excluded.reason));
        }
    }
}

void explain_buckets(const model::DevicePolicy& device, Explanation& out) {
    for (const model::BucketPolicy& bucket : device.buckets) {
        out.decision(fmt::format("bucket {} (memory type {}, alignment {}, {} expected): chunk size", bucket.id,
                                 bucket.memory_type, bucket.alignment_bytes, bytes_text(bucket.expected_bytes)),
                     bytes_text(bucket.chunk_size_bytes.value), bucket.chunk_size_bytes.why);
        if (bucket.growth) {
            out.decision(fmt::format("bucket {}: first chunk", bucket.id),
                         bytes_text(bucket.growth->first_chunk_bytes.value), bucket.growth->first_chunk_bytes.why);
            out.decision(fmt::format("bucket {}: growth, a part of what it holds", bucket.id),
                         fmt::format("1/{}", bucket.growth->divisor.value), bucket.growth->divisor.why);
        }
        if (bucket.dedicated_threshold_bytes) {
            out.decision(fmt::format("bucket {}: an allocation of their own for resources above", bucket.id),
                         bytes_text(bucket.dedicated_threshold_bytes->value), bucket.dedicated_threshold_bytes->why);
        }
        out.decision(fmt::format("bucket {}: chunk that takes a request", bucket.id),
                     to_string(bucket.chunk_choice.value), bucket.chunk_choice.why);
        out.decision(fmt::format("bucket {}: suballocator", bucket.id), to_string(bucket.suballocator.value),
                     bucket.suballocator.why);
        out.decision(fmt::format("bucket {}: granule", bucket.id), bytes_text(bucket.granule_bytes.value),
                     bucket.granule_bytes.why);
        if (bucket.chunks_ahead) {
            out.decision(fmt::format("bucket {}: chunks kept ready in the background", bucket.id),
                         std::to_string(bucket.chunks_ahead->value), bucket.chunks_ahead->why);
        }
        if (bucket.priority) {
            out.decision(fmt::format("bucket {}: priority of its memory", bucket.id),
                         fmt::format("{}", bucket.priority->value), bucket.priority->why);
        }
    }
    for (const model::HeapFeasibility& heap : device.feasibility) {
        out.remark(fmt::format("heap {}: one chunk for {} takes {}, {} usable: {}", heap.heap,
                               each_counted(heap.buckets, "its", "bucket"), bytes_text(heap.one_chunk_each_bytes),
                               bytes_text(heap.usable_bytes),
                               heap.fits ? "no bucket is starved by the others" : "they do not all fit"));
    }
}

void explain_descriptors(const model::DevicePolicy& device, Explanation& out) {
    const auto count = [&](const std::string& name, const model::Decided<std::uint64_t>& decided) {
        out.decision(name, std::to_string(decided.value), decided.why);
    };
    const model::DescriptorPolicy& descriptors = device.descriptors;
    count("frames in flight", device.frames_in_flight);
    count("page of the CPU heap of CBV, SRV and UAV", descriptors.cbv_srv_uav_page);
    count("page of the CPU heap of samplers", descriptors.sampler_page);
    count("page of the CPU heap of render target views", descriptors.rtv_page);
    count("page of the CPU heap of depth stencil views", descriptors.dsv_page);
    using Kind = std::optional<model::Decided<model::SuballocatorKind>>;
    const auto suballocator = [&](const std::string& name, const Kind& decided) {
        if (decided) out.decision(name, to_string(decided->value), decided->why);
    };
    suballocator("suballocator of the CPU heaps", descriptors.cpu_suballocator);
    const auto heap = [&](const std::string& name, const model::VisibleHeapPolicy& visible) {
        count(name + ": capacity", visible.capacity);
        count(name + ": dynamic part", visible.dynamic_capacity);
        count(name + ": dynamic chunk", visible.dynamic_chunk);
        suballocator(name + ": suballocator of the static part", visible.static_suballocator);
        suballocator(name + ": suballocator of the dynamic chunks", visible.dynamic_suballocator);
    };
    heap("shader-visible CBV_SRV_UAV heap", descriptors.resources);
    heap("shader-visible sampler heap", descriptors.samplers);
    out.decision("upload ring", bytes_text(device.uploads.ring_bytes.value), device.uploads.ring_bytes.why);
    out.decision("upload page", bytes_text(device.uploads.page_bytes.value), device.uploads.page_bytes.why);
}

void explain_engines(const model::EnginePolicy& engines, Explanation& out) {
    const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
    for (const model::EngineAssignment& assignment : engines.assignments) {
        out.decision("engine for " + assignment.work, assignment.engine.value, assignment.engine.why);
    }
    out.decision("copies beside draws", yes_or_no(engines.async_copy.value), engines.async_copy.why);
    out.decision("compute beside draws", yes_or_no(engines.async_compute.value), engines.async_compute.why);
    out.decision("ring between copies and draws", counted(engines.copy_ring_length.value, "slot"),
                 engines.copy_ring_length.why);
    out.decision("host ahead of compute", counted(engines.cpu_latency.value, "frame"), engines.cpu_latency.why);
    out.decision("compute ahead of draws", counted(engines.compute_graphics_latency.value, "frame"),
                 engines.compute_graphics_latency.why);
}

// What has no words of its own above is told by its name in the document: "buckets 0 slot bytes".
void explain_others(const model::DevicePolicy& device, Explanation& out) {
    for (const model::ListedDecision& other : model::list_decisions(device)) {
        if (out.has_told(*other.why)) continue;
        std::string name = other.path.substr(1);
        std::ranges::replace_if(
            name, [](char letter) { return letter == '/' || letter == '_'; }, ' ');
        const bool is_bytes = name.ends_with(" bytes");
        out.decision(name, is_bytes ? in_units(other.value + " bytes") : other.value, *other.why);
    }
}

void explain_expectations(const model::Expectations& expected, Explanation& out) {
    const auto time = [&](const char* name, const std::optional<model::Decided<std::uint64_t>>& decided) {
        if (decided) out.decision(name, in_units(fmt::format("{} ns", decided->value)), decided->why);
    };
    out.decision("expected waste", fmt::format("{:.1f}%", 100 * expected.mean_waste.value), expected.mean_waste.why);
    out.decision("expected device allocations", std::to_string(expected.device_allocations.value),
                 expected.device_allocations.why);
    time("expected worst frame", expected.worst_frame_ns);
    time("expected worst creation of the load", expected.worst_load_ns);
    if (expected.late_chunks) {
        out.decision("expected late chunks", std::to_string(expected.late_chunks->value), expected.late_chunks->why);
    }
    for (const model::HeapExpectation& heap : expected.heaps) {
        out.decision(fmt::format("heap {}: expected peak", heap.heap), bytes_text(heap.peak_reserved_bytes.value),
                     heap.peak_reserved_bytes.why);
    }
}

void explain_device(const model::DevicePolicy& device, Explanation& out) {
    out.begin(device);
    out.line(
        fmt::format("\n== {} ({} {})", device.identity.name, device.identity.driver_name, device.identity.driver_info));
    if (device.expectations) explain_expectations(*device.expectations, out);
    explain_memory(device, out);
    out.decision("largest ordinary resource (M)", bytes_text(device.largest_ordinary_bytes.value),
                 device.largest_ordinary_bytes.why);
    out.decision("humongous threshold", bytes_text(device.humongous_threshold_bytes.value),
                 device.humongous_threshold_bytes.why);
    for (const model::HintSplit& split : device.split)
        out.decision(fmt::format("{}: each of {} is made in {} parts of", split.hint,
                                 bytes_text(split.exceeded.size_bytes), split.parts),
                     bytes_text(split.part_bytes.value), split.part_bytes.why);
    out.decision("dedicated allocations", to_string(device.dedicated.value), device.dedicated.why);
    out.decision("linear and optimal resources apart", device.separate_linear_and_optimal.value ? "yes" : "no",
                 device.separate_linear_and_optimal.why);
    out.decision("device allocations at most", std::to_string(device.max_chunks.value), device.max_chunks.why);
    explain_buckets(device, out);
    explain_descriptors(device, out);
    if (device.engines) explain_engines(*device.engines, out);
    explain_others(device, out);
    if (!device.assumed.empty()) out.remark("\nassumed, not measured:");
    for (const std::string& assumed : device.assumed) out.remark("  " + assumed);
    if (!device.warnings.empty()) out.remark("\nwarnings:");
    for (const std::string& warning : device.warnings) out.remark("  " + warning);
}

}  // namespace

std::string explain(const model::Policy& policy, const ExplainOptions& options) {
    Explanation out(options);
    out.line(fmt::format("Policy for the workload \"{}\".", policy.workload_name));
    for (const model::DevicePolicy& device : policy.devices) explain_device(device, out);
    return out.take();
}

std::string explanation_document(const model::Policy& policy, const ExplainOptions& options) {
    using Json = nlohmann::ordered_json;
    const std::string wanted = plain_name(options.why);
    Json devices = Json::array();
    for (const model::DevicePolicy& device : policy.devices) {
        Json numbers = Json::array();
        for (const model::ListedDecision& listed : model::list_decisions(device)) {
            if (plain_name(listed.path).find(wanted) == std::string::npos) continue;
            Json inputs = Json::array();
            for (const model::DecisionInput& input : listed.why->inputs)
                inputs.push_back(
                    {{"document", to_string(input.document)}, {"path", input.path}, {"value", input.value}});
            Json alternatives = Json::array();
            for (const model::Alternative& other : listed.why->alternatives)
                alternatives.push_back({{"value", other.value}, {"reason", other.reason}});
            numbers.push_back({{"path", listed.path},
                               {"value", listed.value},
                               {"reason", listed.why->reason},
                               {"inputs", std::move(inputs)},
                               {"alternatives", std::move(alternatives)}});
        }
        devices.push_back({{"name", device.identity.name}, {"numbers", std::move(numbers)}});
    }
    return Json{{"workload", policy.workload_name}, {"devices", std::move(devices)}}.dump(
               2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

}  // namespace heapwright::render
