// Diligent Engine over Vulkan. All its sizes are Uint32: what does not fit is held down to 4 GiB - 1.
// Source: DiligentCore, GraphicsTypes.h, EngineVkCreateInfo.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::diligent_vulkan {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;
constexpr Setting kDevicePage{.key = "DeviceLocalMemoryPageSize",
                              .unit = "bytes",
                              .source = "chunk size of the fullest device bucket",
                              .by_default = "16 MiB",
                              .least = 1,
                              .most = kMost32};
constexpr Setting kHostPage{.key = "HostVisibleMemoryPageSize",
                            .unit = "bytes",
                            .source = "chunk size of the fullest host bucket",
                            .by_default = "16 MiB",
                            .least = 1,
                            .most = kMost32};
constexpr Setting kDeviceReserve{.key = "DeviceLocalMemoryReserveSize",
                                 .unit = "bytes",
                                 .source = "expected bytes of the fullest device bucket",
                                 .by_default = "256 MiB",
                                 .most = kMost32};
constexpr Setting kHostReserve{.key = "HostVisibleMemoryReserveSize",
                               .unit = "bytes",
                               .source = "expected bytes of the fullest host bucket",
                               .by_default = "256 MiB",
                               .most = kMost32};
constexpr Setting kUploadPage{.key = "UploadHeapPageSize",
                              .unit = "bytes",
                              .source = "upload page",
                              .by_default = "1 MiB",
                              .least = 1,
                              .most = kMost32};
constexpr Setting kDynamicHeap{.key = "DynamicHeapSize",
                               .unit = "bytes",
                               .source = "upload ring",
                               .by_default = "8 MiB",
                               .least = 1,
                               .most = kMost32};
constexpr Setting kDynamicPage{.key = "DynamicHeapPageSize",
                               .unit = "bytes",
                               .source = "no policy value",
                               .by_default = "256 KiB",
                               .least = 1,
                               .most = kMost32};
constexpr Setting kMainPool{
    .key = "MainDescriptorPoolSize", .unit = "descriptors", .source = "no policy value", .by_default = "8192 sets"};
constexpr Setting kDynamicPool{
    .key = "DynamicDescriptorPoolSize", .unit = "descriptors", .source = "no policy value", .by_default = "2048 sets"};
constexpr std::array kSettings{kDevicePage,  kHostPage,    kDeviceReserve, kHostReserve, kUploadPage,
                               kDynamicHeap, kDynamicPage, kMainPool,      kDynamicPool};

class Body {
public:
    void assign(const Setting& setting, std::uint64_t value) {
        lines_ += fmt::format("    info.{} = {}u;\n", setting.key, value);
    }
    void assign(const Setting& setting, const std::optional<std::uint64_t>& value) {
        if (value) assign(setting, *value);
    }
    [[nodiscard]] const std::string& lines() const { return lines_; }

private:
    std::string lines_;
};

void take_bucket(Sheet& sheet, Body& body, const std::optional<std::size_t>& index, const Setting& page,
                 const Setting& reserve, std::string_view memory) {
    if (!index) {
        for (const Setting* setting : {&page, &reserve}) {
            sheet.leave_out(*setting, fmt::format("the policy has no bucket for {} memory alone", memory));
        }
        return;
    }
    const model::BucketPolicy& bucket = sheet.device().buckets[*index];
    body.assign(page, sheet.set(page, bucket.chunk_size_bytes.value, bucket_path(*index, "chunk_size_bytes")));
    body.assign(reserve, sheet.set(reserve, bucket.expected_bytes, bucket_path(*index, "expected_bytes")));
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    Body body;
    take_bucket(sheet, body, fullest(device, device_buckets(device)), kDevicePage, kDeviceReserve, "device-only");
    take_bucket(sheet, body, fullest(device, host_buckets(device)), kHostPage, kHostReserve, "host-visible");
    body.assign(kUploadPage, sheet.set_decided(kUploadPage, device.uploads.page_bytes, "/uploads/page_bytes"));
    body.assign(kDynamicHeap, sheet.set_decided(kDynamicHeap, device.uploads.ring_bytes, "/uploads/ring_bytes"));
    sheet.leave_out(kDynamicPage, "no policy value says what a context takes of the dynamic heap at once");
    sheet.leave_out(kMainPool, "the policy counts resources together, the pool each descriptor type");
    sheet.leave_out(kDynamicPool, "the policy counts resources together, the pool each descriptor type");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one page size for all device-local memory and one for all "
                  "host-visible memory; those of the fullest buckets are set");
    sheet.explain("/buckets/*/expected_bytes",
                  "it has one reserve for all device-local memory and one for all "
                  "host-visible memory; those of the fullest buckets are set");
    sheet.explain("/descriptors/", "its Vulkan pools count each descriptor type apart, the policy's heaps do not");

    std::string text =
        "inline void configure([[maybe_unused]] Diligent::EngineVkCreateInfo& info) {\n" + body.lines() + "}\n";
    return cpp_file(target, sheet, "EngineFactoryVk.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "diligent-vulkan",
                                        .title = "Diligent Engine (Vulkan)",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "DiligentCore 2.5 (API 250000) and its source of 2026-11",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::diligent_vulkan
