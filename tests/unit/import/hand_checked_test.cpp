// Values read by eye from the files in tests/golden/import/input.
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"

using namespace heapwright;
using model::DeviceReport;

namespace {

namespace heap = model::memory_heap;
namespace property = model::memory_property;

constexpr model::Flags kHost = property::kHostVisible | property::kHostCoherent;

DeviceReport only_device(std::string_view name) {
    model::Report report = test::imported(name);
    REQUIRE(report.devices.size() == 1);
    return std::move(report.devices[0]);
}

void check_heap(const DeviceReport& device, std::size_t index, std::uint64_t size_bytes, model::Flags flags) {
    INFO("heap " << index);
    CHECK(device.heaps.at(index).size_bytes == size_bytes);
    CHECK(device.heaps.at(index).flags == flags);
}

void check_type(const DeviceReport& device, std::size_t index, std::uint32_t heap_index, model::Flags flags) {
    INFO("memory type " << index);
    CHECK(device.memory_types.at(index).heap_index == heap_index);
    CHECK(device.memory_types.at(index).property_flags == flags);
}

}  // namespace

TEST_CASE("gpuinfo: AMD Radeon 780M, RADV") {
    const DeviceReport device = only_device("amd-780m-igpu-radv.38776.json");
    CHECK(device.identity.name == "AMD Radeon 780M (RADV PHOENIX)");
    CHECK(device.identity.type == model::DeviceType::kIntegratedGpu);
    CHECK(device.identity.vendor_id == 0x1002);
    CHECK(device.identity.driver_id == "MESA_RADV");
    CHECK(device.identity.driver_info == "Mesa 25.0.5");
    CHECK(device.identity.api_version == "1.4.305");
    CHECK(device.identity.conformance_version == "1.4.0.0");
    CHECK(device.identity.device_uuid == "00000000c80000000000000000000000");
    CHECK(device.identity.luid.empty());
    CHECK(device.identity.pci == model::PciAddress{.bus = 200});
    REQUIRE(device.heaps.size() == 2);
    REQUIRE(device.memory_types.size() == 11);
    check_heap(device, 0, 0x2c6283000, 0);
    check_heap(device, 1, 0x58c506000, heap::kDeviceLocal);
    check_type(device, 0, 1, property::kDeviceLocal);
    check_type(device, 10, 0,
               kHost | property::kHostCached | property::kDeviceCoherentAmd | property::kDeviceUncachedAmd);
    CHECK(device.limit("maxMemoryAllocationSize") == 4294967292);
    CHECK(device.limit("bufferImageGranularity") == 1);
    CHECK(device.limit("nonCoherentAtomSize") == 0x40);
    CHECK(device.limit(model::FactName::made("maxTimelineSemaphoreValueDifference")) == 18446744073709551615u);
    CHECK(device.limit(model::FactName::made("maxPushDescriptors")) == 32);
    CHECK(device.feature("bufferDeviceAddress"));
    CHECK(device.queue_families.size() == 5);
    CHECK(device.extensions.size() == 209);
    CHECK(device.run.heap_budgets.empty());
    CHECK(test::is_absent(device, "/volatile/heap_budgets"));
}

TEST_CASE("gpuinfo: AMD RX 7900 XTX, RADV and the Windows driver") {
    const DeviceReport radv = only_device("amd-rx7900xtx-radv.38813.json");
    REQUIRE(radv.heaps.size() == 3);
    check_heap(radv, 0, 0x5f0000000, heap::kDeviceLocal);
    check_heap(radv, 2, 0x10000000, heap::kDeviceLocal);
    check_type(radv, 3, 2, property::kDeviceLocal | kHost);
    CHECK(radv.memory_types.size() == 11);
    CHECK(radv.limit("minMemoryMapAlignment") == 0x1000);

    const DeviceReport windows = only_device("amd-rx7900xtx-win-prop.38837.json");
    CHECK(windows.identity.driver_id == "AMD_PROPRIETARY");
    CHECK(windows.identity.luid == "7856010000000000");
    CHECK(test::is_absent(windows, "/identity/pci"));
    REQUIRE(windows.heaps.size() == 2);
    check_heap(windows, 0, 0x5e34b0000, 0);
    check_heap(windows, 1, 0x5ff000000, heap::kDeviceLocal | heap::kMultiInstance);
    CHECK(windows.memory_types.size() == 16);
    CHECK(windows.limit("maxMemoryAllocationSize") == 2147483648);
    CHECK(windows.limit(model::FactName::made("sparseAddressSpaceSize")) == 0x7ffa00000000);
    CHECK(windows.limit("nonCoherentAtomSize") == 0x80);
}

TEST_CASE("gpuinfo: Apple M1 through MoltenVK, Vulkan 1.1") {
    const DeviceReport device = only_device("apple-m1-moltenvk.38819.json");
    CHECK(device.identity.driver_id == "MOLTENVK");
    CHECK(device.identity.api_version == "1.1.216");
    CHECK(device.identity.conformance_version.empty());
    REQUIRE(device.heaps.size() == 1);
    check_heap(device, 0, 0x400000000, heap::kDeviceLocal);
    REQUIRE(device.memory_types.size() == 4);
    check_type(device, 3, 0, property::kDeviceLocal | property::kLazilyAllocated);
    CHECK(device.limit("bufferImageGranularity") == 0x10);
    CHECK(device.limit("maxMemoryAllocationSize") == 8589934592);
    // The report has no "core11" part.
    CHECK(test::is_absent(device, "/identity/device_uuid"));
    CHECK(test::is_absent(device, "/identity/luid"));
    CHECK(test::is_absent(device, "/limits/VkPhysicalDeviceProtectedMemoryProperties"));
}

TEST_CASE("gpuinfo: Mali-G715 and Adreno 650") {
    const DeviceReport mali = only_device("arm-mali-g715.38609.json");
    CHECK(mali.identity.device_id == 3097624576);
    REQUIRE(mali.heaps.size() == 2);
    check_heap(mali, 0, 0x1ca16e000, heap::kDeviceLocal);
    check_heap(mali, 1, 0x6400000, heap::kDeviceLocal);
    check_type(mali, 1, 0, property::kDeviceLocal | property::kHostVisible | property::kHostCached);
    check_type(mali, 3, 1, property::kDeviceLocal | property::kProtected);
    CHECK(mali.limit("maxMemoryAllocationSize") == 7685464064);
    CHECK(mali.limit(model::FactName::made("identicalMemoryTypeRequirements")) == 1);

    const DeviceReport adreno = only_device("qualcomm-adreno650.38859.json");
    CHECK(adreno.identity.driver_id == "QUALCOMM_PROPRIETARY");
    check_heap(adreno, 0, 0x1d6494000, heap::kDeviceLocal);
    check_type(adreno, 5, 1, property::kDeviceLocal | property::kProtected);
    CHECK(adreno.limit("nonCoherentAtomSize") == 1);
    CHECK(adreno.limit("maxMemoryAllocationSize") == 1073741824);
}

TEST_CASE("gpuinfo: Intel B580 and UHD Graphics, ANV") {
    const DeviceReport arc = only_device("intel-b580-anv.38827.json");
    check_heap(arc, 0, 0x2fb800000, heap::kDeviceLocal);
    check_heap(arc, 1, 0x3e3144000, 0);
    CHECK(arc.memory_types.size() == 7);
    CHECK(arc.limit("maxMemoryAllocationSize") == 16694657024);
    CHECK(arc.limit("maxBufferSize") == 4294967296);

    const DeviceReport uhd = only_device("intel-tgl-uhd-anv.38768.json");
    REQUIRE(uhd.heaps.size() == 1);
    check_heap(uhd, 0, 0xed2b7000, heap::kDeviceLocal);
    check_type(uhd, 3, 0, property::kDeviceLocal | property::kProtected);
    CHECK(uhd.limit("optimalBufferCopyRowPitchAlignment") == 0x80);
    CHECK(uhd.limit("maxMemoryAllocationSize") == 3979046912);
}

TEST_CASE("gpuinfo: NVIDIA A6000 with NVK and RTX 4090 on Windows") {
    const DeviceReport nvk = only_device("nvidia-a6000-nvk.38568.json");
    CHECK(nvk.identity.driver_id == "MESA_NVK");
    check_heap(nvk, 0, 0xbff400000, heap::kDeviceLocal);
    CHECK(nvk.memory_types.size() == 3);
    CHECK(nvk.limit("bufferImageGranularity") == 0x400);

    const DeviceReport rtx = only_device("nvidia-rtx4090-win.38870.json");
    CHECK(rtx.identity.luid == "a145010000000000");
    CHECK(rtx.identity.driver_version == 2416574464);
    check_heap(rtx, 0, 0x5e4e00000, heap::kDeviceLocal);
    check_heap(rtx, 1, 0xbf1cae000, 0);
    check_type(rtx, 0, 1, 0);
    check_type(rtx, 4, 0, property::kDeviceLocal | kHost);
    CHECK(rtx.limit("maxMemoryAllocationSize") == 4292870144);
    CHECK(rtx.queue_families.back().flags ==
          (model::queue_flag::kTransfer | model::queue_flag::kSparseBinding | model::queue_flag::kOpticalFlowNv));
}

TEST_CASE("vulkaninfo text: NVIDIA H100") {
    const DeviceReport device = only_device("nvidia-h100-580.159.04.txt");
    CHECK(device.identity.name == "NVIDIA H100 80GB HBM3");
    CHECK(device.identity.type == model::DeviceType::kDiscreteGpu);
    CHECK(device.identity.device_id == 0x2330);
    CHECK(device.identity.driver_id == "NVIDIA_PROPRIETARY");
    CHECK(device.identity.driver_version == 2435301632);
    CHECK(device.identity.api_version == "1.4.312");
    CHECK(device.identity.conformance_version == "1.4.1.3");
    CHECK(device.identity.device_uuid == "0df5a86f9cb4a42d76b041e7f4796341");
    CHECK(device.identity.luid.empty());
    CHECK_FALSE(test::is_absent(device, "/identity/luid"));
    CHECK(device.identity.pci == model::PciAddress{.device = 6});
    REQUIRE(device.heaps.size() == 2);
    check_heap(device, 0, 85520809984, heap::kDeviceLocal);
    check_heap(device, 1, 101361423360, 0);
    REQUIRE(device.run.heap_budgets.size() == 2);
    CHECK(device.run.heap_budgets[0].budget_bytes == 85000323072);
    CHECK(device.run.heap_budgets[1].usage_bytes == 1601536);
    REQUIRE(device.memory_types.size() == 5);
    check_type(device, 0, 1, 0);
    check_type(device, 3, 1, kHost | property::kHostCached);
    check_type(device, 4, 0, property::kDeviceLocal | kHost);
    CHECK(device.limit("maxMemoryAllocationSize") == 0xffe00000);
    CHECK(device.limit("bufferImageGranularity") == 0x400);
    CHECK(device.limit(model::FactName::made("framebufferStencilSampleCounts")) == (1 | 2 | 4 | 8 | 16));
    CHECK(device.limit(model::FactName::made("residencyAlignedMipSize")) == 0);
    CHECK(device.extensions.size() == 238);
    REQUIRE(device.queue_families.size() == 5);
    CHECK(device.queue_families[0].queue_count == 16);
    CHECK(device.queue_families[3].timestamp_valid_bits == 32);
    CHECK((device.queue_families[4].flags & model::queue_flag::kOpticalFlowNv) != 0);
}

TEST_CASE("Vulkan Profiles: the same H100, without memory, and it says so") {
    const DeviceReport device = only_device("nvidia-h100-580.159.04.profiles.json");
    const DeviceReport text = only_device("nvidia-h100-580.159.04.txt");
    CHECK(device.heaps.empty());
    CHECK(device.memory_types.empty());
    CHECK(test::is_absent(device, "/heaps"));
    CHECK(test::is_absent(device, "/memory_types"));
    CHECK(test::has_finding(device, "no-memory-information"));
    CHECK(device.limit("nonCoherentAtomSize") == 64);
    // Both were written by one program on one device.
    CHECK(device.identity == text.identity);
    CHECK(device.limits == text.limits);
    CHECK(device.features == text.features);
    REQUIRE(device.queue_families.size() == text.queue_families.size());
    for (std::size_t i = 0; i < device.queue_families.size(); ++i) {
        CHECK(device.queue_families[i].flags == text.queue_families[i].flags);
    }
    CHECK(device.extensions.size() == text.extensions.size());
}

TEST_CASE("D3d12info: RTX 4090, resource heap tier 2") {
    const DeviceReport device = only_device("rtx4090.2025-06-05.json");
    CHECK(device.identity.api == model::Api::kD3d12);
    CHECK(device.identity.driver_info == "32.0.15.9010");
    CHECK(device.identity.api_version == "12_2");
    CHECK(device.identity.luid == "0000000000010edd");
    CHECK(device.identity.device_uuid == "514dca24a29ba21f560648add052afe5");
    check_heap(device, 0, 25314721792, heap::kDeviceLocal);
    check_heap(device, 1, 33868959744, 0);
    REQUIRE(device.run.heap_budgets.size() == 2);
    CHECK(device.run.heap_budgets[0].budget_bytes == 24509415424);
    CHECK(device.run.heap_budgets[1].budget_bytes == 33063653376);
    CHECK(test::is_absent(device, "/volatile/heap_budgets/0/usage_bytes"));
    REQUIRE(device.memory_types.size() == 4);
    CHECK(device.memory_types[0].d3d12_heap_type == model::D3d12HeapType::kDefault);
    CHECK(device.memory_types[0].resource_classes.empty());
    CHECK(device.memory_types[3].d3d12_heap_type == model::D3d12HeapType::kGpuUpload);
    check_type(device, 1, 1, kHost);
    check_type(device, 2, 1, kHost | property::kHostCached);
    CHECK(device.limit("MaxSamplerDescriptorHeapSize") == 4080);
    CHECK(device.limit(model::FactName::made("SupportTier")) == 1);
    CHECK(device.feature(model::FactName::made("BackgroundProcessingSupported")));
    CHECK(device.queue_families.size() == 3);
}

TEST_CASE("D3d12info: Arc A770, resource heap tier 1, and WARP in one file") {
    const model::Report report = test::imported("arc-a770+warp.2024-01-07.json");
    REQUIRE(report.devices.size() == 2);
    const DeviceReport& arc = report.devices[0];
    CHECK(arc.identity.name == "Intel(R) Arc(TM) A770 Graphics");
    CHECK(arc.identity.type == model::DeviceType::kDiscreteGpu);
    CHECK(arc.identity.driver_info == "31.0.101.5084");
    check_heap(arc, 0, 17045651456, heap::kDeviceLocal);
    REQUIRE(arc.memory_types.size() == 8);
    for (const std::size_t first : {0u, 5u}) {
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(arc.memory_types[first + i].resource_classes == std::vector{static_cast<model::ResourceClass>(i)});
        }
    }
    CHECK(arc.limit(model::FactName::made("ResourceHeapTier")) == 1);
    CHECK(arc.limit("D3D12_DESCRIPTOR_HEAP_TYPE_DSV") == 144);

    const DeviceReport& warp = report.devices[1];
    CHECK(warp.identity.type == model::DeviceType::kCpu);
    CHECK(warp.identity.driver_info == "10.0.22621.2506");
    CHECK(warp.run.device_index == 1);
    REQUIRE(warp.heaps.size() == 1);
    check_heap(warp, 0, 34320400384, heap::kDeviceLocal);
    CHECK(warp.run.heap_budgets.at(0).budget_bytes == 33515094016);
    // Cache-coherent unified memory: an UPLOAD heap is written back.
    check_type(warp, 1, 0, kHost | property::kHostCached | property::kDeviceLocal);
    CHECK(warp.limit("MaxSamplerDescriptorHeapSize") == 2048);
    CHECK_FALSE(warp.feature(model::FactName::made("BackgroundProcessingSupported")));
}
