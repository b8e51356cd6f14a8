// How a render device is made: its queues, heaps and upload space, of the sizes of the policy.
#include "frame/render_device.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heapwright::frame {
namespace {

using device::DescriptorHeapKind;

std::uint32_t clamped(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ~0u));
}

}  // namespace

Result<std::unique_ptr<RenderDevice>> RenderDevice::create(device::Device& device, const model::DevicePolicy& policy,
                                                           const RenderDeviceOptions& options) {
    if (device.descriptors() == nullptr || device.recorder() == nullptr) {
        return fail(ErrorCode::kNotSupported, device.descriptors() == nullptr ? "the device has no descriptor heaps"
                                                                              : "the device records no command lists");
    }
    std::unique_ptr<RenderDevice> made(new RenderDevice(device, options));
    HEAPWRIGHT_TRY(made->set_up(policy));
    return made;
}

Status RenderDevice::set_up(const model::DevicePolicy& policy) {
    frames_in_flight_ = std::max(
        1u, options_.frames_in_flight != 0 ? options_.frames_in_flight : clamped(policy.frames_in_flight.value));
    HEAPWRIGHT_TRY(make_queues());
    const model::DescriptorPolicy& sizes = policy.descriptors;
    const std::array<std::uint64_t, 4> pages{sizes.cbv_srv_uav_page.value, sizes.sampler_page.value,
                                             sizes.rtv_page.value, sizes.dsv_page.value};
    for (std::size_t kind = 0; kind < pages.size(); ++kind) {
        if (pages[kind] == 0)
            return fail(ErrorCode::kInvalidArgument, "the policy gives no page size for a kind of descriptors",
                        fmt::format("/descriptors ({})", kind));
        cpu_heaps_[kind] = std::make_unique<CPUDescriptorHeap>(*device_.descriptors(), frame_clock(),
                                                               static_cast<DescriptorHeapKind>(kind),
                                                               clamped(pages[kind]), model::cpu_suballocator_of(sizes));
        if (options_.reports_lifetimes) cpu_heaps_[kind]->watch(watch_);
    }
    HEAPWRIGHT_ASSIGN(resource_heap_, make_visible(DescriptorHeapKind::kCbvSrvUav, sizes.resources));
    HEAPWRIGHT_ASSIGN(sampler_heap_, make_visible(DescriptorHeapKind::kSampler, sizes.samplers));
    for (GPUDescriptorHeap* heap : {resource_heap_.get(), sampler_heap_.get()}) {
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) heap->wait_on(fence(queue), queue);
        if (options_.reports_lifetimes) heap->watch(watch_);
    }
    samplers_ =
        std::make_unique<SamplerCache>(*device_.descriptors(), cpu_heap(DescriptorHeapKind::kSampler), *sampler_heap_);
    HEAPWRIGHT_TRY(make_uploads(policy));
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        immediate_.push_back(
            std::make_unique<DeviceContext>(*this, ContextKind::kImmediate, queue, static_cast<std::uint32_t>(queue)));
    }
    return {};
}

Status RenderDevice::make_queues() {
    const std::size_t engine_count = device_.submitter().engines().size();
    std::vector<device::EngineId> engines = options_.queues;
    if (engines.empty()) engines.emplace_back();
    if (engines.size() > kMostQueues) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "more queues than a render device takes",
                          .where = "queues",
                          .value = engines.size(),
                          .limit = kMostQueues});
    }
    for (auto engine = engines.begin(); engine != engines.end(); ++engine) {
        const bool is_twice = std::find(engines.begin(), engine, *engine) != engine;
        if (is_twice || engine->value >= engine_count) {
            return fail(Error{.code = ErrorCode::kInvalidArgument,
                              .message = is_twice ? "an engine is named twice" : "the device has no such engine",
                              .where = "queues",
                              .value = engine->value,
                              .limit = engine_count - 1});
        }
        HEAPWRIGHT_ASSIGN(auto queue, DeviceQueue::create(device_, *engine));
        queues_.push_back(std::move(queue));
    }
    return {};
}

Status RenderDevice::make_uploads(const model::DevicePolicy& policy) {
    const auto upload = std::ranges::find(policy.memory_uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
    if (upload == policy.memory_uses.end())
        return fail(ErrorCode::kInvalidArgument, "the policy ranks no memory types for uploads", "/memory_uses");
    const std::uint64_t ring = policy.uploads.ring_bytes.value;
    if (options_.accounts == nullptr) {
        own_accounts_ = std::make_unique<pool::BudgetedMemory>(device_.facts(), device_.memory(), policy, ~0ull,
                                                               std::optional<double>());
    }
    UploadHeap::Options sizes{.ring_bytes = ring,
                              .page_bytes = policy.uploads.page_bytes.value,
                              .most_bytes = options_.most_upload_bytes != 0 ? options_.most_upload_bytes : 4 * ring,
                              .accounts = options_.accounts != nullptr ? options_.accounts : own_accounts_.get()};
    HEAPWRIGHT_ASSIGN(uploads_, UploadHeap::create(device_, frame_ends_, upload->memory_types.value, sizes));
    // Pages that frames need are what it grows by: nobody has to use dynamic buffers.
    sizes.ring_bytes = sizes.page_bytes;
    dynamic_options_ = sizes;
    const auto streaming =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kStreaming, &model::MemoryUsePolicy::use);
    if (streaming == policy.memory_uses.end() || streaming->memory_types.value.empty()) return {};
    dynamic_memory_types_ = streaming->memory_types.value;
    const auto& types = device_.facts().memory_types;
    const std::uint32_t first = dynamic_memory_types_.front();
    prefers_direct_writes_ =
        first < types.size() && (types[first].property_flags & model::memory_property::kDeviceLocal) != 0;
    return {};
}

Result<UploadHeap*> RenderDevice::dynamic_space() {
    if (UploadHeap* made = made_dynamic_space()) return made;
    const std::lock_guard lock(dynamic_space_mutex_);
    if (own_dynamic_space_) return own_dynamic_space_.get();
    if (dynamic_memory_types_.empty())
        return fail(ErrorCode::kInvalidArgument, "the policy ranks no memory types for streaming", "/memory_uses");
    Result<std::unique_ptr<UploadHeap>> made;
    for (const model::Flags usage : UploadHeap::kDynamicUsages) {
        dynamic_options_.usage = usage;
        made = UploadHeap::create(device_, frame_ends_, dynamic_memory_types_, dynamic_options_);
        if (made || made.error().code != ErrorCode::kNotSupported) break;
    }
    HEAPWRIGHT_ASSIGN(own_dynamic_space_, std::move(made));
    dynamic_space_.store(own_dynamic_space_.get(), std::memory_order_release);
    return own_dynamic_space_.get();
}

Result<std::unique_ptr<GPUDescriptorHeap>> RenderDevice::make_visible(DescriptorHeapKind kind,
                                                                      const model::VisibleHeapPolicy& policy) {
    std::uint64_t capacity = policy.capacity.value;
    std::uint64_t dynamic = policy.dynamic_capacity.value;
    if (kind == DescriptorHeapKind::kCbvSrvUav && options_.visible_capacity != 0) {
        capacity = options_.visible_capacity;
        dynamic = std::min(dynamic, capacity / 2);
    }
    // A smaller heap would run full where the policy promises room: nothing is cut.
    if (const auto limit = device_.descriptors()->stated_limit(kind, true); limit && capacity > *limit) {
        const bool samplers = kind == DescriptorHeapKind::kSampler;
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("{} shader-visible {} descriptors are planned, one heap of the device may "
                                            "hold {}",
                                            capacity, samplers ? "sampler" : "CBV_SRV_UAV", *limit),
                     .where = samplers ? "/descriptors/samplers/capacity" : "/descriptors/resources/capacity",
                     .value = capacity,
                     .limit = *limit});
    }
    VisibleHeapLayout layout{.kind = kind,
                             .capacity = clamped(capacity),
                             .dynamic_capacity = clamped(dynamic),
                             .dynamic_chunk = clamped(policy.dynamic_chunk.value),
                             .static_ranges = model::static_suballocator_of(policy),
                             .dynamic_chunks = model::dynamic_suballocator_of(policy)};
    layout.dynamic_chunk = std::min(layout.dynamic_chunk, layout.dynamic_capacity);
    if (options_.make_visible_heap) return options_.make_visible_heap(*device_.descriptors(), frame_clock(), layout);
    return GPUDescriptorHeap::create(*device_.descriptors(), frame_clock(), layout);
}

}  // namespace heapwright::frame
