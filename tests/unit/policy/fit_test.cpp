// Whether a workload fits, what it needs, and what of it is alive at the most.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "advised.hpp"
#include "core/units.hpp"
#include "model/names.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"
#include "workload/stream.hpp"

namespace fit_test {

using namespace heapwright;
using test::advised;

namespace {

namespace property = model::memory_property;

model::DeviceReport one_heap(std::uint64_t bytes) {
    return test::bare_device(
        {{.size_bytes = bytes, .flags = model::memory_heap::kDeviceLocal}},
        {{.heap_index = 0,
          .property_flags = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent}});
}

model::Workload images(std::uint32_t side, std::uint32_t count, model::Lifetime lifetime) {
    model::Workload workload = test::empty_workload();
    workload.images = {{.extents = {{side, side}}, .count = count, .lifetime = lifetime}};
    return workload;
}

std::uint64_t wanted(const model::DevicePolicy& policy) {
    std::uint64_t sum = 0;
    for (const model::HeapCapacity& heap : policy.capacity->heaps) sum += heap.wanted_bytes;
    return sum;
}

}  // namespace

TEST_CASE("a hint has at most its count for each frame in flight and the one recorded, and without churn its count") {
    const struct {
        std::uint32_t side;
        std::uint32_t count;
        std::uint32_t frames;
        std::uint32_t steps;  // a frame
    } cases[] = {{4096, 1, 3, 20}, {4096, 1, 2, 64}, {1024, 4, 3, 1}, {512, 100, 2, 20}, {2048, 7, 1, 500}};
    for (const auto lifetime : {model::Lifetime::kStreaming, model::Lifetime::kLevel, model::Lifetime::kFrame}) {
        for (const auto& one : cases) {
            INFO(one.side << " x " << one.count << ", lifetime " << model::name_of(lifetime));
            model::Workload workload = images(one.side, one.count, lifetime);
            workload.frames_in_flight = one.frames;
            workload.steps_per_frame = one.steps;
            const std::uint64_t each = 4ull * one.side * one.side;
            const std::uint64_t churned = wanted(advised(one_heap(8 * kGiB), workload));
            CHECK(churned >= each * one.count);
            CHECK(churned <= each * one.count * (one.frames + 1));
            workload.churn_steps = 0;
            CHECK(wanted(advised(one_heap(8 * kGiB), workload)) == each * one.count);
        }
    }
}

TEST_CASE("resources of a frame need memory where nothing churns, too") {
    for (const std::uint32_t count : {3u, 20u}) {
        model::Workload workload = images(2048, count, model::Lifetime::kFrame);
        workload.churn_steps = 0;
        const std::uint64_t needed = 16 * kMiB * count;
        const auto roomy = advised(one_heap(2 * needed), workload);
        CHECK(roomy.capacity->fits);
        CHECK(roomy.capacity->needed_bytes >= needed);
        CHECK_FALSE(advised(one_heap(needed * 9 / 10), workload).capacity->fits);
        const auto without = advised(one_heap(8 * kMiB), workload);
        CHECK_FALSE(without.capacity->fits);
        CHECK(without.capacity->missing_bytes == needed);
        CHECK_FALSE(without.expectations);
    }
}

TEST_CASE("hints renew in proportion to their counts, together no more than a frame has steps") {
    model::Workload workload = images(64, 30, model::Lifetime::kStreaming);
    workload.buffers = {{.count = 10, .lifetime = model::Lifetime::kLevel},
                        {.count = 500, .lifetime = model::Lifetime::kPersistent}};
    workload.steps_per_frame = 8;
    workload.frames_in_flight = 2;
    CHECK(workload::renewed_in_frame(workload) == std::vector<double>{6, 2, 0});
    CHECK(workload::held_in_flight(workload) == std::vector<double>{12, 4, 0});
    workload.steps_per_frame = 1000;
    CHECK(workload::renewed_in_frame(workload) == std::vector<double>{30, 10, 0});
}

TEST_CASE("it fits if and only if the simulation finds memory for every request, whatever the estimate says") {
    std::size_t fitting = 0;
    std::size_t unfit = 0;
    for (std::uint64_t mib = 100; mib <= 340; mib += 12) {
        INFO(mib << " MiB");
        model::Workload workload = images(512, 150, model::Lifetime::kStreaming);
        workload.buffers = {{.smallest_bytes = 4096, .largest_bytes = kMiB, .count = 60}};
        const auto policy = advised(one_heap(mib * kMiB), workload);
        const model::CapacityPlan& plan = *policy.capacity;
        CHECK(plan.fits == plan.unfit.empty());
        CHECK(plan.fits == (policy.expectations && !policy.expectations->failed_requests));
        CHECK((plan.missing_bytes == 0) == plan.fits);
        if (plan.fits) {
            CHECK(plan.needed_bytes <= policy.heaps[0].usable_bytes.value);
            CHECK(plan.needed_bytes == policy.expectations->heaps[0].peak_reserved_bytes.value);
        } else {
            CHECK_FALSE(plan.statement.empty());
        }
        ++(plan.fits ? fitting : unfit);
    }
    CHECK(fitting > 3);
    CHECK(unfit > 3);
}

TEST_CASE("a resource above maxMemoryAllocationSize or its heap is named with both figures") {
    model::DeviceReport device = one_heap(16 * kGiB);
    for (const std::uint64_t limit : {2 * kGiB, 1 * kGiB}) {
        test::set_limit(device, "maxMemoryAllocationSize", limit);
        model::Workload workload = test::empty_workload();
        workload.buffers = {{.smallest_bytes = 3 * limit,
                             .largest_bytes = 3 * limit,
                             .count = 1,
                             .lifetime = model::Lifetime::kPersistent}};
        const auto policy = advised(device, workload);
        CHECK_FALSE(policy.capacity->fits);
        REQUIRE(policy.capacity->unfit.size() == 1);
        REQUIRE(policy.capacity->unfit[0].exceeded);
        CHECK(policy.capacity->unfit[0].exceeded->limit == "maxMemoryAllocationSize");
        CHECK(policy.capacity->unfit[0].exceeded->limit_bytes == limit);
        CHECK(policy.capacity->unfit[0].exceeded->size_bytes == 3 * limit);
        CHECK(model::statement_of(*policy.capacity).starts_with("does not fit: buffers/0: "));
        CHECK(model::statement_of(*policy.capacity).find("0 bytes") == std::string::npos);
    }
    test::remove_limit(device, "maxMemoryAllocationSize");
    model::Workload workload = test::empty_workload();
    workload.buffers = {{.smallest_bytes = 17 * kGiB,
                         .largest_bytes = 17 * kGiB,
                         .count = 1,
                         .lifetime = model::Lifetime::kPersistent}};
    CHECK(advised(device, workload).capacity->unfit.at(0).exceeded->limit == "heap 0");
}

TEST_CASE("an upload ring that finds no room beside what fits is named with both figures") {
    for (const std::uint32_t count : {12u, 25u}) {
        model::Workload workload = images(1024, count, model::Lifetime::kPersistent);
        workload.churn_steps = 0;
        workload.uploads.bytes_per_frame = 8 * kMiB;
        const auto statement = [&](std::uint64_t bytes) {
            const auto policy = advised(one_heap(bytes), workload);
            CHECK(policy.capacity->fits);
            return model::statement_of(*policy.capacity);
        };
        const auto roomy = advised(one_heap(kGiB), workload);
        const std::uint64_t needed = roomy.capacity->needed_bytes;
        CHECK(statement(2 * needed).find("ring") == std::string::npos);
        // The smallest heap whose usable bytes hold what is needed.
        const std::uint64_t heap = needed * (kGiB / kMiB) / (roomy.heaps[0].usable_bytes.value / kMiB) + kMiB / 2;
        CHECK(statement(heap).find("without the upload ring, for whose ") != std::string::npos);
        CHECK(statement(heap).find("heap 0 has ") != std::string::npos);
    }
}

TEST_CASE("a heap that is too small for a resource is no reason where other heaps take it") {
    for (const std::uint32_t count : {20u, 33u}) {
        const auto host = property::kHostVisible | property::kHostCoherent;
        const model::DeviceReport device =
            test::bare_device({{.size_bytes = kGiB, .flags = model::memory_heap::kDeviceLocal},
                               {.size_bytes = 2 * kGiB},
                               {.size_bytes = 256 * kMiB, .flags = model::memory_heap::kDeviceLocal}},
                              {{.heap_index = 0, .property_flags = property::kDeviceLocal},
                               {.heap_index = 1, .property_flags = host},
                               {.heap_index = 2, .property_flags = property::kDeviceLocal | host}});
        const auto policy = advised(device, images(8192, count, model::Lifetime::kPersistent));
        const model::CapacityPlan& plan = *policy.capacity;
        INFO(model::statement_of(plan));
        CHECK_FALSE(plan.fits);
        REQUIRE(plan.unfit.size() == 1);
        CHECK_FALSE(plan.unfit[0].exceeded);
        CHECK(plan.needed_bytes == count * 256 * kMiB);
        CHECK(model::statement_of(plan).starts_with("does not fit: needs "));
    }
}

TEST_CASE("what the device refuses of any seed played makes the workload unfit") {
    model::DeviceReport device = one_heap(kGiB);
    test::set_limit(device, "maxImageDimension2D", 1024);
    std::size_t fitting = 0;
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        model::Workload workload = test::empty_workload();
        workload.images = {{.smallest_side = 512,
                            .largest_side = 1035,
                            .distribution = model::SizeDistribution::kUniform,
                            .count = 1,
                            .lifetime = model::Lifetime::kPersistent}};
        workload.seed = seed;
        bool is_beyond = false;
        for (std::uint64_t played = seed; played < seed + policy::kPlayedSeeds; ++played) {
            auto stream = workload::ResourceStream::create(workload, played).value();
            while (const auto operation = stream.next()) {
                const auto* create = std::get_if<workload::Create>(&*operation);
                if (create == nullptr) continue;
                const auto& image = std::get<model::ImageDescription>(create->resource);
                is_beyond = is_beyond || std::max(image.width, image.height) > 1024;
            }
        }
        const auto policy = policy::advise(device, workload);
        REQUIRE(policy);
        CHECK(policy->capacity->refused.empty() == !is_beyond);
        CHECK(policy->capacity->fits == !is_beyond);
        ++(is_beyond ? refused : fitting);
    }
    CHECK(fitting > 3);
    CHECK(refused > 3);
}

TEST_CASE("what asks for memory of its own gets it, and counts against the device's limit") {
    for (const std::uint32_t count : {50u, 130u}) {
        model::Workload workload = images(64, count, model::Lifetime::kPersistent);
        workload.images[0].dedicated = model::OwnMemory::kAlways;
        const auto policy = advised(one_heap(kGiB), workload);
        CHECK(policy.capacity->fits);
        CHECK(policy.expectations->device_allocations.value == count);

        workload.images[0].dedicated = model::OwnMemory::kNever;
        CHECK(advised(one_heap(kGiB), workload).expectations->device_allocations.value < count / 4);
    }
    model::DeviceReport device = one_heap(kGiB);
    for (const std::uint64_t limit : {4096u, 1000u}) {
        test::set_limit(device, "maxMemoryAllocationCount", limit);
        model::Workload workload = images(64, static_cast<std::uint32_t>(limit) + 500, model::Lifetime::kPersistent);
        workload.images[0].dedicated = model::OwnMemory::kAlways;
        const auto policy = advised(device, workload);
        CHECK_FALSE(policy.capacity->fits);
        INFO(model::statement_of(*policy.capacity));
        CHECK(model::statement_of(*policy.capacity).find(std::to_string(limit + 500)) != std::string::npos);
        CHECK(model::statement_of(*policy.capacity).find(std::to_string(limit)) != std::string::npos);
    }
}

TEST_CASE("resources that want no memory of their own are not told to belong to the dedicated interface") {
    for (const std::uint32_t count : {3u, 5u}) {
        model::Workload workload = images(8192, count, model::Lifetime::kPersistent);
        const auto told = [&] {
            return test::makes(advised(one_heap(2 * kGiB), workload).warnings, model::ClaimId::kWarnHumongous);
        };
        const bool is_told = told();
        workload.images[0].dedicated = model::OwnMemory::kNever;
        CHECK(is_told);
        CHECK_FALSE(told());
    }
}

TEST_CASE("a workload of nothing needs nothing, for chunks either") {
    for (const std::uint64_t gib : {1u, 8u}) {
        const std::string statement =
            model::statement_of(*advised(one_heap(gib * kGiB), test::empty_workload()).capacity);
        CHECK(statement.starts_with("fits: needs 0 bytes of "));
        CHECK(statement.ends_with(" usable"));
    }
}

TEST_CASE("what frames in flight hold is no waste") {
    for (const std::uint32_t count : {12u, 30u}) {
        const auto policy = advised(one_heap(8 * kGiB), images(1024, count, model::Lifetime::kFrame));
        CHECK(policy.expectations->mean_waste.value <= 0.6);
    }
}

TEST_CASE("a workload of which a part is played fits where the whole does") {
    model::Workload workload = images(64, 4000, model::Lifetime::kStreaming);
    for (const std::uint64_t mib : {32u, 200u}) {
        const auto whole = policy::advise(one_heap(mib * kMiB), workload, 0, {.sample = {}});
        const auto part =
            policy::advise(one_heap(mib * kMiB), workload, 0, {.sample = {.churn_steps = 200, .most_played = 500}});
        REQUIRE(whole);
        REQUIRE(part);
        CHECK(part->capacity->fits == whole->capacity->fits);
    }
}

TEST_CASE("a few large resources beside very many small ones count in whole, played in whole or in part") {
    const struct {
        std::uint64_t large_bytes;
        std::uint32_t large_count;
        std::uint64_t small_bytes;
        std::uint32_t small_count;
    } cases[] = {{64 * kMiB, 2, 4096, 17'000}, {512 * kMiB, 1, 1024, 100'000}, {96 * kMiB, 3, 2048, 60'000}};
    for (const auto& one : cases) {
        model::Workload workload = test::empty_workload();
        workload.buffers = {{.smallest_bytes = one.large_bytes,
                             .largest_bytes = one.large_bytes,
                             .count = one.large_count,
                             .lifetime = model::Lifetime::kPersistent},
                            {.smallest_bytes = one.small_bytes,
                             .largest_bytes = one.small_bytes,
                             .count = one.small_count,
                             .lifetime = model::Lifetime::kPersistent}};
        workload.churn_steps = 0;
        const std::uint64_t needed = one.large_bytes * one.large_count + one.small_bytes * one.small_count;
        for (const std::uint64_t most_played : {policy::SampleOptions{}.most_played, std::uint64_t{4000}}) {
            INFO(needed << " bytes, " << most_played << " played");
            const auto in_heap_of = [&](std::uint64_t bytes) {
                return advised(one_heap(bytes), workload, {.sample = {.most_played = most_played}});
            };
            const auto roomy = in_heap_of(needed * 13 / 10);
            CHECK(roomy.capacity->fits);
            CHECK(roomy.capacity->needed_bytes >= needed * 99 / 100);
            CHECK(roomy.capacity->needed_bytes <= needed * 108 / 100);
            const auto tight = in_heap_of(needed * 9 / 10);
            CHECK_FALSE(tight.capacity->fits);
            CHECK(tight.capacity->needed_bytes <= needed * 108 / 100);
            CHECK(tight.capacity->missing_bytes <= needed * 12 / 10);
        }
    }
}

TEST_CASE("a memory type of other resource classes takes nothing, not even as memory of its own") {
    using model::ResourceClass;
    model::DeviceReport device = one_heap(8 * kGiB);
    const model::MemoryType any = device.memory_types[0];
    device.memory_types = {any, any, any};
    const ResourceClass classes[] = {ResourceClass::kLinear, ResourceClass::kOptimal,
                                     ResourceClass::kOptimalRenderTarget};
    for (std::size_t type = 0; type < 3; ++type) device.memory_types[type].resource_classes = {classes[type]};
    for (const std::uint32_t count : {300u, 1100u}) {
        const auto policy = advised(device, images(128, count, model::Lifetime::kStreaming));
        CHECK(policy.capacity->fits);
        CHECK(policy.expectations->device_allocations.value < count / 10);
    }
}

TEST_CASE("the heaps of an integrated device are told to be one RAM where both are planned in") {
    const auto warned = [](const model::DevicePolicy& policy) { return test::says(policy.warnings, "one RAM"); };
    model::DeviceReport device =
        test::bare_device({{.size_bytes = kGiB, .flags = model::memory_heap::kDeviceLocal}, {.size_bytes = 4 * kGiB}},
                          {{.heap_index = 0, .property_flags = property::kDeviceLocal},
                           {.heap_index = 1, .property_flags = property::kHostVisible | property::kHostCoherent}});
    model::Workload workload = images(1024, 100, model::Lifetime::kPersistent);
    CHECK_FALSE(warned(advised(device, workload)));
    device.identity.type = model::DeviceType::kIntegratedGpu;
    CHECK_FALSE(warned(advised(device, workload)));
    workload.images[0].count = 400;
    CHECK(warned(advised(device, workload)));
    device.identity.type = model::DeviceType::kDiscreteGpu;
    CHECK_FALSE(warned(advised(device, workload)));
}

TEST_CASE("heaps that are one RAM are not both filled: the reserve share is left twice over") {
    model::DeviceReport device =
        test::bare_device({{.size_bytes = kGiB, .flags = model::memory_heap::kDeviceLocal}, {.size_bytes = 4 * kGiB}},
                          {{.heap_index = 0, .property_flags = property::kDeviceLocal},
                           {.heap_index = 1, .property_flags = property::kHostVisible | property::kHostCoherent}});
    model::Workload workload = images(1024, 100, model::Lifetime::kPersistent);
    device.run.heap_budgets = {{.budget_bytes = kGiB, .usage_bytes = 0}, {.budget_bytes = 4 * kGiB, .usage_bytes = 0}};
    const auto check = [&](model::DeviceType type, double left) {
        device.identity.type = type;
        const auto policy = advised(device, workload);
        for (std::size_t heap = 0; heap < 2; ++heap) {
            const auto size = static_cast<double>(device.heaps[heap].size_bytes);
            CHECK(static_cast<double>(policy.heaps[heap].usable_bytes.value) == Catch::Approx(size * (1 - left)));
            CHECK(policy.heaps[heap].reserve_share->value == left);  // at run time
        }
    };
    const struct {
        double asked;
        double left;
    } cases[] = {{0, 0}, {0.1, 0.19}, {0.05, 0.0975}, {0.25, 0.4375}, {0.6, 0.84}};
    for (const auto& [asked, left] : cases) {
        INFO(asked);
        workload.reserve_share = asked;
        check(model::DeviceType::kDiscreteGpu, asked);
        check(model::DeviceType::kIntegratedGpu, left);
        check(model::DeviceType::kCpu, left);
    }
    // A heap that nothing is planned in is none beside the other.
    device.memory_types[1].property_flags = property::kProtected;
    check(model::DeviceType::kIntegratedGpu, 0.6);
}

TEST_CASE("what the host reads of memory that is not host cached is warned of") {
    const auto warned = [](const model::DevicePolicy& policy) {
        return test::makes(policy.warnings, model::ClaimId::kUncachedReadback);
    };
    model::DeviceReport device = one_heap(kGiB);
    for (const std::uint32_t count : {3u, 40u}) {
        model::Workload workload = test::empty_workload();
        workload.buffers = {{.largest_bytes = 65536, .count = count}};
        CHECK_FALSE(warned(advised(device, workload)));
        workload.buffers[0].memory_use = model::MemoryUse::kReadback;
        CHECK(warned(advised(device, workload)));
    }
    device.memory_types[0].property_flags |= property::kHostCached;
    model::Workload workload = test::empty_workload();
    workload.buffers = {{.largest_bytes = 65536, .count = 3, .memory_use = model::MemoryUse::kReadback}};
    CHECK_FALSE(warned(advised(device, workload)));
}

}  // namespace fit_test
