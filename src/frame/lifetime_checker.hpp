// Watches whether an application keeps the rules on which lifetimes rest, and words a broken one with the object, the
// frame and the command list. It keeps nothing alive and changes nothing.
//   - A resource, a pipeline, a view, a static or mutable descriptor is not released before its last use is recorded,
//     in whatever context. (The article asks more of deferred contexts: that their lists are submitted before. Here the
//     frame's end waits for whoever has recorded.)
//   - A release that says which queues or lists used something leaves out no use: none of another context that is open,
//     and none of a list that is not over.
//   - Dynamic descriptors and dynamic space are used in the frame in which they were allocated, and dynamic descriptors
//     before their context is submitted: its rows go back with it.
//   - Dynamic buffers are unmapped before the commands that use them are submitted.
//   - A deferred context is submitted in the frame in which it was begun, or in the next one: it may have been begun
//     while another thread ended the frame.
//   - A context is used by one thread at a time. It may be handed on; calls of two threads that overlap are told as far
//     as one sees the other.
//   - Dynamic descriptors are used by the context that allocated them.
// The last kMostDestroyed resources and pipelines that were destroyed are remembered, and the last kMostGoneHeaps heaps
// of views: their ids do not come back.
// Thread-safe. Source: "Managing Resource Lifetimes" (Diligent Engine), conclusion.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/resource_binder.hpp"
#include "device/submitter.hpp"
#include "frame/release_point.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"

namespace heapwright::frame {

enum class LifetimeRule : std::uint8_t {
    kReleasedBeforeLastUse,
    kDynamicKeptAcrossFrames,
    kDeferredAcrossFrames,
    kContextUsedByTwoThreads,
    kForeignDynamicDescriptors,
    kDynamicUsedAfterSubmission,
    kMappedWhenSubmitted,
    kUseLeftOut,
};

[[nodiscard]] std::string_view to_string(LifetimeRule rule);

struct BrokenRule {
    LifetimeRule rule = LifetimeRule::kReleasedBeforeLastUse;
    std::uint64_t object = 0;  // a resource, a pipeline, a context, a descriptor's index, an offset
    std::uint64_t frame = 0;
    std::uint64_t command_list = 0;  // that is submitted next when the rule is found broken
    std::string statement;
};

// What a descriptor is called in a broken rule.
enum class DescriptorName : std::uint8_t { kDescriptor, kSamplerDescriptor, kView };

class LifetimeChecker {
public:
    static constexpr std::size_t kMostKept = 64;
    static constexpr std::size_t kMostDestroyed = 65'536;
    static constexpr std::size_t kMostGoneHeaps = 256;

    struct Place {
        std::uint32_t context = 0;
        std::uint64_t frame = 0;
        std::uint64_t command_list = 0;
        std::size_t queue = 0;
    };
    // Where something was released.
    struct Release {
        std::uint64_t frame = 0;
        std::uint64_t command_list = 0;
    };

    // Of resources and pipelines.
    template <class Id>
    void used(Id id, const Place& place) {
        const std::lock_guard lock(mutex_);
        used_locked(objects_of(id), id.value, place);
    }
    template <class Id>
    void released(Id id, const Release& release) {
        const std::lock_guard lock(mutex_);
        objects_of(id).released.insert_or_assign(id.value, release);
    }
    // Besides: the release says that no list of a queue behind its value here uses the object. ~0: whatever the queue
    // uses is known. What the fences read is in `completed`.
    template <class Id>
    void last_uses_named(Id id, const Release& release, const QueueValues& last_uses, const QueueValues& completed) {
        const std::lock_guard lock(mutex_);
        last_uses_named_locked(objects_of(id), id.value, release, last_uses, completed);
    }
    template <class Id>
    void destroyed(Id id) {
        const std::lock_guard lock(mutex_);
        destroyed_locked(objects_of(id), id.value);
    }

    // What the context used went with this list of the queue, or never will.
    void retired(std::uint32_t context, std::size_t queue, std::optional<std::uint64_t> command_list);

    // Views, and descriptors of the static part of a shader-visible heap. Those that were released are unknown again
    // once they are allocated anew.
    void descriptors_allocated(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count);
    void descriptors_used(DescriptorName name, device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                          const Place& place);
    void descriptors_released(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                              const Release& release);

    // The heap went back to the device.
    void descriptor_heap_gone(device::DescriptorHeapId heap);

    // Dynamic buffers of the context are mapped when its commands are submitted.
    void mapped_when_submitted(const Place& place, std::uint32_t count);

    void dynamic_used(const Place& place, std::uint64_t object, std::uint64_t made_in_frame,
                      std::uint32_t made_by_context, const char* what);
    // A dynamic descriptor of the context and the frame whose row went back when the context was submitted.
    void row_used_after_submission(const Place& place, std::uint64_t object);
    void deferred_left_open(const Place& place, std::uint64_t frame_that_ends);
    void second_thread(const Place& place);

    // The first kMostKept that were found, and how many there were.
    [[nodiscard]] std::vector<BrokenRule> broken() const;
    [[nodiscard]] std::uint64_t broken_count() const;

private:
    struct OpenUse {
        std::uint32_t context = 0;
        std::size_t queue = 0;
    };
    struct Uses {
        std::vector<OpenUse> open = {};  // by contexts that are not submitted
        QueueValues ends{};              // of the last list of each queue
    };
    // Objects with ids, of one kind.
    struct Objects {
        const char* name = "";
        std::unordered_map<std::uint64_t, Uses> uses = {};  // until they are destroyed
        std::unordered_map<std::uint64_t, Release> released = {};
        suballoc::detail::FlatRing<std::uint64_t> destroyed = {};  // oldest first; all of them are in `released`
    };
    struct ReleasedRange {
        std::uint32_t count = 0;
        Release release;
    };
    // Of one heap; by the first descriptor. They do not overlap.
    using ReleasedRanges = std::map<std::uint32_t, ReleasedRange>;

    [[nodiscard]] Objects& objects_of(device::ResourceId) { return resources_; }
    [[nodiscard]] Objects& objects_of(device::PipelineId) { return pipelines_; }
    void used_locked(Objects& objects, std::uint64_t id, const Place& place);
    void last_uses_named_locked(const Objects& objects, std::uint64_t id, const Release& release,
                                const QueueValues& last_uses, const QueueValues& completed);
    void destroyed_locked(Objects& objects, std::uint64_t id);
    void used_too_late(std::string object, std::uint64_t id, const Place& place, const Release& release);
    void add_locked(LifetimeRule rule, std::uint64_t object, std::uint64_t frame, std::uint64_t command_list,
                    std::string statement);

    mutable std::mutex mutex_;
    Objects resources_{.name = "resource"};
    Objects pipelines_{.name = "pipeline"};
    std::unordered_map<std::uint64_t, ReleasedRanges> released_descriptors_;  // by heap
    suballoc::detail::FlatRing<std::uint64_t> gone_heaps_;  // oldest first; all of them are in released_descriptors_
    // By context, what it used and is in `open`.
    std::unordered_map<std::uint32_t, std::vector<std::pair<Objects*, std::uint64_t>>> used_by_;
    std::vector<BrokenRule> broken_;
    std::uint64_t count_ = 0;
};

}  // namespace heapwright::frame
