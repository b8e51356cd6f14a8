#include <algorithm>

#include <fmt/format.h>

#include "backends.hpp"
#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "replay/device.hpp"
#include "test_paths.hpp"

namespace heapwright::test {
namespace {

using device::DescriptorForm;

std::string living(const device::Device& device) {
    const auto counters = dynamic_cast<const replay::ReplayDevice&>(device).counters();
    if (counters.resources + counters.descriptor_heaps + counters.command_allocators + counters.pipelines == 0)
        return {};
    return fmt::format("{} resources, {} descriptor heaps, {} allocators, {} pipelines", counters.resources,
                       counters.descriptor_heaps, counters.command_allocators, counters.pipelines);
}

Result<Opened> open(const char* name, std::optional<DescriptorForm> form) {
    if (form && *form != DescriptorForm::kShadow) {
        return fail(ErrorCode::kNotSupported, "a replayed device keeps shadows of descriptors");
    }
    const std::string path = test::source_path("reports/") + name;
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(path));
    HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(text, path));
    HEAPWRIGHT_ASSIGN(auto device,
                      replay::open_replay(report.devices.front(),
                                          {.interpolate = true, .mode = replay::ReplayMode::kDeferred, .seed = 7}));
    return Opened{.source = nullptr, .device = std::move(device), .is_validated = true, .living = living};
}

}  // namespace

const std::vector<DescriptorForm>& forms() {
    static const std::vector<DescriptorForm> kForms{DescriptorForm::kShadow, DescriptorForm::kDescriptorBuffer};
    return kForms;
}

// What was captured on the H100, on both APIs; submissions end late, in bursts and out of step.
std::vector<Backend> backends(std::vector<std::string>&) {
    std::vector<Backend> found;
    for (const char* name : {"nvidia-h100-580.159.04-vulkan.json", "nvidia-h100-580.159.04-vkd3d-1.2.json"}) {
        found.push_back({.name = name,
                         .open = [name](std::optional<DescriptorForm> form, Layers) { return open(name, form); },
                         .can = {true, false},
                         .own = DescriptorForm::kShadow,
                         .only_reports = true});
    }
    return found;
}

}  // namespace heapwright::test
