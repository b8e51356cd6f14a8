#include <cstdlib>

#include <fmt/format.h>

#include "backends.hpp"
#include "d3d12/capability_source.hpp"
#include "d3d12/device.hpp"
#include "kept_driver.hpp"

namespace heapwright::test {
namespace {

using device::DescriptorForm;

std::string living(const device::Device& device) {
    const auto live = d3d12::live_objects(device);
    if (!live) return "a device that is no Direct3D 12 device";
    const d3d12::LiveObjects nothing{.command_lists = live->command_lists};
    if (*live == nothing) return {};
    return fmt::format("{} heaps, {} resources, {} descriptor heaps, {} allocators, {} pipelines",
                       live->source_allocations, live->resources, live->descriptor_heaps, live->command_allocators,
                       live->pipelines);
}

Result<Opened> open(const std::string& manifest, std::optional<DescriptorForm> form) {
    HEAPWRIGHT_TRY(keep_loaded(manifest));
    HEAPWRIGHT_ASSIGN(auto source, d3d12::create_capability_source({.icd_files = {manifest}}));
    if (source->adapters().empty()) return fail(ErrorCode::kNoDevice, "the runtime has no device");
    HEAPWRIGHT_ASSIGN(auto device, source->open(0, {.descriptor_form = form}));
    return Opened{.source = std::move(source), .device = std::move(device), .living = living};
}

}  // namespace

const std::vector<DescriptorForm>& forms() {
    static const std::vector<DescriptorForm> kForms{DescriptorForm::kDescriptorHeap, DescriptorForm::kDescriptorBuffer};
    return kForms;
}

std::vector<Backend> backends(std::vector<std::string>& missing) {
    std::vector<Backend> found;
    std::vector<const char*> variables{"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS"};
    if (is_set(kNamedDriver)) variables = {kNamedDriver};
    for (const char* variable : variables) {
        if (!is_set(variable)) {
            missing.emplace_back(variable);
            continue;
        }
        found.push_back({.name = variable,
                         .open = [path = std::string(std::getenv(variable))](std::optional<DescriptorForm> form,
                                                                             Layers) { return open(path, form); },
                         .can = {true, false},
                         .own = DescriptorForm::kDescriptorHeap});
    }
    return found;
}

}  // namespace heapwright::test
