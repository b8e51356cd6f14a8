#include "vulkan/descriptor_set_store.hpp"

#include <algorithm>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::size_t kWritesAtOnce = 256;

void sort_and_unite(std::vector<std::uint32_t>& indexes) {
    std::sort(indexes.begin(), indexes.end());
    indexes.erase(std::unique(indexes.begin(), indexes.end()), indexes.end());
}

}  // namespace

DescriptorSetStore::DescriptorSetStore(const OpenDevice& context, const DescriptorLayouts& layouts,
                                       const StoreRequest& request)
    : context_(context), layouts_(layouts), arrays_(layouts.arrays(request.kind)), capacity_(request.capacity) {}

Result<std::unique_ptr<DescriptorStore>> DescriptorSetStore::create(const OpenDevice& context,
                                                                    const DescriptorLayouts& layouts,
                                                                    const StoreRequest& request) {
    std::unique_ptr<DescriptorSetStore> store(new DescriptorSetStore(context, layouts, request));
    if (!store->is_written_in_place()) store->slots_.resize(request.capacity);
    HEAPWRIGHT_TRY(store->add_copy());
    return store;
}

DescriptorSetStore::~DescriptorSetStore() {
    for (const Copy& copy : copies_) context_.call.vkDestroyDescriptorPool(context_.handle, copy.pool, nullptr);
}

Status DescriptorSetStore::add_copy() {
    std::vector<VkDescriptorPoolSize> sizes;
    std::vector<VkDescriptorSetLayout> layouts;
    for (const ArrayLayout& array : arrays_) {
        sizes.push_back({.type = array.type, .descriptorCount = capacity_});
        layouts.push_back(array.handle);
    }
    const std::vector<VkMutableDescriptorTypeListEXT> lists(arrays_.size(), mutable_types());
    const VkMutableDescriptorTypeCreateInfoEXT types{
        .sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
        .pNext = nullptr,
        .mutableDescriptorTypeListCount = static_cast<std::uint32_t>(lists.size()),
        .pMutableDescriptorTypeLists = lists.data()};
    const bool has_mutable = sizes.front().type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
    const VkDescriptorPoolCreateInfo pool{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .pNext = has_mutable ? &types : nullptr,
        .flags =
            is_written_in_place() ? VkDescriptorPoolCreateFlags{VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT} : 0u,
        .maxSets = static_cast<std::uint32_t>(layouts.size()),
        .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
        .pPoolSizes = sizes.data()};
    Copy copy;
    leave_breadcrumb("vkCreateDescriptorPool", "a large set");
    HEAPWRIGHT_TRY(check(context_.call.vkCreateDescriptorPool(context_.handle, &pool, nullptr, &copy.pool),
                         "vkCreateDescriptorPool", "a large set"));
    const std::vector<std::uint32_t> counts(layouts.size(), capacity_);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo variable{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .pNext = nullptr,
        .descriptorSetCount = static_cast<std::uint32_t>(counts.size()),
        .pDescriptorCounts = counts.data()};
    const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .pNext = &variable,
                                           .descriptorPool = copy.pool,
                                           .descriptorSetCount = static_cast<std::uint32_t>(layouts.size()),
                                           .pSetLayouts = layouts.data()};
    copy.sets = std::make_shared<DescriptorSets>();
    copy.sets->of_array.resize(layouts.size());
    const VkResult allocated =
        context_.call.vkAllocateDescriptorSets(context_.handle, &info, copy.sets->of_array.data());
    if (allocated != VK_SUCCESS) {
        context_.call.vkDestroyDescriptorPool(context_.handle, copy.pool, nullptr);
        Error error = call_error(allocated, "vkAllocateDescriptorSets", "a large set");
        error.value = capacity_;
        return fail(std::move(error));
    }
    // A copy that is made later holds all that was ever put.
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
        if (slots_[index].type != DescriptorType::kNever) copy.behind.push_back(index);
    }
    copies_.insert(copies_.begin(), std::move(copy));
    return {};
}

void DescriptorSetStore::update(const DescriptorSets& sets, std::uint32_t first,
                                std::span<const DescriptorSlot> slots) const {
    std::vector<DescriptorInfo> infos;
    std::vector<VkWriteDescriptorSet> writes;
    for (std::size_t begin = 0; begin < slots.size(); begin += kWritesAtOnce) {
        const std::span part = slots.subspan(begin, std::min(kWritesAtOnce, slots.size() - begin));
        infos.clear();
        infos.reserve(part.size());  // the writes point into it
        writes.clear();
        for (std::size_t i = 0; i < part.size(); ++i) {
            const ArrayLayout* array = layouts_.array_of(part[i].type);
            if (array == nullptr) continue;
            infos.push_back(info_of(part[i]));
            writes.push_back(write_of(part[i].type, infos.back(),
                                      sets.of_array[static_cast<std::size_t>(array - arrays_.data())], 0,
                                      first + static_cast<std::uint32_t>(begin + i)));
        }
        if (writes.empty()) continue;
        context_.call.vkUpdateDescriptorSets(context_.handle, static_cast<std::uint32_t>(writes.size()), writes.data(),
                                             0, nullptr);
    }
}

void DescriptorSetStore::put(std::uint32_t first, std::span<const DescriptorSlot> slots) {
    if (is_written_in_place()) {
        update(*copies_.front().sets, first, slots);
        return;
    }
    const std::scoped_lock lock(mutex_);
    for (const DescriptorSlot& slot : slots) {
        slots_[first] = slot;
        for (Copy& copy : copies_) copy.behind.push_back(first);
        ++first;
    }
    // One that nobody asks for would note the same descriptors for ever. Twice as many: it may be behind in all of
    // them, and would be sorted each time.
    for (Copy& copy : copies_) {
        if (copy.behind.size() > 2 * slots_.size()) sort_and_unite(copy.behind);
    }
}

void DescriptorSetStore::forget(std::uint32_t first, std::uint32_t count) {
    if (is_written_in_place()) return;
    const std::scoped_lock lock(mutex_);
    for (DescriptorSlot& slot : std::span(slots_).subspan(first, count)) slot = {};
}

void DescriptorSetStore::catch_up(Copy& copy) {
    sort_and_unite(copy.behind);
    for (std::size_t begin = 0; begin < copy.behind.size();) {
        std::size_t end = begin + 1;
        while (end < copy.behind.size() && copy.behind[end] == copy.behind[end - 1] + 1) ++end;
        update(*copy.sets, copy.behind[begin], std::span(slots_).subspan(copy.behind[begin], end - begin));
        begin = end;
    }
    copy.behind.clear();
}

Result<std::shared_ptr<const DescriptorSets>> DescriptorSetStore::sets() {
    if (is_written_in_place()) return copies_.front().sets;
    const std::scoped_lock lock(mutex_);
    if (!copies_.front().behind.empty()) {
        const auto idle =
            std::find_if(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.sets.use_count() == 1; });
        if (idle == copies_.end()) {
            HEAPWRIGHT_TRY(add_copy());
        } else {
            std::rotate(copies_.begin(), idle, idle + 1);
        }
        catch_up(copies_.front());
    }
    return copies_.front().sets;
}

}  // namespace heapwright::vulkan
