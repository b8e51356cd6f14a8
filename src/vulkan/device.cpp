#include "vulkan/device.hpp"

#include "vulkan/command_recorder.hpp"
#include "vulkan/descriptor_heaps.hpp"
#include "vulkan/memory_source.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/pipelines.hpp"
#include "vulkan/resource_binder.hpp"
#include "vulkan/submitter.hpp"
#include "vulkan/timeline.hpp"
#include "vulkan/timestamps.hpp"

namespace heapwright::vulkan {
namespace {

class Device final : public device::Device {
public:
    Device(std::unique_ptr<OpenDevice> context, std::unique_ptr<DescriptorLayouts> layouts, model::DeviceReport facts)
        : facts_(std::move(facts)),
          context_(std::move(context)),
          layouts_(std::move(layouts)),
          memory_(*context_),
          source_(memory_, MemorySource::Maps::kAtOnce),
          resources_(*context_, memory_, source_),
          descriptors_(*context_, *layouts_, memory_, resources_),
          pipelines_(*context_, *layouts_),
          programs_(*context_),
          waiter_(*context_, facts_.identity),
          timestamps_(*context_),
          recorder_(*context_, objects()) {}

    [[nodiscard]] Status create_submitter() {
        HEAPWRIGHT_TRY(descriptors_.prepare());
        HEAPWRIGHT_ASSIGN(submitter_, Submitter::create(*context_, objects(), recorder_, timestamps_));
        return {};
    }

    [[nodiscard]] const model::DeviceReport& facts() const override { return facts_; }
    [[nodiscard]] bool is_real() const override { return true; }
    [[nodiscard]] device::MemorySource& memory() override { return source_; }
    [[nodiscard]] device::ResourceBinder& resources() override { return resources_; }
    [[nodiscard]] device::Submitter& submitter() override { return *submitter_; }
    [[nodiscard]] device::DescriptorHeapSource* descriptors() override { return &descriptors_; }
    [[nodiscard]] device::CommandRecorder* recorder() override { return &recorder_; }
    [[nodiscard]] device::TimestampSource* timestamps() override { return &timestamps_; }

    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_ASSIGN(auto semaphore, TimelineSemaphore::create(*context_, initial_value));
        return std::make_unique<Timeline>(std::move(semaphore), waiter_);
    }

    [[nodiscard]] std::vector<std::string> take_validation_messages() override {
        return context_->instance->take_messages();
    }

    [[nodiscard]] LiveObjects live() const {
        return {.source_allocations = source_.live_allocations(),
                .resources = resources_.live_resources(),
                .allocations = memory_.live_allocations() - (descriptors_.static_sampler() == nullptr ? 0u : 1u),
                .command_buffers = submitter_->command_buffers() + recorder_.command_buffers(),
                .descriptor_heaps = descriptors_.live_heaps(),
                .samplers = descriptors_.live_samplers() - 1u,
                .command_allocators = recorder_.live_allocators(),
                .pipelines = pipelines_.live()};
    }

private:
    [[nodiscard]] WorkObjects objects() {
        return {.resources = resources_,
                .layouts = *layouts_,
                .descriptors = descriptors_,
                .pipelines = pipelines_,
                .programs = programs_};
    }

    // Destroyed from the last to the first: the submitter waits for the work, then resources go before their heaps.
    model::DeviceReport facts_;
    std::unique_ptr<OpenDevice> context_;
    std::unique_ptr<DescriptorLayouts> layouts_;
    MemoryAllocator memory_;
    MemorySource source_;
    ResourceBinder resources_;
    DescriptorHeaps descriptors_;
    Pipelines pipelines_;
    ShaderPrograms programs_;
    CompletionWaiter waiter_;
    Timestamps timestamps_;
    CommandRecorder recorder_;
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
    HEAPWRIGHT_ASSIGN(std::unique_ptr<OpenDevice> context, OpenDevice::create(instance, physical, options));
    HEAPWRIGHT_ASSIGN(std::unique_ptr<DescriptorLayouts> layouts, DescriptorLayouts::create(*context));
    auto device = std::make_unique<Device>(std::move(context), std::move(layouts), std::move(facts_without_sweep));
    HEAPWRIGHT_TRY(device->create_submitter());
    return device;
}

std::optional<LiveObjects> live_objects(const device::Device& device) {
    const auto* ours = dynamic_cast<const Device*>(&device);
    if (ours == nullptr) return std::nullopt;
    return ours->live();
}

}  // namespace heapwright::vulkan
