#include "probe/host_bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/measurement_session.hpp"
#include "probe/cost_fit.hpp"
#include "probe/engine_figures.hpp"

namespace heapwright::probe {

Result<std::optional<MeasuredBandwidth>> measure_host_bandwidth(device::Device& device, Clock& clock,
                                                                MemoryTypeIndex memory_type, std::span<std::byte> host,
                                                                const BandwidthBounds& bounds) {
    device::MemorySource& source = device.memory();
    HEAPWRIGHT_ASSIGN(const device::AllocationId memory,
                      source.allocate({.memory_type = memory_type, .size_bytes = host.size()}));
    const ScopedAllocation owner(source, memory);
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> mapped, source.map(memory));
    touch_pages(mapped);
    touch_pages(host);

    std::vector<std::uint64_t> writes;
    std::vector<std::uint64_t> reads;
    MeasuredBandwidth measured;
    const auto take_round = [&]() -> Status {
        std::uint64_t start = clock.now_ns();
        std::memcpy(mapped.data(), host.data(), host.size());
        HEAPWRIGHT_TRY(source.flush(memory, 0, host.size()));
        writes.push_back(clock.now_ns() - start);
        start = clock.now_ns();
        HEAPWRIGHT_TRY(source.invalidate(memory, 0, host.size()));
        std::memcpy(host.data(), mapped.data(), host.size());
        reads.push_back(clock.now_ns() - start);
        measured.rounds_ns.push_back(static_cast<double>(writes.back() + reads.back()));
        return {};
    };
    do {
        HEAPWRIGHT_TRY(take_round());
    } while (writes.size() < bounds.samples && clock.now_ns() < bounds.deadline_ns);
    const std::uint64_t settled_by_ns = std::min(clock.now_ns() + bounds.settling_ns, bounds.deadline_ns);
    while (clock.now_ns() < settled_by_ns && device::may_still_settle(measured.rounds_ns)) HEAPWRIGHT_TRY(take_round());

    const std::uint64_t write_ns = spread(writes).median;
    const std::uint64_t read_ns = spread(reads).median;
    if (write_ns == 0 || read_ns == 0) return std::nullopt;
    measured.figures = {.bytes_each = host.size(),
                        .samples = static_cast<std::uint32_t>(writes.size()),
                        .write_bytes_per_s = bytes_per_s(host.size(), write_ns),
                        .read_bytes_per_s = bytes_per_s(host.size(), read_ns)};
    return measured;
}

}  // namespace heapwright::probe
