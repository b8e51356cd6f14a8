#include "entries.hpp"
#include "expect.hpp"
#include "heapwright/model/json.hpp"
#include "import/import.hpp"

namespace heapwright::fuzz {
namespace {

void import_as(imports::ImportFormat format, std::string_view bytes) {
    const auto detected = imports::detect_format(bytes, "input");
    if (!detected) expect(!detected.error().message.empty(), "a refusal without a message");
    if (!detected || *detected != format) return;
    const auto report = imports::import_report(bytes, "input");
    if (!report) {
        expect(!report.error().message.empty(), "an error without a message");
        return;
    }
    const std::string text = model::write(*report);
    const auto again = model::read_report(text, "imported");
    expect(again.has_value(),
           "an imported report that the strict reader refuses: " + (again ? std::string() : to_string(again.error())));
    expect(model::write(*again) == text, "an imported report that does not read back as it was written");
}

}  // namespace

void import_d3d12info(std::string_view bytes) {
    import_as(imports::ImportFormat::kD3d12info, bytes);
}
void import_devsim(std::string_view bytes) {
    import_as(imports::ImportFormat::kDevsim, bytes);
}
void import_gpuinfo(std::string_view bytes) {
    import_as(imports::ImportFormat::kGpuinfo, bytes);
}
void import_logs(std::string_view bytes) {
    import_as(imports::ImportFormat::kDxvkLog, bytes);
    import_as(imports::ImportFormat::kGfxrecon, bytes);
}
void import_profiles(std::string_view bytes) {
    import_as(imports::ImportFormat::kProfiles, bytes);
}
void import_vkjson(std::string_view bytes) {
    import_as(imports::ImportFormat::kVkjson, bytes);
}
void import_vulkaninfo(std::string_view bytes) {
    import_as(imports::ImportFormat::kVulkaninfo, bytes);
}

}  // namespace heapwright::fuzz
