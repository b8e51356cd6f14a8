#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "heapwright/model/flags.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"
#include "render/engine_text.hpp"
#include "render/overview.hpp"

namespace heapwright::render {
namespace {

using detail::Screen;
using detail::Tone;

std::string_view to_string(model::DeviceType type) {
    switch (type) {
        case model::DeviceType::kOther: return "other";
        case model::DeviceType::kIntegratedGpu: return "integrated GPU";
        case model::DeviceType::kDiscreteGpu: return "discrete GPU";
        case model::DeviceType::kVirtualGpu: return "virtual GPU";
        case model::DeviceType::kCpu: return "CPU";
    }
    return {};
}

std::string api_text(const model::DeviceIdentity& device) {
    return fmt::format("{} {}", device.api == model::Api::kVulkan ? "Vulkan" : "Direct3D 12", device.api_version);
}

std::string heap_kind(const model::DeviceReport& device, std::size_t heap) {
    model::Flags flags = 0;
    std::uint64_t types = 0;
    for (const model::MemoryType& type : device.memory_types) {
        if (type.heap_index != heap) continue;
        flags |= type.property_flags;
        ++types;
    }
    std::vector<std::string_view> words;
    if ((device.heaps[heap].flags & model::memory_heap::kDeviceLocal) != 0) words.emplace_back("device local");
    if ((flags & model::memory_property::kHostVisible) != 0) words.emplace_back("host visible");
    if ((flags & model::memory_property::kHostCached) != 0) words.emplace_back("host cached");
    if ((flags & model::memory_property::kLazilyAllocated) != 0) words.emplace_back("lazily allocated");
    return fmt::format("{}: {}", counted(types, "memory type"), fmt::join(words, ", "));
}

// "16 to 65536 bytes", "64 bytes".
std::string range_of(const std::vector<std::uint64_t>& values) {
    const auto [least, most] = std::ranges::minmax(values);
    return least == most ? byte_text(least) : fmt::format("{} to {}", byte_text(least), byte_text(most));
}

template <class Observed>
std::vector<std::uint64_t> alignments_of(const std::vector<Observed>& tables) {
    std::vector<std::uint64_t> all;
    for (const Observed& table : tables) all.insert(all.end(), table.alignments.begin(), table.alignments.end());
    return all;
}

// "46 tables, aligned to 16 bytes"; of what a probe that was cut short did not come to: that it was not asked.
template <class Sweep, class Observed>
std::string sweep_text(const Sweep& sweep, const std::vector<Observed>& tables) {
    if (sweep.cases.empty()) return "nothing was asked: the probe did not come to it";
    if (tables.empty()) return fmt::format("no answer to {}", counted(sweep.cases.size(), "case"));
    return fmt::format("{}, aligned to {}", counted(tables.size(), "table"), range_of(alignments_of(tables)));
}

// Beside what memory for anything takes, at the largest size that both have.
void tell_dedicated_cost(const model::DeviceReport& device, Screen& screen) {
    for (const model::MemoryCostCurve& curve : device.run.memory_cost) {
        for (auto point = curve.dedicated_image_points.rbegin(); point != curve.dedicated_image_points.rend();
             ++point) {
            const auto same = std::ranges::find(curve.points, point->size_bytes, &model::MemoryCostPoint::size_bytes);
            if (same == curve.points.end()) continue;
            return screen.row(
                "Dedicated to an image",
                fmt::format("{} for {}, for anything {} (memory type {})", time_text(point->allocate_ns),
                            byte_text(point->size_bytes), time_text(same->allocate_ns), curve.memory_type));
        }
    }
}

void tell_cost(const model::DeviceReport& device, Screen& screen) {
    for (const model::MemoryCostCurve& curve : device.run.memory_cost) {
        if (curve.points.empty()) continue;
        const model::MemoryCostPoint& least = curve.points.front();
        const model::MemoryCostPoint& most = curve.points.back();
        const auto unsettled = std::ranges::count_if(curve.points, [](const model::MemoryCostPoint& point) {
            return point.steadiness && *point.steadiness != model::Steadiness::kSteady;
        });
        screen.row("Allocation takes",
                   fmt::format("{} for {}, {} for {} (memory type {}){}", time_text(least.allocate_ns),
                               byte_text(least.size_bytes), time_text(most.allocate_ns), byte_text(most.size_bytes),
                               curve.memory_type,
                               unsettled == 0 ? ""
                                              : fmt::format("; {} of {} sizes unsettled, or of few samples", unsettled,
                                                            curve.points.size())));
        return;
    }
    screen.row("Allocation takes", "not measured");
}

// Of the fastest copies on the device by shader; 0 where commands are as fast.
std::uint64_t shader_rate(const model::EngineMeasurements& measured) {
    std::uint64_t by_shader = 0;
    std::uint64_t by_command = 0;
    for (const model::CopyCurve& curve : measured.copy_curves) {
        if (curve.direction != model::CopyDirection::kOnDevice || curve.mapped) continue;
        for (const model::CopyPoint& point : curve.points) {
            if (curve.means == model::CopyMeans::kShader) by_shader = std::max(by_shader, point.bytes_per_s);
            if (curve.means == model::CopyMeans::kCommand) by_command = std::max(by_command, point.bytes_per_s);
        }
    }
    return by_shader > by_command ? by_shader : 0;
}

// How many figures did not settle, and of how many.
std::pair<std::size_t, std::size_t> unsettled_of(const model::EngineMeasurements& measured) {
    std::pair<std::size_t, std::size_t> counts;
    const auto count = [&](const auto& figure) {
        if (!settled(figure)) ++counts.first;
        ++counts.second;
    };
    for (const model::EngineOverlap& overlap : measured.overlaps) count(overlap);
    for (const model::EngineCopy& copy : measured.copies) count(copy.time);
    for (const model::CopyCurve& curve : measured.copy_curves)
        for (const model::CopyPoint& point : curve.points) count(point.time);
    for (const model::SignalLatency& latency : measured.signal_latencies) count(latency.time);
    for (const model::PipelineMeasurement& pipeline : measured.pipelines)
        for (const model::PipelinePoint& point : pipeline.points) count(point.frame);
    return counts;
}

void tell_copies(const model::DeviceReport& device, Screen& screen) {
    if (!device.run.engines) return;
    std::string text;
    const auto best = [&](model::CopyDirection direction, std::string_view name) {
        std::uint64_t rate = 0;
        for (const model::EngineCopy& copy : device.run.engines->copies)
            if (copy.direction == direction) rate = std::max(rate, copy.bytes_per_s);
        if (rate != 0) text += fmt::format("{}{} {}/s", text.empty() ? "" : ", ", name, byte_text(rate));
    };
    best(model::CopyDirection::kUpload, "uploads");
    best(model::CopyDirection::kDownload, "downloads");
    best(model::CopyDirection::kOnDevice, "on the device");
    if (const std::uint64_t rate = shader_rate(*device.run.engines); rate != 0 && !text.empty())
        text += fmt::format(" (by a shader {}/s)", byte_text(rate));
    if (!text.empty()) screen.row("Copies", text);
    const auto [unsettled, all] = unsettled_of(*device.run.engines);
    screen.row("Engines", fmt::format("{}; {} not measured, {} of {} times did not settle (-v)",
                                      counted(device.run.engines->engines.size(), "engine"),
                                      counted(device.run.engines->skipped.size(), "thing"), unsettled, all));
}

// One thread and the most that were measured.
void tell_creations(const model::DeviceReport& device, Screen& screen) {
    if (!device.run.creations) return;
    std::string text;
    for (const auto& [object, name] :
         {std::pair{model::CreatedObject::kImage, "images"}, std::pair{model::CreatedObject::kBuffer, "buffers"}}) {
        const model::CreationCurve* curve = find_curve(*device.run.creations, object, false);
        if (curve == nullptr || curve->points.empty()) continue;
        const model::CreationPoint& last = curve->points.back();
        text += fmt::format("{}{} {} by 1 thread", text.empty() ? "" : ", ", name,
                            a_millisecond(curve->points.front().pairs_per_s));
        if (last.threads > 1) text += fmt::format(" and {} by {}", a_millisecond(last.pairs_per_s), last.threads);
    }
    if (!text.empty()) screen.row("Created a millisecond", text);
}

void tell_findings(const model::DeviceReport& device, Screen& screen) {
    const std::uint64_t violations = detail::findings_of(device, model::FindingSeverity::kViolation);
    const std::uint64_t warnings = detail::findings_of(device, model::FindingSeverity::kWarning);
    const bool imported = device.origin == model::ReportOrigin::kImport;
    if (violations != 0) {
        screen.verdict(Tone::kBad, fmt::format("{}{} the specification's rules", imported ? "imported: " : "",
                                               counted(violations, "answer breaks", "answers break")));
    } else if (warnings != 0) {
        screen.verdict(Tone::kDoubtful,
                       fmt::format("{}, with {}", imported ? "imported" : "probed", counted(warnings, "warning")));
    } else {
        screen.verdict(Tone::kGood, imported
                                        ? "imported: nothing in it breaks the specification; this device was not asked"
                                        : "probed: no answer breaks the specification");
    }
    constexpr std::size_t kShown = 3;
    std::size_t shown = 0;
    for (const model::Finding& finding : device.findings) {
        if (finding.severity == model::FindingSeverity::kNote) continue;
        if (shown++ == kShown) break;
        screen.line(fmt::format("    {}: {}", finding.id, finding.statement));
    }
}

void tell(const model::DeviceReport& device, Screen& screen) {
    const model::DeviceIdentity& id = device.identity;
    screen.title(
        fmt::format("{}: {}, {}, {} {}", id.name, to_string(id.type), api_text(id), id.driver_name, id.driver_info));
    tell_findings(device, screen);
    constexpr std::size_t kHeaps = 5;
    std::vector<std::vector<std::string>> heaps{{"heap", "size", "memory types"}};
    for (std::size_t heap = 0; heap < device.heaps.size(); ++heap)
        heaps.push_back({std::to_string(heap), byte_text(device.heaps[heap].size_bytes), heap_kind(device, heap)});
    screen.table(std::move(heaps), kHeaps, "heaps");
    if (device.origin == model::ReportOrigin::kImport) {
        screen.row("Not in the file", "what images, buffers and allocations take: advice assumes it, and says so");
    } else {
        screen.row("Images asked about", sweep_text(device.image_sweep, device.observations.images));
        screen.row("Buffers asked about", sweep_text(device.buffer_sweep, device.observations.buffers));
        tell_cost(device, screen);
        tell_dedicated_cost(device, screen);
    }
    tell_copies(device, screen);
    tell_creations(device, screen);
    if (!device.unreported.empty())
        screen.row("Not reported", counted(device.unreported.size(), "fact, each with its reason in the report",
                                           "facts, each with its reason in the report"));
}

constexpr std::size_t kFailures = 4;

}  // namespace

std::uint64_t detail::findings_of(const model::DeviceReport& report, model::FindingSeverity severity) {
    return static_cast<std::uint64_t>(std::ranges::count(report.findings, severity, &model::Finding::severity));
}

void detail::tell_failures(std::string_view lead, std::span<const model::ProbeFailure> failures, std::size_t most,
                           Screen& screen) {
    const std::size_t shown = std::min(failures.size(), most);
    for (const model::ProbeFailure& failure : failures.first(shown))
        screen.verdict(Tone::kBad, fmt::format("{}{}: {}{}{}", lead, failure.driver, failure.reason,
                                               failure.last_call.empty() ? "" : ", last call ", failure.last_call));
    if (failures.size() > shown)
        screen.line(fmt::format("  and {} (-v)", counted(failures.size() - shown, "more failure")));
}

std::string overview(const model::Report& report, const ScreenStyle& style, std::string_view next) {
    Screen screen(style);
    for (const model::DeviceReport& device : report.devices) tell(device, screen);
    detail::tell_failures("", report.failures, kFailures, screen);
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string overview(const std::vector<model::DeviceIdentity>& devices,
                     const std::vector<model::ProbeFailure>& failures, const ScreenStyle& style) {
    Screen screen(style);
    constexpr std::size_t kShown = 16;
    std::vector<std::vector<std::string>> rows{{"#", "device", "type", "API", "vendor:device", "driver"}};
    for (std::size_t index = 0; index < devices.size(); ++index) {
        const model::DeviceIdentity& device = devices[index];
        rows.push_back({std::to_string(index), detail::cut(device.name, 34), std::string(to_string(device.type)),
                        api_text(device), fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id),
                        device.driver_info.empty() ? device.driver_name : device.driver_info});
    }
    screen.table(std::move(rows), kShown, "devices");
    detail::tell_failures("", failures, kFailures, screen);
    screen.line("Choose one with --device: its number, a part of its name, its UUID or vendor:device.");
    return screen.take();
}

}  // namespace heapwright::render
