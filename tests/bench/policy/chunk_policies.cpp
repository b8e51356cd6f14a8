// The policy's own chunks against the Vulkan Memory Allocator itself, on the same traces: RGBA8 images and buffers
// under churn, three populations, fresh seeds. The runtime's memory pool executes the policy, VMA runs its default
// pools; both on memory that is numbers, at the latencies that the report measured. The policy is advised from the
// report and the hints of the population, and judged on traces that it has not seen. The load is played in frames too.
//   bench_policy REPORT [SEEDS [FIRST_SEED]]
// Figures: mean over frames of (reserved - used) / used, most device allocations alive, and the worst frame's time in
// vkAllocateMemory and vkFreeMemory. Exit code 1 when a target is missed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "arguments.hpp"
#include "core/random.hpp"
#include "numbers_device.hpp"
#include "policy/advise.hpp"
#include "policy/allocation_cost.hpp"
#include "pool/memory_pool.hpp"
#include "vma_allocator.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint32_t kSteps = 20'000;  // destroy and create one each
constexpr std::uint32_t kStepsPerFrame = 20;
constexpr std::uint64_t kImageAlignment = 1024;
constexpr std::uint64_t kBufferAlignment = 16;

struct Population {
    std::uint32_t images = 0;
    std::uint32_t buffers = 0;
    std::uint32_t largest_side = 0;
};

struct Step {
    std::uint32_t victim = ~0u;  // none while loading
    model::ResourceDescription created;
};

// The alignments that the device gives RGBA8 images and buffers; sizes are rounded up to them.
model::MemoryRequirements requirements_of(const model::ResourceDescription& description, std::uint32_t type_bits) {
    const auto* image = std::get_if<model::ImageDescription>(&description);
    const std::uint64_t packed = image != nullptr ? 4ull * image->width * image->height
                                                  : std::get<model::BufferDescription>(description).size_bytes;
    const std::uint64_t unit = image != nullptr ? kImageAlignment : kBufferAlignment;
    return {.size_bytes = (packed + unit - 1) / unit * unit, .alignment_bytes = unit, .memory_type_bits = type_bits};
}

std::vector<Step> make_trace(const Population& one, std::uint64_t seed) {
    Random random(seed);
    const auto log_uniform = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
    const auto draw = [&](bool image) -> model::ResourceDescription {
        if (!image) {
            return model::BufferDescription{.size_bytes = static_cast<std::uint64_t>(log_uniform(256, 1 << 20)),
                                            .usage = model::buffer_usage::kVertex | model::buffer_usage::kTransferDst};
        }
        const auto side = [&] { return static_cast<std::uint32_t>(log_uniform(16, one.largest_side)); };
        return model::ImageDescription{.usage = model::image_usage::kSampled | model::image_usage::kTransferDst,
                                       .width = side(),
                                       .height = side()};
    };
    std::vector<Step> steps;
    std::vector<bool> is_image;
    const std::uint32_t all = one.images + one.buffers;
    for (std::uint32_t i = 0; i < all; ++i) {
        is_image.push_back(random.below(all) < one.images);
        steps.push_back({.created = draw(is_image.back())});
    }
    for (std::uint32_t i = 0; i < kSteps; ++i) {
        const auto victim = static_cast<std::uint32_t>(random.below(all));
        steps.push_back({.victim = victim, .created = draw(is_image[victim])});
    }
    return steps;
}

struct Figures {
    double waste = 0;
    double allocations = 0;  // the most alive at the same time
    double worst_frame_ns = 0;
    double worst_churn_frame_ns = 0;

    Figures& operator+=(const Figures& other) {
        waste += other.waste;
        allocations += other.allocations;
        worst_frame_ns += other.worst_frame_ns;
        worst_churn_frame_ns += other.worst_churn_frame_ns;
        return *this;
    }
};

// What both allocators are measured by. Releases take effect at the end of their frame.
class Meter {
public:
    explicit Meter(const policy::AllocationCost& cost) : cost_(cost) {}

    void device_call(std::uint64_t bytes, bool is_allocation) {
        frame_ns_ += is_allocation ? cost_.allocate_ns(bytes) : cost_.free_ns(bytes);
        reserved_ += is_allocation ? bytes : 0 - bytes;
        alive_ += is_allocation ? 1 : -1;
        figures_.allocations = std::max(figures_.allocations, static_cast<double>(alive_));
    }
    void end_frame(std::uint64_t used_bytes, bool churns) {
        figures_.worst_frame_ns = std::max(figures_.worst_frame_ns, frame_ns_);
        if (churns) {
            figures_.worst_churn_frame_ns = std::max(figures_.worst_churn_frame_ns, frame_ns_);
            figures_.waste += static_cast<double>(reserved_) / static_cast<double>(used_bytes) - 1.0;
            ++frames_;
        }
        frame_ns_ = 0;
    }
    [[nodiscard]] Figures figures() const {
        Figures mean = figures_;
        mean.waste /= std::max(1.0, frames_);
        return mean;
    }

private:
    const policy::AllocationCost& cost_;
    Figures figures_;
    double frame_ns_ = 0;
    double frames_ = 0;
    std::uint64_t reserved_ = 0;
    std::int64_t alive_ = 0;
};

// create(description, requirements) -> Resource, release(Resource), end_frame().
template <class Allocator>
Figures play(const std::vector<Step>& trace, std::size_t population, std::uint32_t type_bits, Meter& meter,
             Allocator& allocator) {
    std::vector<typename Allocator::Resource> live;
    std::vector<std::uint64_t> sizes;
    std::uint64_t used = 0;
    std::size_t in_frame = 0;
    for (const Step& step : trace) {
        const auto requirements = requirements_of(step.created, type_bits);
        used += requirements.size_bytes;
        if (step.victim == ~0u) {
            live.push_back(allocator.create(step.created, requirements));
            sizes.push_back(requirements.size_bytes);
        } else {
            used -= sizes[step.victim];
            allocator.release(std::move(live[step.victim]));
            live[step.victim] = allocator.create(step.created, requirements);
            sizes[step.victim] = requirements.size_bytes;
        }
        if (++in_frame % kStepsPerFrame != 0) continue;
        allocator.end_frame();
        meter.end_frame(used, in_frame > population);
    }
    for (auto& resource : live) allocator.release(std::move(resource));
    allocator.end_frame();
    return meter.figures();
}

class Ours {
public:
    using Resource = pool::Resource;

    Ours(device::Device& device, const model::DevicePolicy& policy)
        : pool_(require(pool::MemoryPool::create(device, policy, {}))) {}
    Resource create(const model::ResourceDescription& description, const model::MemoryRequirements&) {
        return require(pool_->create(description, model::MemoryUse::kDeviceOnly));
    }
    void release(Resource resource) { resource.mark_used(TimelineValue{frame_}); }
    void end_frame() {
        if (!pool_->release_completed(TimelineValue{frame_++})) std::exit(2);
    }

private:
    std::unique_ptr<pool::MemoryPool> pool_;
    std::uint64_t frame_ = 1;
};

class Theirs {
public:
    using Resource = VmaAllocatorPeer::Resource*;

    explicit Theirs(VmaAllocatorPeer& vma) : vma_(vma) {}
    Resource create(const model::ResourceDescription& description, const model::MemoryRequirements& requirements) {
        Resource resource = vma_.create({.size_bytes = requirements.size_bytes,
                                         .alignment_bytes = requirements.alignment_bytes,
                                         .is_optimal = std::holds_alternative<model::ImageDescription>(description)});
        if (resource == nullptr) std::exit(2);
        return resource;
    }
    void release(Resource resource) { released_.push_back(resource); }
    void end_frame() {
        for (Resource resource : released_) vma_.destroy(resource);
        released_.clear();
    }

private:
    VmaAllocatorPeer& vma_;
    std::vector<Resource> released_;
};

model::Workload workload_of(const Population& one) {
    model::Workload workload;
    workload.name = "churn";
    workload.steps_per_frame = kStepsPerFrame;
    workload.images = {{.smallest_side = 16,
                        .largest_side = one.largest_side,
                        .distribution = model::SizeDistribution::kLogUniform,
                        .count = one.images}};
    workload.buffers = {{.smallest_bytes = 256, .largest_bytes = 1 << 20, .count = one.buffers}};
    return workload;
}

bool compare(const model::DeviceReport& report, const Population& one, std::uint64_t seeds, std::uint64_t first_seed) {
    const model::Workload workload = workload_of(one);
    const model::DevicePolicy policy = require(policy::advise(report, workload));
    const std::uint32_t type = policy.buckets.front().memory_type;
    const model::MemoryHeap& heap = report.heaps[report.memory_types[type].heap_index];
    const policy::Context context{.device = report, .workload = workload, .device_index = 0};
    const policy::AllocationCost cost(context, type, policy::CostBasis::kCaptured);

    Figures ours, theirs;
    double worst_waste_ratio = 0, worst_frame_ratio = 1e9;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
        const auto trace = make_trace(one, seed);
        const std::size_t population = one.images + one.buffers;
        const auto play_with = [&](auto&& make) {
            Meter meter(cost);
            return make(meter, [&](auto& allocator) { return play(trace, population, 1u << type, meter, allocator); });
        };
        const Figures mine = play_with([&](Meter& meter, const auto& run) {
            NumbersDevice device(
                report, [&](const auto& description) { return requirements_of(description, 1u << type); },
                [&](std::uint64_t bytes, bool is_allocation) { meter.device_call(bytes, is_allocation); }, ~0ull);
            Ours pool(device, policy);
            return run(pool);
        });
        const Figures vma = play_with([&](Meter& meter, const auto& run) {
            VmaAllocatorPeer peer(
                {.heap_bytes = heap.size_bytes,
                 .granularity_bytes = report.limit("bufferImageGranularity").value_or(1)},
                [&](std::uint64_t bytes, bool is_allocation) { meter.device_call(bytes, is_allocation); });
            Theirs blocks(peer);
            return run(blocks);
        });
        ours += mine;
        theirs += vma;
        worst_waste_ratio = std::max(worst_waste_ratio, mine.waste / vma.waste);
        worst_frame_ratio = std::min(worst_frame_ratio, vma.worst_frame_ns / mine.worst_frame_ns);
    }
    const auto count = static_cast<double>(seeds);
    fmt::print("{:>5}+{:<5} memory type {} ({}), {} seeds from {}\n", one.images, one.buffers, type,
               cost.is_measured() ? "measured costs" : "assumed costs", seeds, first_seed);
    fmt::print("  waste        {:6.1f} % against {:6.1f} %   x{:.2f} (worst seed x{:.2f}, target 0.50)\n",
               100 * ours.waste / count, 100 * theirs.waste / count, ours.waste / theirs.waste, worst_waste_ratio);
    fmt::print("  allocations  {:6.1f}   against {:6.1f}     x{:.2f} (target 10)\n", ours.allocations / count,
               theirs.allocations / count, ours.allocations / theirs.allocations);
    fmt::print("  worst frame  {:6.0f} us against {:6.0f} us  {:.1f} times shorter (worst seed {:.1f}, target 5)\n",
               ours.worst_frame_ns / count / 1e3, theirs.worst_frame_ns / count / 1e3,
               theirs.worst_frame_ns / ours.worst_frame_ns, worst_frame_ratio);
    fmt::print("  of the churn {:6.0f} us against {:6.0f} us\n", ours.worst_churn_frame_ns / count / 1e3,
               theirs.worst_churn_frame_ns / count / 1e3);
    for (const model::BucketPolicy& bucket : policy.buckets)
        fmt::print("  bucket {}: chunks of {} KiB, first {} KiB, dedicated above {} KiB\n", bucket.id,
                   bucket.chunk_size_bytes.value >> 10,
                   (bucket.growth ? bucket.growth->first_chunk_bytes.value : bucket.chunk_size_bytes.value) >> 10,
                   bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value >> 10 : 0);
    return ours.waste <= 0.5 * theirs.waste && ours.allocations <= 10 * theirs.allocations &&
           theirs.worst_frame_ns >= 5 * ours.worst_frame_ns;
}

}  // namespace
}  // namespace heapwright::bench

int main(int argc, char** argv) {
    using namespace heapwright;
    using namespace heapwright::bench;
    const auto [report, numbers] = read_arguments(argc, argv, "bench_policy REPORT [SEEDS [FIRST_SEED]]", {10, 1001});
    const std::uint64_t seeds = numbers[0];
    const std::uint64_t first_seed = numbers[1];
    bool all_good = true;
    for (const Population& one : {Population{200, 500, 1024}, {500, 1250, 1024}, {2000, 5000, 256}})
        all_good &= compare(report.devices.front(), one, seeds, first_seed);
    return all_good ? 0 : 1;
}
