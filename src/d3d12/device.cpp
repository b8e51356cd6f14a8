#include "d3d12/device.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/background_processing.hpp"
#include "d3d12/call.hpp"
#include "d3d12/command_recorder.hpp"
#include "d3d12/descriptor_heaps.hpp"
#include "d3d12/device_report.hpp"
#include "d3d12/memory_source.hpp"
#include "d3d12/pipelines.hpp"
#include "d3d12/resource_binder.hpp"
#include "d3d12/submitter.hpp"
#include "d3d12/timeline.hpp"

namespace heapwright::d3d12 {

namespace {

class Device final : public device::Device {
public:
    Device(Adapter& adapter, Com<ID3D12Device> created, std::uint32_t device_index)
        : context_(adapter, std::move(created), device_index),
          memory_(context_, used_),
          resources_(context_, memory_, used_),
          descriptors_(context_, resources_),
          pipelines_(context_),
          transforms_(context_),
          timestamps_(context_),
          recorder_(context_, objects()),
          background_(context_.device.get(), events_, system_developer_mode()) {}

    [[nodiscard]] Status create_submitter() {
        HEAPWRIGHT_ASSIGN(submitter_, Submitter::create(context_, objects(), recorder_, timestamps_, waiter_));
        return {};
    }

    [[nodiscard]] const model::DeviceReport& facts() const override { return context_.facts; }
    [[nodiscard]] bool is_real() const override { return true; }
    [[nodiscard]] device::MemorySource& memory() override { return memory_; }
    [[nodiscard]] device::ResourceBinder& resources() override { return resources_; }
    [[nodiscard]] device::Submitter& submitter() override { return *submitter_; }
    [[nodiscard]] device::DescriptorHeapSource* descriptors() override { return &descriptors_; }
    [[nodiscard]] device::CommandRecorder* recorder() override { return &recorder_; }
    [[nodiscard]] device::TimestampSource* timestamps() override { return &timestamps_; }
    [[nodiscard]] device::BackgroundProcessing* background_processing() override { return &background_; }

    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_ASSIGN(auto fence, Fence::create(context_, initial_value));
        return std::make_unique<Timeline>(std::move(fence), *submitter_, waiter_);
    }

    [[nodiscard]] std::vector<std::string> take_validation_messages() override { return {}; }

    [[nodiscard]] LiveObjects live() const {
        return {.source_allocations = memory_.live_heaps(),
                .resources = resources_.live_resources(),
                .command_lists = submitter_->command_lists() + recorder_.command_lists(),
                .descriptor_heaps = descriptors_.live_heaps(),
                .command_allocators = recorder_.live_allocators(),
                .pipelines = pipelines_.live()};
    }

private:
    [[nodiscard]] WorkObjects objects() {
        return {
            .resources = resources_, .descriptors = descriptors_, .pipelines = pipelines_, .transforms = transforms_};
    }

    // Destroyed from the last to the first: the submitter waits for the work, then resources go before their heaps, and
    // the runtime may signal events as long as its device lives.
    EventRelay events_;
    CompletionWaiter waiter_;
    OpenDevice context_;
    UsedBytes used_;
    MemorySource memory_;
    ResourceBinder resources_;
    DescriptorHeaps descriptors_;
    Pipelines pipelines_;
    TransformPrograms transforms_;
    Timestamps timestamps_;
    CommandRecorder recorder_;
    BackgroundProcessing background_;
    std::unique_ptr<Submitter> submitter_;
};

}  // namespace

Result<std::unique_ptr<device::Device>> open_device(Adapter& adapter, std::uint32_t device_index) {
    HEAPWRIGHT_ASSIGN(Com<ID3D12Device> created, adapter.create_device());
    auto device = std::make_unique<Device>(adapter, std::move(created), device_index);
    HEAPWRIGHT_TRY(device->create_submitter());
    return device;
}

std::optional<LiveObjects> live_objects(const device::Device& device) {
    const auto* ours = dynamic_cast<const Device*>(&device);
    if (ours == nullptr) return std::nullopt;
    return ours->live();
}

OpenDevice::OpenDevice(Adapter& of, Com<ID3D12Device> created, std::uint32_t device_index)
    : adapter(of),
      device(std::move(created)),
      layout(MemoryLayout::read(device.get())),
      facts(read_facts(of, device.get(), layout, device_index)),
      support(device.get()),
      query(device.get(), layout),
      host_waits(of.needs_host_waits()),
      copies_stencil(of.copies_stencil()),
      table_objection(of.table_objection()) {}

Status OpenDevice::check_alive() const {
    leave_call("ID3D12Device::GetDeviceRemovedReason");
    const HRESULT reason = device->GetDeviceRemovedReason();
    if (SUCCEEDED(reason)) return {};
    Error error = call_error(reason, "ID3D12Device::GetDeviceRemovedReason");
    error.code = ErrorCode::kDeviceLost;
    return fail(std::move(error));
}

}  // namespace heapwright::d3d12
