// The scenarios of memory: each plays operations against an allocator and checks every byte.
// Errors as validate(). For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/call_meter.hpp"
#include "validate/content_driver.hpp"
#include "validate/observed_device.hpp"
#include "validate/population.hpp"
#include "validate/scenario.hpp"
#include "validate/shadow_checker.hpp"
#include "validate/work_queue.hpp"
#include "workload/operation.hpp"

namespace heapwright::validate {

// What such a scenario stands on: the device seen through the shadow checker, the meter of calls, the bytes that fill
// and prove each resource, and the population that is played.
struct MemoryScenario : Scenario {
    MemoryScenario(device::Device& of, const model::DevicePolicy& by, const ValidateOptions& with, std::uint64_t salt);

    // What the options allow of the policy's heaps.
    [[nodiscard]] std::uint64_t limit_bytes() const;
    // Fits the workload to `room_bytes`. Errors: fit_population()'s.
    [[nodiscard]] Status fit(const model::Workload& workload, std::uint64_t room_bytes);
    // Opens the queue over its staging memory. Errors: kOutOfRange when a limit of limit_bytes() does not even hold
    // that.
    [[nodiscard]] Status open_queue(const WorkQueue::Options& staging);

    // Errors: kInterrupted, kTimeLimit; kInvariantBroken after as many findings as are kept.
    [[nodiscard]] Status check_limits() const;
    // The work that is recorded now uses it last.
    void declare_released(device::ResourceId resource);
    // Ends all work. A device that fails here is idle or lost; either way nothing uses its resources any more.
    void drain();
    // What the checks have counted, for the result.
    void fill_in(model::ScenarioResult& result) const;

    ShadowChecker checker;
    ObservedDevice observed;
    CallMeter meter;
    ContentDriver contents;
    Population population;
    std::unique_ptr<WorkQueue> queue;
};

// The next operation; empty when the scenario is over. The first EndFrame ends the load.
using OperationSource = std::function<std::optional<workload::Operation>()>;
using SourceFactory = std::function<Result<OperationSource>(const model::Workload& fitted, std::uint64_t seed)>;

struct PlayedOperations {
    std::string_view name;
    // The workload itself, so that what the policy says of it is judged; else a world of its own of the workload's
    // resources.
    bool is_workload = false;
    SourceFactory source;
};

// A whole scenario of a source: each resource is created by the allocator under test, filled by the device, and read
// back at random times, at destruction for a share of them, and all of what is alive at the end; it is poisoned before
// its release where that is cheap, so that stale bytes show.
[[nodiscard]] Result<model::ScenarioResult> play_operations(const PlayedOperations& operations, device::Device& device,
                                                            const model::DevicePolicy& policy,
                                                            const model::Workload& workload,
                                                            const ValidateOptions& options);

// Names, beside model::kMixedWorkload.
inline constexpr std::string_view kStreaming = "streaming";
inline constexpr std::string_view kDefragmentation = "defragmentation";

// The scenario "mixed-workload": a seeded load of images and buffers, then churn in frames with several in flight.
[[nodiscard]] Result<model::ScenarioResult> run_mixed_workload(device::Device& device,
                                                               const model::DevicePolicy& policy,
                                                               const model::Workload& workload,
                                                               const ValidateOptions& options);

// The scenario "streaming": an open world whose cells come and go as groups of resources while the camera moves. A cell
// behind is released at once; the one ahead is loaded over the next frames within an upload budget of bytes a frame.
// What a frame costs the allocator at worst is in the result's worst_frame_ns.
[[nodiscard]] Result<model::ScenarioResult> run_streaming(device::Device& device, const model::DevicePolicy& policy,
                                                          const model::Workload& workload,
                                                          const ValidateOptions& options);

// The scenario "defragmentation": resources are created and filled, most are released at random, and what is left is
// moved together a little every frame, within a budget of bytes and moves, by the runtime's defragmenter. Every byte is
// checked before, right after each move, and at the end; the shadow checker judges every placement.
// Runs the memory pool itself: no other allocator under test can move resources. All resources are in device memory.
[[nodiscard]] Result<model::ScenarioResult> run_defragmentation(device::Device& device,
                                                                const model::DevicePolicy& policy,
                                                                const model::Workload& workload,
                                                                const ValidateOptions& options);

using MemoryBody = Result<model::ScenarioResult> (*)(device::Device&, const model::DevicePolicy&,
                                                     const model::Workload&, const ValidateOptions&);

struct MemoryScenarioKind {
    std::string_view name;
    MemoryBody body;
};

inline constexpr std::array<MemoryScenarioKind, 3> kMemoryScenarios{{
    {model::kMixedWorkload, run_mixed_workload},
    {kStreaming, run_streaming},
    {kDefragmentation, run_defragmentation},
}};

// Defragmentation in the order of size instead, the largest to the first chunk: a baseline beside it.
[[nodiscard]] Result<model::ScenarioResult> run_defragmentation_by_size(device::Device& device,
                                                                        const model::DevicePolicy& policy,
                                                                        const model::Workload& workload,
                                                                        const ValidateOptions& options);

}  // namespace heapwright::validate
