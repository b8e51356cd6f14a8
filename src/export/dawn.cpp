// Dawn: the heap block size of its Vulkan backend, a power of two that is rounded down.
// Source: Dawn, webgpu_cpp.h, DawnDeviceAllocatorControl; native/Adapter.cpp, which refuses other sizes.
#include <fmt/format.h>

#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::dawn {
namespace {

constexpr Setting kBlock{.key = "DawnDeviceAllocatorControl::allocatorHeapBlockSize",
                         .unit = "bytes",
                         .source = "chunk size of the fullest device bucket",
                         .by_default = "0: 8 MiB",
                         .least = 1,
                         .most = 1ull << 63,
                         .rounding = Rounding::kPowerOfTwoDown};
constexpr Setting kNoSuballocation{
    .key = "toggle disable_resource_suballocation", .unit = "", .source = "no policy value", .by_default = "off"};
constexpr Setting kTier2{.key = "toggle use_d3d12_resource_heap_tier2",
                         .unit = "",
                         .source = "no policy value",
                         .by_default = "on where the device has it"};
constexpr std::array kSettings{kBlock, kNoSuballocation, kTier2};

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string body;
    if (const auto main = fullest(device, device_buckets(device))) {
        const auto size =
            sheet.set(kBlock, device.buckets[*main].chunk_size_bytes.value, bucket_path(*main, "chunk_size_bytes"));
        body = fmt::format("    control.allocatorHeapBlockSize = {}u;\n", size);
    } else {
        sheet.leave_out(kBlock, "the policy has no bucket for device-only memory");
    }
    sheet.leave_out(kNoSuballocation, "the policy suballocates");
    sheet.leave_out(kTier2, "it is for Direct3D 12; the policy is for Vulkan");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one block size for all memory; that of the fullest device bucket is set");

    std::string text =
        "// Chain it to wgpu::DeviceDescriptor, and require wgpu::FeatureName::DawnDeviceAllocatorControl.\n";
    text += "inline wgpu::DawnDeviceAllocatorControl allocator_control() {\n";
    text += "    wgpu::DawnDeviceAllocatorControl control;\n" + body + "    return control;\n}\n";
    return cpp_file(target, sheet, "webgpu/webgpu_cpp.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "dawn",
                                        .title = "Dawn",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "Dawn's source of 2026-11",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::dawn
