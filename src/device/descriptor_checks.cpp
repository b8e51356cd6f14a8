#include "device/descriptor_checks.hpp"

#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace heapwright::device {
namespace {

constexpr DescriptorType kStaticTable[kStaticTableSize] = {DescriptorType::kConstantBuffer, DescriptorType::kReadBuffer,
                                                           DescriptorType::kReadImage};
constexpr DescriptorType kDynamicTable[kDynamicTableSize] = {
    DescriptorType::kConstantBuffer, DescriptorType::kReadBuffer, DescriptorType::kWrittenBuffer};
constexpr DescriptorType kSamplerTable[1] = {DescriptorType::kSampler};

Status check_table(const DescriptorTable& table, DescriptorHeapKind kind, std::uint32_t first,
                   std::span<const DescriptorType> types) {
    if (table.request == nullptr || table.request->kind != kind || !table.request->shader_visible) {
        return fail(ErrorCode::kInvalidArgument, "a dispatch names no live shader-visible heap of the kind");
    }
    HEAPWRIGHT_TRY(check_range(*table.request, first, static_cast<std::uint32_t>(types.size())));
    for (std::uint32_t i = 0; i < types.size(); ++i) {
        const DescriptorType found = table.type_at(first + i);
        if (found == types[i]) continue;
        return fail(
            {.code = ErrorCode::kInvalidArgument,
             .message = fmt::format("the program reads {} where the table has {}", name_of(types[i]), name_of(found)),
             .where = {},
             .value = first + i});
    }
    return {};
}

}  // namespace

const char* name_of(DescriptorType type) {
    switch (type) {
        case DescriptorType::kNever: return "a descriptor that was never written";
        case DescriptorType::kConstantBuffer: return "a constant buffer";
        case DescriptorType::kReadBuffer: return "a read-only buffer";
        case DescriptorType::kWrittenBuffer: return "a writable buffer";
        case DescriptorType::kReadImage: return "a read-only image";
        case DescriptorType::kWrittenImage: return "a writable image";
        case DescriptorType::kRenderTarget: return "a render target";
        case DescriptorType::kDepthStencil: return "a depth stencil";
        case DescriptorType::kSampler: return "a sampler";
    }
    return "an unknown descriptor";
}

DescriptorHeapKind kind_of(const Descriptor& descriptor) {
    constexpr DescriptorHeapKind kKinds[] = {DescriptorHeapKind::kCbvSrvUav, DescriptorHeapKind::kCbvSrvUav,
                                             DescriptorHeapKind::kCbvSrvUav, DescriptorHeapKind::kRtv,
                                             DescriptorHeapKind::kDsv,       DescriptorHeapKind::kSampler};
    static_assert(std::size(kKinds) == std::variant_size_v<Descriptor>);
    return kKinds[descriptor.index()];
}

tl::unexpected<Error> refused(ErrorCode code, std::string message, std::uint64_t value, std::uint64_t limit) {
    return fail({.code = code, .message = std::move(message), .where = {}, .value = value, .limit = limit});
}

Status check_heap_request(const DescriptorHeapRequest& request, std::optional<std::uint64_t> limit) {
    if (request.capacity == 0) return fail(ErrorCode::kInvalidArgument, "a descriptor heap of 0 descriptors");
    if (request.shader_visible && !can_be_shader_visible(request.kind)) {
        return fail(ErrorCode::kInvalidArgument, "render target and depth stencil views are never shader-visible");
    }
    if (!limit || request.capacity <= *limit) return {};
    return refused(ErrorCode::kOutOfRange,
                   fmt::format("a heap of {} descriptors; the stated limit is {}", request.capacity, *limit),
                   request.capacity, *limit);
}

Status check_range(const DescriptorHeapRequest& heap, std::uint32_t first, std::uint32_t count) {
    if (first <= heap.capacity && count <= heap.capacity - first) return {};
    return refused(ErrorCode::kInvalidArgument,
                   fmt::format("{} descriptors from {} on end beyond the heap", count, first), first, heap.capacity);
}

Status check_kind(const DescriptorHeapRequest& heap, const Descriptor& descriptor) {
    if (kind_of(descriptor) == heap.kind) return {};
    return fail(ErrorCode::kInvalidArgument, "a descriptor for a heap of another kind");
}

Status check_copy(const DescriptorHeapRequest& from, const DescriptorHeapRequest& to) {
    if (from.kind != to.kind) {
        return fail(ErrorCode::kInvalidArgument, "descriptors are copied between heaps of one kind");
    }
    if (from.shader_visible) {
        return fail(ErrorCode::kInvalidArgument, "descriptors are not copied from a shader-visible heap");
    }
    return {};
}

Status check_dispatch(const DispatchTables& dispatch, bool static_sampler, const DescriptorTable& resources,
                      const DescriptorTable& samplers) {
    if (static_sampler == dispatch.sampler_heap.has_value()) {
        return fail(ErrorCode::kInvalidArgument, static_sampler
                                                     ? "a program with a static sampler is given a sampler heap"
                                                     : "a program without a static sampler is given no sampler heap");
    }
    HEAPWRIGHT_TRY(check_table(resources, DescriptorHeapKind::kCbvSrvUav, dispatch.static_table, kStaticTable));
    HEAPWRIGHT_TRY(check_table(resources, DescriptorHeapKind::kCbvSrvUav, dispatch.dynamic_table, kDynamicTable));
    if (!dispatch.sampler_heap) return {};
    return check_table(samplers, DescriptorHeapKind::kSampler, dispatch.sampler, kSamplerTable);
}

}  // namespace heapwright::device
