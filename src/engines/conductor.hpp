// What an example speaks to: queues, fences, host waits, in the words of the API and in host program order. A rehearsal
// answers on a simulated clock, a device run with a device; both write down the program that they were told.
//
// The first error stays and every later call is without effect, so that an example reads as the API's own code does;
// ok() ends its loops. Observing a fence's value is written down as a wait of the host that has passed: it orders what
// the host submits afterwards.
// Image state transitions are written down where work needs another state, and back to COMMON at the end of each
// execute(); a backend places the barriers itself.
// Not thread-safe. Timelines only rise: a signal of a value that was signalled before is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engines/program.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::engines {

struct FencePoint {
    FenceIndex fence;
    std::uint64_t value = 0;
};

class Conductor {
public:
    explicit Conductor(std::uint64_t seed);
    virtual ~Conductor() = default;
    Conductor(const Conductor&) = delete;
    Conductor& operator=(const Conductor&) = delete;

    // What the example works with; all of it before begin().
    ActorIndex queue(std::string name, ActorKind kind,
                     device::EnginePriority priority = device::EnginePriority::kNormal);
    FenceIndex fence(std::string name);
    ResourceIndex buffer(std::string name, std::uint64_t size_bytes, Place place = Place::kDevice);
    ResourceIndex image(std::string name, std::uint32_t side);
    void begin();

    // By a queue. `duration_ns` is on the simulated clock.
    void execute(ActorIndex queue, const std::string& name, const std::vector<device::Work>& work,
                 std::uint64_t duration_ns);
    ListIndex record(ActorIndex queue, std::string name, std::vector<device::Work> work, std::uint64_t duration_ns);
    void execute(ListIndex list);
    void signal(ActorIndex queue, FenceIndex fence, std::uint64_t value);
    void wait(ActorIndex queue, FenceIndex fence, std::uint64_t value);
    // Halves of a queue family ownership transfer of bytes [begin, end); of an image as a whole.
    void release(ActorIndex queue, const engines::ReleaseOwnership& release);
    void acquire(ActorIndex queue, const engines::AcquireOwnership& acquire);

    // By the host.
    void host_signal(FenceIndex fence, std::uint64_t value);
    void host_wait(FenceIndex fence, std::uint64_t value);  // with an event and a time limit
    // The first of these that is reached; waits until there is one. 0 after an error.
    std::size_t host_wait_any(std::span<const FencePoint> points);
    std::uint64_t completed(FenceIndex fence);
    void host_write(std::string name, ResourceIndex resource, std::uint64_t offset_bytes, std::vector<std::byte> bytes);
    std::vector<std::byte> host_read(std::string name, ResourceIndex resource, std::uint64_t offset_bytes,
                                     std::uint64_t size_bytes);

    [[nodiscard]] bool ok() const { return status_.has_value(); }
    [[nodiscard]] const Status& status() const { return status_; }
    [[nodiscard]] const EngineProgram& program() const { return program_; }

protected:
    static constexpr ActorIndex kHost{0};

    virtual Status on_begin() = 0;
    virtual Status on_record(ListIndex) { return {}; }
    // An operation of a queue, or a signal of the host, was appended.
    virtual Status on_operation(std::size_t position) = 0;
    virtual Status on_host_wait(FencePoint point) = 0;
    virtual Result<std::size_t> on_host_wait_any(std::span<const FencePoint> points) = 0;
    virtual Result<std::uint64_t> on_completed(FenceIndex fence) = 0;
    virtual Status on_host_write(const HostWrite& write) = 0;
    virtual Result<std::vector<std::byte>> on_host_read(const HostRead& read) = 0;

    // The families of the queues that the schedule's actors stand for; 0 until told.
    void set_queue_families(const std::vector<std::uint32_t>& by_actor);

    // One queue family at a time owns it.
    void set_exclusive(ResourceIndex resource) { program_.schedule.resources[resource.value].exclusive = true; }

    void take(Status status) {
        if (status_ && !status) status_ = std::move(status);
    }

private:
    std::size_t append(ActorIndex actor, decltype(engines::Operation::what) what, std::vector<Step> steps = {});
    void execute_steps(ActorIndex actor, const std::string& name, std::vector<Step> steps, std::uint64_t duration_ns,
                       std::optional<ListIndex> list);
    void bring(ActorIndex actor, ResourceIndex resource, engines::ResourceState state);
    [[nodiscard]] bool rises(FenceIndex fence, std::uint64_t value);

    EngineProgram program_;
    Status status_;
    std::uint32_t calls_ = 0;
    std::vector<engines::ResourceState> states_;  // by resource; of images
    std::vector<std::uint64_t> signalled_;        // by fence
    std::vector<std::uint64_t> observed_;         // by fence: by the host
};

}  // namespace heapwright::engines
