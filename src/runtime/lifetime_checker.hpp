// Watches whether an application keeps the rules on which lifetimes rest, and words a broken one with the object, the
// frame and the command list. It keeps nothing alive and changes nothing.
//   - A resource is not released before its last use is recorded; one that a deferred context uses is not released
//     before that context's list is submitted.
//   - Dynamic descriptors and dynamic space are used in the frame in which they were allocated.
//   - A deferred context is submitted in the frame in which it was begun.
//   - A context is used by one thread.
//   - Dynamic descriptors are used by the context that allocated them.
// Thread-safe. Source: "Managing Resource Lifetimes" (Diligent Engine), conclusion.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "heapwright/device/resource_binder.hpp"

namespace heapwright::runtime {

enum class LifetimeRule : std::uint8_t {
    kReleasedBeforeLastUse,
    kDynamicKeptAcrossFrames,
    kDeferredAcrossFrames,
    kContextUsedByTwoThreads,
    kForeignDynamicDescriptors,
};

[[nodiscard]] std::string_view to_string(LifetimeRule rule);

struct BrokenRule {
    LifetimeRule rule = LifetimeRule::kReleasedBeforeLastUse;
    std::uint64_t object = 0;  // a resource, a context, a descriptor's index, an offset
    std::uint64_t frame = 0;
    std::uint64_t command_list = 0;  // that is submitted next when the rule is found broken
    std::string statement;
};

class LifetimeChecker {
public:
    static constexpr std::size_t kMostKept = 64;

    struct Place {
        std::uint32_t context = 0;
        bool is_deferred = false;
        std::uint64_t frame = 0;
        std::uint64_t command_list = 0;
    };

    void used(device::ResourceId resource, const Place& place);
    void released(device::ResourceId resource, std::uint64_t frame, std::uint64_t command_list);
    // The resource's id may come back with another resource.
    void destroyed(device::ResourceId resource);
    // The list of this context is in the queue: what it used may be released.
    void submitted(std::uint32_t context);

    void dynamic_used(const Place& place, std::uint64_t object, std::uint64_t made_in_frame,
                      std::uint32_t made_by_context, const char* what);
    void deferred_left_open(const Place& place);
    void second_thread(const Place& place);

    // The first kMostKept that were found, and how many there were.
    [[nodiscard]] std::vector<BrokenRule> broken() const;
    [[nodiscard]] std::uint64_t broken_count() const;

private:
    struct Release {
        std::uint64_t frame = 0;
        std::uint64_t command_list = 0;
    };

    void add_locked(LifetimeRule rule, std::uint64_t object, std::uint64_t frame, std::uint64_t command_list,
                    std::string statement);

    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Release> released_;
    std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> open_uses_;                    // of deferred contexts
    std::unordered_map<std::uint64_t, std::unordered_map<std::uint32_t, std::uint64_t>> users_;  // resource -> context
    std::vector<BrokenRule> broken_;
    std::uint64_t count_ = 0;
};

}  // namespace heapwright::runtime
