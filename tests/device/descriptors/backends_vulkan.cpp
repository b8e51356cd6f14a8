#include <cstdlib>

#include <fmt/format.h>

#include "backends.hpp"
#include "kept_driver.hpp"
#include "vulkan/capability_source.hpp"
#include "vulkan/device.hpp"

namespace heapwright::test {
namespace {

using device::DescriptorForm;

std::string living(const device::Device& device) {
    const auto live = vulkan::live_objects(device);
    if (!live) return "a device that is no Vulkan device";
    const vulkan::LiveObjects nothing{.command_buffers = live->command_buffers};
    if (*live == nothing) return {};
    return fmt::format(
        "{} heaps, {} resources, {} allocations, {} descriptor heaps, {} samplers, {} allocators, {} pipelines",
        live->source_allocations, live->resources, live->allocations, live->descriptor_heaps, live->samplers,
        live->command_allocators, live->pipelines);
}

Result<Opened> open(const std::string& manifest, std::optional<DescriptorForm> form, bool layers) {
    HEAPWRIGHT_TRY(keep_loaded(manifest));
    HEAPWRIGHT_ASSIGN(
        auto source, vulkan::create_capability_source(
                         {.icd_files = {manifest}, .validation_layers = layers, .synchronization_validation = layers}));
    if (source->adapters().empty()) return fail(ErrorCode::kNoDevice, "the driver has no device");
    HEAPWRIGHT_ASSIGN(auto device, source->open(0, {.validation_layers = layers, .descriptor_form = form}));
    return Opened{.source = std::move(source), .device = std::move(device), .is_validated = layers, .living = living};
}

struct Driver {
    const char* variable;
    bool has_layers;  // on the machine
    std::vector<bool> can;
    std::optional<DescriptorForm> own;
};

// The named one is any other device, such as a GPU on a machine without the layers; its forms are not known here.
std::vector<Driver> drivers() {
    if (is_set(kNamedDriver))
        return {{kNamedDriver, std::getenv("HEAPWRIGHT_ICD_DEVICE_LAYERS") != nullptr, {}, std::nullopt}};
    return {{"HEAPWRIGHT_ICD_LAVAPIPE", true, {false, false, false, true}, DescriptorForm::kPooledSets},
            {"HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", true, {true, true, true, true}, DescriptorForm::kDescriptorBuffer},
            {"HEAPWRIGHT_ICD_SWIFTSHADER", true, {false, true, false, true}, DescriptorForm::kUpdateAfterBindSet}};
}

}  // namespace

const std::vector<DescriptorForm>& forms() {
    static const std::vector<DescriptorForm> kForms{DescriptorForm::kDescriptorBuffer,
                                                    DescriptorForm::kUpdateAfterBindSet, DescriptorForm::kLargeSet,
                                                    DescriptorForm::kPooledSets};
    return kForms;
}

std::vector<Backend> backends(std::vector<std::string>& missing) {
    std::vector<Backend> found;
    for (const Driver& driver : drivers()) {
        if (!is_set(driver.variable)) {
            missing.emplace_back(driver.variable);
            continue;
        }
        found.push_back({.name = driver.variable,
                         .open = [path = std::string(std::getenv(driver.variable)), has_layers = driver.has_layers](
                                     std::optional<DescriptorForm> form,
                                     Layers layers) { return open(path, form, has_layers && layers == Layers::kOn); },
                         .can = driver.can,
                         .own = driver.own});
    }
    return found;
}

}  // namespace heapwright::test
