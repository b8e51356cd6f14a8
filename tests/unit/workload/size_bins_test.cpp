#include <catch2/catch_test_macros.hpp>

#include <cmath>

#include "workload/draw.hpp"

using namespace heapwright;
using namespace heapwright::workload;
using model::SizeDistribution;

namespace {

constexpr int kDraws = 200'000;
constexpr double kTolerance = 0.02;  // of the mean: three times the deviation of the mean of so many draws

double mean_of(const std::vector<SizeBin>& bins) {
    double mean = 0;
    for (const SizeBin& bin : bins) mean += bin.weight * bin.mean;
    return mean;
}

bool near(double one, double other) {
    return std::abs(one - other) <= kTolerance * std::max(one, other);
}

struct Bounds {
    std::uint64_t smallest;
    std::uint64_t largest;
};

}  // namespace

TEST_CASE("bins have the mean of many draws, in every distribution") {
    for (const auto distribution :
         {SizeDistribution::kUniform, SizeDistribution::kLogUniform, SizeDistribution::kPowersOfTwo}) {
        for (const auto [smallest, largest] :
             {Bounds{256, 1 << 20}, Bounds{16, 1024}, Bounds{1, 64}, Bounds{1, 3}, Bounds{100, 3000}, Bounds{64, 64},
              Bounds{1 << 20, 200 << 20}, Bounds{3'000'000, 5'000'000'000}}) {
            const auto bins = size_bins(distribution, smallest, largest);
            double drawn = 0;
            Random random(17);
            for (int i = 0; i < kDraws; ++i) {
                drawn += static_cast<double>(draw(distribution, smallest, largest, random)) / kDraws;
            }
            INFO(static_cast<int>(distribution)
                 << " " << smallest << " to " << largest << ": bins " << mean_of(bins) << ", draws " << drawn);
            CHECK(near(mean_of(bins), drawn));
        }
    }
}

TEST_CASE("every bin holds its share of the draws, with its mean") {
    for (const auto distribution : {SizeDistribution::kUniform, SizeDistribution::kLogUniform}) {
        const auto bins = size_bins(distribution, 300, 10'000);
        std::vector<double> counts(bins.size());
        std::vector<double> sums(bins.size());
        Random random(23);
        for (int i = 0; i < kDraws; ++i) {
            const std::uint64_t value = draw(distribution, 300, 10'000, random);
            std::size_t bin = 0;
            while (bins[bin].largest < value) ++bin;
            counts[bin] += 1;
            sums[bin] += static_cast<double>(value);
        }
        CHECK(bins.back().largest == 10'000);
        for (std::size_t bin = 0; bin < bins.size(); ++bin) {
            INFO(static_cast<int>(distribution) << " up to " << bins[bin].largest);
            CHECK(std::abs(counts[bin] / kDraws - bins[bin].weight) < 0.005);
            CHECK(near(sums[bin] / counts[bin], bins[bin].mean));
        }
    }
}

TEST_CASE("images are drawn with the area that their bins expect") {
    for (const auto distribution :
         {SizeDistribution::kUniform, SizeDistribution::kLogUniform, SizeDistribution::kPowersOfTwo}) {
        const model::ImageHint hint{.smallest_side = 16, .largest_side = 2048, .distribution = distribution};
        const double side = mean_of(size_bins(distribution, hint.smallest_side, hint.largest_side));
        double area = 0;
        Random random(29);
        for (int i = 0; i < kDraws; ++i) {
            const auto image = draw_image(hint, random);
            area += static_cast<double>(image.width) * image.height / kDraws;
        }
        INFO(static_cast<int>(distribution) << ": expected " << side * side << ", drawn " << area);
        CHECK(near(side * side, area));
    }
}

TEST_CASE("bounds at the ends of 64 bits give bins too") {
    constexpr std::uint64_t kMost = ~0ull;
    for (const auto distribution :
         {SizeDistribution::kUniform, SizeDistribution::kLogUniform, SizeDistribution::kPowersOfTwo}) {
        for (const auto [smallest, largest] :
             {Bounds{0, kMost}, Bounds{kMost, kMost}, Bounds{kMost - 1, kMost}, Bounds{1ull << 63, kMost}}) {
            const auto bins = size_bins(distribution, smallest, largest);
            double weights = 0;
            for (std::size_t bin = 0; bin < bins.size(); ++bin) {
                weights += bins[bin].weight;
                CHECK((std::isfinite(bins[bin].mean) && bins[bin].mean >= 1));
                if (bin != 0) CHECK(bins[bin].largest > bins[bin - 1].largest);
            }
            CHECK(std::abs(weights - 1) < 1e-9);
        }
    }
}
