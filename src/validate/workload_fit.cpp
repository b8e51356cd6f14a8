#include "validate/workload_fit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/byte_text.hpp"

namespace heapwright::validate {
namespace {

std::set<std::uint32_t> heaps_of(const model::MemoryUsePolicy& use, const model::DeviceReport& facts) {
    std::set<std::uint32_t> heaps;
    for (const std::uint32_t type : use.memory_types.value) {
        if (type < facts.memory_types.size()) heaps.insert(facts.memory_types[type].heap_index);
    }
    return heaps;
}

}  // namespace

std::optional<std::string> misfit_of(const model::DevicePolicy& policy, const model::DeviceReport& facts,
                                     const BytesByUse& wanted_bytes, bool is_policys_workload) {
    if (policy.capacity && is_policys_workload) {
        // What the device refuses is left out, and the verdict says so; the rest is played.
        if (policy.capacity->unfit.empty()) return std::nullopt;
        return "the workload " + model::statement_of(*policy.capacity);
    }
    // Bytes that may lie in any of several heaps find room exactly if no set of uses wants more than its heaps have
    // (Hall's theorem).
    const std::size_t uses = policy.memory_uses.size();
    std::uint64_t most_missing = 0;
    std::string statement;
    for (std::uint32_t set = 1; set < 1u << uses; ++set) {
        std::uint64_t wanted = 0;
        std::set<std::uint32_t> heaps;
        for (std::size_t i = 0; i < uses; ++i) {
            if ((set >> i & 1u) == 0) continue;
            const auto of_use = heaps_of(policy.memory_uses[i], facts);
            if (of_use.empty()) continue;  // nothing of this use is placed at all
            wanted += wanted_bytes[static_cast<std::size_t>(policy.memory_uses[i].use)];
            heaps.insert(of_use.begin(), of_use.end());
        }
        std::uint64_t usable = 0;
        for (const model::HeapPolicy& heap : policy.heaps) {
            if (heaps.contains(heap.heap)) usable += heap.usable_bytes.value;
        }
        if (wanted <= usable || wanted - usable <= most_missing) continue;
        most_missing = wanted - usable;
        statement = fmt::format("the workload does not fit the policy: it keeps {} where {} are usable, {} missing",
                                byte_text(wanted), byte_text(usable), byte_text(most_missing));
    }
    if (most_missing == 0) return std::nullopt;
    return statement;
}

}  // namespace heapwright::validate
