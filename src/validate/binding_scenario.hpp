// The scenarios of descriptors, lifetimes and uploads. Each runs a render device of its own on the device, is judged by
// what the device itself wrote, and is bounded in time: it does its least number of frames, then more until its share
// of time is over.
// Errors as validate(); a device that lacks what a scenario needs gives kNotSupported with the reason.
#pragma once

#include <array>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "validate/binding_scene.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

using BindingBody = Status (*)(BindingScene& scene);

struct BindingScenarioKind {
    std::string_view name;
    BindingBody body;
};

// Creates and destroys views of all types; each is proven by a dispatch or a clear.
[[nodiscard]] Status play_descriptor_views(BindingScene& scene);
// Static, mutable and dynamic bindings recorded by 1 to 16 threads.
[[nodiscard]] Status play_binding_model(BindingScene& scene);
// Contexts whose lists are submitted later than they are recorded, in another order.
[[nodiscard]] Status play_deferred_contexts(BindingScene& scene);
// Thousands of objects of every kind released in each frame.
[[nodiscard]] Status play_release_storm(BindingScene& scene);
// Descriptor heaps and samplers to the last one, and back.
[[nodiscard]] Status play_descriptor_exhaustion(BindingScene& scene);
// Every size class through the upload heap, byte by byte.
[[nodiscard]] Status play_upload(BindingScene& scene);
// Resources released right after their last draw, poisoned when their memory comes back.
[[nodiscard]] Status play_early_release(BindingScene& scene);
// Frames without commands between frames with them.
[[nodiscard]] Status play_loading_screens(BindingScene& scene);
// Constants in dynamic buffers, mapped anew for each dispatch while earlier frames are in flight.
[[nodiscard]] Status play_dynamic_buffers(BindingScene& scene);
// Buffers and images larger than the whole upload heap.
[[nodiscard]] Status play_content_uploads(BindingScene& scene);
// Threads that record, submit, throw away and free what others made: buffers, images, pipelines, views.
[[nodiscard]] Status play_foreign_frees(BindingScene& scene);
// A compute queue that is behind the graphics queue, and what both use.
[[nodiscard]] Status play_queue_lifetimes(BindingScene& scene);
// Buffers of the memory pool, freed through the render device and moved by the defragmenter with frames in flight.
[[nodiscard]] Status play_moving_resources(BindingScene& scene);

inline constexpr std::array<BindingScenarioKind, 13> kBindingScenarios{{
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

[[nodiscard]] Result<model::ScenarioResult> run_binding_scenario(const BindingScenarioKind& kind,
                                                                 device::Device& device,
                                                                 const model::DevicePolicy& policy,
                                                                 const ValidateOptions& options);

}  // namespace heapwright::validate
