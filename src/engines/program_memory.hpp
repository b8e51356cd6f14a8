// The resources of a program on a device: each has memory of its own, images have a render target view. Filled as the
// program's places ask before it starts. Shared by all queue families, or owned by one at a time as a plan says: then
// each range is handed to the family that uses it first once it is filled, and taken back from the last one to be read.
// Ownership: the device and the plan outlive it, the device is idle when it ends. Not thread-safe. Errors: the device's
// own; kNotSupported when no memory type takes a resource or the device has no descriptor heaps for its views.
// Beside it: the bytes that a device must leave behind, computed on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "engines/ownership.hpp"
#include "engines/program.hpp"
#include "engines/work_access.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::engines {

class ProgramMemory {
public:
    [[nodiscard]] static Result<std::unique_ptr<ProgramMemory>> create(device::Device& device,
                                                                       const std::vector<ProgramResource>& resources,
                                                                       std::uint64_t seed, const OwnershipPlan* owners);
    ~ProgramMemory();
    ProgramMemory(const ProgramMemory&) = delete;
    ProgramMemory& operator=(const ProgramMemory&) = delete;

    // Of a buffer in the host's reach.
    [[nodiscard]] std::span<std::byte> mapped(ResourceIndex resource) const { return made_[resource.value].bytes; }
    [[nodiscard]] const RealResources& real() const { return real_; }

    // What a queue's first submission waits for.
    [[nodiscard]] device::TimelinePoint filled() const { return {done_.get(), {submissions_}}; }

    // Every device buffer as it is after these points; buffers in the host's reach as mapped. Once.
    [[nodiscard]] Result<std::vector<std::vector<std::byte>>> read_all(std::span<const device::TimelinePoint> after);

private:
    struct Made {
        device::ResourceId id;
        std::span<std::byte> bytes;  // empty: out of the host's reach
    };

    ProgramMemory(device::Device& device, const OwnershipPlan* owners) : device_(device), owners_(owners) {}

    [[nodiscard]] bool is_exclusive(std::size_t resource) const;
    // Between the family of engine 0 and the others.
    Status give_away();
    Status take_back(std::span<const device::TimelinePoint> after);
    Status move(const std::vector<OwnedRange>& ranges, std::span<const device::TimelinePoint> after, bool away);
    Status make(const std::vector<ProgramResource>& resources);
    Status fill(std::uint64_t seed);
    Result<Made> make_buffer(std::uint64_t size_bytes, Place place, bool exclusive);
    Result<device::ResourceId> make_image(std::uint32_t side, bool exclusive);
    Result<device::ResourceId> create(const model::ResourceDescription& description, std::uint32_t memory_type,
                                      bool exclusive);
    Status make_views();
    Status submit_and_wait(std::span<const device::TimelinePoint> waits, std::span<const device::Work> work);
    Status submit_and_wait(device::Submission submission);

    device::Device& device_;
    const OwnershipPlan* owners_;  // null: every resource is shared
    std::vector<ProgramResource> resources_;
    std::vector<Made> made_;
    std::optional<device::DescriptorHeapId> views_;
    RealResources real_;
    std::unique_ptr<device::Timeline> done_;
    std::uint64_t submissions_ = 0;
    std::optional<Made> readback_;
};

// The bytes of a program's resources on the host, and what its steps do to them: what a device must leave behind,
// computed without one. Not thread-safe.

class HostMemory {
public:
    HostMemory(const std::vector<ProgramResource>& resources, std::uint64_t seed);

    void apply(const Step& step);
    void apply(const std::vector<Step>& steps) {
        for (const Step& step : steps) apply(step);
    }

    [[nodiscard]] std::span<const std::byte> bytes(ResourceIndex resource) const { return bytes_[resource.value]; }
    // What each HostRead saw, in the order of their steps.
    [[nodiscard]] const std::vector<std::vector<std::byte>>& reads() const { return reads_; }

private:
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<std::vector<std::byte>> reads_;
};

// The program's operations executed one after the other in this order; each position of an execution once.
[[nodiscard]] HostMemory run_on_host(const EngineProgram& program, const std::vector<std::size_t>& order);

// In the order in which the schedule plays: where no rule is broken, every legal order leaves the same bytes.
[[nodiscard]] HostMemory run_on_host(const EngineProgram& program);

}  // namespace heapwright::engines
