// What every backend asks of descriptors before it touches the API: heap requests, ranges, kinds, and whether a table
// holds what its program reads. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

enum class DescriptorType : std::uint8_t {
    kNever,  // written
    kConstantBuffer,
    kReadBuffer,
    kWrittenBuffer,
    kReadImage,
    kWrittenImage,
    kRenderTarget,
    kDepthStencil,
    kSampler,
};

// "a constant buffer", ...
[[nodiscard]] const char* name_of(DescriptorType type);

[[nodiscard]] constexpr bool can_be_shader_visible(DescriptorHeapKind kind) {
    return kind == DescriptorHeapKind::kCbvSrvUav || kind == DescriptorHeapKind::kSampler;
}

// Of the heaps that the descriptor belongs into.
[[nodiscard]] DescriptorHeapKind kind_of(const Descriptor& descriptor);

[[nodiscard]] tl::unexpected<Error> refused(ErrorCode code, std::string message, std::uint64_t value,
                                            std::uint64_t limit);

// Errors: DescriptorHeapSource::create()'s kInvalidArgument and kOutOfRange.
[[nodiscard]] Status check_heap_request(const DescriptorHeapRequest& request, std::optional<std::uint64_t> limit);

// `count` descriptors from `first` on are inside the heap; kInvalidArgument.
[[nodiscard]] Status check_range(const DescriptorHeapRequest& heap, std::uint32_t first, std::uint32_t count);

// The descriptor belongs into the heap; kInvalidArgument.
[[nodiscard]] Status check_kind(const DescriptorHeapRequest& heap, const Descriptor& descriptor);

// One kind, and not from a shader-visible heap; kInvalidArgument.
[[nodiscard]] Status check_copy(const DescriptorHeapRequest& from, const DescriptorHeapRequest& to);

// A heap as check_dispatch() sees it: null `request` when it is not live.
struct DescriptorTable {
    const DescriptorHeapRequest* request = nullptr;
    std::function<DescriptorType(std::uint32_t index)> type_at;
};

// The tables and the sampler are inside live shader-visible heaps of their kinds and hold what the program reads; a
// sampler heap is given just when the program has no static sampler. `samplers` is looked at when one is given.
// Errors: kInvalidArgument.
[[nodiscard]] Status check_dispatch(const DispatchTables& dispatch, bool static_sampler,
                                    const DescriptorTable& resources, const DescriptorTable& samplers);

}  // namespace heapwright::device
