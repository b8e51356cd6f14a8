// The allocators that bench_pool_device compares, on one VkDevice: VMA and the pool on an engine's device, by its C++
// and its C interface. Each has
//   prepare(description) -> what create() takes; create(prepared) -> Resource; size_of(Resource); held()
//   release(Frame, Resource) and end_frame(Frame, collects), from several threads where each has a Frame of its own
// Resources released are destroyed at the frame's end, as by an engine that waits for it, and each destruction is timed
// into Frame::free_ns; the pool that defers is told the frame instead, and collects by one thread for all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "bench_error.hpp"
#include "heapwright/pool.h"
#include "heapwright/vulkan/device_pool.hpp"
#include "timed_driver.hpp"
#include "vma_on_device.hpp"
#include "vulkan/format_map.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::bench {

using Clock = std::chrono::steady_clock;

inline double ns_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

struct Held {
    std::uint64_t bytes = 0;
    std::uint64_t device_allocations = 0;
};

// The device, and through which functions its allocators call it.
struct BenchDevice {
    const vulkan::OpenDevice& open;
    PFN_vkGetDeviceProcAddr get_proc_addr = nullptr;

    using Prepared = std::variant<VkImageCreateInfo, VkBufferCreateInfo>;
    [[nodiscard]] static Prepared prepare(const model::ResourceDescription& description) {
        if (const auto* image = std::get_if<model::ImageDescription>(&description))
            return vulkan::image_create_info(*image, {});
        return vulkan::buffer_create_info(std::get<model::BufferDescription>(description), {});
    }
};

template <class T>
struct FrameOf {
    std::vector<T> released;
    std::vector<double> free_ns;
};

// Destroys at the frame's end.
template <class Allocator, class Frame>
void destroy_all(Allocator& allocator, Frame& frame) {
    for (auto& resource : frame.released) {
        const auto begin = Clock::now();
        allocator.destroy(resource);
        frame.free_ns.push_back(ns_since(begin));
    }
    frame.released.clear();
}

class Vma {
public:
    using Resource = VmaOnDevice::Resource;
    using Frame = FrameOf<Resource>;

    Vma(const BenchDevice& device, std::uint64_t block_bytes)
        : vma_(require(VmaOnDevice::create(device.open, block_bytes, device.get_proc_addr))) {}

    static auto prepare(const model::ResourceDescription& description) { return BenchDevice::prepare(description); }
    Resource create(const BenchDevice::Prepared& info) {
        return std::visit([&](const auto& one) { return require(vma_.create(one)); }, info);
    }
    static void release(Frame& frame, const Resource& resource) { frame.released.push_back(resource); }
    void end_frame(Frame& frame, bool) { destroy_all(*this, frame); }
    void destroy(const Resource& resource) { vma_.destroy(resource); }
    static std::uint64_t size_of(const Resource& resource) { return resource.size_bytes; }
    [[nodiscard]] Held held() const {
        const VmaOnDevice::Held held = vma_.held();
        return {.bytes = held.bytes, .device_allocations = held.device_allocations};
    }

private:
    VmaOnDevice vma_;
};

inline vulkan::PoolDevice pool_device(const BenchDevice& device) {
    return {.instance = device.open.instance->handle(),
            .physical_device = device.open.physical,
            .device = device.open.handle,
            .get_instance_proc_addr = vkGetInstanceProcAddr,
            .get_device_proc_addr = device.get_proc_addr,
            .api_version = VK_API_VERSION_1_3};
}

// kDefers: frees after a frame's number instead of at its end.
template <bool kDefers>
class Pool {
public:
    struct Resource {
        vulkan::PoolAllocation allocation;
        std::uint64_t size_bytes = 0;
    };
    using Frame = FrameOf<Resource>;

    Pool(const BenchDevice& device, const model::DevicePolicy& policy)
        : pool_(require(vulkan::DevicePool::create(pool_device(device), policy))) {}

    static auto prepare(const model::ResourceDescription& description) { return BenchDevice::prepare(description); }
    Resource create(const BenchDevice::Prepared& info) {
        if (const auto* image = std::get_if<VkImageCreateInfo>(&info))
            return resource_of(require(pool_->create_image(*image)));
        return resource_of(require(pool_->create_buffer(std::get<VkBufferCreateInfo>(info))));
    }
    void release(Frame& frame, const Resource& resource) {
        if (!kDefers) return frame.released.push_back(resource);
        const auto begin = Clock::now();
        require(pool_->free_after(resource.allocation, TimelineValue{frame_.load(std::memory_order_relaxed)}));
        frame.free_ns.push_back(ns_since(begin));
    }
    // One thread collects for all, as in an engine.
    void end_frame(Frame& frame, bool collects) {
        destroy_all(*this, frame);
        if (collects) require(pool_->collect(TimelineValue{frame_.fetch_add(1)}));
    }
    void destroy(const Resource& resource) { require(pool_->free(resource.allocation)); }
    static std::uint64_t size_of(const Resource& resource) { return resource.size_bytes; }
    [[nodiscard]] Held held() const {
        const pool::PoolFigures figures = pool_->figures();
        Held held{.bytes = 0, .device_allocations = figures.device_allocations};
        for (const pool::HeapFigures& heap : figures.heaps) held.bytes += heap.reserved_bytes;
        return held;
    }

private:
    template <class Created>
    static Resource resource_of(const Created& created) {
        return {.allocation = created.allocation, .size_bytes = created.info.size_bytes};
    }

    std::unique_ptr<vulkan::DevicePool> pool_;
    std::atomic<std::uint64_t> frame_{1};
};

class PoolInC {
public:
    struct Resource {
        heapwright_pool_allocation allocation = 0;
        std::uint64_t size_bytes = 0;
    };
    using Frame = FrameOf<Resource>;

    PoolInC(const BenchDevice& device, const std::string& policy_document) {
        const vulkan::PoolDevice own = pool_device(device);
        const heapwright_pool_device given{.struct_size = sizeof(given),
                                           .api_version = own.api_version,
                                           .instance = own.instance,
                                           .physical_device = own.physical_device,
                                           .device = own.device,
                                           .get_instance_proc_addr = own.get_instance_proc_addr,
                                           .get_device_proc_addr = own.get_device_proc_addr,
                                           .created_with = nullptr};
        heapwright_pool_options options{};
        options.struct_size = sizeof(options);
        options.policy_document = policy_document.c_str();
        check(heapwright_pool_create(&given, &options, &pool_, &message_));
    }
    ~PoolInC() { heapwright_pool_destroy(pool_); }
    PoolInC(const PoolInC&) = delete;
    PoolInC& operator=(const PoolInC&) = delete;

    static auto prepare(const model::ResourceDescription& description) { return BenchDevice::prepare(description); }
    Resource create(const BenchDevice::Prepared& info) {
        heapwright_pool_allocation_info placed;
        placed.struct_size = sizeof(placed);
        Resource made;
        heapwright_pool_message message;
        heapwright_pool_status status = HEAPWRIGHT_POOL_OK;
        if (const auto* image = std::get_if<VkImageCreateInfo>(&info)) {
            VkImage created = VK_NULL_HANDLE;
            status = heapwright_pool_create_image(pool_, image, nullptr, &created, &made.allocation, &placed, &message);
        } else {
            VkBuffer created = VK_NULL_HANDLE;
            status = heapwright_pool_create_buffer(pool_, &std::get<VkBufferCreateInfo>(info), nullptr, &created,
                                                   &made.allocation, &placed, &message);
        }
        if (status != HEAPWRIGHT_POOL_OK) give_up(message.text);
        made.size_bytes = placed.size_bytes;
        return made;
    }
    static void release(Frame& frame, const Resource& resource) { frame.released.push_back(resource); }
    void end_frame(Frame& frame, bool collects) {
        destroy_all(*this, frame);
        if (collects) check(heapwright_pool_collect(pool_, frame_.fetch_add(1), &message_));
    }
    void destroy(const Resource& resource) { check(heapwright_pool_free(pool_, resource.allocation, nullptr)); }
    static std::uint64_t size_of(const Resource& resource) { return resource.size_bytes; }
    [[nodiscard]] Held held() const {
        heapwright_pool_figures figures{};
        figures.struct_size = sizeof(figures);
        heapwright_pool_get_figures(pool_, &figures);
        return {.bytes = figures.reserved_bytes, .device_allocations = figures.device_allocations};
    }

private:
    void check(heapwright_pool_status status) const {
        if (status != HEAPWRIGHT_POOL_OK) give_up(message_.text);
    }

    heapwright_pool* pool_ = nullptr;
    heapwright_pool_message message_{};
    std::atomic<std::uint64_t> frame_{1};
};

}  // namespace heapwright::bench
