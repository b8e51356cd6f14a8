#include <catch2/catch_test_macros.hpp>

#include "core/units.hpp"
#include "isolate/memory_limit.hpp"

using namespace heapwright;
using isolate::memory_limit_bytes;

namespace {

model::DeviceReport device_of_type(model::DeviceType type, std::uint64_t heap_bytes) {
    model::DeviceReport report;
    report.identity.type = type;
    report.heaps.push_back({.size_bytes = heap_bytes, .flags = model::memory_heap::kDeviceLocal});
    return report;
}

}  // namespace

TEST_CASE("where device memory is RAM a quarter of the free RAM is the most that is taken unasked") {
    const auto cpu = device_of_type(model::DeviceType::kCpu, 24 * kGiB);
    CHECK(memory_limit_bytes(cpu, std::nullopt, 16 * kGiB) == 4 * kGiB);
    CHECK(memory_limit_bytes(cpu, std::nullopt, 200 * kGiB) == 24 * kGiB);
    CHECK(memory_limit_bytes(cpu, std::nullopt, std::nullopt) == kGiB / 2);
    CHECK(memory_limit_bytes(cpu, 6 * kGiB, 16 * kGiB) == 6 * kGiB);
    CHECK(memory_limit_bytes(cpu, 600 * kGiB, 16 * kGiB) == 24 * kGiB);
}

TEST_CASE("a device with memory of its own gives what its budget has left") {
    auto gpu = device_of_type(model::DeviceType::kDiscreteGpu, 80 * kGiB);
    gpu.heaps.push_back({.size_bytes = 64 * kGiB, .flags = 0});
    CHECK(memory_limit_bytes(gpu, std::nullopt, 16 * kGiB) == 80 * kGiB);
    gpu.run.heap_budgets = {{.budget_bytes = 50 * kGiB, .usage_bytes = 10 * kGiB}, {.budget_bytes = 60 * kGiB}};
    CHECK(memory_limit_bytes(gpu, std::nullopt, 16 * kGiB) == 40 * kGiB);
    gpu.run.heap_budgets[0].usage_bytes = 51 * kGiB;
    CHECK(memory_limit_bytes(gpu, std::nullopt, 16 * kGiB) == 0);
}

TEST_CASE("a budget of 0 is unknown and one above its heap is the heap's size, less what this process uses") {
    auto gpu = device_of_type(model::DeviceType::kDiscreteGpu, 8 * kGiB);
    gpu.run.heap_budgets = {{.budget_bytes = 0}};
    CHECK(memory_limit_bytes(gpu, std::nullopt, 16 * kGiB) == 8 * kGiB);
    gpu.run.heap_budgets = {{.budget_bytes = ~0ull - 4095, .usage_bytes = kGiB}};
    CHECK(memory_limit_bytes(gpu, std::nullopt, 16 * kGiB) == 7 * kGiB);
    CHECK(memory_limit_bytes(gpu, 600 * kGiB, 16 * kGiB) == 7 * kGiB);
}
