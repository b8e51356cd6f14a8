#include "policy/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/checked.hpp"
#include "core/units.hpp"
#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// The largest size that is counted as lying in a chunk: a 4096x4096 RGBA8 image, the bound of article_rule.hpp.
constexpr std::uint64_t kLargestInChunks = 64 * kMiB;

model::Statement order_claims() {
    return {{claim<ClaimId::kCapacityOrder>(), claim<ClaimId::kCapacityEqual>(),
             claim<ClaimId::kCapacityOverhead>(model::share(kChunkOverhead)), claim<ClaimId::kCapacityNextType>(),
             claim<ClaimId::kCapacityPlayed>()}};
}

// Of a hint that states none, from 0 to 100.
constexpr std::uint32_t kDefaultImportance = 50;

std::uint32_t position_of(const Demand& demand) {
    switch (demand.use) {
        case model::MemoryUse::kStreaming: return 5;
        case model::MemoryUse::kUpload: return 6;
        case model::MemoryUse::kReadback: return 7;
        case model::MemoryUse::kDeviceOnly: break;
    }
    if (demand.device_writes) return 0;
    switch (demand.lifetime) {
        case model::Lifetime::kFrame: return 1;
        case model::Lifetime::kPersistent: return 2;
        case model::Lifetime::kLevel: return 3;
        case model::Lifetime::kStreaming: return 4;
    }
    return 4;
}

// The smallest is placed first: by what the hint says, else by what the resource is.
std::pair<std::uint32_t, std::uint32_t> precedence(const Demand& demand) {
    return {100 - std::min(100u, demand.importance.value_or(kDefaultImportance)), position_of(demand)};
}

// As a double that is no more: sums of estimates stay below the bytes that they are compared with.
double as_room(std::uint64_t bytes) {
    constexpr double kExactBytes = 9007199254740992.0;  // 2^53
    const auto value = static_cast<double>(bytes);
    return value <= kExactBytes ? value : value * (1.0 - 1e-9);
}

struct Share {
    TypeChoice type;
    double count = 0;
};

struct Seeker {
    const Demand* demand = nullptr;
    TypeChoices choices;
    double left = 0;  // of its resources
    std::vector<Share> shares;

    [[nodiscard]] double bytes_each() const { return demand->count > 0 ? demand->held_bytes() / demand->count : 0; }
    [[nodiscard]] double charge_each() const {
        const bool in_chunk = demand->requirements.size_bytes <= kLargestInChunks;
        return bytes_each() * (in_chunk ? 1 + kChunkOverhead : 1);
    }
};

class Planner {
public:
    Planner(std::span<const model::HeapPolicy> heaps, model::Statement& warnings) : heaps_(heaps), warnings_(warnings) {
        for (const model::HeapPolicy& heap : heaps) room_.push_back(as_room(heap.usable_bytes.value));
        expected_.assign(heaps.size(), 0);
        wanted_.assign(heaps.size(), 0);
    }

    void add(const Demand& demand, TypeChoices choices) {
        if (demand.count <= 0) return;
        seekers_.push_back({.demand = &demand, .choices = std::move(choices), .left = demand.count, .shares = {}});
    }

    CapacityResult run() {
        fill();
        CapacityResult result;
        for (const Seeker& seeker : seekers_) settle(seeker, result);
        list_heaps(result.plan);
        list_moved(result.plan);
        list_unfit(result);
        result.plan.reason = order_claims();
        return result;
    }

private:
    void fill() {
        std::vector<std::size_t> order(seekers_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [this](std::size_t index) { return precedence(*seekers_[index].demand); });
        std::size_t most = 0;
        for (const Seeker& seeker : seekers_) most = std::max(most, seeker.choices.types.size());
        for (std::size_t rank = 0; rank < most; ++rank) {
            for (const std::size_t index : order) {
                Seeker& seeker = seekers_[index];
                if (seeker.left > 0 && rank < seeker.choices.types.size()) take(seeker, seeker.choices.types[rank]);
            }
        }
    }

    void take(Seeker& seeker, const TypeChoice& type) {
        const double charge = seeker.charge_each();
        double& room = room_[type.heap];
        double count = seeker.left;
        if (!type.lazily_allocated && charge * count > room) {
            // The largest of them must fit, too, and a part of a resource is none.
            count = std::min(count, std::floor(room / charge));
            if (count <= 0) return;
        }
        if (!type.lazily_allocated) {
            room = std::max(0.0, room - charge * count);
            expected_[type.heap] += seeker.bytes_each() * count;
        }
        seeker.left -= count;
        seeker.shares.push_back({.type = type, .count = count});
    }

    void settle(const Seeker& seeker, CapacityResult& result) {
        const Demand& demand = *seeker.demand;
        const std::vector<TypeChoice>& types = seeker.choices.types;
        result.serves_any = result.serves_any || !types.empty() || seeker.choices.too_large;
        for (const TypeChoice& type : types) {
            if (!type.lazily_allocated) result.heaps[demand.hint].insert(type.heap);
        }
        if (!demand.beyond_limit.empty()) result.beyond_limit.emplace(demand.hint, demand.beyond_limit);
        // What is too large for one heap alone has the others.
        if (seeker.choices.too_large && types.empty()) {
            model::ExceededLimit& largest = result.too_large[demand.hint];
            if (seeker.choices.too_large->size_bytes > largest.size_bytes) largest = *seeker.choices.too_large;
        }
        if (!types.empty() && !types.front().lazily_allocated) wanted_[types.front().heap] += demand.held_bytes();
        for (const Share& share : seeker.shares) {
            const Demand* placed = &demand;
            if (share.count != demand.count) placed = &result.parts.emplace_back(demand.part_of(share.count));
            result.placed.push_back({.demand = placed,
                                     .memory_type = share.type.memory_type,
                                     .heap = share.type.heap,
                                     .lazily_allocated = share.type.lazily_allocated});
            if (share.type.memory_type != types.front().memory_type) {
                moved_[{demand.hint, types.front().memory_type, share.type.memory_type}] += placed->held_bytes();
            }
        }
        if (seeker.choices.staged && staged_.insert(demand.hint).second) {
            warnings_ += claim<ClaimId::kStaged>(demand.hint, to_string(demand.use));
        }
        if (seeker.left <= 0) return;
        if (types.empty()) warn_of_unserved(demand, seeker.choices.too_large);
        unfit_[demand.hint] += seeker.left * seeker.bytes_each();
    }

    void warn_of_unserved(const Demand& demand, const std::optional<model::ExceededLimit>& too_large) {
        if (demand.other_sizes != 0)
            warnings_ += claim<ClaimId::kUnservedSizes>(demand.hint, model::count(demand.other_sizes + 1));
        if (!demand.beyond_limit.empty()) {
            warnings_ += demand.beyond_limit;
        } else if (too_large) {
            warnings_ += unserved(demand.what, *too_large);
        } else {
            const model::MemoryRequirements& asked = demand.requirements;
            warnings_ +=
                claim<ClaimId::kUnservedNoType>(demand.what, model::bytes(asked.size_bytes),
                                                fmt::format("{:#x}", asked.memory_type_bits), to_string(demand.use));
        }
        const bool can_split = too_large && demand.resource_class == model::ResourceClass::kLinear;
        if (can_split && splittable_.insert(demand.hint).second) warnings_ += claim<ClaimId::kCanSplit>(demand.hint);
    }

    void list_heaps(model::CapacityPlan& plan) const {
        for (const model::HeapPolicy& heap : heaps_) {
            const std::uint64_t usable = heap.usable_bytes.value;
            plan.heaps.push_back({.heap = heap.heap,
                                  .usable_bytes = usable,
                                  .wanted_bytes = saturating_bytes(wanted_[heap.heap]),
                                  .expected_bytes = std::min(usable, saturating_bytes(expected_[heap.heap]))});
        }
    }

    void list_moved(model::CapacityPlan& plan) const {
        for (const auto& [key, bytes] : moved_) {
            const auto& [hint, from, to] = key;
            plan.moved.push_back({.hint = hint,
                                  .from_memory_type = from,
                                  .to_memory_type = to,
                                  .bytes = saturating_bytes(std::ceil(bytes))});
        }
    }

    void list_unfit(CapacityResult& result) const {
        result.plan.fits = unfit_.empty();
        for (const auto& [hint, bytes] : unfit_) {
            const auto exceeded = result.too_large.find(hint);
            result.plan.unfit.push_back(
                {.hint = hint,
                 .bytes = saturating_bytes(std::ceil(bytes)),
                 .exceeded = exceeded == result.too_large.end() ? std::nullopt : std::optional(exceeded->second)});
            result.plan.missing_bytes =
                checked_add(result.plan.missing_bytes, result.plan.unfit.back().bytes).value_or(~std::uint64_t{0});
        }
    }

    std::span<const model::HeapPolicy> heaps_;
    model::Statement& warnings_;
    std::vector<Seeker> seekers_;
    std::vector<double> room_;
    std::vector<double> expected_;
    std::vector<double> wanted_;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, double> moved_;
    std::map<std::string, double> unfit_;
    std::set<std::string> staged_;
    std::set<std::string> splittable_;
};

void warn_of_moved(const model::CapacityPlan& plan, std::span<const model::MemoryType> types,
                   model::Statement& warnings) {
    for (const model::HintMoved& moved : plan.moved) {
        const auto heap_of = [&](std::uint32_t type) { return model::count(types[type].heap_index); };
        warnings += claim<ClaimId::kMoved>(moved.hint, model::bytes(moved.bytes), model::count(moved.to_memory_type),
                                           heap_of(moved.to_memory_type), heap_of(moved.from_memory_type),
                                           model::count(moved.from_memory_type));
    }
}

}  // namespace

CapacityResult plan_capacity(const Context& context, std::span<const Demand> demands,
                             std::span<const model::MemoryUsePolicy> uses, std::span<const model::HeapPolicy> heaps,
                             model::Statement& warnings) {
    Planner planner(heaps, warnings);
    for (const Demand& demand : demands) planner.add(demand, choose_types(context, demand, uses, heaps));
    CapacityResult result = planner.run();
    warn_of_moved(result.plan, context.device.memory_types, warnings);
    return result;
}

}  // namespace heapwright::policy
