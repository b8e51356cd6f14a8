#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "core/random.hpp"

using namespace heapwright;

TEST_CASE("one seed gives one sequence and stays inside its bounds") {
    Random first(7);
    Random second(7);
    Random other(8);
    bool differs = false;
    for (int i = 0; i < 1000; ++i) {
        const auto value = first.next();
        CHECK(value == second.next());
        differs |= value != other.next();
    }
    CHECK(differs);
    std::vector<int> seen(5);
    for (int i = 0; i < 1000; ++i) {
        ++seen[first.between(10, 14) - 10];
        const double unit = first.unit();
        CHECK((unit >= 0.0 && unit < 1.0));
    }
    for (const int count : seen) CHECK(count > 100);
}
