#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "core/random.hpp"
#include "workload/slots.hpp"

namespace heapwright::workload {

TEST_CASE("slots follow any ids, and stay dense") {
    const std::uint64_t seed = GENERATE(take(4, random(1u, 1'000'000u)));
    // One after another, far apart, of one residue, anything.
    const std::uint64_t step = GENERATE(1ull, 1ull << 32, 1ull << 63, 64ull, 0ull);
    CAPTURE(seed, step);
    Random random(seed);
    Slots slots;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::set<std::uint32_t> taken;
    std::size_t most = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t id = step == 0 ? random.next() % 997 : random.below(500) * step;
        if (random.below(2) == 0) {
            const auto slot = slots.take(id);
            REQUIRE(slot.has_value() == !known.contains(id));
            if (!slot) continue;
            REQUIRE(taken.insert(*slot).second);
            known.emplace(id, *slot);
            most = std::max(most, known.size());
            REQUIRE(*slot < most);
        } else {
            const auto slot = slots.give_back(id);
            REQUIRE(slot.has_value() == known.contains(id));
            if (!slot) continue;
            REQUIRE(*slot == known.at(id));
            taken.erase(*slot);
            known.erase(id);
        }
    }
}

}  // namespace heapwright::workload
