#include "validate/binding_scenario.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/byte_text.hpp"
#include "core/count_text.hpp"
#include "validate/measured_run.hpp"
#include "validate/scenario_clock.hpp"
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

void note_broken_rules(const frame::LifetimeChecker& checker, FindingLog& log) {
    for (const frame::BrokenRule& rule : checker.broken()) {
        log.add(model::Fault::kBrokenRule, std::string(frame::to_string(rule.rule)), rule.statement);
    }
}

void read_figures(BindingScene& scene, const model::BindingVolatile& other_uploads, model::BindingFigures& figures,
                  model::ScenarioVolatile& run) {
    const frame::RenderDeviceFigures seen = scene.render().figures();
    figures.descriptors_checked += scene.descriptors_checked();
    figures.bytes_checked += scene.bytes_checked();
    figures.frames += seen.frames;
    figures.command_lists += seen.command_lists;
    for (const frame::DescriptorHeapFigures& heap : seen.cpu) figures.peak_cpu_descriptors += heap.peak;
    figures.peak_static_descriptors = seen.static_resources.peak;
    figures.peak_dynamic_descriptors = seen.dynamic_resources.peak;
    figures.peak_samplers = std::max(figures.peak_samplers, seen.samplers.peak_distinct);
    figures.peak_upload_bytes = std::max(figures.peak_upload_bytes, seen.uploads.peak_used_bytes);
    run.bindings =
        model::BindingVolatile{.upload_stalls = seen.uploads.stalls + other_uploads.upload_stalls,
                               .upload_stalled_ns = seen.uploads.stalled_ns + other_uploads.upload_stalled_ns,
                               .descriptor_stalls = seen.dynamic_stalls};
}

// Descriptors and memory ranges that are still held although the device is idle and everything was given back.
void note_leaks(BindingScene& scene, FindingLog& log) {
    const frame::RenderDeviceFigures seen = scene.render().figures();
    const auto none = [&](const char* what, std::uint64_t count) {
        if (count != 0) log.add(model::Fault::kLeak, what, counted(count, "is held", "are held") + " at the end");
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

frame::RenderDeviceOptions BindingRun::render_options() const {
    frame::RenderDeviceOptions render;
    render.reports_lifetimes = true;
    render.make_visible_heap = options.make_visible_heap;
    return render;
}

Result<bool> BindingRun::more(std::uint64_t frame, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t now = clock.now_ns();
    if (frame > 0) frames_ns.push_back(static_cast<double>(now - frame_started_ns));
    frame_started_ns = now;
    if (frame < least) {
        if (now < hard_deadline_ns) return true;
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = "the time limit came before the least number of frames",
                          .where = {},
                          .value = frame,
                          .limit = least});
    }
    return frame < most && now < soft_deadline_ns;
}

Result<model::ScenarioResult> run_binding_scenario(const BindingScenario& scenario, device::Device& device,
                                                   const model::DevicePolicy& policy, const ValidateOptions& options) {
    ScenarioClock clock(options.simulated_clock);
    const std::uint64_t started_ns = clock.now_ns();
    model::ScenarioResult result = begin_result(scenario.name, device, options);
    model::BindingFigures& figures = result.bindings.emplace();
    FindingLog log;
    Status played;
    {
        BindingScene scene(device, policy, log, options.run_seed());
        BindingRun run{.scene = scene,
                       .options = options,
                       .figures = figures,
                       .clock = clock,
                       .soft_deadline_ns = started_ns + std::min(options.extra_frames_ns, options.time_limit_ns),
                       .hard_deadline_ns =
                           options.time_limit_ns > ~0ull - started_ns ? ~0ull : started_ns + options.time_limit_ns};
        if (device.descriptors() != nullptr) {
            figures.descriptor_form = name_of(device.descriptors()->form().form);
            figures.descriptor_form_reason = device.descriptors()->form().reason;
        }
        played = scenario.body(run);
        if (!run.frames_ns.empty()) result.run.steadiness = judge_frames(options, run.frames_ns);
        if (scene.is_set_up()) {
            if (played) {
                played = scene.drain();
            } else {
                scene.abandon_frames();
            }
            if (played) note_leaks(scene, log);
            // What a scenario cut short in a frame has recorded is never submitted, so all that it then gives back
            // would count as released too early.
            if (played || !is_cut_short(played.error(), device)) note_broken_rules(scene.render().checker(), log);
            read_figures(scene, run.other_uploads, figures, result.run);
            if (Status sound = scene.render().validate_invariants(); !sound)
                log.add(model::Fault::kInvariant, "descriptor heaps", to_string(sound.error()));
        }
    }
    take_messages(device, log);
    if (!played)
        HEAPWRIGHT_TRY(judge_early_end(played.error(), device, options, clock.now_ns() - started_ns, log, result));
    if (!log.hand_over(result) && played) {
        result.reason =
            fmt::format("{} and {} checked in {} and {}", counted(figures.descriptors_checked, "descriptor"),
                        byte_text(figures.bytes_checked), counted(figures.frames, "frame"),
                        counted(figures.command_lists, "command list"));
    }
    result.counts.verified_bytes = figures.bytes_checked;
    result.run.total_ns = clock.now_ns() - started_ns;
    return result;
}

}  // namespace heapwright::validate
