#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "whatif/evidence.hpp"

namespace heapwright::whatif {
namespace {

using Catch::Approx;
using model::WhatIfColumn;
using model::WhatIfVerdict;

Figures with_peak(double bytes) {
    Figures figures{};
    figures[static_cast<std::size_t>(WhatIfColumn::kPeakReserved)] = bytes;
    return figures;
}

std::vector<Figures> seeds_of(std::initializer_list<double> peaks) {
    std::vector<Figures> seeds;
    for (const double peak : peaks) seeds.push_back(with_peak(peak));
    return seeds;
}

Evidence of_seeds(const std::vector<std::vector<Figures>>& rows) {
    return Evidence({evidence_of_seeds(rows, 1)});
}

}  // namespace

// Critical values of Student's t, two-sided, to three decimals, as statistical tables print them.
TEST_CASE("Student's t is that of the tables") {
    CHECK(student_t(1, 0.05) == Approx(12.706).epsilon(1e-4));
    CHECK(student_t(2, 0.01) == Approx(9.925).epsilon(1e-4));
    CHECK(student_t(5, 0.002) == Approx(5.893).epsilon(1e-4));
    CHECK(student_t(7, 0.05) == Approx(2.365).epsilon(2e-4));
    CHECK(student_t(7, 0.002) == Approx(4.785).epsilon(2e-4));
    CHECK(student_t(30, 0.01) == Approx(2.750).epsilon(1e-4));
    CHECK(student_t(100, 0.05) == Approx(1.984).epsilon(1e-4));
    CHECK(student_t(1e6, 0.05) == student_t(200, 0.05));
}

TEST_CASE("a difference is told where every seed shows it, and not where seeds disagree") {
    const auto a = seeds_of({100, 102, 99, 101, 100, 103, 98, 101});
    const auto more = seeds_of({110, 112, 110, 111, 110, 113, 108, 112});
    const auto noisy = seeds_of({90, 130, 80, 120, 100, 95, 115, 100});
    const Evidence evidence = of_seeds({a, a, more, noisy});
    CHECK(evidence.difference(0, 1, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kSame);
    CHECK(evidence.difference(0, 2, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kMore);
    CHECK(evidence.difference(2, 0, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kLess);
    const Difference difference = evidence.difference(0, 3, WhatIfColumn::kPeakReserved);
    CHECK(difference.verdict() == WhatIfVerdict::kNotTold);
    CHECK(difference.mean == Approx(830.0 / 8 - 804.0 / 8));
    CHECK(difference.least() < 0);
    CHECK(difference.most() > 0);
    CHECK(evidence.value(0, WhatIfColumn::kPeakReserved) == 804.0 / 8);
    CHECK_FALSE(evidence.value(0, WhatIfColumn::kWorstFrame));
}

TEST_CASE("inputs count by their weight") {
    const auto a = seeds_of({100, 101, 99, 100});
    const auto b = seeds_of({200, 201, 199, 200});
    const InputEvidence light = evidence_of_seeds(std::vector{a, b}, 1);
    const InputEvidence heavy = evidence_of_seeds(std::vector{b, a}, 3);
    const Evidence evidence({light, heavy});
    CHECK(evidence.value(0, WhatIfColumn::kPeakReserved) == Approx((100 + 3 * 200) / 4.0));
    CHECK(evidence.difference(0, 1, WhatIfColumn::kPeakReserved).mean == Approx((100 - 3 * 100) / 4.0));
    CHECK(evidence.difference(0, 1, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kLess);
}

TEST_CASE("a trace of few frames has differences as they are, and one of many its stretches") {
    const auto play = [](std::uint64_t frames, std::uint64_t reserved) {
        Account account;
        account.add({.is_load = true, .reserved_bytes = reserved, .used_bytes = 10, .most_reserved_bytes = reserved});
        for (std::uint64_t i = 0; i < frames; ++i)
            account.add(
                {.reserved_bytes = reserved + i % 7, .used_bytes = 10, .most_reserved_bytes = reserved + i % 7});
        return account;
    };
    for (const std::uint64_t frames : {3u, 500u}) {
        const Account one = play(frames, 100);
        const Account other = play(frames, 120);
        const std::vector<const Account*> rows{&one, &other, &one};
        const InputEvidence input = evidence_of_stretches(rows, 1);
        CHECK((input.degrees_of_freedom > 0) == (frames >= kLeastStretches));
        const Evidence evidence({input});
        CHECK(evidence.difference(0, 1, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kMore);
        CHECK(evidence.difference(0, 1, WhatIfColumn::kPeakReserved).mean == 20);
        CHECK(evidence.difference(0, 2, WhatIfColumn::kPeakReserved).verdict() == WhatIfVerdict::kSame);
    }
}

}  // namespace heapwright::whatif
