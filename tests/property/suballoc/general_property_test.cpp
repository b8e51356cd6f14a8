// Random operations on the suballocators that free in any order, against an oracle that shares no code with them.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"
#include "overlap_oracle.hpp"
#include "property_run.hpp"

namespace general_property_test {

using namespace heapwright;
using namespace heapwright::suballoc;
using namespace heapwright::test;

namespace {

struct Live {
    Suballocation suballocation;
    std::uint64_t waste;
};

struct Limits {
    std::uint64_t max_size;
    std::uint64_t max_alignment;
    std::uint64_t stale_age = 64;
};

// Sizes of all magnitudes: mostly small, some as large as the block. Alignments 1 to max_alignment.
class Churn {
public:
    Churn(const SuballocatorOptions& options, const Limits& limits, std::uint64_t seed)
        : allocator_(AnySuballocator::create(options).value()),
          limits_(limits),
          seed_(seed),
          random_(seed),
          oracle_(allocator_.capacity()) {}

    void run(std::uint64_t operations) {
        std::uint64_t target_percent = 50;
        for (operation_ = 0; operation_ < operations; ++operation_) {
            if (operation_ % 4096 == 0) target_percent = random_.between(5, 100);
            const bool wants_more = oracle_.used() * 100 <= target_percent * allocator_.capacity();
            if (live_.empty() || random_.below(100) < (wants_more ? 70u : 30u))
                allocate();
            else
                free_one();
            if (operation_ % 8192 == 0) check_figures();
        }
        while (!live_.empty()) free_one();
        check_empty();
    }

private:
    void require(bool holds, std::string_view what) {
        if (!holds) FAIL(what << "; " << replay_hint(seed_, operation_));
    }

    std::uint64_t random_size() {
        const auto bits = static_cast<std::uint32_t>(std::bit_width(limits_.max_size));
        const std::uint64_t bound = 1ull << random_.below(random_.below(64) == 0 ? bits + 1 : bits * 3 / 4 + 1);
        return std::min(random_.between(1, bound), limits_.max_size);
    }

    void allocate() {
        const std::uint64_t size = random_size();
        const std::uint64_t alignment =
            1ull << random_.below(static_cast<std::uint64_t>(std::bit_width(limits_.max_alignment)));
        const std::uint64_t fit = allocator_.fit(size, alignment);
        check_bins(fit, size, alignment);
        const AllocateResult result = allocator_.allocate(size, alignment);
        check_fit(fit, size, alignment, result.has_value());
        if (!result) {
            require(result.error() == AllocateFailure::kExhausted,
                    fmt::format("refused for {}", to_string(result.error())));
            check_refusal(size, alignment);
            return;
        }
        const std::string wrong = oracle_.add(result->offset, result->size, size, alignment);
        require(wrong.empty(), wrong);
        live_.push_back({*result, result->size - size});
        waste_ += result->size - size;
    }

    // What the bins say beside fit(): none below the first holds the request, each from the certain one on does.
    void check_bins(std::uint64_t fit, std::uint64_t size, std::uint64_t alignment) {
        const TlsfAllocator* tlsf = allocator_.get_if<TlsfAllocator>();
        if (tlsf == nullptr || size > tlsf->capacity()) return;
        const TlsfAllocator::BinsFor bins = TlsfAllocator::bins_for(size, alignment, tlsf->granule());
        const auto words = tlsf->filled_bins();
        std::uint32_t last = TlsfAllocator::kNoBin;
        for (std::uint32_t bin = 0; bin < words.size() * 64; ++bin) {
            if ((words[bin / 64] >> bin % 64 & 1) != 0 || bin == tlsf->loose_bin()) last = bin;
        }
        if (fit == 0) {
            require(last == TlsfAllocator::kNoBin || last < bins.certain, "a certain bin holds nothing that fits");
            return;
        }
        const std::uint32_t taken = TlsfAllocator::bin_of_range(fit, tlsf->granule());
        if (alignment <= tlsf->granule() && last >= bins.certain)
            require(tlsf->fits_in_own_bin(size) == (taken == bins.first), "it is taken from another bin than is said");
        require(bins.first <= taken, "a range fits below the first bin");
        require(taken == tlsf->loose_bin() || (words[taken / 64] >> taken % 64 & 1) != 0,
                "a range fits in no filled bin");
    }

    // What fit() said before the allocation.
    void check_fit(std::uint64_t fit, std::uint64_t size, std::uint64_t alignment, bool was_served) {
        require(fit == 0 || fit >= size, "the range that fits is smaller than the request");
        require(!was_served || fit != 0, "what nothing fits is served");
        const TlsfAllocator* tlsf = allocator_.get_if<TlsfAllocator>();
        require(tlsf == nullptr || alignment > tlsf->granule() || was_served == (fit != 0), "what fits is refused");
    }

    // Best fit must find any range that holds the request; the two-level bins promise the ranges of higher bins.
    void check_refusal(std::uint64_t size, std::uint64_t alignment) {
        const auto gaps = oracle_.gaps(alignment);
        switch (allocator_.kind()) {
            case SuballocatorKind::kTlsf: {
                const std::uint64_t granule = allocator_.get_if<TlsfAllocator>()->granule();
                const std::uint64_t padded = size + granule + (alignment > granule ? alignment : 0);
                require(gaps.largest <= padded + padded / 16,
                        fmt::format("refused {} with {} free in one range", size, gaps.largest));
                break;
            }
            case SuballocatorKind::kFixedBlocks:
                require(gaps.largest_aligned < size,
                        fmt::format("refused {} with {} free and aligned", size, gaps.largest_aligned));
                break;
            default: require(oracle_.used() == allocator_.capacity(), "refused with a slot free");
        }
    }

    void free_one() {
        const std::size_t index = random_.below(live_.size());
        const Live chosen = live_[index];
        live_[index] = live_.back();
        live_.pop_back();
        require(allocator_.free(chosen.suballocation.handle) == FreeOutcome::kFreed, "a live handle is refused");
        require(random_.below(16) != 0 || allocator_.free(chosen.suballocation.handle) == FreeOutcome::kInvalidHandle,
                "freed twice");
        oracle_.remove(chosen.suballocation.offset);
        waste_ -= chosen.waste;
        stale_.push_back(chosen.suballocation.handle);
        if (stale_.size() > limits_.stale_age) {
            require(allocator_.free(stale_.front()) == FreeOutcome::kInvalidHandle, "a stale handle frees");
            stale_.erase(stale_.begin());
        }
    }

    void check_figures() {
        const Status valid = allocator_.validate_invariants();
        require(valid.has_value(), valid ? std::string_view() : std::string_view(valid.error().message));
        const Figures figures = allocator_.figures();
        const auto gaps = oracle_.gaps();
        require(figures.used == oracle_.used() && figures.used == allocator_.used(), "used differs");
        require(figures.free == figures.capacity - figures.used, "free + used is not the capacity");
        require(figures.suballocation_count == live_.size(), "the count differs");
        require(figures.internal_waste == waste_, "the waste differs");
        require(figures.largest_free_range == gaps.largest, "the largest free range differs");
        require(figures.free_range_count == gaps.count, "the number of free ranges differs");
    }

    void check_empty() {
        check_figures();
        const Figures figures = allocator_.figures();
        require(figures.free_range_count == 1 && figures.largest_free_range == allocator_.capacity(),
                "the empty block is not one range");
        if (allocator_.kind() == SuballocatorKind::kSlots) return;
        const AllocateResult whole = allocator_.allocate(allocator_.capacity(), limits_.max_alignment);
        require(whole.has_value() && whole->offset == 0, "the whole block cannot be had");
        require(allocator_.free(whole->handle) == FreeOutcome::kFreed, "the whole block cannot be freed");
    }

    AnySuballocator allocator_;
    Limits limits_;
    std::uint64_t seed_;
    Random random_;
    OverlapOracle oracle_;
    std::vector<Live> live_;
    std::vector<SuballocationHandle> stale_;
    std::uint64_t waste_ = 0;
    std::uint64_t operation_ = 0;
};

void churn(const SuballocatorOptions& options, const Limits& limits, std::uint64_t share_percent) {
    const std::uint64_t seed = property_seed();
    Churn(options, limits, seed).run(property_operations() * share_percent / 100);
}

}  // namespace

TEST_CASE("random operations never overlap: two-level bins") {
    SECTION("bytes, granule 1, prime capacity") {
        churn({.kind = SuballocatorKind::kTlsf, .capacity = 16'777'213, .granule = 1}, {16'777'213, 65536}, 40);
    }
    SECTION("512-byte granule") {
        churn({.kind = SuballocatorKind::kTlsf, .capacity = 64ull << 20, .granule = 512}, {16ull << 20, 65536}, 40);
    }
    SECTION("above 32 bits") {
        churn({.kind = SuballocatorKind::kTlsf, .capacity = (1ull << 44) + 12345, .granule = 256}, {1ull << 40, 65536},
              10);
    }
    SECTION("hardly any room") {
        churn({.kind = SuballocatorKind::kTlsf, .capacity = 777, .granule = 1, .reserved_ranges = 0}, {777, 64}, 10);
    }
}

TEST_CASE("random operations never overlap: best fit in blocks of S") {
    SECTION("S 4096") {
        churn({.kind = SuballocatorKind::kFixedBlocks, .capacity = 64ull << 20, .granule = 4096}, {8ull << 20, 65536},
              80);
    }
    SECTION("S 1") {
        churn({.kind = SuballocatorKind::kFixedBlocks, .capacity = 1'000'003, .granule = 1}, {1'000'003, 65536}, 20);
    }
}

TEST_CASE("random operations never overlap: slots") {
    SECTION("slots of 64 KiB") {
        churn({.kind = SuballocatorKind::kSlots, .capacity = 64ull << 20, .granule = 65536}, {65536, 65536}, 50);
    }
    SECTION("slots of 48, aligned to 16 at most") {
        churn({.kind = SuballocatorKind::kSlots, .capacity = 100'000, .granule = 48}, {48, 16}, 50);
    }
}

TEST_CASE("the same seed gives the same offsets") {
    const auto replay = [] {
        auto allocator = TlsfAllocator::create({.capacity = 1 << 20, .granule = 16}).value();
        Random random(7);
        std::vector<SuballocationHandle> live;
        std::vector<std::uint64_t> offsets;
        for (int step = 0; step < 20000; ++step) {
            if (!live.empty() && random.below(2) == 0) {
                allocator.free(live.back());
                live.pop_back();
            } else if (const auto made = allocator.allocate(random.between(1, 5000), 1ull << random.below(9))) {
                live.push_back(made->handle);
                offsets.push_back(made->offset);
            }
        }
        return offsets;
    };
    CHECK(replay() == replay());
}

}  // namespace general_property_test
