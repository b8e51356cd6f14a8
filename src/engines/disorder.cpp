#include "engines/disorder.hpp"

#include <algorithm>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"
#include "engines/run_spans.hpp"

namespace heapwright::engines {

std::optional<std::vector<std::size_t>> disorder(const engines::Schedule& schedule, std::size_t wait,
                                                 std::size_t one_access, std::size_t other_access) {
    const std::vector<std::size_t> usual = engines::play(schedule).order;
    const auto position = [&](std::size_t operation) { return std::find(usual.begin(), usual.end(), operation); };
    const std::size_t early = position(one_access) < position(other_access) ? other_access : one_access;
    const std::size_t late = early == one_access ? other_access : one_access;

    const engines::Schedule less = engines::without(schedule, wait);
    const engines::HappensBefore order(less);
    if (!order.unordered(early, late)) return std::nullopt;
    std::vector<std::size_t> worst = engines::play(less).order;
    std::stable_partition(worst.begin(), worst.end(),
                          [&](std::size_t operation) { return operation == early || order.ordered(operation, early); });
    return worst;
}

std::vector<Difference> differences(const EngineProgram& program, const HostMemory& expected, const HostMemory& seen) {
    std::vector<Difference> found;
    for (std::uint32_t resource = 0; resource < program.resources.size(); ++resource) {
        if (program.resources[resource].side != 0) continue;
        const auto want = expected.bytes({resource});
        const auto have = seen.bytes({resource});
        Difference difference{{resource}, 0, 0};
        for (std::size_t at = 0; at < want.size(); ++at) {
            if (want[at] == have[at]) continue;
            if (difference.bytes++ == 0) difference.offset_bytes = at;
        }
        if (difference.bytes != 0) found.push_back(difference);
    }
    return found;
}

}  // namespace heapwright::engines
