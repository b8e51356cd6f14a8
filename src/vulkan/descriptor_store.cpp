#include "vulkan/descriptor_store.hpp"

#include "vulkan/descriptor_buffer_store.hpp"
#include "vulkan/descriptor_set_store.hpp"

namespace heapwright::vulkan {

Result<std::unique_ptr<DescriptorStore>> create_descriptor_store(const OpenDevice& context,
                                                                 const DescriptorLayouts& layouts,
                                                                 MemoryAllocator& memory, const StoreRequest& request) {
    switch (context.descriptors.choice.form) {
        case device::DescriptorForm::kDescriptorBuffer:
            return DescriptorBufferStore::create(context, layouts, memory, request);
        case device::DescriptorForm::kUpdateAfterBindSet:
        case device::DescriptorForm::kLargeSet: return DescriptorSetStore::create(context, layouts, request);
        default: return std::unique_ptr<DescriptorStore>();
    }
}

}  // namespace heapwright::vulkan
