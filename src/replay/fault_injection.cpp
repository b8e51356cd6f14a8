#include "replay/fault_injection.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "replay/fault_state.hpp"

namespace heapwright::replay {
namespace {

class FaultyMemory final : public device::MemorySource {
public:
    FaultyMemory(device::MemorySource& inner, FaultState& faults) : inner_(inner), faults_(faults) {}

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kAllocate));
        HEAPWRIGHT_TRY(faults_.begin_allocation(SeamCall::kAllocate, request.size_bytes));
        auto memory = inner_.allocate(request);
        if (memory) {
            faults_.add_memory(*memory, request.size_bytes);
        } else {
            faults_.end_allocation(request.size_bytes);
        }
        return memory;
    }

    void free(device::AllocationId memory) override {
        faults_.remove_memory(memory);
        inner_.free(memory);
    }

    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId memory) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kMap));
        return inner_.map(memory);
    }

    [[nodiscard]] Status flush(device::AllocationId memory, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kFlush));
        return inner_.flush(memory, offset_bytes, size_bytes);
    }

    [[nodiscard]] Status invalidate(device::AllocationId memory, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kInvalidate));
        return inner_.invalidate(memory, offset_bytes, size_bytes);
    }

    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kBudgets));
        return inner_.budgets();
    }

private:
    device::MemorySource& inner_;
    FaultState& faults_;
};

class FaultyResources final : public device::ResourceBinder {
public:
    FaultyResources(device::ResourceBinder& inner, FaultState& faults) : inner_(inner), faults_(faults) {}

    [[nodiscard]] Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kRequirements));
        return inner_.requirements(resource);
    }

    [[nodiscard]] Result<device::ResourceId> create_placed(const model::ResourceDescription& resource,
                                                           device::AllocationId memory,
                                                           std::uint64_t offset_bytes) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreatePlaced));
        auto made = inner_.create_placed(resource, memory, offset_bytes);
        if (made) faults_.add_resource(*made, std::nullopt);
        return made;
    }

    [[nodiscard]] Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override {
        return allocate(resource, [&] { return inner_.create_dedicated(resource, memory_type, priority); });
    }

    [[nodiscard]] Result<device::ResourceId> create_exclusive(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override {
        return allocate(resource, [&] { return inner_.create_exclusive(resource, memory_type, priority); });
    }

    // A resource counts as live from its memory on.
    [[nodiscard]] Result<Begun> begin(const model::ResourceDescription& resource) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kRequirements));
        return inner_.begin(resource);
    }

    [[nodiscard]] Result<device::ResourceId> bind_placed(const Begun& begun, const model::ResourceDescription& resource,
                                                         device::AllocationId memory,
                                                         std::uint64_t offset_bytes) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreatePlaced));
        auto made = inner_.bind_placed(begun, resource, memory, offset_bytes);
        if (made) faults_.add_resource(*made, std::nullopt);
        return made;
    }

    [[nodiscard]] Result<device::ResourceId> bind_dedicated(const Begun& begun,
                                                            const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float priority) override {
        return allocate(resource, [&] { return inner_.bind_dedicated(begun, resource, memory_type, priority); });
    }

    void cancel(const Begun& begun) override { inner_.cancel(begun); }

    void destroy(device::ResourceId resource) override {
        faults_.remove_resource(resource);
        inner_.destroy(resource);
    }

    [[nodiscard]] Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kMapDedicated));
        return inner_.map_dedicated(resource);
    }

private:
    template <class Create>
    [[nodiscard]] Result<device::ResourceId> allocate(const model::ResourceDescription& resource, Create&& create) {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreateDedicated));
        HEAPWRIGHT_ASSIGN(const auto required, inner_.requirements(resource));
        HEAPWRIGHT_TRY(faults_.begin_allocation(SeamCall::kCreateDedicated, required.size_bytes));
        Result<device::ResourceId> made = create();
        if (made) {
            faults_.add_resource(*made, required.size_bytes);
        } else {
            faults_.end_allocation(required.size_bytes);
        }
        return made;
    }

    device::ResourceBinder& inner_;
    FaultState& faults_;
};

class FaultyTimeline final : public device::Timeline {
public:
    FaultyTimeline(std::unique_ptr<device::Timeline> inner, FaultState& faults)
        : inner_(std::move(inner)), faults_(faults) {
        faults_.count(&FaultCounters::timelines, true);
    }
    ~FaultyTimeline() override { faults_.count(&FaultCounters::timelines, false); }
    FaultyTimeline(const FaultyTimeline&) = delete;
    FaultyTimeline& operator=(const FaultyTimeline&) = delete;

    [[nodiscard]] Result<TimelineValue> completed() override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kTimelineCompleted));
        return inner_->completed();
    }

    [[nodiscard]] Status signal(TimelineValue value) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kTimelineSignal));
        return inner_->signal(value);
    }

    [[nodiscard]] Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kTimelineWait));
        return inner_->wait(value, timeout_ns);
    }

    [[nodiscard]] Status signal_event(TimelineValue value, CompletionEvent event) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kTimelineEvent));
        HEAPWRIGHT_TRY(inner_->signal_event(value, event));
        faults_.await(event);
        return {};
    }

    [[nodiscard]] device::Timeline& inner() { return *inner_; }

private:
    std::unique_ptr<device::Timeline> inner_;
    FaultState& faults_;
};

class FaultySubmitter final : public device::Submitter {
public:
    FaultySubmitter(device::Submitter& inner, FaultState& faults) : inner_(inner), faults_(faults) {}

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return inner_.engines(); }
    [[nodiscard]] bool accepts_early_waits() const override { return inner_.accepts_early_waits(); }

    [[nodiscard]] Status submit(const device::Submission& submission) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kSubmit));
        HEAPWRIGHT_ASSIGN(auto waits, inner_points(submission.waits));
        if (!waits.empty() && faults_.passes_waits()) waits.clear();
        HEAPWRIGHT_ASSIGN(const auto signals, inner_points(submission.signals));
        HEAPWRIGHT_TRY(inner_.submit({.engine = submission.engine,
                                      .waits = waits,
                                      .work = submission.work,
                                      .signals = signals,
                                      .lists = submission.lists,
                                      .acquires = submission.acquires,
                                      .releases = submission.releases,
                                      .timestamps = submission.timestamps}));
        faults_.accept_submission();
        return {};
    }

    [[nodiscard]] Status wait_idle() override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kWaitIdle));
        return inner_.wait_idle();
    }

private:
    static Result<std::vector<device::TimelinePoint>> inner_points(std::span<const device::TimelinePoint> points) {
        std::vector<device::TimelinePoint> result;
        for (const device::TimelinePoint& point : points) {
            auto* timeline = dynamic_cast<FaultyTimeline*>(point.timeline);
            if (timeline == nullptr) {
                return fail(ErrorCode::kInvalidArgument, "a timeline is not of this device", "submit");
            }
            result.push_back({.timeline = &timeline->inner(), .value = point.value});
        }
        return result;
    }

    device::Submitter& inner_;
    FaultState& faults_;
};

class FaultyDescriptors final : public device::DescriptorHeapSource {
public:
    FaultyDescriptors(device::DescriptorHeapSource& inner, FaultState& faults) : inner_(inner), faults_(faults) {}

    [[nodiscard]] const device::DescriptorFormChoice& form() const override { return inner_.form(); }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind kind,
                                                            bool shader_visible) const override {
        return inner_.stated_limit(kind, shader_visible);
    }
    [[nodiscard]] Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreateDescriptorHeap));
        auto made = inner_.create(request);
        if (made) faults_.count(&FaultCounters::descriptor_heaps, true);
        return made;
    }
    void destroy(device::DescriptorHeapId heap) override {
        faults_.count(&FaultCounters::descriptor_heaps, false);
        inner_.destroy(heap);
    }
    [[nodiscard]] device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override {
        return inner_.addresses(heap);
    }
    [[nodiscard]] Status write(device::DescriptorHeapId heap, std::uint32_t index,
                               const device::Descriptor& descriptor) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kWriteDescriptor));
        return inner_.write(heap, index, descriptor);
    }
    [[nodiscard]] Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                              device::DescriptorHeapId source, std::uint32_t source_index,
                              std::uint32_t count) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCopyDescriptors));
        return inner_.copy(destination, destination_index, source, source_index, count);
    }
    void forget(device::DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) override {
        inner_.forget(heap, index, count);
    }

private:
    device::DescriptorHeapSource& inner_;
    FaultState& faults_;
};

class FaultyRecorder final : public device::CommandRecorder {
public:
    FaultyRecorder(device::CommandRecorder& inner, FaultState& faults) : inner_(inner), faults_(faults) {}

    [[nodiscard]] Result<device::CommandAllocatorId> create_allocator(device::EngineId engine) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreateAllocator));
        auto made = inner_.create_allocator(engine);
        if (made) faults_.count(&FaultCounters::command_allocators, true);
        return made;
    }
    [[nodiscard]] Status reset(device::CommandAllocatorId allocator) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kResetAllocator));
        return inner_.reset(allocator);
    }
    void destroy(device::CommandAllocatorId allocator) override {
        faults_.count(&FaultCounters::command_allocators, false);
        inner_.destroy(allocator);
    }
    [[nodiscard]] Result<device::CommandListId> record(device::CommandAllocatorId allocator,
                                                       std::span<const device::Work> work) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kRecord));
        return inner_.record(allocator, work);
    }
    [[nodiscard]] Result<device::CommandListId> record_reusable(device::CommandAllocatorId allocator,
                                                                std::span<const device::Work> work) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kRecord));
        return inner_.record_reusable(allocator, work);
    }
    [[nodiscard]] Result<device::PipelineId> create_pipeline(device::ComputeProgram program) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreatePipeline));
        auto made = inner_.create_pipeline(program);
        if (made) faults_.count(&FaultCounters::pipelines, true);
        return made;
    }
    void destroy(device::PipelineId pipeline) override {
        faults_.count(&FaultCounters::pipelines, false);
        inner_.destroy(pipeline);
    }

private:
    device::CommandRecorder& inner_;
    FaultState& faults_;
};

class PlannedFaultyDevice final : public FaultyDevice {
public:
    PlannedFaultyDevice(std::unique_ptr<device::Device> device, const FaultPlan& plan)
        : device_(std::move(device)),
          faults_(plan),
          memory_(device_->memory(), faults_),
          resources_(device_->resources(), faults_),
          submitter_(device_->submitter(), faults_) {
        if (device::DescriptorHeapSource* inner = device_->descriptors()) descriptors_.emplace(*inner, faults_);
        if (device::CommandRecorder* inner = device_->recorder()) recorder_.emplace(*inner, faults_);
    }

    [[nodiscard]] const model::DeviceReport& facts() const override { return device_->facts(); }
    [[nodiscard]] bool is_real() const override { return device_->is_real(); }
    [[nodiscard]] device::MemorySource& memory() override { return memory_; }
    [[nodiscard]] device::ResourceBinder& resources() override { return resources_; }
    [[nodiscard]] device::Submitter& submitter() override { return submitter_; }
    [[nodiscard]] device::DescriptorHeapSource* descriptors() override {
        return descriptors_ ? &*descriptors_ : nullptr;
    }
    [[nodiscard]] device::CommandRecorder* recorder() override { return recorder_ ? &*recorder_ : nullptr; }
    [[nodiscard]] device::TimestampSource* timestamps() override { return device_->timestamps(); }
    [[nodiscard]] device::BackgroundProcessing* background_processing() override {
        return device_->background_processing();
    }

    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        HEAPWRIGHT_TRY(faults_.enter(SeamCall::kCreateTimeline));
        HEAPWRIGHT_ASSIGN(auto timeline, device_->create_timeline(initial_value));
        return std::make_unique<FaultyTimeline>(std::move(timeline), faults_);
    }

    [[nodiscard]] std::vector<std::string> take_validation_messages() override {
        return device_->take_validation_messages();
    }

    [[nodiscard]] FaultCounters counters() const override { return faults_.counters(); }
    [[nodiscard]] device::Device& inner() override { return *device_; }

private:
    std::unique_ptr<device::Device> device_;
    FaultState faults_;
    FaultyMemory memory_;
    FaultyResources resources_;
    FaultySubmitter submitter_;
    std::optional<FaultyDescriptors> descriptors_;
    std::optional<FaultyRecorder> recorder_;
};

}  // namespace

std::unique_ptr<FaultyDevice> inject_faults(std::unique_ptr<device::Device> device, const FaultPlan& plan) {
    return std::make_unique<PlannedFaultyDevice>(std::move(device), plan);
}

}  // namespace heapwright::replay
