#include "heapwright/vulkan/device.hpp"

#include "heapwright/vulkan/device_context.hpp"
#include "heapwright/vulkan/device_memory.hpp"
#include "heapwright/vulkan/heap_source.hpp"
#include "heapwright/vulkan/resource_binder.hpp"
#include "heapwright/vulkan/submitter.hpp"
#include "heapwright/vulkan/timeline.hpp"

namespace heapwright::vulkan {
namespace {

class Device final : public device::Device {
public:
    Device(std::unique_ptr<DeviceContext> context, model::DeviceReport facts)
        : facts_(std::move(facts)),
          context_(std::move(context)),
          memory_(*context_),
          heaps_(memory_),
          resources_(*context_, memory_, heaps_) {}

    [[nodiscard]] Status create_submitter() {
        HEAPWRIGHT_ASSIGN(submitter_, Submitter::create(*context_, resources_));
        return {};
    }

    [[nodiscard]] const model::DeviceReport& facts() const override { return facts_; }
    [[nodiscard]] bool is_real() const override { return true; }
    [[nodiscard]] device::HeapSource& heaps() override { return heaps_; }
    [[nodiscard]] device::ResourceBinder& resources() override { return resources_; }
    [[nodiscard]] device::Submitter& submitter() override { return *submitter_; }

    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_ASSIGN(auto semaphore, TimelineSemaphore::create(*context_, initial_value));
        return std::make_unique<Timeline>(std::move(semaphore));
    }

    [[nodiscard]] std::vector<std::string> take_validation_messages() override {
        return context_->instance->take_messages();
    }

    [[nodiscard]] LiveObjects live() const {
        return {.heaps = heaps_.live_heaps(),
                .resources = resources_.live_resources(),
                .allocations = memory_.live_allocations(),
                .command_buffers = submitter_->command_buffers()};
    }

private:
    // Destroyed from the last to the first: the submitter waits for the work, then resources go before their heaps.
    model::DeviceReport facts_;
    std::unique_ptr<DeviceContext> context_;
    MemoryAllocator memory_;
    HeapSource heaps_;
    ResourceBinder resources_;
    std::unique_ptr<Submitter> submitter_;
};

}  // namespace

Result<std::unique_ptr<device::Device>> open_device(const Instance& instance, VkPhysicalDevice physical,
                                                    model::DeviceReport facts_without_sweep,
                                                    const device::OpenOptions& options) {
    if (options.validation_layers && !instance.validates()) {
        return fail(ErrorCode::kRefused, "validation layers belong to the instance, which was made without them",
                    "InstanceOptions::validation_layers");
    }
    HEAPWRIGHT_ASSIGN(std::unique_ptr<DeviceContext> context, DeviceContext::create(instance, physical));
    auto device = std::make_unique<Device>(std::move(context), std::move(facts_without_sweep));
    HEAPWRIGHT_TRY(device->create_submitter());
    return device;
}

std::optional<LiveObjects> live_objects(const device::Device& device) {
    const auto* ours = dynamic_cast<const Device*>(&device);
    if (ours == nullptr) return std::nullopt;
    return ours->live();
}

}  // namespace heapwright::vulkan
