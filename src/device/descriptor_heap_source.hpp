// Creates descriptor heaps, writes and copies descriptors. Never picks indices.
// Direct3D 12: ID3D12DescriptorHeap. Vulkan: VK_EXT_descriptor_buffer, one large descriptor set, or pooled sets, which
// one and why is in form(); heaps of render target and depth stencil views are tables of VkImageView.
//
// Ownership: a descriptor does not own what it points to. Who writes one keeps the resource until no submitted work
// reads through the descriptor.
// Thread-safety: all calls from any thread; two threads never write one descriptor, or read one that another writes.
// Shader-visible descriptors are written before a list that reads them is recorded, and not again until that list is
// done (the caller's promise; a replayed device reports it).
// Sources: "Managing Descriptor Heaps" (Diligent Engine); Direct3D 12 specification, resource binding; Vulkan
// specification, VK_EXT_descriptor_buffer, descriptor indexing.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "device/resource_binder.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

// D3D12_DESCRIPTOR_HEAP_TYPE. Only the first two can be shader-visible.
enum class DescriptorHeapKind : std::uint8_t { kCbvSrvUav, kSampler, kRtv, kDsv };

struct DescriptorHeapId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(DescriptorHeapId, DescriptorHeapId) = default;
};

struct DescriptorHeapRequest {
    DescriptorHeapKind kind = DescriptorHeapKind::kCbvSrvUav;
    std::uint32_t capacity = 0;
    bool shader_visible = false;
    // The device is asked although stated_limit() says less, to find out what it enforces; of no use for anything else.
    // An API that forbids even to ask (Vulkan's limits are of valid usage) refuses with kOutOfRange all the same.
    bool beyond_stated_limit = false;
};

// The addresses that the API gives: descriptor i lies at start + i * increment. Where the API has no addresses (a
// descriptor set, a table of views) start is 0 and the increment is 1: handles are then indices.
struct DescriptorHeapAddresses {
    std::uint64_t cpu_start = 0;
    std::optional<std::uint64_t> gpu_start;  // empty: not shader-visible
    std::uint64_t increment_bytes = 1;
};

// Offsets and sizes in bytes. Multiples of 256 suit every device; less where it states less (Vulkan:
// min*BufferOffsetAlignment; Direct3D 12: 256 for a constant buffer's offset and size, 16 for other offsets, sizes of
// 4).
struct ConstantBufferView {
    ResourceId buffer;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

// Raw buffers: 32-bit words (ByteAddressBuffer, a storage buffer).
struct BufferView {
    ResourceId buffer;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    bool writable = false;  // UAV, else SRV
};

// Two-dimensional color images in their own format, mip 0 of one layer.
struct ImageView {
    ResourceId image;
    std::uint32_t mip_level = 0;
    std::uint32_t array_layer = 0;
    bool writable = false;  // UAV, else SRV
};

struct RenderTargetView {
    ResourceId image;
    std::uint32_t mip_level = 0;
    std::uint32_t array_layer = 0;
};

struct DepthStencilView {
    ResourceId image;
    std::uint32_t mip_level = 0;
    std::uint32_t array_layer = 0;
};

enum class AddressMode : std::uint8_t { kRepeat, kMirroredRepeat, kClampToEdge, kClampToBorder };
enum class FilterMode : std::uint8_t { kNearest, kLinear };

struct SamplerDescription {
    FilterMode filter = FilterMode::kNearest;
    AddressMode address_u = AddressMode::kRepeat;
    AddressMode address_v = AddressMode::kRepeat;
    std::uint32_t max_anisotropy = 1;  // 1: off
    float min_lod = 0.0f;
    float max_lod = 0.0f;
    float lod_bias = 0.0f;

    friend bool operator==(const SamplerDescription&, const SamplerDescription&) = default;
};

using Descriptor =
    std::variant<ConstantBufferView, BufferView, ImageView, RenderTargetView, DepthStencilView, SamplerDescription>;

// How the backend keeps shader-visible descriptors.
enum class DescriptorForm : std::uint8_t {
    kDescriptorHeap,      // ID3D12DescriptorHeap
    kDescriptorBuffer,    // VK_EXT_descriptor_buffer
    kUpdateAfterBindSet,  // one large set, update-after-bind for every type that is used
    kLargeSet,            // one large set; written only while no submitted work uses it
    kPooledSets,          // a set for each table, from pools
    kShadow,              // a replayed device
};

struct DescriptorFormChoice {
    DescriptorForm form = DescriptorForm::kShadow;
    std::string reason;  // with the limits that decided, and why each better form was not taken
};

class DescriptorHeapSource {
public:
    virtual ~DescriptorHeapSource() = default;

    [[nodiscard]] virtual const DescriptorFormChoice& form() const = 0;

    // The most descriptors that one heap of this kind may hold by the API's specification and by what the device
    // states; a driver may take more. Empty: the API states none.
    [[nodiscard]] virtual std::optional<std::uint64_t> stated_limit(DescriptorHeapKind kind,
                                                                    bool shader_visible) const = 0;

    // Errors: kInvalidArgument (capacity 0; shader-visible RTV or DSV), kOutOfRange (above the stated limit, with both
    // figures: the device was not asked), the device's own where it was asked beyond it, kOutOfDeviceMemory,
    // kOutOfHostMemory, kDeviceLost. Nothing is kept on an error.
    [[nodiscard]] virtual Result<DescriptorHeapId> create(const DescriptorHeapRequest& request) = 0;

    // No submitted work reads it.
    virtual void destroy(DescriptorHeapId heap) = 0;

    [[nodiscard]] virtual DescriptorHeapAddresses addresses(DescriptorHeapId heap) const = 0;

    // Errors: kInvalidArgument (a descriptor of another kind, an index beyond the capacity), kTooManyObjects (the
    // device's limit on samplers, with the figure that it was reached at), kOutOfDeviceMemory.
    [[nodiscard]] virtual Status write(DescriptorHeapId heap, std::uint32_t index, const Descriptor& descriptor) = 0;

    // From a heap that is not shader-visible into any heap of the same kind; ranges do not overlap. Descriptors that
    // were never written are copied as such.
    [[nodiscard]] virtual Status copy(DescriptorHeapId destination, std::uint32_t destination_index,
                                      DescriptorHeapId source, std::uint32_t source_index, std::uint32_t count) = 0;

    // Nothing reads the descriptors before they are written again. A hint: a backend that keeps objects of the API for
    // them (Vulkan's samplers, which are limited, and image views) lets those go now instead of at the next write.
    virtual void forget(DescriptorHeapId, std::uint32_t /*index*/, std::uint32_t /*count*/) {}

    // Creates what holds four shader-visible descriptors of buffers and destroys it, `times` over and with nothing else
    // in between, so that what the driver takes can be timed. Direct3D 12: ID3D12DescriptorHeap. Vulkan:
    // VkDescriptorPool with one set. Errors: the API's; nothing is left then.
    [[nodiscard]] virtual Status create_and_destroy(std::uint32_t times) {
        for (std::uint32_t i = 0; i < times; ++i) {
            HEAPWRIGHT_ASSIGN(const DescriptorHeapId created, create({.capacity = 4, .shader_visible = true}));
            destroy(created);
        }
        return {};
    }
};

}  // namespace heapwright::device
