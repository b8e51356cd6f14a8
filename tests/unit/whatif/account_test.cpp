#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "core/percentile.hpp"
#include "core/random.hpp"
#include "whatif/account.hpp"

namespace heapwright::whatif {
namespace {

using Catch::Approx;
using model::WhatIfColumn;

double figure(const Figures& figures, WhatIfColumn column) {
    const auto value = figures[static_cast<std::size_t>(column)];
    REQUIRE(value);
    return *value;
}

FrameFigures draw_frame(Random& random, bool is_load) {
    FrameFigures frame{.is_load = is_load};
    frame.used_bytes = random.between(1, 1u << 30);
    frame.reserved_bytes = frame.used_bytes + random.below(1u << 28);
    frame.most_reserved_bytes = frame.reserved_bytes + random.below(1u << 20);
    frame.most_allocations = random.between(1, 100);
    // Most frames call no driver.
    frame.own_ns = random.below(4) == 0 ? static_cast<double>(random.between(1'000, 50'000'000)) : 0;
    frame.background_ns = static_cast<double>(random.below(1'000'000));
    frame.allocations = random.below(3);
    frame.missed_types = random.below(2);
    frame.failed_requests = random.below(2);
    return frame;
}

}  // namespace

TEST_CASE("an account keeps every figure however many frames there are") {
    const std::uint64_t seed = GENERATE(take(8, random(1u, 1'000'000u)));
    const std::uint64_t frames = GENERATE(0u, 1u, 127u, 128u, 129u, take(4, random(130u, 3000u)));
    CAPTURE(seed, frames);
    Random random(seed);
    Account account;
    Stretch load;
    Stretch all;
    const FrameFigures first = draw_frame(random, true);
    account.add(first);
    load.add(first);
    std::vector<double> times;
    double worst = 0;
    for (std::uint64_t i = 0; i < frames; ++i) {
        const FrameFigures frame = draw_frame(random, false);
        account.add(frame);
        all.add(frame);
        times.push_back(frame.own_ns);
        worst = std::max(worst, frame.own_ns);
    }
    CHECK(account.stretches().size() <= Account::kMostStretches);
    std::uint64_t counted = 0;
    for (const Stretch& stretch : account.stretches()) {
        CHECK(stretch.frames <= account.stretches().front().frames);
        counted += stretch.frames;
    }
    CHECK(counted == frames);

    const Figures figures = account.figures();
    const Figures wanted = figures_of(load, all);
    for (std::size_t column = 0; column < figures.size(); ++column) {
        CAPTURE(column);
        REQUIRE(figures[column].has_value() == wanted[column].has_value());
        if (figures[column]) CHECK(*figures[column] == Approx(*wanted[column]));
    }
    CHECK(figures[static_cast<std::size_t>(WhatIfColumn::kWorstFrame)].has_value() == (frames != 0));
    if (frames == 0) return;
    CHECK(figure(figures, WhatIfColumn::kWorstFrame) == worst);
    CHECK(figure(figures, WhatIfColumn::kP99Frame) == Approx(percentile(times, 99)).epsilon(0.01));
}

TEST_CASE("waste is of the sums, and at the frame with the most reserved") {
    Account account;
    account.add({.is_load = true, .reserved_bytes = 100, .used_bytes = 50, .most_reserved_bytes = 150});
    account.add({.reserved_bytes = 300, .used_bytes = 200, .most_reserved_bytes = 300});
    account.add({.reserved_bytes = 200, .used_bytes = 50, .most_reserved_bytes = 310});
    const Figures figures = account.figures();
    CHECK(figure(figures, WhatIfColumn::kMeanWaste) == 1.0);
    CHECK(figure(figures, WhatIfColumn::kPeakWaste) == 0.5);
    CHECK(figure(figures, WhatIfColumn::kPeakReserved) == 310);
}

}  // namespace heapwright::whatif
