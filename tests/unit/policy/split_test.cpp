// One buffer that is larger than a limit of the device: which limit, with both figures; and made in parts, where its
// hint allows.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "advised.hpp"
#include "cited_inputs.hpp"
#include "core/units.hpp"
#include "heapwright/model/json.hpp"
#include "render/explain.hpp"
#include "render/overview.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"
#include "workload/draw.hpp"

namespace policy_split_test {

using namespace heapwright;
using test::advised;

namespace {

namespace property = model::memory_property;
namespace usage = model::buffer_usage;
constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 500, .churn_steps = 100}};

model::DeviceReport one_heap(std::uint64_t bytes) {
    return test::bare_device(
        {{.size_bytes = bytes, .flags = model::memory_heap::kDeviceLocal}},
        {{.heap_index = 0,
          .property_flags = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent}});
}

// Storage buffers of one size that live on.
model::Workload storage(std::uint64_t bytes, std::uint32_t count, bool splittable) {
    model::Workload workload = test::empty_workload();
    workload.buffers = {{.usage = usage::kStorage | usage::kTransferDst,
                         .smallest_bytes = bytes,
                         .largest_bytes = bytes,
                         .count = count,
                         .lifetime = model::Lifetime::kPersistent,
                         .splittable = splittable}};
    return workload;
}

struct Limits {
    std::uint64_t buffer;      // 0: the device states none
    std::uint64_t allocation;  // as the next
    std::uint64_t range;
};

model::DeviceReport limited(std::uint64_t heap_bytes, const Limits& limits) {
    model::DeviceReport device = one_heap(heap_bytes);
    const auto set = [&](const char* name, std::uint64_t value) {
        test::remove_limit(device, name);
        if (value != 0) test::set_limit(device, name, value);
    };
    set("maxBufferSize", limits.buffer);
    set("maxMemoryAllocationSize", limits.allocation);
    set("maxStorageBufferRange", limits.range);
    return device;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a buffer above maxBufferSize is refused by name with both figures, and the soft limit beside it is told") {
    const struct {
        Limits limits;
        std::uint64_t bytes;
        const char* says;
    } cases[] = {
        {{4 * kGiB, 16 * kGiB, 0}, 8 * kGiB, "8 GiB are more than maxBufferSize (4 GiB)"},
        {{kGiB, 16 * kGiB, 0}, 3 * kGiB, "3 GiB are more than maxBufferSize (1 GiB)"},
        {{4 * kGiB, 2 * kGiB, 0},
         8 * kGiB,
         "8 GiB are more than maxMemoryAllocationSize (2 GiB), above which allocations may fail"},
    };
    for (const auto& one : cases) {
        INFO(one.says);
        model::Workload workload = storage(one.bytes, 1, false);
        workload.buffers.push_back({.count = 100});
        const auto policy = advised(limited(32 * kGiB, one.limits), workload, kQuick);
        CHECK_FALSE(policy.capacity->fits);
        CHECK(model::statement_of(*policy.capacity).starts_with("does not fit: buffers/0: "));
        INFO(model::statement_of(*policy.capacity));
        CHECK(holds(model::statement_of(*policy.capacity), one.says));
        REQUIRE(policy.capacity->refused.size() == 1);
        CHECK(policy.capacity->refused[0].bytes == one.bytes);
        REQUIRE(policy.capacity->refused[0].exceeded);
        CHECK(policy.capacity->refused[0].exceeded->limit == "maxBufferSize");
        CHECK(policy.split.empty());
    }
}

TEST_CASE("alone in its workload such a buffer still gets a policy that says so") {
    const auto policy = advised(limited(32 * kGiB, {2 * kGiB, 4 * kGiB, 0}), storage(3 * kGiB, 1, false), kQuick);
    CHECK_FALSE(policy.capacity->fits);
    CHECK(holds(model::statement_of(*policy.capacity), "3 GiB are more than maxBufferSize (2 GiB)"));
}

TEST_CASE("of a hint with many sizes those above maxBufferSize alone are refused") {
    model::Workload workload = storage(64 * kMiB, 20, false);
    workload.buffers[0].largest_bytes = 4 * kGiB;
    workload.buffers[0].distribution = model::SizeDistribution::kPowersOfTwo;
    const auto policy = advised(limited(64 * kGiB, {kGiB, 16 * kGiB, 0}), workload, kQuick);
    CHECK_FALSE(policy.capacity->fits);
    REQUIRE(policy.capacity->refused.size() == 1);
    CHECK(policy.capacity->refused[0].exceeded->size_bytes == 4 * kGiB);
    CHECK(policy.capacity->heaps[0].expected_bytes > 0);
}

TEST_CASE("Direct3D 12 bounds a buffer by the address bits of a resource, and by nothing of Vulkan's") {
    model::DeviceReport device = limited(64 * kGiB, {0, 0, 0});
    device.identity.api = model::Api::kD3d12;
    device.memory_types[0].resource_classes = {model::ResourceClass::kLinear, model::ResourceClass::kOptimal,
                                               model::ResourceClass::kOptimalRenderTarget};
    CHECK(advised(device, storage(5 * kGiB, 1, true), kQuick).split.empty());
    device.limits.push_back({.group = "D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT",
                             .name = "MaxGPUVirtualAddressBitsPerResource",
                             .value = 31});
    const auto refused = advised(device, storage(5 * kGiB, 1, false), kQuick);
    CHECK_FALSE(refused.capacity->fits);
    CHECK(holds(model::statement_of(*refused.capacity),
                "5 GiB are more than MaxGPUVirtualAddressBitsPerResource (2 GiB)"));
    const auto split = advised(device, storage(5 * kGiB, 1, true), kQuick);
    CHECK(split.capacity->fits);
    REQUIRE(split.split.size() == 1);
    CHECK(split.split[0].parts == 3);
}

TEST_CASE("maxStorageBufferRange bounds a descriptor: a larger storage buffer fits, with a warning of both figures") {
    for (const std::uint64_t range : {128 * kMiB, kGiB}) {
        const auto warned = [&](const model::Workload& workload) {
            const auto policy = advised(limited(32 * kGiB, {0, 4 * kGiB, range}), workload, kQuick);
            CHECK(policy.capacity->fits);
            return test::times(policy.warnings, std::string("buffers/0: 3 GiB is more than maxStorageBufferRange (") +
                                                    (range == kGiB ? "1 GiB)" : "128 MiB)"));
        };
        CHECK(warned(storage(3 * kGiB, 1, false)) == 1);
        model::Workload vertices = storage(3 * kGiB, 1, false);
        vertices.buffers[0].usage = usage::kVertex | usage::kTransferDst;
        CHECK(warned(vertices) == 0);
        CHECK(warned(storage(3 * kGiB, 1, true)) == 0);
    }
}

TEST_CASE("a splittable buffer is planned in parts by the limit that binds, and fits where its bytes do") {
    const struct {
        Limits limits;
        std::uint64_t bytes;
        std::uint32_t count;
        const char* limit;
        std::uint64_t parts;
        std::uint64_t part_bytes;
        const char* screen;
    } cases[] = {
        {{0, 4 * kGiB, 0},
         5 * kGiB,
         1,
         "maxMemoryAllocationSize",
         2,
         5 * kGiB / 2,
         "buffers/0: 5 GiB each in 2 parts of 2.5 GiB: maxMemoryAllocationSize 4 GiB, soft"},
        {{kGiB, 2 * kGiB, 4 * kGiB - 1},
         4 * kGiB,
         3,
         "maxBufferSize",
         4,
         kGiB,
         "buffers/0: 4 GiB each in 4 parts of 1 GiB: maxBufferSize 1 GiB"},
        {{4 * kGiB, 2 * kGiB, 128 * kMiB},
         5 * kGiB,
         1,
         "maxStorageBufferRange",
         40,
         128 * kMiB,
         "buffers/0: 5 GiB each in 40 parts of 128 MiB: maxStorageBufferRange 128 MiB"},
        {{0, 0, 0},
         3 * kGiB,
         2,
         "maxMemoryAllocationSize",
         3,
         kGiB,
         "buffers/0: 3 GiB each in 3 parts of 1 GiB: maxMemoryAllocationSize 1 GiB, soft"},
    };
    for (const auto& one : cases) {
        INFO(one.screen);
        model::Report report;
        report.devices = {limited(32 * kGiB, one.limits)};
        const model::Workload workload = storage(one.bytes, one.count, true);
        const auto policy = policy::advise(report, workload, {}, kQuick);
        REQUIRE(policy);
        const model::DevicePolicy& device = policy->devices.at(0);
        INFO(model::statement_of(*device.capacity));
        CHECK(device.capacity->fits);
        CHECK(device.capacity->needed_bytes >= one.bytes * one.count);
        REQUIRE(device.split.size() == 1);
        CHECK(device.split[0].hint == "buffers/0");
        CHECK(device.split[0].exceeded.limit == one.limit);
        CHECK(device.split[0].exceeded.size_bytes == one.bytes);
        CHECK(device.split[0].parts == one.parts);
        CHECK(device.split[0].part_bytes.value == one.part_bytes);
        CHECK(device.largest_buffer_bytes->value >= one.part_bytes);
        CHECK(device.largest_storage_buffer_bytes.has_value() == (one.limits.range == 128 * kMiB));
        CHECK(model::split_text(device.split[0]) == one.screen);
        CHECK(holds(render::overview(*policy, {}, {}), one.screen));
        CHECK(holds(render::explain(*policy).text, "split buffers/0: part: "));
        // The policy carries the workload as it was given, and reasons cite it so.
        REQUIRE(policy->workload);
        CHECK(model::stable_hash(*policy->workload) == model::stable_hash(workload));
        const auto document = nlohmann::json::parse(model::write(workload));
        for (const test::NamedDecision& decision : test::all_decisions(device)) {
            for (const model::DecisionInput& input : decision.why.inputs) {
                if (input.document != model::DocumentKind::kWorkload) continue;
                INFO(decision.name << " cites " << input.path << " = " << test::exact(input.value));
                const nlohmann::json::json_pointer pointer(input.path);
                REQUIRE(document.contains(pointer));
                if (document.at(pointer).is_number_unsigned())
                    CHECK(document.at(pointer).dump() == test::exact(input.value));
            }
        }
    }
}

TEST_CASE("what one descriptor sees of a storage buffer splits storage buffers alone") {
    for (const std::uint64_t range : {128 * kMiB, 512 * kMiB}) {
        model::Workload workload = storage(3 * kGiB, 1, true);
        workload.buffers.push_back(workload.buffers[0]);
        workload.buffers[1].usage = usage::kVertex | usage::kTransferDst;
        workload.buffers.push_back(workload.buffers[1]);
        workload.buffers[2].smallest_bytes = workload.buffers[2].largest_bytes = 5 * kGiB;
        const auto policy = advised(limited(64 * kGiB, {0, 4 * kGiB, range}), workload, kQuick);
        INFO(model::statement_of(*policy.capacity));
        CHECK(policy.capacity->fits);
        REQUIRE(policy.split.size() == 2);
        CHECK(policy.split[0].hint == "buffers/0");
        CHECK(policy.split[0].exceeded.limit == "maxStorageBufferRange");
        CHECK(policy.split[0].parts == 3 * kGiB / range);
        CHECK(policy.split[1].hint == "buffers/2");
        CHECK(policy.split[1].exceeded.limit == "maxMemoryAllocationSize");
        CHECK(policy.split[1].parts == 2);
        const model::Workload parts = workload::split_buffers(workload, policy);
        CHECK(parts.buffers[0].largest_bytes == range);
        CHECK(parts.buffers[1].largest_bytes == 3 * kGiB);
        CHECK(parts.buffers[2].largest_bytes == 5 * kGiB / 2);
        // What is whole is not asked of the limit of another.
        workload.buffers.erase(workload.buffers.begin());
        CHECK_FALSE(advised(limited(64 * kGiB, {0, 4 * kGiB, range}), workload, kQuick).largest_storage_buffer_bytes);
    }
}

TEST_CASE("parts do not make more memory: what is too much in all stays unfit") {
    const auto policy = advised(limited(8 * kGiB, {0, 4 * kGiB, 0}), storage(5 * kGiB, 2, true), kQuick);
    CHECK_FALSE(policy.capacity->fits);
    CHECK(holds(model::statement_of(*policy.capacity), "needs "));
}

TEST_CASE("parts go on in a second heap where the first is full") {
    model::DeviceReport device = test::bare_device(
        {{.size_bytes = 3 * kGiB, .flags = model::memory_heap::kDeviceLocal}, {.size_bytes = 8 * kGiB, .flags = 0}},
        {{.heap_index = 0, .property_flags = property::kDeviceLocal},
         {.heap_index = 1, .property_flags = property::kHostVisible | property::kHostCoherent}});
    CHECK_FALSE(advised(device, storage(9 * kGiB, 1, false), kQuick).capacity->fits);
    const auto policy = advised(device, storage(9 * kGiB, 1, true), kQuick);
    INFO(model::statement_of(*policy.capacity));
    CHECK(policy.capacity->fits);
    CHECK(policy.split.at(0).exceeded.limit == "heap 0");
}

}  // namespace policy_split_test
