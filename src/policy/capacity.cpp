#include "heapwright/policy/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/checked.hpp"

namespace heapwright::policy {
namespace {

// The largest size that is counted as lying in a chunk: a 4096x4096 RGBA8 image, the bound of source_rule.hpp.
constexpr std::uint64_t kLargestInChunks = 64 * kMiB;

constexpr const char* kOrder =
    "heaps fill by the importance that hints state, among equals with what the device writes first, then one frame's "
    "resources, persistent ones, levels, streamed "
    "ones, what the host writes in place, uploads and readback, chunks counted a sixteenth above their resources; what "
    "finds no room in its first memory type goes to the next; whether all of it fits is played over numbers";

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
    Planner(std::span<const model::HeapPolicy> heaps, std::vector<std::string>& warnings)
        : heaps_(heaps), warnings_(warnings) {
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
        result.plan.reason = kOrder;
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
            warnings_.push_back(fmt::format(
                "{}: the driver takes these images into no memory that the host can map for {}: they live in "
                "device-only memory, and their texels are copied through the upload ring or a staging buffer",
                demand.hint, to_string(demand.use)));
        }
        if (seeker.left <= 0) return;
        if (types.empty()) {
            const bool can_split =
                seeker.choices.too_large.has_value() && demand.resource_class == model::ResourceClass::kLinear;
            warnings_.push_back(
                fmt::format("{} cannot be served: {}{}", demand.what, seeker.choices.why_not,
                            can_split ? "; buffers of the policy's largest_buffer_bytes can hold the same data, as the "
                                        "policy plans where the hint is splittable"
                                      : ""));
        }
        unfit_[demand.hint] += seeker.left * seeker.bytes_each();
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
    std::vector<std::string>& warnings_;
    std::vector<Seeker> seekers_;
    std::vector<double> room_;
    std::vector<double> expected_;
    std::vector<double> wanted_;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, double> moved_;
    std::map<std::string, double> unfit_;
    std::set<std::string> staged_;
};

void warn_of_moved(const model::CapacityPlan& plan, std::span<const model::MemoryType> types,
                   std::vector<std::string>& warnings) {
    for (const model::HintMoved& moved : plan.moved) {
        warnings.push_back(fmt::format(
            "{}: {} are planned in memory type {} of heap {}, because heap {} of memory type {} is full", moved.hint,
            byte_text(moved.bytes), moved.to_memory_type, types[moved.to_memory_type].heap_index,
            types[moved.from_memory_type].heap_index, moved.from_memory_type));
    }
}

}  // namespace

CapacityResult plan_capacity(const Context& context, std::span<const Demand> demands,
                             std::span<const model::MemoryUsePolicy> uses, std::span<const model::HeapPolicy> heaps,
                             std::vector<std::string>& warnings) {
    Planner planner(heaps, warnings);
    for (const Demand& demand : demands) planner.add(demand, choose_types(context, demand, uses, heaps));
    CapacityResult result = planner.run();
    warn_of_moved(result.plan, context.device.memory_types, warnings);
    return result;
}

}  // namespace heapwright::policy
