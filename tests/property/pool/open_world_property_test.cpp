// Random policies on random memory topologies under random requests, most of which no policy was made for: any class,
// use, alignment up to 1 MiB, size and memory type bits. Checked: nothing fails while a memory type that the request
// admits has room for it; what is placed lies in such a type, aligned, and overlaps nothing; all of it comes back.
#include <algorithm>
#include <optional>

#include "../../unit/pool/placer_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "contract/chunks.hpp"
#include "core/checked.hpp"
#include "core/random.hpp"

#include "pool_oracle.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

constexpr std::uint64_t kOperationsPerPolicy = 500;

model::DeviceReport draw_report(Random& random) {
    namespace property = model::memory_property;
    model::DeviceReport report = small_report();
    report.heaps.clear();
    report.run.heap_budgets.clear();
    report.memory_types.clear();
    report.limits = {{"VkPhysicalDeviceLimits", "nonCoherentAtomSize", 256}};
    const auto heaps = random.between(1, 3);
    for (std::uint64_t heap = 0; heap < heaps; ++heap) {
        report.heaps.push_back({.size_bytes = kGib});
        report.run.heap_budgets.push_back({.budget_bytes = kGib});
    }
    const auto types = random.between(1, 6);
    for (std::uint64_t type = 0; type < types; ++type) {
        constexpr model::Flags kHost = property::kHostVisible | property::kHostCoherent;
        constexpr std::array kFlags{property::kDeviceLocal, kHost, property::kDeviceLocal | kHost,
                                    property::kHostVisible | property::kHostCached,
                                    property::kDeviceLocal | property::kLazilyAllocated};
        report.memory_types.push_back({.heap_index = static_cast<std::uint32_t>(random.below(heaps)),
                                       .property_flags = kFlags[random.below(kFlags.size())]});
    }
    return report;
}

bool is_lazy(const model::DeviceReport& report, std::uint32_t type) {
    return (report.memory_types[type].property_flags & model::memory_property::kLazilyAllocated) != 0;
}

model::DevicePolicy draw_policy(Random& random, const model::DeviceReport& report) {
    model::DevicePolicy policy;
    for (std::uint32_t heap = 0; heap < report.heaps.size(); ++heap)
        policy.heaps.push_back({.heap = heap, .usable_bytes = chosen<std::uint64_t>(random.between(1, 64) * kMib / 2)});
    for (std::uint32_t use = 0; use < 4; ++use) {
        std::vector<std::uint32_t> types;
        for (std::uint32_t type = 0; type < report.memory_types.size(); ++type) {
            if (!is_lazy(report, type) && random.below(4) != 0) types.push_back(type);
        }
        for (std::size_t i = types.size(); i > 1; --i)
            std::swap(types[i - 1], types[static_cast<std::size_t>(random.below(i))]);
        policy.memory_uses.push_back(
            {.use = static_cast<MemoryUse>(use), .memory_types = chosen(std::move(types)), .excluded = {}});
    }
    policy.humongous_threshold_bytes = chosen<std::uint64_t>(random.between(1, 16) * kMib);
    policy.humongous = chosen(model::HumongousRule::kOwnMemory);
    policy.dedicated =
        chosen(random.below(2) == 0 ? model::DedicatedRule::kWhenRequired : model::DedicatedRule::kWhenPreferred);
    policy.separate_linear_and_optimal = chosen(true);
    policy.max_chunks = chosen<std::uint64_t>(1'000'000);
    const auto buckets = random.below(8);
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const auto type = static_cast<std::uint32_t>(random.below(report.memory_types.size()));
        const auto kind = random.below(2) == 0 ? ResourceClass::kLinear : ResourceClass::kOptimal;
        model::BucketPolicy bucket = pool_bucket("drawn/" + std::to_string(i), kind, 1ull << random.between(0, 16),
                                                 type, random.between(1, 16) * kMib / 2);
        bucket.suballocator.value = static_cast<model::SuballocatorKind>(random.below(5));
        bucket.granule_bytes.value = bucket.suballocator.value == model::SuballocatorKind::kSlots
                                         ? 1ull << random.between(12, 20)
                                         : 1ull << random.between(0, 10);
        if (random.below(2) == 0)
            bucket.growth = model::ChunkGrowth{.first_chunk_bytes = chosen<std::uint64_t>(kMib / 2),
                                               .divisor = chosen<std::uint64_t>(2)};
        if (random.below(4) == 0) bucket.dedicated_threshold_bytes = chosen<std::uint64_t>(kMib);
        policy.buckets.push_back(std::move(bucket));
    }
    return policy;
}

pool::MemoryPlacer::Request draw_request(Random& random, const model::DeviceReport& report) {
    const std::uint64_t all_types = (1ull << report.memory_types.size()) - 1;
    pool::MemoryPlacer::Request request{
        .requirements = {.size_bytes = random.between(1, 1ull << random.between(4, 25)),
                         .alignment_bytes = 1ull << random.between(0, 20),
                         .memory_type_bits =
                             static_cast<std::uint32_t>(random.below(8) == 0 ? random.next() & all_types : all_types),
                         .dedicated = static_cast<model::Dedicated>(random.below(3))},
        .resource_class = random.below(2) == 0 ? ResourceClass::kLinear : ResourceClass::kOptimal,
        .use = static_cast<MemoryUse>(random.below(4))};
    request.transient_attachment = request.resource_class == ResourceClass::kOptimal && random.below(4) == 0;
    return request;
}

class Life {
public:
    explicit Life(std::uint64_t seed)
        : random_(seed),
          report_(draw_report(random_)),
          policy_(draw_policy(random_, report_)),
          scene_(policy_, report_) {}

    // What is wrong, or nothing.
    std::string step() {
        if (!live_.empty() && (live_.size() > 150 || random_.below(3) == 0)) {
            std::swap(live_[static_cast<std::size_t>(random_.below(live_.size()))], live_.back());
            if (live_.back().placement) oracle_.remove(*live_.back().placement);
            scene_.free(live_.back());
            live_.pop_back();
            return {};
        }
        const auto request = draw_request(random_, report_);
        const auto made = scene_.place(request);
        if (!made) return why_wrongly_refused(request, made.error());
        ++served_;
        live_.push_back(*made);
        if (!may_lie_in(request, type_of(*made))) return fmt::format("lies in type {}", type_of(*made));
        return made->placement ? oracle_.add(*made->placement, request.requirements) : std::string();
    }

    std::string end() {
        for (const pool::Release& made : live_) scene_.free(made);
        live_.clear();
        for (int age = 0; age < 2; ++age) (void)scene_.placer->trim();
        if (const Status sound = scene_.placer->validate_invariants(); !sound) return to_string(sound.error());
        const auto left = scene_.placer->figures().device_allocations;
        return left == 0 ? std::string() : fmt::format("{} device allocations are left", left);
    }
    [[nodiscard]] Status sound() const { return scene_.placer->validate_invariants(); }
    [[nodiscard]] std::uint64_t served() const { return served_; }

private:
    [[nodiscard]] bool may_lie_in(const pool::MemoryPlacer::Request& request, std::uint32_t type) const {
        const auto& ranked = policy_.memory_uses[static_cast<std::size_t>(request.use)].memory_types.value;
        if ((request.requirements.memory_type_bits >> type & 1u) == 0) return false;
        if (std::ranges::find(ranked, type) != ranked.end()) return true;
        if (request.transient_attachment && is_lazy(report_, type)) return true;
        // An optimal image that the host fills or reads is reached by copies wherever it lies.
        const auto& device_only =
            policy_.memory_uses[static_cast<std::size_t>(model::MemoryUse::kDeviceOnly)].memory_types.value;
        return request.resource_class != model::ResourceClass::kLinear &&
               std::ranges::find(device_only, type) != device_only.end();
    }

    // What the type's own memory or its bucket's chunk would take: the least of those that the contract tries.
    [[nodiscard]] std::uint64_t needed_bytes(const pool::MemoryPlacer::Request& request, std::uint32_t type) const {
        const std::uint64_t size = request.requirements.size_bytes;
        if (contract::treatment_of(policy_, request.requirements) == contract::Treatment::kOwn) return size;
        const auto plan = contract::plan_in_type(policy_, scene_.placer->index().buckets(request.resource_class, type),
                                                 request.requirements);
        if (plan.own_first || plan.buckets.empty()) return size;
        const bool flushes = (report_.memory_types[type].property_flags & model::memory_property::kHostVisible) != 0 &&
                             (report_.memory_types[type].property_flags & model::memory_property::kHostCoherent) == 0;
        return align_up(align_up(size, flushes ? 256 : 1),
                        contract::chunk_unit_bytes(policy_.buckets[plan.buckets.front()]));
    }

    std::string why_wrongly_refused(const pool::MemoryPlacer::Request& request, const Error& error) const {
        const auto figures = scene_.placer->figures();
        bool is_admitted = false;
        for (std::uint32_t type = 0; type < report_.memory_types.size(); ++type) {
            if (!may_lie_in(request, type)) continue;
            is_admitted = true;
            const pool::HeapFigures& heap = figures.heaps[report_.memory_types[type].heap_index];
            if (heap.limit_bytes - heap.reserved_bytes >= needed_bytes(request, type))
                return fmt::format("refused although type {} has room: {}", type, to_string(error));
        }
        const ErrorCode expected = is_admitted ? ErrorCode::kOutOfDeviceMemory : ErrorCode::kNotSupported;
        return error.code == expected ? std::string() : to_string(error);
    }

    Random random_;
    model::DeviceReport report_;
    model::DevicePolicy policy_;
    PlacerScene scene_;
    PoolOracle oracle_;
    std::vector<pool::Release> live_;
    std::uint64_t served_ = 0;
};

}  // namespace

TEST_CASE("no request fails while a memory type that it admits has room, whatever the policy was made for") {
    const std::uint64_t policies = std::max<std::uint64_t>(1, property_operations() / kOperationsPerPolicy);
    std::uint64_t served = 0;
    for (std::uint64_t policy = 0; policy < policies; ++policy) {
        const std::uint64_t seed = property_seed() + policy;
        Life life(seed);
        for (std::uint64_t operation = 0; operation < kOperationsPerPolicy; ++operation) {
            if (const std::string wrong = life.step(); !wrong.empty())
                FAIL(wrong << ": " << replay_hint(seed, operation));
        }
        if (const Status sound = life.sound(); !sound) FAIL(to_string(sound.error()) << ": seed " << seed);
        if (const std::string wrong = life.end(); !wrong.empty()) FAIL(wrong << ": seed " << seed);
        served += life.served();
    }
    CHECK(served > policies * kOperationsPerPolicy / 4);
}
