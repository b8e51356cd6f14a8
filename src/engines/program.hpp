// Work on several engines as one plain value: the schedule that the rules read, the time model simulates and a timeline
// draws, and beside each of its operations the steps that a device executes. What was checked is what runs.
//
// Resources are named by their position: a ResourceId inside a program's work has that value, and a DrawBuffer's
// descriptor index is its image's position (its heap is not used). Who executes the program puts real ones in their
// place. Buffers' sizes and offsets are multiples of 256 bytes; images are square, R8G8B8A8_UNORM.
// Plain values.
// Source: "Multi-engine synchronization" (Direct3D 12 programming guide).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/submitter.hpp"
#include "engines/schedule.hpp"

namespace heapwright::engines {

using engines::ActorIndex;
using engines::ActorKind;
using engines::FenceIndex;
using ResourceIndex = engines::ScheduledResourceIndex;
using ListIndex = StrongIndex<struct ListIndexTag>;

enum class Place : std::uint8_t {
    kDevice,    // filled with kUntouchedWord before the program starts
    kUpload,    // host memory that engines read; filled with initial_word() before the program starts
    kReadback,  // host memory that engines write; filled with kUntouchedWord
};

struct ProgramResource {
    std::string name;
    Place place = Place::kDevice;
    std::uint64_t size_bytes = 0;  // of an image: of its texels
    std::uint32_t side = 0;        // of an image, in texels; 0: a buffer
};

inline constexpr std::uint32_t kUntouchedWord = 0xE5E5'E5E5u;

// Never equal for two words of one program in practice, so that a byte at the wrong place shows.
[[nodiscard]] constexpr std::uint32_t initial_word(std::uint64_t seed, ResourceIndex resource, std::uint64_t word) {
    std::uint64_t x = seed + (std::uint64_t{resource.value} << 40) + word;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return static_cast<std::uint32_t>(x ^ x >> 31);
}

// By the host, in mapped memory: an upload buffer is written, a read-back buffer read.
struct HostWrite {
    ResourceIndex resource;
    std::uint64_t offset_bytes = 0;
    std::vector<std::byte> bytes;
};
struct HostRead {
    ResourceIndex resource;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

using Step = std::variant<device::Work, HostWrite, HostRead>;

// The engine that a queue would like to be on.
struct EngineWish {
    ActorKind kind = ActorKind::kHost;  // kHost: a host thread, no engine
    device::EnginePriority priority = device::EnginePriority::kNormal;
};

// A command list that is recorded once and executed again and again.
struct RecordedWork {
    ActorIndex actor;
    std::string name;
    std::vector<device::Work> work;
    std::uint64_t duration_ns = 0;
};

// One execution is written down as several operations where an image changes its state within; they share a call, the
// transitions before, between and after them too, and stand side by side.
struct Call {
    std::uint32_t number = 0;       // 0: no part of an execution by a queue
    bool is_first = false;          // of its executions
    std::optional<ListIndex> list;  // the call executes this list, of which the steps are the copy
};

struct EngineProgram {
    std::uint64_t seed = 1;
    engines::Schedule schedule;
    std::vector<EngineWish> wishes;          // by actor
    std::vector<ProgramResource> resources;  // by resource of the schedule
    std::vector<RecordedWork> lists;         // by ListIndex
    std::vector<std::vector<Step>> steps;    // by operation; empty for all but executions
    std::vector<Call> calls;                 // by operation
};

}  // namespace heapwright::engines
