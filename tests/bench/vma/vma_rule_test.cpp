// The baseline "vma-default" reserves what the real allocator reserves: the same number of device allocations of the
// same sizes after every single step of the same trace.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "core/random.hpp"
#include "core/units.hpp"
#include "validate/baselines.hpp"
#include "vma_allocator.hpp"

namespace heapwright::bench {
namespace {

// One heap, one memory type; a description's requirements are those of the request under way.
class NumbersDevice final : public device::Device, public device::MemorySource, public device::ResourceBinder {
public:
    explicit NumbersDevice(const VmaDevice& device) : limit_bytes_(device.limit_bytes) {
        facts_.heaps = {{.size_bytes = device.heap_bytes, .flags = model::memory_heap::kDeviceLocal}};
        facts_.memory_types = {{.heap_index = 0, .property_flags = model::memory_property::kDeviceLocal}};
        facts_.limits = {{.group = "limits", .name = "bufferImageGranularity", .value = device.granularity_bytes},
                         {.group = "limits", .name = "maxMemoryAllocationCount", .value = device.most_allocations}};
    }
    void answer(const model::MemoryRequirements& requirements) { requirements_ = requirements; }
    [[nodiscard]] std::vector<std::uint64_t> allocations() const {
        std::vector<std::uint64_t> sizes;
        for (const auto& [id, size] : memory_) sizes.push_back(size);
        std::ranges::sort(sizes);
        return sizes;
    }

    const model::DeviceReport& facts() const override { return facts_; }
    bool is_real() const override { return false; }
    device::MemorySource& memory() override { return *this; }
    device::ResourceBinder& resources() override { return *this; }
    device::Submitter& submitter() override { std::abort(); }
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t) override {
        return fail(ErrorCode::kNotSupported, "numbers alone");
    }
    std::vector<std::string> take_validation_messages() override { return {}; }

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        HEAPWRIGHT_TRY(take(request.size_bytes));
        return device::AllocationId{next_++};
    }
    void free(device::AllocationId memory) override { give_back(memory.value); }
    Result<std::span<std::byte>> map(device::AllocationId) override {
        return fail(ErrorCode::kNotSupported, "numbers");
    }
    Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Result<std::vector<model::HeapBudget>> budgets() override { return std::vector<model::HeapBudget>{}; }

    Result<model::MemoryRequirements> requirements(const model::ResourceDescription&) override { return requirements_; }
    Result<device::ResourceId> create_placed(const model::ResourceDescription&, device::AllocationId,
                                             std::uint64_t) override {
        return device::ResourceId{next_++};
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription&, MemoryTypeIndex, float) override {
        HEAPWRIGHT_TRY(take(requirements_.size_bytes));
        return device::ResourceId{next_++};
    }
    void destroy(device::ResourceId resource) override { give_back(resource.value); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId) override {
        return fail(ErrorCode::kNotSupported, "numbers");
    }

private:
    Status take(std::uint64_t bytes) {
        if (bytes > limit_bytes_ - reserved_bytes_) return fail(ErrorCode::kOutOfDeviceMemory, "beyond the limit");
        memory_.emplace(next_, bytes);
        reserved_bytes_ += bytes;
        return {};
    }
    void give_back(std::uint64_t id) {
        const auto found = memory_.find(id);
        if (found == memory_.end()) return;  // a placed resource
        reserved_bytes_ -= found->second;
        memory_.erase(found);
    }

    model::DeviceReport facts_;
    std::uint64_t limit_bytes_;
    model::MemoryRequirements requirements_;
    std::map<std::uint64_t, std::uint64_t> memory_;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t next_ = 1;
};

struct Mix {
    std::uint64_t smallest_bytes = 1;
    std::uint64_t largest_bytes = 1;
    std::uint64_t largest_alignment_bytes = 1;
    std::uint32_t percent_optimal = 50;
    std::size_t most_live = 1000;
    bool some_prefer_dedicated = false;
};

VmaAllocatorPeer::Request draw(const Mix& mix, Random& random) {
    // Log-uniform sizes; every alignment that a driver may ask for.
    const double spread = static_cast<double>(mix.largest_bytes) / static_cast<double>(mix.smallest_bytes);
    const double size = static_cast<double>(mix.smallest_bytes) * std::pow(spread, random.unit());
    std::uint64_t alignment = 1;
    while (alignment < mix.largest_alignment_bytes && random.below(3) != 0) alignment *= 2;
    return {.size_bytes = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size)),
            .alignment_bytes = alignment,
            .is_optimal = random.below(100) < mix.percent_optimal,
            .prefers_dedicated = mix.some_prefer_dedicated && random.below(50) == 0};
}

model::ResourceDescription describe(const VmaAllocatorPeer::Request& request) {
    if (!request.is_optimal) return model::BufferDescription{.size_bytes = request.size_bytes};
    return model::ImageDescription{};
}

void expect_same(const VmaDevice& one, const Mix& mix, std::uint64_t seed, int steps) {
    CAPTURE(one.heap_bytes, one.granularity_bytes, one.most_allocations, one.limit_bytes, mix.largest_bytes, seed);
    NumbersDevice device(one);
    VmaAllocatorPeer vma(one, {});
    model::DevicePolicy policy;
    policy.memory_uses = {{.use = model::MemoryUse::kDeviceOnly, .memory_types = {.value = {0}, .why = {}}}};
    auto ours = validate::make_vma_default(device, policy, ~0ull);
    REQUIRE(ours);

    struct Live {
        VmaAllocatorPeer::Resource* theirs;
        validate::AllocatorUnderTest::Created ours;
    };
    std::vector<Live> live;
    Random random(seed);
    std::uint64_t now = 0;
    std::size_t target = mix.most_live;
    std::size_t most_blocks = 0;
    std::uint64_t refused = 0;
    const auto end = [&](std::size_t index) {
        vma.destroy(live[index].theirs);
        (*ours)->release(live[index].ours, TimelineValue{now});
        REQUIRE((*ours)->release_completed(TimelineValue{now}));
        live[index] = live.back();
        live.pop_back();
    };
    for (int step = 0; step < steps; ++step) {
        ++now;
        // Grows beyond one block, then grows and shrinks, now and then to nothing, so that blocks come and go.
        if (step >= 1500 && step % 500 == 0) target = random.below(4) == 0 ? 0 : 1 + random.below(mix.most_live);
        const bool grow = live.size() < target ? random.below(8) != 0 : random.below(8) == 0;
        if (grow) {
            const auto request = draw(mix, random);
            device.answer(
                {.size_bytes = request.size_bytes,
                 .alignment_bytes = request.alignment_bytes,
                 .memory_type_bits = 1,
                 .dedicated = request.prefers_dedicated ? model::Dedicated::kPreferred : model::Dedicated::kNone});
            auto* theirs = vma.create(request);
            auto made = (*ours)->create(describe(request), model::MemoryUse::kDeviceOnly, model::OwnMemory::kAuto);
            CAPTURE(step, request.size_bytes, request.alignment_bytes, request.is_optimal);
            REQUIRE(made.has_value() == (theirs != nullptr));
            if (theirs != nullptr)
                live.push_back({theirs, *made});
            else
                ++refused;
        } else if (!live.empty()) {
            end(static_cast<std::size_t>(random.below(live.size())));
        }
        if (device.allocations() != vma.allocations()) {
            CAPTURE(step);
            REQUIRE(device.allocations() == vma.allocations());
        }
        most_blocks = std::max(most_blocks, device.allocations().size());
    }
    CHECK(most_blocks > 1);
    if (one.limit_bytes != ~0ull) CHECK(refused != 0);
    while (!live.empty()) end(live.size() - 1);
    CHECK(device.allocations() == vma.allocations());
    ours->reset();
    CHECK(device.allocations().empty());
}

TEST_CASE("The baseline reserves the same blocks as the real allocator after every step") {
    const std::uint64_t granularity = GENERATE(1u, 256u, 1024u, 65536u);
    const std::uint64_t heap = GENERATE(512 * kMiB, kGiB, 80 * kGiB);
    const std::uint64_t seed = GENERATE(1u, take(2, random(2u, 1'000'000u)));
    const VmaDevice device{.heap_bytes = heap, .granularity_bytes = granularity};
    const std::uint64_t half = (heap <= kGiB ? heap / 8 : 256 * kMiB) / 2;
    expect_same(device, {.smallest_bytes = 1, .largest_bytes = kMiB, .largest_alignment_bytes = 64 * kKiB}, seed, 6000);
    expect_same(device,
                {.smallest_bytes = 4 * kKiB,
                 .largest_bytes = half + half / 4,
                 .largest_alignment_bytes = 64 * kKiB,
                 .most_live = heap <= kGiB ? std::size_t{30} : std::size_t{300},
                 .some_prefer_dedicated = true},
                seed, 6000);
}

TEST_CASE("The baseline meets the limits as the real allocator does") {
    const std::uint64_t seed = GENERATE(1u, take(3, random(2u, 1'000'000u)));
    // vkAllocateMemory fails; the budget (four fifths of the heap) runs out; few allocations are left.
    expect_same({.heap_bytes = 8 * kGiB, .granularity_bytes = 1024, .limit_bytes = 300 * kMiB},
                {.smallest_bytes = kKiB, .largest_bytes = 64 * kMiB, .largest_alignment_bytes = 4096, .most_live = 300},
                seed, 4000);
    expect_same({.heap_bytes = 256 * kMiB, .granularity_bytes = 64, .limit_bytes = 256 * kMiB},
                {.smallest_bytes = kKiB, .largest_bytes = 40 * kMiB, .largest_alignment_bytes = 4096, .most_live = 300},
                seed, 4000);
    expect_same({.heap_bytes = 8 * kGiB, .granularity_bytes = 1, .most_allocations = 16},
                {.smallest_bytes = kKiB, .largest_bytes = 200 * kMiB, .most_live = 60}, seed, 4000);
}

}  // namespace
}  // namespace heapwright::bench
