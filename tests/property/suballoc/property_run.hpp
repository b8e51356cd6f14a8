// How long a random test runs and from which seed: both from the environment, both printed by a failed test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace heapwright::test {

[[nodiscard]] inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

[[nodiscard]] inline std::uint64_t property_operations() {
    return from_environment("HEAPWRIGHT_PROPERTY_OPERATIONS", 300'000);
}
[[nodiscard]] inline std::uint64_t property_seed() {
    return from_environment("HEAPWRIGHT_SEED", 20261121);
}

[[nodiscard]] inline std::string replay_hint(std::uint64_t seed, std::uint64_t operation) {
    return fmt::format("seed {}, operation {}: replay with HEAPWRIGHT_SEED={}", seed, operation, seed);
}

}  // namespace heapwright::test
