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

#include "heapwright/device/descriptor_heap_source.hpp"
#include "heapwright/device/replay_resources.hpp"

namespace heapwright::device {

struct ReplayDescriptor {
    std::optional<Descriptor> value;  // empty: never written
    std::weak_ptr<ReplayResource> target;
    std::uint32_t pending_reads = 0;  // of submitted work that is not over
};

struct ReplayDescriptorHeap {
    std::uint64_t id = 0;
    DescriptorHeapRequest request;
    std::vector<ReplayDescriptor> descriptors;
    std::uint64_t pending_uses = 0;
};

class ReplayDescriptors final : public DescriptorHeapSource {
public:
    ReplayDescriptors(ReplayContext& context, ReplayResources& resources);

    [[nodiscard]] const DescriptorFormChoice& form() const override { return form_; }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(DescriptorHeapKind kind,
                                                            bool shader_visible) const override;
    [[nodiscard]] Result<DescriptorHeapId> create(const DescriptorHeapRequest& request) override;
    void destroy(DescriptorHeapId heap) override;
    [[nodiscard]] DescriptorHeapAddresses addresses(DescriptorHeapId heap) const override;
    [[nodiscard]] Status write(DescriptorHeapId heap, std::uint32_t index, const Descriptor& descriptor) override;
    [[nodiscard]] Status copy(DescriptorHeapId destination, std::uint32_t destination_index, DescriptorHeapId source,
                              std::uint32_t source_index, std::uint32_t count) override;
    void forget(DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) override;

    // Null for an id that is not live.
    [[nodiscard]] std::shared_ptr<ReplayDescriptorHeap> find_locked(DescriptorHeapId heap) const;
    [[nodiscard]] std::uint64_t count_locked() const { return heaps_.size(); }

private:
    // The least of those that the report has and that are not 0.
    [[nodiscard]] std::optional<std::uint64_t> least_stated(std::initializer_list<const char*> names) const;
    [[nodiscard]] Status check_capacity(const DescriptorHeapRequest& request) const;
    [[nodiscard]] Result<std::shared_ptr<ReplayResource>> target_locked(const Descriptor& descriptor) const;
    void note_rewrite_locked(const ReplayDescriptorHeap& heap, std::uint32_t index);
    // Sampler objects: each descriptor written in a heap that is not shader-visible has one until it is overwritten
    // or forgotten.
    [[nodiscard]] Status charge_sampler_locked(const ReplayDescriptorHeap& heap, std::uint32_t index);

    ReplayContext& context_;
    ReplayResources& resources_;
    DescriptorFormChoice form_;
    std::optional<std::uint64_t> sampler_limit_;
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayDescriptorHeap>> heaps_;
    std::uint64_t samplers_ = 0;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::device
