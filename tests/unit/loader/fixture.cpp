#include "fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>

#ifndef _WIN32
#include <unistd.h>
#endif

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

namespace heapwright::test {

Engine::Engine(const model::DeviceReport& report) : identity_(report.identity) {
    for (const model::MemoryHeap& heap : report.heaps) {
        heaps.push_back({.size_bytes = heap.size_bytes, .budget_bytes = 0, .flags = heap.flags, .reserved = 0});
    }
    for (const model::MemoryType& type : report.memory_types) {
        memory_types.push_back({.heap_index = type.heap_index, .property_flags = type.property_flags});
    }
    device.struct_size = sizeof(device);
    device.api = identity_.api == model::Api::kD3d12 ? HEAPWRIGHT_API_D3D12 : HEAPWRIGHT_API_VULKAN;
    device.vendor_id = identity_.vendor_id;
    device.device_id = identity_.device_id;
    device.driver_version = identity_.driver_version;
    device.device_type = static_cast<std::uint32_t>(identity_.type);
    device.name = identity_.name.c_str();
    device.driver_id = identity_.driver_id.c_str();
    device.driver_name = identity_.driver_name.c_str();
    device.heaps = heaps.data();
    device.heap_count = static_cast<std::uint32_t>(heaps.size());
    device.memory_types = memory_types.data();
    device.memory_type_count = static_cast<std::uint32_t>(memory_types.size());
    device.max_memory_allocation_bytes = report.limit("maxMemoryAllocationSize").value_or(0);
    device.max_memory_allocation_count = report.limit("maxMemoryAllocationCount").value_or(0);
    device.buffer_image_granularity = report.limit("bufferImageGranularity").value_or(0);
    device.non_coherent_atom_bytes = report.limit("nonCoherentAtomSize").value_or(0);
}

model::DeviceReport committed_device(const std::string& name) {
    const std::string path = test::source_path("reports/") + name;
    const auto text = read_file(path);
    REQUIRE(text);
    auto report = model::read_report(*text, path);
    if (!report) FAIL(to_string(report.error()));
    return std::move(report->devices.at(0));
}

Folder::Folder() {
    static std::atomic<int> next{0};
#ifdef _WIN32
    const auto process = 0;
#else
    const auto process = getpid();
#endif
    path_ = std::filesystem::temp_directory_path() /
            ("heapwright-loader-" + std::to_string(process) + "-" + std::to_string(next++));
    std::filesystem::create_directories(path_);
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
    REQUIRE(write_file_atomically(path_ / name, text));
}

void Folder::copy_committed_policies() const {
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("policies"))) {
        if (entry.path().extension() == ".json") std::filesystem::copy(entry.path(), path_ / entry.path().filename());
    }
}

Set::Set(const std::string& folder) {
    heapwright_message message{};
    const auto status = heapwright_policies_open(folder.c_str(), &set_, &message);
    INFO(message.text);
    REQUIRE(status == HEAPWRIGHT_OK);
}

Selected::Selected(const heapwright_policies* set, const heapwright_device& device,
                   const heapwright_fallback* fallback) {
    heapwright_message message{};
    const auto status = heapwright_policy_select(set, &device, fallback, &policy_, &message);
    INFO(message.text);
    REQUIRE(status == HEAPWRIGHT_OK);
}

heapwright_policy_info Selected::info() const {
    heapwright_policy_info info{};
    info.struct_size = sizeof(info);
    REQUIRE(heapwright_policy_get_info(policy_, &info) == HEAPWRIGHT_OK);
    return info;
}

heapwright_bucket Selected::bucket(std::uint32_t index) const {
    heapwright_bucket bucket{};
    bucket.struct_size = sizeof(bucket);
    REQUIRE(heapwright_policy_get_bucket(policy_, index, &bucket) == HEAPWRIGHT_OK);
    return bucket;
}

heapwright_heap_limit Selected::heap(std::uint32_t index) const {
    heapwright_heap_limit heap{};
    heap.struct_size = sizeof(heap);
    REQUIRE(heapwright_policy_get_heap(policy_, index, &heap) == HEAPWRIGHT_OK);
    return heap;
}

heapwright_fallback fallback(const char* workload, const char* report_file) {
    heapwright_fallback fallback{};
    fallback.struct_size = sizeof(fallback);
    fallback.workload = workload;
    fallback.report_file = report_file;
    return fallback;
}

}  // namespace heapwright::test
