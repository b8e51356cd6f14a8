#include "vulkan/descriptor_layouts.hpp"

#include <algorithm>
#include <array>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {

namespace {

using device::DescriptorForm;

constexpr VkShaderStageFlags kStage = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr std::uint64_t kMostOfOneSet = 1u << 30;

constexpr VkDescriptorType kMutableTypes[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                              VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

VkDescriptorSetLayoutBinding one_of(std::uint32_t binding, VkDescriptorType type) {
    return {.binding = binding,
            .descriptorType = type,
            .descriptorCount = 1,
            .stageFlags = kStage,
            .pImmutableSamplers = nullptr};
}

VkSamplerAddressMode address_mode(device::AddressMode mode) {
    switch (mode) {
        case device::AddressMode::kRepeat: return VK_SAMPLER_ADDRESS_MODE_REPEAT;
        case device::AddressMode::kMirroredRepeat: return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
        case device::AddressMode::kClampToEdge: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        case device::AddressMode::kClampToBorder: break;
    }
    return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
}

std::uint64_t bytes_of(const VkPhysicalDeviceDescriptorBufferPropertiesEXT& sizes, VkDescriptorType type) {
    switch (type) {
        case VK_DESCRIPTOR_TYPE_SAMPLER: return sizes.samplerDescriptorSize;
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER: return sizes.uniformBufferDescriptorSize;
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: return sizes.storageBufferDescriptorSize;
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE: return sizes.sampledImageDescriptorSize;
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE: return sizes.storageImageDescriptorSize;
        default:
            return std::max({sizes.uniformBufferDescriptorSize, sizes.storageBufferDescriptorSize,
                             sizes.sampledImageDescriptorSize, sizes.storageImageDescriptorSize});
    }
}

}  // namespace

const VkMutableDescriptorTypeListEXT& mutable_types() {
    static constexpr VkMutableDescriptorTypeListEXT kList{
        .descriptorTypeCount = static_cast<std::uint32_t>(std::size(kMutableTypes)), .pDescriptorTypes = kMutableTypes};
    return kList;
}

VkSamplerCreateInfo sampler_info(const OpenDevice& context, const device::SamplerDescription& sampler) {
    const bool linear = sampler.filter == device::FilterMode::kLinear;
    const bool anisotropic = sampler.max_anisotropy > 1 && context.enabled.sampler_anisotropy;
    const float most_bias = context.limits.maxSamplerLodBias;
    return {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
            .pNext = nullptr,
            .flags = 0,
            .magFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
            .minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
            .mipmapMode = linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
            .addressModeU = address_mode(sampler.address_u),
            .addressModeV = address_mode(sampler.address_v),
            .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
            .mipLodBias = std::clamp(sampler.lod_bias, -most_bias, most_bias),
            .anisotropyEnable = anisotropic ? VK_TRUE : VK_FALSE,
            .maxAnisotropy = std::min(static_cast<float>(sampler.max_anisotropy), context.limits.maxSamplerAnisotropy),
            .compareEnable = VK_FALSE,
            .compareOp = VK_COMPARE_OP_NEVER,
            .minLod = sampler.min_lod,
            .maxLod = std::max(sampler.min_lod, sampler.max_lod),
            .borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
            .unnormalizedCoordinates = VK_FALSE};
}

Result<std::unique_ptr<DescriptorLayouts>> DescriptorLayouts::create(OpenDevice& context) {
    std::unique_ptr<DescriptorLayouts> layouts(new DescriptorLayouts(context));
    leave_breadcrumb("vkCreateDescriptorSetLayout");
    HEAPWRIGHT_TRY(layouts->create_arrays());
    HEAPWRIGHT_TRY(layouts->create_tables());
    HEAPWRIGHT_TRY(layouts->create_static_sampler());
    HEAPWRIGHT_TRY(layouts->create_pipelines());
    return layouts;
}

DescriptorLayouts::~DescriptorLayouts() {
    const DeviceCalls& call = context_.call;
    call.vkDestroyPipelineLayout(context_.handle, sampled_pipeline_, nullptr);
    call.vkDestroyPipelineLayout(context_.handle, static_pipeline_, nullptr);
    call.vkDestroyDescriptorPool(context_.handle, static_sampler_pool_, nullptr);
    for (const VkDescriptorSetLayout layout : layouts_) {
        call.vkDestroyDescriptorSetLayout(context_.handle, layout, nullptr);
    }
    call.vkDestroySampler(context_.handle, static_sampler_, nullptr);
}

Result<VkDescriptorSetLayout> DescriptorLayouts::create_layout(std::span<const VkDescriptorSetLayoutBinding> bindings,
                                                               VkDescriptorSetLayoutCreateFlags flags,
                                                               const void* chain) {
    const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .pNext = chain,
                                               .flags = flags,
                                               .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                               .pBindings = bindings.data()};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(check(context_.call.vkCreateDescriptorSetLayout(context_.handle, &info, nullptr, &layout),
                         "vkCreateDescriptorSetLayout"));
    layouts_.push_back(layout);
    return layout;
}

Result<ArrayLayout> DescriptorLayouts::create_array(VkDescriptorType type, std::optional<std::uint32_t> set,
                                                    std::optional<std::uint64_t>& limit) {
    const device::DescriptorPlan& plan = context_.descriptors;
    VkDescriptorBindingFlags binding_flags =
        VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
    VkDescriptorSetLayoutCreateFlags flags = 0;
    if (plan.is(DescriptorForm::kDescriptorBuffer)) {
        flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    } else if (plan.is(DescriptorForm::kUpdateAfterBindSet)) {
        flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
        binding_flags |= VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
        if (plan.updates_while_pending) binding_flags |= VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;
    }
    const VkMutableDescriptorTypeCreateInfoEXT types{.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                     .pNext = nullptr,
                                                     .mutableDescriptorTypeListCount = 1,
                                                     .pMutableDescriptorTypeLists = &mutable_types()};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo array_flags{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .pNext = type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? &types : nullptr,
        .bindingCount = 1,
        .pBindingFlags = &binding_flags};
    VkDescriptorSetLayoutBinding binding = one_of(0, type);
    binding.descriptorCount = static_cast<std::uint32_t>(std::min(limit.value_or(kMostOfOneSet), kMostOfOneSet));

    VkDescriptorSetVariableDescriptorCountLayoutSupport most{};
    most.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT;
    VkDescriptorSetLayoutSupport support{};
    support.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT;
    support.pNext = &most;
    const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .pNext = &array_flags,
                                               .flags = flags,
                                               .bindingCount = 1,
                                               .pBindings = &binding};
    context_.call.vkGetDescriptorSetLayoutSupport(context_.handle, &info, &support);
    if (most.maxVariableDescriptorCount != 0) {
        binding.descriptorCount = std::min(binding.descriptorCount, most.maxVariableDescriptorCount);
    }
    limit = binding.descriptorCount;

    ArrayLayout array{.type = type, .set = set};
    HEAPWRIGHT_ASSIGN(array.handle, create_layout(std::span(&binding, 1), flags, &array_flags));
    if (plan.is(DescriptorForm::kDescriptorBuffer)) {
        array.descriptor_bytes = bytes_of(context_.descriptor_buffer, type);
        context_.call.vkGetDescriptorSetLayoutBindingOffsetEXT(context_.handle, array.handle, 0, &array.first_byte);
    }
    return array;
}

Status DescriptorLayouts::create_arrays() {
    device::DescriptorPlan& plan = context_.descriptors;
    if (plan.is(DescriptorForm::kPooledSets)) {
        sampler_set_ = 1;
        return {};
    }
    struct Wanted {
        VkDescriptorType type;
        std::optional<std::uint32_t> set;
    };
    std::vector<Wanted> wanted;
    if (plan.mutable_descriptors) {
        wanted = {{VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 0}};
        sampler_set_ = 1;
    } else {
        if (!plan.uniform_in_table) wanted.push_back({VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0});
        wanted.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
        wanted.push_back({VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2});
        wanted.push_back({VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, std::nullopt});
        sampler_set_ = 3;
    }
    for (const Wanted& array : wanted) {
        HEAPWRIGHT_ASSIGN(ArrayLayout layout, create_array(array.type, array.set, plan.resource_limit));
        resources_.push_back(layout);
    }
    HEAPWRIGHT_ASSIGN(ArrayLayout layout, create_array(VK_DESCRIPTOR_TYPE_SAMPLER, sampler_set_, plan.sampler_limit));
    samplers_.push_back(layout);
    return {};
}

Status DescriptorLayouts::create_tables() {
    if (context_.descriptors.is(DescriptorForm::kPooledSets)) {
        const VkDescriptorSetLayoutBinding bindings[] = {
            one_of(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER), one_of(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
            one_of(2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),  one_of(3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
            one_of(4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), one_of(5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)};
        HEAPWRIGHT_ASSIGN(table_, create_layout(bindings, 0, nullptr));
        const VkDescriptorSetLayoutBinding sampler = one_of(0, VK_DESCRIPTOR_TYPE_SAMPLER);
        HEAPWRIGHT_ASSIGN(one_sampler_, create_layout(std::span(&sampler, 1), 0, nullptr));
    } else if (context_.descriptors.uniform_in_table) {
        const VkDescriptorSetLayoutBinding bindings[] = {one_of(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
                                                         one_of(1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER)};
        HEAPWRIGHT_ASSIGN(table_, create_layout(bindings, 0, nullptr));
    }
    return {};
}

Status DescriptorLayouts::create_static_sampler() {
    const VkSamplerCreateInfo info = sampler_info(
        context_, {.address_u = device::AddressMode::kClampToEdge, .address_v = device::AddressMode::kClampToEdge});
    HEAPWRIGHT_TRY(check(context_.call.vkCreateSampler(context_.handle, &info, nullptr, &static_sampler_),
                         "vkCreateSampler", "the static sampler"));
    VkDescriptorSetLayoutBinding binding = one_of(0, VK_DESCRIPTOR_TYPE_SAMPLER);
    binding.pImmutableSamplers = &static_sampler_;
    if (context_.descriptors.is(DescriptorForm::kDescriptorBuffer)) {
        // Not an embedded one: with those lavapipe (Mesa 25.0.7) reads a set that was never bound.
        HEAPWRIGHT_ASSIGN(
            static_sampler_layout_,
            create_layout(std::span(&binding, 1), VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, nullptr));
        context_.call.vkGetDescriptorSetLayoutSizeEXT(context_.handle, static_sampler_layout_,
                                                      &static_sampler_set_bytes_);
        return {};
    }
    HEAPWRIGHT_ASSIGN(static_sampler_layout_, create_layout(std::span(&binding, 1), 0, nullptr));
    const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_SAMPLER, .descriptorCount = 1};
    const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .maxSets = 1,
                                          .poolSizeCount = 1,
                                          .pPoolSizes = &size};
    HEAPWRIGHT_TRY(check(context_.call.vkCreateDescriptorPool(context_.handle, &pool, nullptr, &static_sampler_pool_),
                         "vkCreateDescriptorPool"));
    const VkDescriptorSetAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .pNext = nullptr,
                                               .descriptorPool = static_sampler_pool_,
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &static_sampler_layout_};
    return check(context_.call.vkAllocateDescriptorSets(context_.handle, &allocate, &static_sampler_set_),
                 "vkAllocateDescriptorSets");
}

Result<VkPipelineLayout> DescriptorLayouts::create_pipeline(VkDescriptorSetLayout sampler) {
    std::array<VkDescriptorSetLayout, 4> sets{};
    if (table_ != VK_NULL_HANDLE) sets[0] = table_;
    for (const ArrayLayout& array : resources_) {
        if (array.set) sets[*array.set] = array.handle;
    }
    sets[sampler_set_] = sampler;
    const VkPushConstantRange push{.stageFlags = kStage, .offset = 0, .size = sizeof(PushWords)};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .setLayoutCount = sampler_set_ + 1,
                                          .pSetLayouts = sets.data(),
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &push};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(check(context_.call.vkCreatePipelineLayout(context_.handle, &info, nullptr, &layout),
                         "vkCreatePipelineLayout"));
    return layout;
}

Status DescriptorLayouts::create_pipelines() {
    HEAPWRIGHT_ASSIGN(sampled_pipeline_, create_pipeline(samplers_.empty() ? one_sampler_ : samplers_.front().handle));
    HEAPWRIGHT_ASSIGN(static_pipeline_, create_pipeline(static_sampler_layout_));
    return {};
}

const ArrayLayout* DescriptorLayouts::array_of(DescriptorType type) const {
    if (type == DescriptorType::kNever) return nullptr;
    const VkDescriptorType wanted = vk_type(type);
    if (wanted == VK_DESCRIPTOR_TYPE_SAMPLER) return samplers_.empty() ? nullptr : &samplers_.front();
    for (const ArrayLayout& array : resources_) {
        if (array.type == wanted || array.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return &array;
    }
    return nullptr;
}

namespace {

struct Properties {
    VkPhysicalDeviceDescriptorIndexingProperties indexing{};
    VkPhysicalDeviceDescriptorBufferPropertiesEXT buffer{};
    VkPhysicalDeviceProperties2 core{};

    Properties(const Instance& instance, VkPhysicalDevice physical, const DescriptorFeatures& features) {
        core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        indexing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES;
        buffer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
        if (features.has_indexing) core.pNext = &indexing;
        if (features.has_buffer) {
            buffer.pNext = core.pNext;
            core.pNext = &buffer;
        }
        instance.functions().get_properties2(physical, &core);
    }
    Properties(const Properties&) = delete;
    Properties& operator=(const Properties&) = delete;
};

}  // namespace

void DescriptorFeatures::keep_only_used() {
    const VkPhysicalDeviceDescriptorIndexingFeatures all = indexing;
    indexing = {.sType = all.sType, .pNext = all.pNext};
    indexing.descriptorBindingUniformBufferUpdateAfterBind = all.descriptorBindingUniformBufferUpdateAfterBind;
    indexing.descriptorBindingSampledImageUpdateAfterBind = all.descriptorBindingSampledImageUpdateAfterBind;
    indexing.descriptorBindingStorageImageUpdateAfterBind = all.descriptorBindingStorageImageUpdateAfterBind;
    indexing.descriptorBindingStorageBufferUpdateAfterBind = all.descriptorBindingStorageBufferUpdateAfterBind;
    indexing.descriptorBindingUpdateUnusedWhilePending = all.descriptorBindingUpdateUnusedWhilePending;
    indexing.descriptorBindingPartiallyBound = all.descriptorBindingPartiallyBound;
    indexing.descriptorBindingVariableDescriptorCount = all.descriptorBindingVariableDescriptorCount;
    indexing.runtimeDescriptorArray = all.runtimeDescriptorArray;
    buffer.descriptorBufferCaptureReplay = VK_FALSE;
    buffer.descriptorBufferImageLayoutIgnored = VK_FALSE;
    buffer.descriptorBufferPushDescriptors = VK_FALSE;
}

device::DescriptorAbilities read_descriptor_abilities(const Instance& instance, VkPhysicalDevice physical,
                                                      const VkPhysicalDeviceFeatures& core,
                                                      const DescriptorFeatures& features, bool buffer_device_address) {
    const Properties properties(instance, physical, features);
    const VkPhysicalDeviceLimits& limits = properties.core.properties.limits;
    const auto& indexing = properties.indexing;
    const auto& buffer = properties.buffer;
    device::DescriptorAbilities abilities;
    abilities.descriptor_buffer = features.buffer.descriptorBuffer == VK_TRUE && buffer_device_address;
    abilities.mutable_descriptors = features.mutable_type.mutableDescriptorType == VK_TRUE;
    abilities.runtime_arrays = features.indexing.runtimeDescriptorArray == VK_TRUE;
    abilities.variable_counts = features.indexing.descriptorBindingVariableDescriptorCount == VK_TRUE;
    abilities.partially_bound = features.indexing.descriptorBindingPartiallyBound == VK_TRUE;
    abilities.updates_while_pending = features.indexing.descriptorBindingUpdateUnusedWhilePending == VK_TRUE;
    abilities.indexed_uniform_buffers = core.shaderUniformBufferArrayDynamicIndexing == VK_TRUE;
    abilities.indexed_storage_buffers = core.shaderStorageBufferArrayDynamicIndexing == VK_TRUE;
    abilities.indexed_sampled_images = core.shaderSampledImageArrayDynamicIndexing == VK_TRUE;
    abilities.updated_uniform_buffers = features.indexing.descriptorBindingUniformBufferUpdateAfterBind == VK_TRUE;
    abilities.updated_storage_buffers = features.indexing.descriptorBindingStorageBufferUpdateAfterBind == VK_TRUE;
    abilities.updated_sampled_images = features.indexing.descriptorBindingSampledImageUpdateAfterBind == VK_TRUE;
    abilities.updated_storage_images = features.indexing.descriptorBindingStorageImageUpdateAfterBind == VK_TRUE;
    abilities.plain = {
        .samplers = std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers),
        .uniform_buffers = std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers),
        .storage_buffers = std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers),
        .sampled_images = std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages),
        .storage_images = std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages),
        .resources = limits.maxPerStageResources};
    abilities.updated = {.samplers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindSamplers,
                                              indexing.maxDescriptorSetUpdateAfterBindSamplers),
                         .uniform_buffers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindUniformBuffers,
                                                     indexing.maxDescriptorSetUpdateAfterBindUniformBuffers),
                         .storage_buffers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindStorageBuffers,
                                                     indexing.maxDescriptorSetUpdateAfterBindStorageBuffers),
                         .sampled_images = std::min(indexing.maxPerStageDescriptorUpdateAfterBindSampledImages,
                                                    indexing.maxDescriptorSetUpdateAfterBindSampledImages),
                         .storage_images = std::min(indexing.maxPerStageDescriptorUpdateAfterBindStorageImages,
                                                    indexing.maxDescriptorSetUpdateAfterBindStorageImages),
                         .resources = indexing.maxPerStageUpdateAfterBindResources};
    abilities.updated_in_all_pools = indexing.maxUpdateAfterBindDescriptorsInAllPools;
    abilities.resource_range_bytes =
        std::min(buffer.maxResourceDescriptorBufferRange, buffer.resourceDescriptorBufferAddressSpaceSize);
    abilities.sampler_range_bytes =
        std::min(buffer.maxSamplerDescriptorBufferRange, buffer.samplerDescriptorBufferAddressSpaceSize);
    abilities.uniform_buffer_bytes = buffer.uniformBufferDescriptorSize;
    abilities.storage_buffer_bytes = buffer.storageBufferDescriptorSize;
    abilities.sampled_image_bytes = buffer.sampledImageDescriptorSize;
    abilities.storage_image_bytes = buffer.storageImageDescriptorSize;
    abilities.sampler_bytes = buffer.samplerDescriptorSize;
    abilities.live_samplers = limits.maxSamplerAllocationCount;
    return abilities;
}

}  // namespace heapwright::vulkan
