#include "replay/descriptors.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "device/descriptor_checks.hpp"
#include "model/documented_heaps.hpp"

namespace heapwright::replay {

namespace {

constexpr std::string_view kHeapGroup = "ID3D12Device::CreateDescriptorHeap";

model::FactName heap_name(device::DescriptorHeapKind kind) {
    constexpr model::FactName kNames[] = {"D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
                                          "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER", "D3D12_DESCRIPTOR_HEAP_TYPE_RTV",
                                          "D3D12_DESCRIPTOR_HEAP_TYPE_DSV"};
    return kNames[static_cast<std::size_t>(kind)];
}

tl::unexpected<Error> no_heap(device::DescriptorHeapId heap) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("no descriptor heap {}", heap.value), "replay");
}

}  // namespace

ReplayDescriptors::ReplayDescriptors(ReplayContext& context, ReplayResources& resources)
    : context_(context),
      resources_(resources),
      form_{.form = device::DescriptorForm::kShadow, .reason = "a replayed report has no descriptors of its own"},
      plan_(stated_descriptor_plan(context.facts)),
      sampler_limit_(context.facts.limit("maxSamplerAllocationCount")) {}

std::optional<std::uint64_t> ReplayDescriptors::stated_limit(device::DescriptorHeapKind kind,
                                                             bool shader_visible) const {
    if (!shader_visible || !device::can_be_shader_visible(kind)) return std::nullopt;
    const bool samplers = kind == device::DescriptorHeapKind::kSampler;
    if (context_.facts.identity.api == model::Api::kD3d12) {
        const auto options =
            samplers ? least_stated({"MaxSamplerDescriptorHeapSize"}) : least_stated({"MaxViewDescriptorHeapSize"});
        const std::uint64_t specified =
            options.value_or(samplers ? model::kDocumentedVisibleSamplers : model::kDocumentedVisibleViews);
        return std::min(specified, context_.facts.limit(heap_name(kind), kHeapGroup).value_or(specified));
    }
    if (plan_) return samplers ? plan_->sampler_limit : plan_->resource_limit;
    // A limit of 0 leaves the type out of update-after-bind sets: the plain ones hold.
    const auto updated = samplers ? least_stated({"maxDescriptorSetUpdateAfterBindSamplers"})
                                  : least_stated({"maxDescriptorSetUpdateAfterBindSampledImages",
                                                  "maxDescriptorSetUpdateAfterBindStorageBuffers"});
    if (updated) return updated;
    return samplers ? least_stated({"maxDescriptorSetSamplers"})
                    : least_stated({"maxDescriptorSetSampledImages", "maxDescriptorSetStorageBuffers"});
}

std::optional<std::uint64_t> ReplayDescriptors::least_stated(std::initializer_list<model::FactName> names) const {
    std::optional<std::uint64_t> least;
    for (const model::FactName name : names) {
        const auto limit = context_.facts.limit(name);
        if (limit && *limit != 0) least = std::min(least.value_or(*limit), *limit);
    }
    return least;
}

// Beyond the specification the report tells what the device did: a size that it refused, or the largest that it took.
Status ReplayDescriptors::check_capacity(const device::DescriptorHeapRequest& request) const {
    const auto stated = stated_limit(request.kind, request.shader_visible);
    if (!stated || request.capacity <= *stated) return {};
    if (request.beyond_stated_limit) {
        const model::FactName name = heap_name(request.kind);
        const auto created = context_.facts.limit(name, kHeapGroup);
        if (created && request.capacity <= *created) return {};
        const std::string refused_name = fmt::format("{} refused", name.text());
        const auto refused = context_.facts.limit(model::FactName::made(refused_name), kHeapGroup);
        if (created && refused && request.capacity >= *refused) {
            return fail({.code = ErrorCode::kInvalidArgument,
                         .message = fmt::format("the device refused a heap of {} descriptors", *refused),
                         .where = "replay",
                         .value = request.capacity,
                         .limit = *created});
        }
    }
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = "more descriptors than one heap of this kind can hold",
                 .where = "replay",
                 .value = request.capacity,
                 .limit = *stated});
}

Result<device::DescriptorHeapId> ReplayDescriptors::create(const device::DescriptorHeapRequest& request) {
    if (request.capacity == 0 || (request.shader_visible && !device::can_be_shader_visible(request.kind))) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = request.capacity == 0 ? "a descriptor heap holds at least one descriptor"
                                                      : "a heap of this kind cannot be shader-visible",
                     .where = "replay",
                     .value = request.capacity});
    }
    HEAPWRIGHT_TRY(check_capacity(request));
    auto heap = std::make_shared<ReplayDescriptorHeap>();
    heap->request = request;
    heap->descriptors.resize(request.capacity);
    const std::scoped_lock lock(context_.mutex);
    heap->id = next_id_;
    heaps_.emplace(next_id_, std::move(heap));
    return device::DescriptorHeapId{next_id_++};
}

void ReplayDescriptors::destroy(device::DescriptorHeapId heap) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = heaps_.find(heap.value);
    if (found == heaps_.end()) {
        context_.message_locked(fmt::format("destroy: no descriptor heap {}", heap.value));
        return;
    }
    const ReplayDescriptorHeap& dying = *found->second;
    if (dying.pending_uses != 0) {
        context_.message_locked(fmt::format("destroy: {} pending dispatches still read descriptor heap {}",
                                            dying.pending_uses, heap.value));
    }
    if (dying.request.kind == device::DescriptorHeapKind::kSampler && !dying.request.shader_visible) {
        samplers_ -= static_cast<std::uint64_t>(std::ranges::count_if(
            dying.descriptors, [](const ReplayDescriptor& descriptor) { return descriptor.value.has_value(); }));
    }
    heaps_.erase(found);
}

device::DescriptorHeapAddresses ReplayDescriptors::addresses(device::DescriptorHeapId heap) const {
    const std::scoped_lock lock(context_.mutex);
    const auto found = find_locked(heap);
    device::DescriptorHeapAddresses addresses;
    if (found && found->request.shader_visible) addresses.gpu_start = 0;
    return addresses;
}

std::shared_ptr<ReplayDescriptorHeap> ReplayDescriptors::find_locked(device::DescriptorHeapId heap) const {
    const auto found = heaps_.find(heap.value);
    return found == heaps_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<ReplayResource>> ReplayDescriptors::target_locked(const device::Descriptor& descriptor) const {
    const auto find = [&](device::ResourceId id) -> Result<std::shared_ptr<ReplayResource>> {
        auto found = resources_.find_locked(id);
        if (!found) {
            return fail(ErrorCode::kInvalidArgument, fmt::format("a descriptor of no live resource ({})", id.value),
                        "replay");
        }
        return found;
    };
    return std::visit(
        [&](const auto& view) -> Result<std::shared_ptr<ReplayResource>> {
            if constexpr (requires { view.buffer; }) {
                HEAPWRIGHT_ASSIGN(auto found, find(view.buffer));
                const bool is_constant = std::is_same_v<std::decay_t<decltype(view)>, device::ConstantBufferView>;
                const std::uint64_t unit = is_constant ? 256 : 16;
                const bool fits = view.offset_bytes <= found->byte_count() &&
                                  view.size_bytes <= found->byte_count() - view.offset_bytes;
                if (!std::holds_alternative<model::BufferDescription>(found->description()) || !fits ||
                    view.size_bytes == 0 || view.offset_bytes % unit != 0 || view.size_bytes % unit != 0) {
                    return fail({.code = ErrorCode::kInvalidArgument,
                                 .message = fmt::format("a buffer view of {} bytes at {} is no part of its buffer",
                                                        view.size_bytes, view.offset_bytes),
                                 .where = "replay",
                                 .value = view.offset_bytes,
                                 .limit = found->byte_count()});
                }
                return found;
            } else if constexpr (requires { view.image; }) {
                HEAPWRIGHT_ASSIGN(auto found, find(view.image));
                const auto* image = std::get_if<model::ImageDescription>(&found->description());
                if (image == nullptr || view.mip_level >= image->mip_levels ||
                    view.array_layer >= image->array_layers) {
                    return fail({.code = ErrorCode::kInvalidArgument,
                                 .message = "an image view of no such subresource",
                                 .where = "replay",
                                 .value = view.mip_level});
                }
                return found;
            } else {
                return std::shared_ptr<ReplayResource>();
            }
        },
        descriptor);
}

void ReplayDescriptors::note_rewrite_locked(const ReplayDescriptorHeap& heap, std::uint32_t index) {
    const std::uint32_t pending = heap.descriptors[index].pending_reads;
    if (pending == 0) return;
    context_.message_locked(fmt::format("descriptor {} of heap {} is rewritten while {} pending dispatches may read it",
                                        index, heap.id, pending));
}

Status ReplayDescriptors::charge_sampler_locked(const ReplayDescriptorHeap& heap, std::uint32_t index) {
    if (heap.request.kind != device::DescriptorHeapKind::kSampler || heap.request.shader_visible) return {};
    if (heap.descriptors[index].value) return {};
    if (sampler_limit_ && samplers_ >= *sampler_limit_) {
        return fail({.code = ErrorCode::kTooManyObjects,
                     .message = "one sampler more than the device allows",
                     .where = "replay: maxSamplerAllocationCount",
                     .value = samplers_ + 1,
                     .limit = *sampler_limit_});
    }
    ++samplers_;
    return {};
}

Status ReplayDescriptors::write(device::DescriptorHeapId heap, std::uint32_t index,
                                const device::Descriptor& descriptor) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = find_locked(heap);
    if (!found) return no_heap(heap);
    if (index >= found->request.capacity || device::kind_of(descriptor) != found->request.kind) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = index >= found->request.capacity ? "the index is beyond the heap's capacity"
                                                                 : "a descriptor of another kind than the heap's",
                     .where = "replay",
                     .value = index,
                     .limit = found->request.capacity});
    }
    HEAPWRIGHT_ASSIGN(auto target, target_locked(descriptor));
    HEAPWRIGHT_TRY(charge_sampler_locked(*found, index));
    note_rewrite_locked(*found, index);
    ReplayDescriptor& place = found->descriptors[index];
    place.value = descriptor;
    place.target = target;
    return {};
}

Status ReplayDescriptors::copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                               device::DescriptorHeapId source, std::uint32_t source_index, std::uint32_t count) {
    const std::scoped_lock lock(context_.mutex);
    const auto to = find_locked(destination);
    const auto from = find_locked(source);
    if (!to) return no_heap(destination);
    if (!from) return no_heap(source);
    const auto fits = [count](const ReplayDescriptorHeap& heap, std::uint32_t first) {
        return first <= heap.request.capacity && count <= heap.request.capacity - first;
    };
    if (from->request.shader_visible || from->request.kind != to->request.kind || !fits(*to, destination_index) ||
        !fits(*from, source_index)) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = from->request.shader_visible ? "descriptors are not copied from a shader-visible heap"
                                                             : "the ranges are not of two heaps of one kind",
                     .where = "replay",
                     .value = count});
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        note_rewrite_locked(*to, destination_index + i);
        ReplayDescriptor& place = to->descriptors[destination_index + i];
        place.value = from->descriptors[source_index + i].value;
        place.target = from->descriptors[source_index + i].target;
    }
    return {};
}

void ReplayDescriptors::forget(device::DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = find_locked(heap);
    if (!found || index > found->request.capacity || count > found->request.capacity - index) return;
    for (std::uint32_t i = index; i < index + count; ++i) {
        ReplayDescriptor& place = found->descriptors[i];
        note_rewrite_locked(*found, i);
        if (place.value && found->request.kind == device::DescriptorHeapKind::kSampler &&
            !found->request.shader_visible)
            --samplers_;
        place.value.reset();
        place.target.reset();
    }
}

namespace {

// A probe states what a device has; a feature or limit that it leaves out belongs to an extension that is not there.
class Facts {
public:
    explicit Facts(const model::DeviceReport& report) : report_(report) {}

    [[nodiscard]] bool has(std::string_view feature) const { return report_.feature(model::FactName::made(feature)); }
    [[nodiscard]] std::uint64_t limit(std::string_view name) const {
        return report_.limit(model::FactName::made(name)).value_or(0);
    }
    [[nodiscard]] std::uint64_t least(std::string_view stage, std::string_view set) const {
        return std::min(limit(stage), limit(set));
    }

private:
    const model::DeviceReport& report_;
};

device::DescriptorAbilities stated_abilities(const Facts& facts) {
    device::DescriptorAbilities abilities;
    abilities.descriptor_buffer = facts.has("descriptorBuffer") && facts.has("bufferDeviceAddress");
    abilities.mutable_descriptors = facts.has("mutableDescriptorType");
    abilities.runtime_arrays = facts.has("runtimeDescriptorArray");
    abilities.variable_counts = facts.has("descriptorBindingVariableDescriptorCount");
    abilities.partially_bound = facts.has("descriptorBindingPartiallyBound");
    abilities.updates_while_pending = facts.has("descriptorBindingUpdateUnusedWhilePending");
    abilities.indexed_uniform_buffers = facts.has("shaderUniformBufferArrayDynamicIndexing");
    abilities.indexed_storage_buffers = facts.has("shaderStorageBufferArrayDynamicIndexing");
    abilities.indexed_sampled_images = facts.has("shaderSampledImageArrayDynamicIndexing");
    abilities.updated_uniform_buffers = facts.has("descriptorBindingUniformBufferUpdateAfterBind");
    abilities.updated_storage_buffers = facts.has("descriptorBindingStorageBufferUpdateAfterBind");
    abilities.updated_sampled_images = facts.has("descriptorBindingSampledImageUpdateAfterBind");
    abilities.updated_storage_images = facts.has("descriptorBindingStorageImageUpdateAfterBind");
    abilities.plain = {
        .samplers = facts.least("maxPerStageDescriptorSamplers", "maxDescriptorSetSamplers"),
        .uniform_buffers = facts.least("maxPerStageDescriptorUniformBuffers", "maxDescriptorSetUniformBuffers"),
        .storage_buffers = facts.least("maxPerStageDescriptorStorageBuffers", "maxDescriptorSetStorageBuffers"),
        .sampled_images = facts.least("maxPerStageDescriptorSampledImages", "maxDescriptorSetSampledImages"),
        .storage_images = facts.least("maxPerStageDescriptorStorageImages", "maxDescriptorSetStorageImages"),
        .resources = facts.limit("maxPerStageResources")};
    abilities.updated = {.samplers = facts.least("maxPerStageDescriptorUpdateAfterBindSamplers",
                                                 "maxDescriptorSetUpdateAfterBindSamplers"),
                         .uniform_buffers = facts.least("maxPerStageDescriptorUpdateAfterBindUniformBuffers",
                                                        "maxDescriptorSetUpdateAfterBindUniformBuffers"),
                         .storage_buffers = facts.least("maxPerStageDescriptorUpdateAfterBindStorageBuffers",
                                                        "maxDescriptorSetUpdateAfterBindStorageBuffers"),
                         .sampled_images = facts.least("maxPerStageDescriptorUpdateAfterBindSampledImages",
                                                       "maxDescriptorSetUpdateAfterBindSampledImages"),
                         .storage_images = facts.least("maxPerStageDescriptorUpdateAfterBindStorageImages",
                                                       "maxDescriptorSetUpdateAfterBindStorageImages"),
                         .resources = facts.limit("maxPerStageUpdateAfterBindResources")};
    abilities.updated_in_all_pools = facts.limit("maxUpdateAfterBindDescriptorsInAllPools");
    abilities.resource_range_bytes =
        facts.least("maxResourceDescriptorBufferRange", "resourceDescriptorBufferAddressSpaceSize");
    abilities.sampler_range_bytes =
        facts.least("maxSamplerDescriptorBufferRange", "samplerDescriptorBufferAddressSpaceSize");
    abilities.uniform_buffer_bytes = facts.limit("uniformBufferDescriptorSize");
    abilities.storage_buffer_bytes = facts.limit("storageBufferDescriptorSize");
    abilities.sampled_image_bytes = facts.limit("sampledImageDescriptorSize");
    abilities.storage_image_bytes = facts.limit("storageImageDescriptorSize");
    abilities.sampler_bytes = facts.limit("samplerDescriptorSize");
    abilities.live_samplers = facts.limit("maxSamplerAllocationCount");
    return abilities;
}

bool says_enough(const model::DeviceReport& report) {
    if (report.identity.api != model::Api::kVulkan) return false;
    const bool says_arrays = std::ranges::any_of(
        report.features, [](const model::Fact& fact) { return fact.name == "runtimeDescriptorArray"; });
    return says_arrays || (report.origin == model::ReportOrigin::kProbe && !report.features.empty());
}

}  // namespace

std::optional<device::DescriptorPlan> stated_descriptor_plan(const model::DeviceReport& report) {
    if (!says_enough(report)) return std::nullopt;
    auto plan = device::plan_descriptors(stated_abilities(Facts(report)), std::nullopt);
    if (!plan) return std::nullopt;
    return std::move(*plan);
}

}  // namespace heapwright::replay
