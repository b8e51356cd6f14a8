// DXVK: what it tells applications of memory, in dxvk.conf. Its chunk sizes are fixed.
// Source: DXVK, dxvk.conf; src/dxgi/dxgi_options.cpp, where a MB is 2^20 bytes.
#include <fmt/format.h>

#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::dxvk {
namespace {

constexpr Setting memory(std::string_view key, std::string_view source) {
    return {.key = key,
            .unit = "MiB",
            .source = source,
            .by_default = "0: what the driver reports",
            .unit_size = 1ull << 20,
            .least = 1,
            .most = 0x7fffffff,
            .rounding = Rounding::kDown};
}

constexpr Setting kDevice = memory("dxgi.maxDeviceMemory", "usable bytes of the first heap for device-only memory");
constexpr Setting kShared = memory("dxgi.maxSharedMemory", "usable bytes of the first heap for upload memory");
constexpr Setting kDefragment{
    .key = "dxvk.enableMemoryDefrag", .unit = "", .source = "no policy value", .by_default = "Auto"};
constexpr std::array kSettings{kDevice, kShared, kDefragment};

std::string take(Sheet& sheet, const Setting& setting, model::MemoryUse use) {
    const model::DevicePolicy& device = sheet.device();
    const auto heap = first_heap(device, use);
    if (!heap || *heap >= device.heaps.size()) {
        sheet.leave_out(setting, "the policy does not say which heap this memory lies in");
        return {};
    }
    const auto value =
        sheet.set(setting, device.heaps[*heap].usable_bytes.value, fmt::format("/heaps/{}/usable_bytes", *heap));
    return fmt::format("{} = {}\n", setting.key, value);
}

std::string write(const Target& target, Sheet& sheet) {
    std::string lines = take(sheet, kDevice, model::MemoryUse::kDeviceOnly);
    const auto device_heap = first_heap(sheet.device(), model::MemoryUse::kDeviceOnly);
    if (device_heap && device_heap == first_heap(sheet.device(), model::MemoryUse::kUpload)) {
        sheet.leave_out(kShared, "upload memory lies in the heap of device-only memory");
    } else {
        lines += take(sheet, kShared, model::MemoryUse::kUpload);
    }
    sheet.leave_out(kDefragment, "no policy value says it");
    sheet.explain("/buckets/*/chunk_size_bytes", "its chunk sizes are fixed");
    sheet.explain("/buckets/*/growth/first_chunk_bytes", "its chunk sizes are fixed");
    sheet.explain("/heaps/*/usable_bytes", "it has one size for device memory and one for shared memory");
    return comment(head_of(target, sheet), "#") + "\n" + lines;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "dxvk",
                                        .title = "DXVK",
                                        .form = "dxvk.conf",
                                        .ending = ".conf",
                                        .checked_against = "DXVK 2.7.1",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::dxvk
