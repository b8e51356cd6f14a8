#include "replay/device.hpp"

#include <utility>

#include "replay/context.hpp"
#include "replay/descriptors.hpp"
#include "replay/memory_source.hpp"
#include "replay/queues.hpp"
#include "replay/resources.hpp"

namespace heapwright::replay {
namespace {

constexpr std::size_t kMostMemoryTypes = 32;  // the bits of a memoryTypeBits

Status check_memory(const model::DeviceReport& report) {
    if (report.memory_types.empty() || report.memory_types.size() > kMostMemoryTypes) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "a report without memory types, or with too many, cannot act as a device",
                     .where = "/memory_types",
                     .value = report.memory_types.size(),
                     .limit = kMostMemoryTypes});
    }
    for (const model::MemoryType& type : report.memory_types) {
        if (type.heap_index < report.heaps.size()) continue;
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "a memory type belongs to a heap that the report does not have",
                     .where = "/memory_types",
                     .value = type.heap_index,
                     .limit = report.heaps.size()});
    }
    return {};
}

model::DeviceReport without_sweeps(const model::DeviceReport& report) {
    return {.origin = report.origin,
            .identity = report.identity,
            .heaps = report.heaps,
            .memory_types = report.memory_types,
            .limits = report.limits,
            .features = report.features,
            .queue_families = report.queue_families,
            .extensions = report.extensions,
            .observations = report.observations,
            .findings = report.findings,
            .absent = report.absent,
            .run = report.run};
}

class ReportDevice final : public ReplayDevice {
public:
    ReportDevice(const model::DeviceReport& report, const ReplayOptions& options)
        : requirements_(context_.facts, report.image_sweep, report.buffer_sweep, options.interpolate),
          context_{.facts = without_sweeps(report), .options = options},
          memory_(context_),
          resources_(context_, memory_, requirements_),
          descriptors_(context_, resources_),
          queues_(context_, memory_, resources_, descriptors_) {}

    [[nodiscard]] const model::DeviceReport& facts() const override { return context_.facts; }
    [[nodiscard]] bool is_real() const override { return false; }
    [[nodiscard]] device::MemorySource& memory() override { return memory_; }
    [[nodiscard]] device::ResourceBinder& resources() override { return resources_; }
    [[nodiscard]] device::Submitter& submitter() override { return queues_; }
    [[nodiscard]] device::DescriptorHeapSource* descriptors() override { return &descriptors_; }
    [[nodiscard]] device::CommandRecorder* recorder() override { return &queues_.recorder(); }

    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        return queues_.create_timeline(initial_value);
    }

    [[nodiscard]] std::vector<std::string> take_validation_messages() override {
        const std::scoped_lock lock(context_.mutex);
        return std::exchange(context_.messages, {});
    }

    [[nodiscard]] ManualClock& clock() override { return context_.clock(); }

    [[nodiscard]] ReplayCounters counters() const override {
        const std::scoped_lock lock(context_.mutex);
        return {.source_allocations = memory_.allocation_count_locked(),
                .resources = resources_.count_locked(),
                .dedicated = resources_.dedicated_count_locked(),
                .timelines = queues_.timelines_locked(),
                .descriptor_heaps = descriptors_.count_locked(),
                .command_allocators = queues_.recorder().allocator_count_locked(),
                .pipelines = queues_.pipelines_locked(),
                .allocated_bytes = memory_.allocated_bytes_locked(),
                .shadow_bytes = context_.shadow_bytes,
                .pending_submissions = queues_.pending_locked()};
    }

    [[nodiscard]] std::vector<InterpolatedRequirement> interpolated() const override {
        return requirements_.interpolated();
    }

    std::uint64_t advance(std::uint64_t submissions) override { return queues_.advance(submissions); }

private:
    ReplayRequirements requirements_;
    mutable ReplayContext context_;
    ReplayMemory memory_;
    ReplayResources resources_;
    ReplayDescriptors descriptors_;
    mutable ReplayQueues queues_;
};

}  // namespace

Result<std::unique_ptr<ReplayDevice>> open_replay(const model::DeviceReport& report, const ReplayOptions& options) {
    HEAPWRIGHT_TRY(check_memory(report));
    return std::make_unique<ReportDevice>(report, options);
}

}  // namespace heapwright::replay
