// The backend for the Windows Subsystem for Linux on stand-ins for its libraries: what they answer arrives, in a
// calling convention that is not vkd3d's.
#include <cstdlib>

#include <algorithm>
#include <optional>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/wsl.hpp"
#include "fake_adapter.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

// The variable that names the DXCore library, for the time of a test.
class Dxcore {
public:
    explicit Dxcore(const std::string& library) { setenv("HEAPWRIGHT_DXCORE", library.c_str(), 1); }
    ~Dxcore() { unsetenv("HEAPWRIGHT_DXCORE"); }
    Dxcore(const Dxcore&) = delete;
    Dxcore& operator=(const Dxcore&) = delete;
};

std::optional<std::uint64_t> limit(const model::DeviceReport& report, std::string_view group, std::string_view name) {
    const auto found = std::find_if(report.limits.begin(), report.limits.end(),
                                    [&](const auto& fact) { return fact.group == group && fact.name == name; });
    if (found == report.limits.end()) return std::nullopt;
    return found->value;
}

}  // namespace

TEST_CASE("the subsystem's Direct3D 12 is there where a library is named") {
    const Dxcore dxcore("libdxcore.so");
    CHECK(wsl::has_direct3d12());
}

TEST_CASE("DXCore's adapters are listed with what it says of them") {
    const Dxcore dxcore(test::build_path("tests/unit/wsl/runtime/libdxcore.so"));
    const auto source = wsl::create_direct3d12_source();
    if (!source) FAIL(to_string(source.error()));
    const auto& adapters = (*source)->adapters();
    REQUIRE(adapters.size() == 2);
    CHECK(adapters[0].name == test::kFakeName);
    CHECK(adapters[0].api == model::Api::kD3d12);
    CHECK(adapters[0].type == model::DeviceType::kDiscreteGpu);
    CHECK(adapters[0].vendor_id == test::kFakeVendor);
    CHECK(adapters[0].device_id == test::kFakeDevice);
    CHECK(adapters[0].driver_info == "31.0.15.3626");
    CHECK(adapters[0].luid == "000000123456789a");
    CHECK(adapters[0].api_version == "12_1");
    CHECK(adapters[1].name == test::kFakeSoftwareName);
    CHECK(adapters[1].type == model::DeviceType::kCpu);
}

TEST_CASE("a probe reads the device's answers in the System V calling convention") {
    const Dxcore dxcore(test::build_path("tests/unit/wsl/runtime/libdxcore.so"));
    const auto source = wsl::create_direct3d12_source();
    if (!source) FAIL(to_string(source.error()));
    const auto report = (*source)->read(0, {});
    if (!report) FAIL(to_string(report.error()));

    REQUIRE(report->heaps.size() == 2);
    CHECK(report->heaps[0].size_bytes == test::kFakeLocalBytes);
    CHECK(report->heaps[1].size_bytes == test::kFakeSharedBytes);
    REQUIRE(report->run.heap_budgets.size() == 2);
    CHECK(report->run.heap_budgets[0].budget_bytes == test::kFakeLocalBudget);
    CHECK(report->run.heap_budgets[0].usage_bytes == test::kFakeLocalUsage);
    CHECK(report->run.heap_budgets[1].budget_bytes == test::kFakeSharedBudget);

    // GetCustomHeapProperties, which returns its structure through a pointer: only the read-back heap is cached.
    const auto cached = [&](model::D3d12HeapType type) {
        const auto row = std::find_if(report->memory_types.begin(), report->memory_types.end(),
                                      [type](const auto& memory) { return memory.d3d12_heap_type == type; });
        REQUIRE(row != report->memory_types.end());
        return (row->property_flags & model::memory_property::kHostCached) != 0;
    };
    CHECK(cached(model::D3d12HeapType::kReadback));
    CHECK_FALSE(cached(model::D3d12HeapType::kUpload));

    // GetResourceAllocationInfo, which returns its structure in registers.
    REQUIRE_FALSE(report->image_sweep.tables.empty());
    const auto& images = report->image_sweep.tables.front().size_bytes;
    REQUIRE_FALSE(images.empty());
    CHECK(images.front() == test::kFakeTextureGranule);
    CHECK(std::all_of(images.begin(), images.end(),
                      [](std::uint64_t size) { return size % test::kFakeTextureGranule == 0; }));
    CHECK(*std::max_element(images.begin(), images.end()) > 100 * test::kFakeTextureGranule);
    REQUIRE_FALSE(report->buffer_sweep.tables.empty());
    CHECK(report->buffer_sweep.tables.front().size_bytes.front() == test::kFakeBufferGranule);

    CHECK(limit(*report, "ID3D12Device::GetDescriptorHandleIncrementSize", "D3D12_DESCRIPTOR_HEAP_TYPE_RTV") ==
          test::kFakeDescriptorBytes);
    CHECK(limit(*report, "ID3D12Device::CreateDescriptorHeap", "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER") ==
          test::kFakeMostSamplers);
    CHECK(limit(*report, "D3D12_FEATURE_DATA_D3D12_OPTIONS", "ResourceBindingTier") == 3);
}

TEST_CASE("a subsystem without its libraries says which were tried") {
    const Dxcore dxcore("/nonexistent/libdxcore.so");
    const auto source = wsl::create_direct3d12_source();
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::kNoLoader);
    CHECK(source.error().message.find("/nonexistent/libdxcore.so") != std::string::npos);
}
