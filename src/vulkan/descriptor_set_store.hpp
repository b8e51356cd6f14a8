// A heap as one large set (a set for each array of the layouts). With update-after-bind there is one copy of it, which
// is written in place. Without, a set that recorded or submitted lists read is never written: a list that is recorded
// after a write gets another copy, which is brought up to date first; copies are used again when no list reads them.
#pragma once

#include <mutex>

#include "vulkan/descriptor_store.hpp"

namespace heapwright::vulkan {

class DescriptorSetStore final : public DescriptorStore {
public:
    [[nodiscard]] static Result<std::unique_ptr<DescriptorStore>> create(const OpenDevice& context,
                                                                         const DescriptorLayouts& layouts,
                                                                         const StoreRequest& request);
    DescriptorSetStore(const DescriptorSetStore&) = delete;
    DescriptorSetStore& operator=(const DescriptorSetStore&) = delete;
    ~DescriptorSetStore() override;

    void put(std::uint32_t first, std::span<const DescriptorSlot> slots) override;
    void forget(std::uint32_t first, std::uint32_t count) override;
    [[nodiscard]] Result<std::shared_ptr<const DescriptorSets>> sets() override;

private:
    struct Copy {
        VkDescriptorPool pool = VK_NULL_HANDLE;
        std::shared_ptr<DescriptorSets> sets;
        std::vector<std::uint32_t> behind;  // indices put since its last update
    };

    DescriptorSetStore(const OpenDevice& context, const DescriptorLayouts& layouts, const StoreRequest& request);
    [[nodiscard]] Status add_copy();
    [[nodiscard]] bool is_written_in_place() const {
        return context_.descriptors.is(device::DescriptorForm::kUpdateAfterBindSet);
    }
    void update(const DescriptorSets& sets, std::uint32_t first, std::span<const DescriptorSlot> slots) const;
    void catch_up(Copy& copy);

    const OpenDevice& context_;
    const DescriptorLayouts& layouts_;
    std::span<const ArrayLayout> arrays_;
    std::uint32_t capacity_;
    std::mutex mutex_;          // without update-after-bind: guards what follows
    std::vector<Copy> copies_;  // the first is the last that was given out
    std::vector<DescriptorSlot> slots_;
};

}  // namespace heapwright::vulkan
