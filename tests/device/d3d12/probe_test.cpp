#include <catch2/catch_test_macros.hpp>

#include "source.hpp"

using namespace heapwright;

TEST_CASE("a report says what the device is") {
    const auto source = test::open_source(test::kDrivers[0]);
    CHECK(test::read(*source).identity.api == model::Api::kD3d12);
}
