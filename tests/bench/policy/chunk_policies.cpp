// The policy's own chunks against the Vulkan Memory Allocator's default blocks, on the same simulated traces: RGBA8
// images and buffers under churn, three populations, fresh seeds. The device has the H100's limits and latencies:
// device-local memory costs 0.4 ms and 22 us a MiB. The policy is advised from the hints of one seed and judged on
// others. Usage: chunk_policies [SEEDS]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "heapwright/core/random.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/policy/simulation.hpp"
#include "heapwright/policy/vma_rule.hpp"

using namespace heapwright;

namespace {

model::DeviceReport h100_like() {
    model::DeviceReport device;
    device.identity.name = "H100-like";
    device.heaps = {{.size_bytes = 85520809984, .flags = model::memory_heap::kDeviceLocal}};
    device.memory_types = {{.heap_index = 0, .property_flags = model::memory_property::kDeviceLocal}};
    const auto limit = [&](const char* group, const char* name, std::uint64_t value) {
        device.limits.push_back({.group = group, .name = name, .value = value});
    };
    limit("VkPhysicalDeviceLimits", "maxMemoryAllocationCount", 4294967295);
    limit("VkPhysicalDeviceLimits", "bufferImageGranularity", 1024);
    limit("VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize", 4292870144);
    model::MemoryCostCurve curve{.memory_type = 0};
    for (std::uint64_t size = 1 << 16; size <= 1ull << 30; size *= 2) {
        const std::uint64_t cost = 400'000 + (size >> 10) * 22'000 / 1024;
        curve.points.push_back({.size_bytes = size, .samples = 1, .allocate_ns = cost, .free_ns = cost / 4});
    }
    device.run.memory_cost.push_back(curve);
    return device;
}

// The device's own alignments stand in for a sweep: 1024 for images, 16 for buffers.
policy::SampledTrace make_trace(std::uint32_t images, std::uint32_t buffers, std::uint32_t largest_side,
                                std::uint64_t seed) {
    Random random(seed);
    policy::SampledTrace trace;
    const auto log_uniform = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
    const auto create = [&](bool image) {
        const double bytes =
            image ? std::floor(log_uniform(16, largest_side)) * std::floor(log_uniform(16, largest_side)) * 4
                  : log_uniform(256, 1 << 20);
        const std::uint64_t unit = image ? 1024 : 16;
        const std::uint64_t size = (static_cast<std::uint64_t>(bytes) + unit - 1) / unit * unit;
        trace.resources.push_back(
            {.size_bytes = size,
             .alignment_bytes = unit,
             .resource_class = image ? model::ResourceClass::kOptimal : model::ResourceClass::kLinear});
        const auto index = static_cast<std::uint32_t>(trace.resources.size() - 1);
        trace.steps.push_back({.kind = policy::TraceStep::Kind::kCreate, .resource = index});
        return index;
    };
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < images + buffers; ++i)
        live.push_back(create(random.below(images + buffers) < images));
    trace.steps.push_back({});
    trace.load_steps = trace.steps.size();
    for (std::uint32_t step = 0; step < 20'000; ++step) {
        std::uint32_t& victim = live[static_cast<std::size_t>(random.below(live.size()))];
        trace.steps.push_back({.kind = policy::TraceStep::Kind::kDestroy, .resource = victim});
        victim = create(trace.resources[victim].resource_class == model::ResourceClass::kOptimal);
        if (step % 20 == 19) trace.steps.push_back({});
    }
    return trace;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
    const model::DeviceReport device = h100_like();
    struct Population {
        std::uint32_t images, buffers, largest_side;
    };
    bool all_good = true;
    for (const Population& one : {Population{200, 500, 1024}, {500, 1250, 1024}, {2000, 5000, 256}}) {
        model::Workload workload;
        workload.name = "churn";
        workload.images = {{.smallest_side = 16, .largest_side = one.largest_side, .count = one.images}};
        workload.buffers = {{.smallest_bytes = 256, .largest_bytes = 1 << 20, .count = one.buffers}};
        const auto advised = policy::advise(device, workload);
        if (!advised) {
            fmt::print(stderr, "{}\n", to_string(advised.error()));
            return 2;
        }
        const policy::Context context{.device = device, .workload = workload, .device_index = 0};
        const policy::AllocationCost cost(context, 0);
        double waste = 0, vma_waste = 0, calls = 0, vma_calls = 0, frame = 0, vma_frame = 0;
        for (std::uint64_t seed = 1001; seed < 1001 + seeds; ++seed) {
            const auto trace = make_trace(one.images, one.buffers, one.largest_side, seed);
            double reserved = 0, used = 0, worst = 0;
            for (const model::BucketPolicy& bucket : advised->buckets) {
                const auto& growth = bucket.growth;
                const policy::ChunkRule rule{
                    .chunk_bytes = bucket.chunk_size_bytes.value,
                    .first_bytes = growth ? growth->first_chunk_bytes.value : bucket.chunk_size_bytes.value,
                    .divisor = growth ? growth->divisor.value : 1,
                    .dedicated_threshold_bytes =
                        bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value : ~0ull,
                    .granule_bytes = bucket.granule_bytes.value,
                    .choice = bucket.chunk_choice.value};
                const auto figures = policy::simulate(trace, rule, cost, [&](const policy::SampledResource& resource) {
                    return std::ranges::count(bucket.resource_classes, resource.resource_class) != 0;
                });
                reserved += figures.mean_reserved_bytes;
                used += figures.mean_used_bytes;
                calls += static_cast<double>(figures.peak_allocations);
                worst = std::max(worst, figures.worst_frame_ns);
            }
            const std::uint64_t block = policy::vma_block_bytes(device.heaps[0].size_bytes);
            const auto vma = policy::simulate(trace,
                                              {.sizes = policy::ChunkRule::Sizes::kVmaBlocks,
                                               .chunk_bytes = block,
                                               .dedicated_threshold_bytes = block / 2,
                                               .granule_bytes = 16},
                                              cost, [](const policy::SampledResource&) { return true; });
            waste += (reserved - used) / used;
            vma_waste += vma.waste();
            vma_calls += static_cast<double>(vma.peak_allocations);
            frame += worst;
            vma_frame += vma.worst_frame_ns;
        }
        const double count = static_cast<double>(seeds);
        fmt::print(
            "{:>5}+{:<5} chunk {:>4} MiB: waste {:5.1f}% against {:5.1f}% (ratio {:.2f}), allocations {:.1f} "
            "against {:.1f} (ratio {:.1f}), worst frame {:.0f} us against {:.0f} us (ratio {:.1f})\n",
            one.images, one.buffers, advised->buckets.front().chunk_size_bytes.value >> 20, 100 * waste / count,
            100 * vma_waste / count, waste / vma_waste, calls / count, vma_calls / count, calls / vma_calls,
            frame / count / 1e3, vma_frame / count / 1e3, vma_frame / frame);
        all_good &= waste <= 0.5 * vma_waste && calls <= 10 * vma_calls && vma_frame >= 5 * frame;
    }
    return all_good ? 0 : 1;
}
