// The VMA player of a what-if has the same device allocations, of the same sizes, as the real allocator after every
// single operation on the suballocators' traces (traces.hpp), on fresh seeds.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "../traces.hpp"
#include "core/units.hpp"
#include "vma_allocator.hpp"
#include "whatif/player.hpp"
#include "workload/slots.hpp"

namespace heapwright::bench {
namespace {

constexpr std::size_t kMostOperations = 20'000;

// Writes down what is taken and not given back.
class ListedMemory final : public device::MemorySource {
public:
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        taken_.emplace(++last_, request.size_bytes);
        return device::AllocationId{last_};
    }
    void free(device::AllocationId memory) override { taken_.erase(memory.value); }
    Result<std::span<std::byte>> map(device::AllocationId) override {
        return fail(ErrorCode::kNotSupported, "numbers");
    }
    Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Result<std::vector<model::HeapBudget>> budgets() override { return std::vector<model::HeapBudget>{}; }

    [[nodiscard]] std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> sizes;
        for (const auto& [id, size] : taken_) sizes.push_back(size);
        std::ranges::sort(sizes);
        return sizes;
    }

private:
    std::map<std::uint64_t, std::uint64_t> taken_;
    std::uint64_t last_ = 0;
};

model::DeviceReport one_heap(std::uint64_t bytes) {
    model::DeviceReport facts;
    facts.heaps = {{.size_bytes = bytes, .flags = model::memory_heap::kDeviceLocal}};
    facts.memory_types = {{.heap_index = 0, .property_flags = model::memory_property::kDeviceLocal}};
    facts.limits = {{.group = "limits", .name = "bufferImageGranularity", .value = 1}};
    return facts;
}

// Both allocators, one operation after another; a resource is free at once.
class Pair {
public:
    explicit Pair(std::uint64_t unit_bytes)
        : unit_bytes_(unit_bytes), facts_(one_heap(80 * kGiB)), vma_({.heap_bytes = 80 * kGiB}, {}) {
        model::DevicePolicy policy;
        policy.memory_uses = {{.use = model::MemoryUse::kDeviceOnly, .memory_types = {.value = {0}, .why = {}}}};
        player_ = whatif::make_vma_player(stage_, policy, policy::kVmaLargeHeapBlockBytes);
    }
    ~Pair() {
        for (const Live& live : live_) vma_.destroy(live.theirs);
    }

    void create(const Request& request) {
        const std::uint64_t bytes = request.size * unit_bytes_;
        live_.push_back({.theirs = vma_.create({.size_bytes = bytes, .alignment_bytes = request.alignment}),
                         .id = operations_,
                         .size = request.size});
        REQUIRE(live_.back().theirs != nullptr);
        whatif::Step step{.kind = whatif::Step::Kind::kCreate, .slot = *slots_.take(operations_), .request = {}};
        step.request.requirements = {.size_bytes = bytes, .alignment_bytes = request.alignment, .memory_type_bits = 1};
        play({step, {}});
        used_ += request.size;
    }
    void destroy(std::size_t index) {
        vma_.destroy(live_[index].theirs);
        used_ -= live_[index].size;
        play({{.kind = whatif::Step::Kind::kDestroy, .slot = *slots_.give_back(live_[index].id), .request = {}}, {}});
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] std::size_t live() const { return live_.size(); }
    [[nodiscard]] std::size_t operations() const { return operations_; }

private:
    struct Live {
        VmaAllocatorPeer::Resource* theirs = nullptr;
        std::uint64_t id = 0;
        std::uint32_t size = 0;
    };

    void play(const std::vector<whatif::Step>& steps) {
        REQUIRE(player_->play(steps));
        ++operations_;
        const std::vector<std::uint64_t> ours = memory_.sizes();
        if (ours != vma_.allocations()) {
            CAPTURE(operations_);
            REQUIRE(ours == vma_.allocations());
        }
    }

    std::uint64_t unit_bytes_;
    model::DeviceReport facts_;
    ListedMemory memory_;
    whatif::Stage stage_{.facts = facts_,
                         .price_ns = [](const policy::DeviceMemoryCall&) { return 0.0; },
                         .frames_in_flight = 0,
                         .memory = &memory_};
    VmaAllocatorPeer vma_;
    std::unique_ptr<whatif::Player> player_;
    std::vector<Live> live_;
    workload::Slots slots_;
    std::uint64_t used_ = 0;
    std::size_t operations_ = 0;
};

void expect_same(const Trace& trace, std::uint64_t unit_bytes) {
    CAPTURE(trace.name);
    Pair pair(unit_bytes);
    const double target = trace.pattern == Pattern::kRamp ? 0.9 : trace.target_fill;
    const auto fill = static_cast<std::uint64_t>(target * static_cast<double>(trace.capacity));
    std::size_t created = 0;
    for (const auto* requests : {&trace.warm_up, &trace.requests}) {
        for (const Request& request : *requests) {
            if (pair.operations() >= kMostOperations) break;
            if (trace.pattern == Pattern::kFrames) {
                // In order, three frames behind.
                while (pair.live() > 3 * trace.requests_per_frame) pair.destroy(0);
            } else {
                while (pair.live() != 0 && pair.used() + request.size > fill)
                    pair.destroy(static_cast<std::size_t>(std::uint64_t{request.victim} * pair.live() >> 32));
            }
            pair.create(request);
            ++created;
        }
    }
    while (pair.live() != 0) pair.destroy(pair.live() / 2);
    CHECK(created > 1000);
}

}  // namespace

TEST_CASE("The VMA player has the real allocator's blocks after every operation of the benchmarks' traces") {
    const std::uint64_t seed = GENERATE(1u, take(2, random(2u, 1'000'000u)));
    CAPTURE(seed);
    expect_same(make_a80(seed), 1);
    expect_same(make_a80al(seed), 1);
    expect_same(make_b90(seed), 1024);
    expect_same(make_c(seed), 1);
    expect_same(make_ramp_textures(seed), 1);
    expect_same(make_ramp_aligned(seed), 1);
    expect_same(make_ramp_descriptors(seed), 1024);
}

}  // namespace heapwright::bench
