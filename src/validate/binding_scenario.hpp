// The scenarios of descriptors, lifetimes and uploads. Each runs a render device of its own on the device, is judged by
// what the device itself wrote, and is bounded in time: it does its least number of frames, then more until its share
// of time is over.
// Errors as validate(); a device that lacks what a scenario needs gives kNotSupported with the reason.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "heapwright/core/result.hpp"
#include "validate/binding_scene.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

// What the body of such a scenario works with.
struct BindingRun {
    BindingScene& scene;
    const ValidateOptions& options;
    model::BindingFigures& figures;
    Clock& clock;
    std::uint64_t soft_deadline_ns = 0;  // more frames than the least end here
    std::uint64_t hard_deadline_ns = 0;
    std::vector<double> frames_ns = {};  // what each frame took, in their order
    std::uint64_t frame_started_ns = 0;
    model::BindingVolatile other_uploads = {};  // the stalls of upload heaps beside the scene's

    void add_stalls(const frame::UploadFigures& heap) {
        other_uploads.upload_stalls += heap.stalls;
        other_uploads.upload_stalled_ns += heap.stalled_ns;
    }

    [[nodiscard]] frame::RenderDeviceOptions render_options() const;
    // Whether frame number `frame` is to be played. Error: kTimeLimit before the least number of frames is done.
    [[nodiscard]] Result<bool> more(std::uint64_t frame, std::uint64_t least, std::uint64_t most);
};

using BindingBody = Status (*)(BindingRun& run);

struct BindingScenario {
    std::string_view name;
    BindingBody body;
};

// Creates and destroys views of all types; each is proven by a dispatch or a clear.
[[nodiscard]] Status play_descriptor_views(BindingRun& run);
// Static, mutable and dynamic bindings recorded by 1 to 16 threads.
[[nodiscard]] Status play_binding_model(BindingRun& run);
// Contexts whose lists are submitted later than they are recorded, in another order.
[[nodiscard]] Status play_deferred_contexts(BindingRun& run);
// Thousands of objects of every kind released in each frame.
[[nodiscard]] Status play_release_storm(BindingRun& run);
// Descriptor heaps and samplers to the last one, and back.
[[nodiscard]] Status play_descriptor_exhaustion(BindingRun& run);
// Every size class through the upload heap, byte by byte.
[[nodiscard]] Status play_upload(BindingRun& run);
// Resources released right after their last draw, poisoned when their memory comes back.
[[nodiscard]] Status play_early_release(BindingRun& run);
// Frames without commands between frames with them.
[[nodiscard]] Status play_loading_screens(BindingRun& run);
// Constants in dynamic buffers, mapped anew for each dispatch while earlier frames are in flight.
[[nodiscard]] Status play_dynamic_buffers(BindingRun& run);
// Buffers and images larger than the whole upload heap.
[[nodiscard]] Status play_content_uploads(BindingRun& run);
// Threads that record, submit, throw away and free what others made: buffers, images, pipelines, views.
[[nodiscard]] Status play_foreign_frees(BindingRun& run);
// A compute queue that is behind the graphics queue, and what both use.
[[nodiscard]] Status play_queue_lifetimes(BindingRun& run);
// Buffers of the memory pool, freed through the render device and moved by the defragmenter with frames in flight.
[[nodiscard]] Status play_moving_resources(BindingRun& run);

inline constexpr std::array<BindingScenario, 13> kBindingScenarios{{
    {"descriptor-views", play_descriptor_views},
    {"binding-model", play_binding_model},
    {"deferred-contexts", play_deferred_contexts},
    {"release-storm", play_release_storm},
    {"descriptor-exhaustion", play_descriptor_exhaustion},
    {"upload", play_upload},
    {"early-release", play_early_release},
    {"loading-screens", play_loading_screens},
    {"dynamic-buffers", play_dynamic_buffers},
    {"content-uploads", play_content_uploads},
    {"foreign-frees", play_foreign_frees},
    {"queue-lifetimes", play_queue_lifetimes},
    {"moving-resources", play_moving_resources},
}};

[[nodiscard]] Result<model::ScenarioResult> run_binding_scenario(const BindingScenario& scenario,
                                                                 device::Device& device,
                                                                 const model::DevicePolicy& policy,
                                                                 const ValidateOptions& options);

}  // namespace heapwright::validate
