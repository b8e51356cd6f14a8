#include "heapwright/probe/host_bandwidth.hpp"

#include <cstring>
#include <vector>

#include "heapwright/probe/cost_fit.hpp"
#include "heapwright/probe/cost_sample.hpp"

namespace heapwright::probe {
namespace {

std::uint64_t bytes_per_s(std::uint64_t bytes, std::uint64_t duration_ns) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(duration_ns));
}

}  // namespace

Result<std::optional<MeasuredBandwidth>> measure_host_bandwidth(device::Device& device, Clock& clock,
                                                                MemoryTypeIndex memory_type, std::span<std::byte> host,
                                                                std::uint32_t max_samples, std::uint64_t deadline_ns) {
    device::HeapSource& heaps = device.heaps();
    HEAPWRIGHT_ASSIGN(const device::HeapId heap,
                      heaps.allocate({.memory_type = memory_type, .size_bytes = host.size()}));
    const ScopedHeap owner(heaps, heap);
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> mapped, heaps.map(heap));
    touch_pages(mapped);
    touch_pages(host);

    std::vector<std::uint64_t> writes;
    std::vector<std::uint64_t> reads;
    do {
        std::uint64_t start = clock.now_ns();
        std::memcpy(mapped.data(), host.data(), host.size());
        HEAPWRIGHT_TRY(heaps.flush(heap, 0, host.size()));
        writes.push_back(clock.now_ns() - start);
        start = clock.now_ns();
        HEAPWRIGHT_TRY(heaps.invalidate(heap, 0, host.size()));
        std::memcpy(host.data(), mapped.data(), host.size());
        reads.push_back(clock.now_ns() - start);
    } while (writes.size() < max_samples && clock.now_ns() < deadline_ns);

    const std::uint64_t write_ns = spread(writes).median;
    const std::uint64_t read_ns = spread(reads).median;
    if (write_ns == 0 || read_ns == 0) return std::nullopt;
    MeasuredBandwidth measured{.figures = {.bytes_each = host.size(),
                                           .samples = static_cast<std::uint32_t>(writes.size()),
                                           .write_bytes_per_s = bytes_per_s(host.size(), write_ns),
                                           .read_bytes_per_s = bytes_per_s(host.size(), read_ns)}};
    for (std::size_t i = 0; i < writes.size(); ++i)
        measured.round_ns.push_back(static_cast<double>(writes[i] + reads[i]));
    return measured;
}

}  // namespace heapwright::probe
