// The descriptor heaps of a replay device: plain arrays of descriptions. What a validation layer would object to comes
// out as a message: a descriptor that is rewritten, or a heap that is destroyed, while submitted work may read it.
// Enforces the sizes and the number of samplers that the report states.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/descriptor_form.hpp"
#include "device/descriptor_heap_source.hpp"
#include "heapwright/model/report.hpp"
#include "replay/resources.hpp"

namespace heapwright::replay {

struct ReplayDescriptor {
    std::optional<device::Descriptor> value;  // empty: never written
    std::weak_ptr<ReplayResource> target;
    std::uint32_t pending_reads = 0;  // of submitted work that is not over
};

struct ReplayDescriptorHeap {
    std::uint64_t id = 0;
    device::DescriptorHeapRequest request;
    std::vector<ReplayDescriptor> descriptors;
    std::uint64_t pending_uses = 0;
};

class ReplayDescriptors final : public device::DescriptorHeapSource {
public:
    ReplayDescriptors(ReplayContext& context, ReplayResources& resources);

    [[nodiscard]] const device::DescriptorFormChoice& form() const override { return form_; }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind kind,
                                                            bool shader_visible) const override;
    [[nodiscard]] Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override;
    void destroy(device::DescriptorHeapId heap) override;
    [[nodiscard]] device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override;
    [[nodiscard]] Status write(device::DescriptorHeapId heap, std::uint32_t index,
                               const device::Descriptor& descriptor) override;
    [[nodiscard]] Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                              device::DescriptorHeapId source, std::uint32_t source_index,
                              std::uint32_t count) override;
    void forget(device::DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) override;

    // Null for an id that is not live.
    [[nodiscard]] std::shared_ptr<ReplayDescriptorHeap> find_locked(device::DescriptorHeapId heap) const;
    [[nodiscard]] std::uint64_t count_locked() const { return heaps_.size(); }

private:
    // The least of those that the report has and that are not 0.
    [[nodiscard]] std::optional<std::uint64_t> least_stated(std::initializer_list<model::FactName> names) const;
    [[nodiscard]] Status check_capacity(const device::DescriptorHeapRequest& request) const;
    [[nodiscard]] Result<std::shared_ptr<ReplayResource>> target_locked(const device::Descriptor& descriptor) const;
    void note_rewrite_locked(const ReplayDescriptorHeap& heap, std::uint32_t index);
    // Sampler objects: each descriptor written in a heap that is not shader-visible has one until it is overwritten
    // or forgotten.
    [[nodiscard]] Status charge_sampler_locked(const ReplayDescriptorHeap& heap, std::uint32_t index);

    ReplayContext& context_;
    ReplayResources& resources_;
    device::DescriptorFormChoice form_;
    std::optional<device::DescriptorPlan> plan_;  // what opening the device would choose, where the report says enough
    std::optional<std::uint64_t> sampler_limit_;
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayDescriptorHeap>> heaps_;
    std::uint64_t samplers_ = 0;
    std::uint64_t next_id_ = 1;
};

// How the device of a report keeps shader-visible descriptors: the report's facts as device::DescriptorAbilities, and
// the plan that the Vulkan backend makes of the same ones. So a replay holds a heap to the limits that opening the
// device would set, and to no other. Pure.

// Empty where the report says too little: Direct3D 12, or one that was asked for no features.
[[nodiscard]] std::optional<device::DescriptorPlan> stated_descriptor_plan(const model::DeviceReport& report);

}  // namespace heapwright::replay
