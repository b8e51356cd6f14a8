// A schedule of work on several engines as plain values: what each queue executes, signals and waits for, what the
// host does between, and which bytes each piece of work touches. Recorded while scenarios run, or written by hand; the
// rules in this folder read it before or after anything is submitted.
//
//   operations (host program order) --> progress: does everything end? in which order?
//                                       --> deadlock rules --> violations
//                                   --> happens-before --> access rules, fence rules, state rules --> violations
//                                   --> wait roles: which waits are necessary
//
// An actor is a queue or a host thread. A queue's operations run in the order of their submission; the actor named by
// `submitter` submits them at their place in `operations`, so that they follow what it did before. Bytes are ranges of
// a resource, [begin, end). Plain values; no GPU.
//
// Where a submission (ExecuteCommandLists) ends is not written down. What a queue executes between two of its signals,
// waits and presents is taken as one submission: buffers that decay do so at the next of these, not between.
// Sources: "Multi-engine synchronization" (Direct3D 12 programming guide); Vulkan specification, synchronization,
// queue family ownership transfer.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "heapwright/core/index.hpp"

namespace heapwright::engines {

using ActorIndex = StrongIndex<struct ActorIndexTag>;
using FenceIndex = StrongIndex<struct FenceIndexTag>;
using ScheduledResourceIndex = StrongIndex<struct ScheduledResourceIndexTag>;

enum class ActorKind : std::uint8_t { kHost, kGraphics, kCompute, kCopy };

struct Actor {
    std::string name;
    ActorKind kind = ActorKind::kHost;
    std::uint32_t queue_family = 0;  // Vulkan
};

struct Fence {
    std::string name;
    std::uint64_t initial_value = 0;
};

struct ScheduledResource {
    std::string name;
    bool is_buffer = true;
    // VK_SHARING_MODE_EXCLUSIVE: one queue family owns each of its bytes at a time.
    bool exclusive = false;
};

// D3D12_RESOURCE_STATES, as far as the project's work uses them. kCommon is also D3D12_RESOURCE_STATE_PRESENT.
enum class ResourceState : std::uint8_t {
    kCommon,
    kCopyDest,
    kCopySource,
    kShaderResource,
    kConstantBuffer,
    kUnorderedAccess,
    kRenderTarget,
    kDepthWrite,
};

// Where a range of bytes ends that reaches to its resource's end, whatever its size.
inline constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

struct Access {
    ScheduledResourceIndex resource;
    std::uint64_t begin = 0;
    std::uint64_t end = kToTheEnd;
    bool write = false;
    ResourceState state = ResourceState::kCommon;  // that the work needs
};

struct Execute {
    std::string name;
    std::vector<Access> accesses;
    bool bundle = false;
    std::uint64_t duration_ns = 0;  // on a simulated clock
};

// By a queue: when everything before it is done. By the host: at once.
struct Signal {
    FenceIndex fence;
    std::uint64_t value = 0;
};

// By a queue or by the host.
struct Wait {
    FenceIndex fence;
    std::uint64_t value = 0;
};

// Keeps the contents: none here starts from VK_IMAGE_LAYOUT_UNDEFINED.
struct Transition {
    ScheduledResourceIndex resource;
    ResourceState before = ResourceState::kCommon;
    ResourceState after = ResourceState::kCommon;
};

// A back buffer handed to the presentation engine.
struct Present {
    ScheduledResourceIndex resource;
};

// The two halves of a queue family ownership transfer, of the same bytes.
struct ReleaseOwnership {
    ScheduledResourceIndex resource;
    std::uint32_t to_family = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = kToTheEnd;
};
struct AcquireOwnership {
    ScheduledResourceIndex resource;
    std::uint32_t from_family = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = kToTheEnd;
};

struct Operation {
    ActorIndex actor;
    std::variant<Execute, Signal, Wait, Transition, Present, ReleaseOwnership, AcquireOwnership> what;
    ActorIndex submitter;  // a host actor; of a host's own operation: itself
};

struct Schedule {
    std::vector<Actor> actors;
    std::vector<Fence> fences;
    std::vector<ScheduledResource> resources;
    std::vector<Operation> operations;
};

[[nodiscard]] std::string describe(const Schedule& schedule, std::size_t operation);

// "bytes 0 to 256", "the whole resource".
[[nodiscard]] std::string describe_range(std::uint64_t begin, std::uint64_t end);

// Every queue of `from` becomes queue `to`: as if the device had one queue for both. Submission order is kept.
[[nodiscard]] Schedule merge_queues(Schedule schedule, const std::vector<ActorIndex>& from, ActorIndex to);

// The same operations submitted in another order; `order` holds every position once.
[[nodiscard]] Schedule reorder(const Schedule& schedule, const std::vector<std::size_t>& order);

}  // namespace heapwright::engines
