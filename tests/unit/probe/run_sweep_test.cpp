#include <catch2/catch_test_macros.hpp>

#include <map>

#include "probe/ask_again.hpp"

using namespace heapwright;
using model::MemoryRequirements;
using probe::Extent;

namespace {

constexpr std::size_t kTypes = 3;
constexpr std::uint32_t kLargestSide = 8;
constexpr std::uint64_t kLargestBytes = 100'000;

// A driver of images: what it answers by usage and extent, and what it was asked.
struct FakeDriver {
    std::map<model::Flags, MemoryRequirements> by_usage;  // refuses the others
    std::map<Extent, MemoryRequirements> odd;             // whatever the usage
    std::vector<std::pair<model::Flags, Extent>> asked;
    std::vector<model::Flags> breadcrumbs;
};

constexpr model::Flags kUnsupported = 1u << 9;

class FakeQuestion {
public:
    static constexpr std::string_view kRefused = "refused here";
    static constexpr std::string_view kRefusedEverywhere = "refused everywhere";

    FakeQuestion(FakeDriver& driver, const model::ImageCase& image) : driver_(driver), image_(image) {}

    [[nodiscard]] std::string not_supported() const { return image_.usage == kUnsupported ? "no such usage" : ""; }
    void leave_breadcrumb() { driver_.breadcrumbs.push_back(image_.usage); }
    [[nodiscard]] bool admits(const Extent& at) const { return at[0] <= kLargestSide && at[1] <= kLargestSide; }
    [[nodiscard]] std::string objection(const Extent& at) const { return "beyond: " + std::to_string(at[0]); }
    [[nodiscard]] MemoryRequirements ask(const Extent& at) {
        driver_.asked.emplace_back(image_.usage, at);
        if (const auto odd = driver_.odd.find(at); odd != driver_.odd.end()) return odd->second;
        const auto answer = driver_.by_usage.find(image_.usage);
        if (answer == driver_.by_usage.end()) return {};
        MemoryRequirements requirements = answer->second;
        requirements.size_bytes *= std::uint64_t{at[0]} * at[1];
        return requirements;
    }
    [[nodiscard]] bool keeps(const MemoryRequirements& answer) const { return answer.size_bytes <= kLargestBytes; }
    [[nodiscard]] std::string objection(const MemoryRequirements& answer) const {
        return "takes " + std::to_string(answer.size_bytes);
    }

private:
    FakeDriver& driver_;
    const model::ImageCase& image_;
};

// A device of small buffers: each takes its size rounded up to 16 bytes.
class Rounded {
public:
    static constexpr std::string_view kRefused = "refused";
    static constexpr std::string_view kRefusedEverywhere = "refused everywhere";
    [[nodiscard]] static std::string not_supported() { return {}; }
    static void leave_breadcrumb() {}
    [[nodiscard]] static bool admits(std::uint64_t size) { return size <= 4096; }
    [[nodiscard]] static std::string objection(std::uint64_t size) { return std::to_string(size) + " bytes"; }
    [[nodiscard]] static MemoryRequirements ask(std::uint64_t size) {
        return {.size_bytes = (size + 15) / 16 * 16, .alignment_bytes = 16, .memory_type_bits = 1};
    }
    [[nodiscard]] static bool keeps(const MemoryRequirements&) { return true; }
    [[nodiscard]] static std::string objection(const MemoryRequirements&) { return {}; }
};

// Four powers of two by four, 16 points, and one extent that no device here admits.
model::ImageSweep sweep_of(std::initializer_list<model::Flags> usages) {
    model::ImageSweep sweep;
    sweep.grid.widths = {1, 2, 4, 8};
    sweep.grid.heights = sweep.grid.widths;
    sweep.grid.extra = {{16, 3}};
    for (const model::Flags usage : usages) sweep.cases.push_back({.usage = usage, .table = {}, .not_supported = {}});
    return sweep;
}

Result<model::ImageSweep> run(FakeDriver& driver, model::ImageSweep sweep, const model::Workload* workload = nullptr,
                              const device::ReadOptions& options = {}) {
    probe::SweepPace pace(options);
    return probe::run_sweep(std::move(sweep), workload, kTypes, pace,
                            [&](const model::ImageCase& image) { return FakeQuestion(driver, image); });
}

constexpr MemoryRequirements kFourBytes{.size_bytes = 4, .alignment_bytes = 64, .memory_type_bits = 0b011};
constexpr MemoryRequirements kEightBytes{
    .size_bytes = 8, .alignment_bytes = 256, .memory_type_bits = 0b001, .dedicated = model::Dedicated::kPreferred};

}  // namespace

TEST_CASE("A sweep asks every case at every admitted point once and keeps the answers") {
    FakeDriver driver{.by_usage = {{1, kFourBytes}, {2, kEightBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({1, 2}));
    REQUIRE(swept);
    CHECK(driver.asked.size() == 32);  // the extra extent is beyond the limit: not asked
    CHECK(driver.breadcrumbs == std::vector<model::Flags>{1, 2});
    REQUIRE(swept->cases[0].table);
    REQUIRE(swept->cases[1].table);
    CHECK(swept->requirements.size() == 2);
    const auto point = swept->grid.find(4, 2);
    REQUIRE(point);
    const auto four = answer_at(swept->requirements, swept->tables[*swept->cases[0].table], *point);
    REQUIRE(four);
    CHECK(*four == MemoryRequirements{.size_bytes = 32, .alignment_bytes = 64, .memory_type_bits = 0b011});
    const auto eight = answer_at(swept->requirements, swept->tables[*swept->cases[1].table], *point);
    REQUIRE(eight);
    CHECK(*eight == MemoryRequirements{.size_bytes = 64,
                                       .alignment_bytes = 256,
                                       .memory_type_bits = 0b001,
                                       .dedicated = model::Dedicated::kPreferred});
    const auto beyond = swept->grid.find(16, 3);
    REQUIRE(beyond);
    CHECK_FALSE(answer_at(swept->requirements, swept->tables[*swept->cases[0].table], *beyond));
    CHECK(swept->points.empty());
    CHECK(swept->odd_answers.empty());
}

TEST_CASE("Cases that are answered alike share one table") {
    FakeDriver driver{
        .by_usage = {{1, kFourBytes}, {2, kEightBytes}, {4, kFourBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({1, 2, 4}));
    REQUIRE(swept);
    CHECK(swept->tables.size() == 2);
    CHECK(swept->cases[0].table == swept->cases[2].table);
    CHECK(swept->cases[0].table != swept->cases[1].table);
}

TEST_CASE("A case without support is not asked, and one without an answer has no table") {
    FakeDriver driver{.by_usage = {{1, kFourBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({kUnsupported, 2, 1}));
    REQUIRE(swept);
    CHECK_FALSE(swept->cases[0].table);
    CHECK(swept->cases[0].not_supported == "no such usage");
    CHECK_FALSE(swept->cases[1].table);
    CHECK(swept->cases[1].not_supported == FakeQuestion::kRefusedEverywhere);
    CHECK(swept->cases[2].table == 0u);
    CHECK(swept->cases[2].not_supported.empty());
    CHECK(driver.breadcrumbs == std::vector<model::Flags>{2, 1});
    for (const auto& [usage, extent] : driver.asked) CHECK(usage != kUnsupported);

    probe::FailedQuestions failed;
    probe::add_silent_cases<FakeQuestion>(*swept, "vkGetAnything", failed);
    CHECK(failed.count() == 1);
    std::vector<model::Finding> findings;
    failed.tell("image-sweep-not-measured", "1 of 3 kinds is not known", "/image_sweep", findings);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].statement == "vkGetAnything: refused everywhere; 1 of 3 kinds is not known");
}

TEST_CASE("A case of odd answers alone is one whose answers are odd, and not one without any") {
    const MemoryRequirements without_types{.size_bytes = 4096, .alignment_bytes = 64, .memory_type_bits = 0};
    FakeDriver driver{.by_usage = {{1, without_types}, {2, kFourBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({1, 2}));
    REQUIRE(swept);
    CHECK_FALSE(swept->cases[0].table);
    CHECK(swept->cases[0].not_supported == probe::kOddAnswer);
    CHECK(swept->cases[1].table);
    probe::FailedQuestions failed;
    probe::add_silent_cases<FakeQuestion>(*swept, "vkGetAnything", failed);
    CHECK(failed.count() == 0);
}

TEST_CASE("An answer beyond the device's limits is a refusal of that point alone") {
    MemoryRequirements large = kFourBytes;
    large.size_bytes = kLargestBytes / 32;  // 32 texels fit, 64 do not
    FakeDriver driver{.by_usage = {{1, large}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({1}));
    REQUIRE(swept);
    const model::SweepTable& table = swept->tables.at(0);
    CHECK(answer_at(swept->requirements, table, *swept->grid.find(8, 4)));
    CHECK_FALSE(answer_at(swept->requirements, table, *swept->grid.find(8, 8)));
    CHECK(table.requirement[*swept->grid.find(8, 8)] == 0);
}

TEST_CASE("Odd answers are set aside with their number, and what can be used of them is kept") {
    const MemoryRequirements misaligned{.size_bytes = 4096, .alignment_bytes = 3, .memory_type_bits = 1};
    const MemoryRequirements unknown_type{.size_bytes = 4096, .alignment_bytes = 64, .memory_type_bits = 0b1'0001};
    FakeDriver driver{.by_usage = {{1, kFourBytes}, {2, kFourBytes}},
                      .odd = {{{2, 2}, misaligned}, {{4, 4}, unknown_type}},
                      .asked = {},
                      .breadcrumbs = {}};
    model::Workload workload;
    workload.images = {{.usage = 4, .extents = {{2, 2}, {4, 4}}, .count = 1}};
    const auto swept = run(driver, sweep_of({1, 2}), &workload);
    REQUIRE(swept);
    const model::SweepTable& table = swept->tables.at(0);
    CHECK_FALSE(answer_at(swept->requirements, table, *swept->grid.find(2, 2)));
    const auto usable = answer_at(swept->requirements, table, *swept->grid.find(4, 4));
    REQUIRE(usable);
    CHECK(usable->memory_type_bits == 0b0001);

    // One of each kind, counted over both cases and the workload's points.
    REQUIRE(swept->odd_answers.size() == 2);
    CHECK(swept->odd_answers[0].answer == model::OddAnswer{misaligned});
    CHECK(swept->odd_answers[0].description.width == 2);
    CHECK(swept->odd_answers[0].count == 3);
    CHECK(swept->odd_answers[1].answer == model::OddAnswer{unknown_type});
    CHECK(swept->odd_answers[1].count == 3);
    REQUIRE(swept->points.size() == 2);
    CHECK_FALSE(swept->points[0].requirements);
    CHECK(swept->points[0].not_supported == probe::kOddAnswer);
    REQUIRE(swept->points[1].requirements);
    CHECK(swept->points[1].requirements->memory_type_bits == 0b0001);
}

TEST_CASE("A workload's points say what they ask for, or why they have none; the grid's are not asked twice") {
    MemoryRequirements large = kFourBytes;
    large.size_bytes = kLargestBytes / 32;
    FakeDriver driver{.by_usage = {{1, kFourBytes}, {4, large}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    model::Workload workload;
    workload.images = {{.usage = 1, .extents = {{2, 4}, {3, 5}, {9, 1}}, .count = 1},
                       {.usage = 4, .extents = {{7, 7}}, .count = 1},
                       {.usage = 2, .extents = {{3, 5}}, .count = 1},
                       {.usage = kUnsupported, .extents = {{3, 5}}, .count = 1},
                       {.usage = 1, .extents = {{3, 5}}, .count = 1}};
    const auto swept = run(driver, sweep_of({1}), &workload);
    REQUIRE(swept);
    CHECK(driver.asked.size() == 16 + 3);  // (3, 5) once by each usage that is there; (2, 4) is of the grid
    REQUIRE(swept->points.size() == 5);
    CHECK(swept->points[0].description.width == 3);
    REQUIRE(swept->points[0].requirements);
    CHECK(swept->points[0].requirements->size_bytes == 60);
    CHECK(swept->points[1].not_supported == "beyond: 9");
    CHECK(swept->points[2].not_supported == "takes " + std::to_string(large.size_bytes * 49));
    CHECK(swept->points[3].not_supported == FakeQuestion::kRefused);
    CHECK(swept->points[4].not_supported == "no such usage");
    for (std::size_t index = 1; index < 5; ++index) CHECK_FALSE(swept->points[index].requirements);
}

TEST_CASE("The pace stops a sweep between two cases") {
    FakeDriver driver{.by_usage = {{1, kFourBytes}, {2, kEightBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    device::ReadOptions none;
    none.time_limit_ns = 0;
    const auto stopped = run(driver, sweep_of({1, 2}), nullptr, none);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::kTimeLimit);
    CHECK(stopped.error().where == "image sweep");
    CHECK(driver.asked.empty());

    std::vector<std::string> stages;
    device::ReadOptions told;
    told.progress = [&](std::string_view stage, double) { stages.emplace_back(stage); };
    model::Workload workload;
    workload.images = {{.usage = 4, .extents = {{2, 2}}, .count = 1}};
    REQUIRE(run(driver, sweep_of({1, 2}), &workload, told));
    CHECK(stages == std::vector<std::string>{"image sweep", "image sweep", "workload images"});
}

TEST_CASE("Buffers are swept by the same loop") {
    model::BufferSweep buffers;
    buffers.sizes = {1, 16, 17, 5000};
    buffers.cases = {{.usage = 1, .table = {}, .not_supported = {}}};
    model::Workload workload;
    workload.buffers = {{.usage = 1, .smallest_bytes = 16, .largest_bytes = 40, .count = 1},
                        {.usage = 1, .smallest_bytes = 9000, .largest_bytes = 9000, .count = 1}};
    const device::ReadOptions options;
    probe::SweepPace pace(options);
    const auto swept = probe::run_sweep(std::move(buffers), &workload, kTypes, pace,
                                        [](const model::BufferCase&) { return Rounded(); });
    REQUIRE(swept);
    CHECK(swept->tables.at(0).size_bytes == std::vector<std::uint64_t>{16, 16, 32, 0});
    REQUIRE(swept->points.size() == 3);  // 32 and 40; 16 is of the grid
    CHECK(swept->points[0].requirements == MemoryRequirements{32, 16, 1});
    CHECK(swept->points[1].requirements == MemoryRequirements{48, 16, 1});
    CHECK(swept->points[2].not_supported == "9000 bytes");
}

TEST_CASE("Answers are asked for again from the last case to the first, and one that is another now is told") {
    FakeDriver driver{.by_usage = {{1, kFourBytes}, {2, kEightBytes}}, .odd = {}, .asked = {}, .breadcrumbs = {}};
    const auto swept = run(driver, sweep_of({1, kUnsupported, 2}));
    REQUIRE(swept);
    const auto again = [&] {
        driver.asked.clear();
        const device::ReadOptions options;
        probe::SweepPace pace(options);
        return *probe::ask_again(*swept, kTypes, pace,
                                 [&](const model::ImageCase& image) { return FakeQuestion(driver, image); });
    };
    const probe::AskedAgain same = again();
    CHECK(same.others == 0);
    CHECK(same.answers >= 2 * probe::kAskedAgain);
    CHECK(driver.asked.size() == same.answers);
    CHECK(driver.asked.front().first == 2);
    CHECK(driver.asked.back().first == 1);
    CHECK(driver.asked.front().second > driver.asked[1].second);
    std::vector<model::Finding> findings;
    same.tell("image", "a clause", findings);
    CHECK(findings.empty());

    driver.by_usage[1].alignment_bytes = 128;
    driver.odd[{8, 8}] = {.size_bytes = 0};
    const probe::AskedAgain other = again();
    // No answer is no other answer.
    CHECK(other.answers == same.answers - 2);
    CHECK(other.others == other.answers / 2);
    other.tell("image", "a clause", findings);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].id == "image-requirements-change");
    CHECK(findings[0].evidence.size() == 2);
}
