// The oracle that does not trust the allocator: its own map of every device allocation, fed by the calls that reach the
// device (observed_device.hpp) and by what the owner of the resources declares. It knows nothing of buckets or chunks.
// Checks each placement against the requirements that the device itself gives and against what is alive, and each
// destruction against the timeline; one diagnostic a kind of fault (model::Fault).
// Sizes in bytes. Thread-safe (one lock). Findings go to the log; a call that the device must not see (its behaviour
// would be undefined) is refused by the return value.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "validate/finding_log.hpp"
#include "validate/occupancy_recorder.hpp"

namespace heapwright::validate {

class ShadowChecker {
public:
    struct Totals {
        std::uint64_t reserved_bytes = 0;  // chunks and dedicated resources
        std::uint64_t device_allocations = 0;
        std::uint64_t dedicated_allocations = 0;
        std::uint64_t peak_reserved_bytes = 0;
        std::uint64_t peak_device_allocations = 0;
        std::uint64_t device_allocation_calls = 0;
        std::uint64_t dedicated_allocation_calls = 0;
        std::uint64_t device_free_calls = 0;  // of chunks and dedicated, by the thread that made the checker
        // Times that the device had no memory to say how far its timeline is, so that a release went unchecked.
        std::uint64_t unanswered = 0;
    };

    ShadowChecker(const model::DeviceReport& facts, FindingLog& log);

    // What the resource created next is for.
    void declare_use(model::MemoryUse use);
    // The owner is done with the resource once `last_use` has completed.
    void declare_released(device::ResourceId resource, device::TimelinePoint last_use);

    void memory_allocated(device::AllocationId memory, const device::AllocationRequest& request);
    void memory_freed(device::AllocationId memory);

    // False: the device must not see the call.
    [[nodiscard]] bool check_placed(const model::ResourceDescription& description,
                                    const model::MemoryRequirements& requirements, device::AllocationId memory,
                                    std::uint64_t offset_bytes);
    void placed(device::ResourceId resource, const model::ResourceDescription& description,
                const model::MemoryRequirements& requirements, device::AllocationId memory, std::uint64_t offset_bytes);
    [[nodiscard]] bool check_dedicated(const model::ResourceDescription& description,
                                       const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type);
    void dedicated(device::ResourceId resource, const model::ResourceDescription& description,
                   const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type);

    void used(device::ResourceId resource, device::TimelinePoint point);

    // False: the device still uses it, or does not say, so the destruction waits until take_ended() gives it.
    [[nodiscard]] bool destroyed(device::ResourceId resource);
    // Those whose destruction waits and whose use is over now; `all` when the device is idle.
    [[nodiscard]] std::vector<device::ResourceId> take_ended(bool all);

    // At the end, when everything has been given back: what is left is a leak.
    void check_leaks();

    [[nodiscard]] bool is_dedicated(device::ResourceId resource) const;
    [[nodiscard]] Totals totals() const;
    // The most that each heap of the device ever held in chunks and dedicated resources.
    [[nodiscard]] std::vector<std::uint64_t> peak_reserved_by_heap() const;
    // Mean over the heaps that have free bytes of 1 - largest free range / free bytes.
    [[nodiscard]] double mean_fragmentation() const;
    // By heap of the device, in its order: "heap 0" and so on.
    [[nodiscard]] std::vector<OccupancyFigures> occupancy() const;

private:
    struct Tracked {
        std::string label() const;

        model::ResourceDescription description;
        std::optional<device::AllocationId> memory;  // none: dedicated, or its memory was freed under it
        std::uint64_t offset_bytes = 0;
        std::uint64_t end_bytes = 0;
        std::uint64_t id = 0;
        MemoryTypeIndex memory_type;
        bool is_linear = false;
        bool is_dedicated = false;
        bool is_ended = false;  // destroyed by the allocator, its destruction by the device waits
        std::optional<device::TimelinePoint> released;
        std::optional<device::TimelinePoint> last_use;
    };
    struct Allocation {
        MemoryTypeIndex memory_type;
        std::uint64_t size_bytes = 0;
        std::multimap<std::uint64_t, std::uint64_t> ranges;  // offset -> resource
    };

    void check_memory_type(const model::ResourceDescription& description, const model::MemoryRequirements& requirements,
                           MemoryTypeIndex memory_type, bool& admitted);
    void check_neighbours(const model::ResourceDescription& description, const Allocation& allocation,
                          std::uint64_t offset_bytes, std::uint64_t end_bytes);
    void report_overlap(const model::ResourceDescription& description, std::uint64_t offset_bytes,
                        std::uint64_t end_bytes, const Tracked& other);
    struct FreeSpace {
        std::uint64_t bytes = 0;
        std::uint64_t largest_bytes = 0;

        [[nodiscard]] double fragmentation() const {
            return 1.0 - static_cast<double>(largest_bytes) / static_cast<double>(bytes);
        }
    };
    [[nodiscard]] FreeSpace free_space(const Allocation& allocation) const;
    // Counts what the device leaves unanswered, and takes it for no.
    [[nodiscard]] bool is_in_use(const Tracked& resource);
    void note_device_free();
    void forget(std::uint64_t id);
    void charge(MemoryTypeIndex memory_type, std::uint64_t size_bytes);
    void discharge(MemoryTypeIndex memory_type, std::uint64_t size_bytes);
    // Nothing where the device has no such type, which the checks tell.
    [[nodiscard]] std::optional<std::size_t> heap_of(MemoryTypeIndex memory_type) const;

    const model::DeviceReport& facts_;
    const std::uint64_t granularity_bytes_;
    FindingLog& log_;
    mutable std::mutex mutex_;
    std::optional<model::MemoryUse> use_;
    std::unordered_map<std::uint64_t, Allocation> allocations_;
    std::unordered_map<std::uint64_t, Tracked> resources_;
    std::vector<std::uint64_t> waiting_ends_;
    std::uint64_t longest_range_bytes_ = 0;
    Totals totals_;
    std::vector<std::uint64_t> reserved_by_heap_;
    std::vector<std::uint64_t> peak_by_heap_;
    std::thread::id frames_thread_ = std::this_thread::get_id();
};

}  // namespace heapwright::validate
