#include "validate/binding_scenario.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "validate/measured_run.hpp"
#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {
namespace {

std::string_view name_of(device::DescriptorForm form) {
    switch (form) {
        case device::DescriptorForm::kDescriptorHeap: return "descriptor-heap";
        case device::DescriptorForm::kDescriptorBuffer: return "descriptor-buffer";
        case device::DescriptorForm::kUpdateAfterBindSet: return "update-after-bind-set";
        case device::DescriptorForm::kLargeSet: return "large-set";
        case device::DescriptorForm::kPooledSets: return "pooled-sets";
        case device::DescriptorForm::kShadow: return "shadow";
    }
    return "unknown";
}

void read_figures(BindingScene& scene, model::ScenarioVolatile& run) {
    const frame::RenderDeviceFigures seen = scene.render().figures();
    model::BindingFigures& figures = scene.figures;
    scene.add_figures(scene.render());
    for (const frame::DescriptorHeapFigures& heap : seen.cpu) figures.peak_cpu_descriptors += heap.peak;
    figures.peak_static_descriptors = seen.static_resources.peak;
    figures.peak_dynamic_descriptors = seen.dynamic_resources.peak;
    figures.peak_samplers = std::max(figures.peak_samplers, seen.samplers.peak_distinct);
    scene.stalls.descriptor_stalls = seen.dynamic_stalls;
    run.bindings = scene.stalls;
}

// Descriptors and memory ranges that are still held although the device is idle and everything was given back.
void note_leaks(BindingScene& scene) {
    const frame::RenderDeviceFigures seen = scene.render().figures();
    const auto none = [&](const char* what, std::uint64_t count) {
        if (count != 0) scene.log.add(model::Fault::kLeak, what, counted(count, "is held", "are held") + " at the end");
    };
    none("stale descriptors", seen.static_resources.stale + seen.dynamic_resources.stale + seen.static_samplers.stale +
                                  seen.dynamic_samplers.stale);
    none("dynamic descriptors", seen.dynamic_resources.live + seen.dynamic_samplers.live);
    none("static descriptors", seen.static_resources.live);
    none("samplers", seen.samplers.users);
    none("upload bytes", seen.uploads.used_bytes);
}

bool is_cut_short(const Error& error, const device::Device& device) {
    return is_not_there(error, device) || is_lack_of_memory(error) || error.code == ErrorCode::kExhausted;
}

}  // namespace

Result<model::ScenarioResult> run_binding_scenario(const BindingScenarioKind& kind, device::Device& device,
                                                   const model::DevicePolicy& policy, const ValidateOptions& options) {
    BindingScene scene(device, policy, options);
    model::ScenarioResult result = scene.begin_result(kind.name);
    if (device.descriptors() != nullptr) {
        scene.figures.descriptor_form = name_of(device.descriptors()->form().form);
        scene.figures.descriptor_form_reason = device.descriptors()->form().reason;
    }
    Status played = kind.body(scene);
    if (!scene.frames_ns().empty()) result.run.steadiness = judge_frames(options, scene.frames_ns());
    if (scene.is_set_up()) {
        if (played) {
            played = scene.drain();
        } else {
            scene.abandon_frames();
        }
        if (played) note_leaks(scene);
        // What a scenario cut short in a frame has recorded is never submitted, so all that it then gives back would
        // count as released too early.
        if (played || !is_cut_short(played.error(), device)) scene.note_broken_rules(scene.render());
        read_figures(scene, result.run);
        scene.require_sound("descriptor heaps", scene.render().validate_invariants());
    }
    scene.clean_up();
    scene.take_messages();
    if (!played) HEAPWRIGHT_TRY(scene.judge_early_end(played.error(), result));
    const model::BindingFigures& figures = result.bindings.emplace(std::move(scene.figures));
    if (!scene.log.hand_over(result) && played) {
        result.reason =
            fmt::format("{} and {} checked in {} and {}", counted(figures.descriptors_checked, "descriptor"),
                        byte_text(figures.bytes_checked), counted(figures.frames, "frame"),
                        counted(figures.command_lists, "command list"));
    }
    result.counts.verified_bytes = figures.bytes_checked;
    result.run.total_ns = scene.elapsed_ns();
    return result;
}

}  // namespace heapwright::validate
