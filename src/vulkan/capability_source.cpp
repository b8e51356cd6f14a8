#include "vulkan/capability_source.hpp"

#include <utility>

#include "vulkan/device.hpp"
#include "vulkan/device_report.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/loader.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {
namespace {

class VulkanCapabilitySource final : public device::CapabilitySource {
public:
    explicit VulkanCapabilitySource(Instance instance) : instance_(std::move(instance)) {}

    [[nodiscard]] Status enumerate() {
        HEAPWRIGHT_ASSIGN(const auto handles, instance_.physical_devices());
        for (const VkPhysicalDevice handle : handles) {
            HEAPWRIGHT_ASSIGN(PhysicalDevice device, PhysicalDevice::describe(instance_, handle));
            adapters_.push_back(read_identity(instance_, device));
            devices_.push_back(std::move(device));
        }
        return {};
    }

    [[nodiscard]] const std::vector<model::DeviceIdentity>& adapters() const override { return adapters_; }

    [[nodiscard]] Result<model::DeviceReport> read(std::size_t adapter, const device::ReadOptions& options) override {
        HEAPWRIGHT_TRY(check_index(adapter));
        return read_report(instance_, devices_[adapter], static_cast<std::uint32_t>(adapter), options);
    }

    [[nodiscard]] Result<std::unique_ptr<device::Device>> open(std::size_t adapter,
                                                               const device::OpenOptions& options) override {
        HEAPWRIGHT_TRY(check_index(adapter));
        const PhysicalDevice& device = devices_[adapter];
        return open_device(instance_, device.handle(),
                           read_facts(instance_, device, static_cast<std::uint32_t>(adapter)), options);
    }

private:
    [[nodiscard]] Status check_index(std::size_t adapter) const {
        if (adapter < devices_.size()) return {};
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "no such Vulkan device",
                     .where = "adapter",
                     .value = adapter,
                     .limit = devices_.size()});
    }

    Instance instance_;
    std::vector<PhysicalDevice> devices_;
    std::vector<model::DeviceIdentity> adapters_;
};

}  // namespace

Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(const InstanceOptions& options) {
    HEAPWRIGHT_ASSIGN(Instance instance, Instance::create(options));
    auto source = std::make_unique<VulkanCapabilitySource>(std::move(instance));
    HEAPWRIGHT_TRY(source->enumerate());
    if (source->adapters().empty()) HEAPWRIGHT_TRY(ask_drivers(options.icd_files));
    return std::unique_ptr<device::CapabilitySource>(std::move(source));
}

}  // namespace heapwright::vulkan
