#include "d3d12/work_recorder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/resource_description.hpp"
#include "d3d12/returned_structures.hpp"
#include "device/image_planes.hpp"
#include "device/work_check.hpp"

namespace heapwright::d3d12 {
namespace {

constexpr std::uint64_t kPatternBytes = 64 << 10;
constexpr std::uint64_t kClearBandBytes = 1 << 20;

bool is_write(D3D12_RESOURCE_STATES state) {
    return state == D3D12_RESOURCE_STATE_COPY_DEST || state == D3D12_RESOURCE_STATE_RENDER_TARGET ||
           state == D3D12_RESOURCE_STATE_DEPTH_WRITE || state == D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
}

bool has_view(const model::ImageDescription& image) {
    constexpr model::Flags kTargets =
        model::image_usage::kColorAttachment | model::image_usage::kDepthStencilAttachment;
    return (image.usage & kTargets) != 0;
}

D3D12_TEXTURE_COPY_LOCATION texture_location(ID3D12Resource* texture, std::uint32_t subresource) {
    D3D12_TEXTURE_COPY_LOCATION location{};
    location.pResource = texture;
    location.Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX;
    location.SubresourceIndex = subresource;
    return location;
}

std::uint64_t pitch_of(const PlaneLayout& plane) {
    return align_up(plane.row_bytes, D3D12_TEXTURE_DATA_PITCH_ALIGNMENT);
}

// Bytes of a plane at the pitch of texture copies.
std::uint64_t pitched_bytes(const PlaneLayout& plane) {
    return pitch_of(plane) * plane.rows * plane.slices;
}

bool fits_directly(const PlaneLayout& plane, std::uint64_t offset_bytes) {
    return plane.row_bytes % D3D12_TEXTURE_DATA_PITCH_ALIGNMENT == 0 &&
           offset_bytes % D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT == 0;
}

Status stencil_refused() {
    return fail(ErrorCode::kNotSupported, "the runtime copies no stencil planes");
}

Status check_no_stencil(const device::Work& work) {
    return std::visit(
        [](const auto& item) {
            if constexpr (requires { item.subresource.stencil_aspect; }) {
                if (item.subresource.stencil_aspect) return stencil_refused();
            }
            return Status{};
        },
        work);
}

// `rows` blocks of one mip level in a buffer. A footprint's extent is in whole blocks.
D3D12_TEXTURE_COPY_LOCATION buffer_location(ID3D12Resource* buffer, std::uint64_t offset_bytes,
                                            const model::ImageDescription& image, std::uint32_t mip_level, bool stencil,
                                            std::uint32_t rows) {
    const model::FormatInfo& format = model::info(image.format);
    const Extent extent = mip_extent(image, mip_level);
    const PlaneLayout plane = plane_layout(image, mip_level, stencil);
    D3D12_TEXTURE_COPY_LOCATION location{};
    location.pResource = buffer;
    location.Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT;
    location.PlacedFootprint.Offset = offset_bytes;
    location.PlacedFootprint.Footprint.Format = footprint_format(image.format, stencil);
    location.PlacedFootprint.Footprint.Width = static_cast<UINT>(align_up(extent.width, format.block_width));
    location.PlacedFootprint.Footprint.Height = rows * format.block_height;
    location.PlacedFootprint.Footprint.Depth = extent.depth;
    location.PlacedFootprint.Footprint.RowPitch = static_cast<UINT>(pitch_of(plane));
    return location;
}

}  // namespace

Status WorkRecorder::record(std::span<const device::Work> work) {
    const device::FindDescription find = [this](device::ResourceId id) -> const model::ResourceDescription* {
        const Resource* resource = resources_.find(id);
        return resource == nullptr ? nullptr : &resource->description;
    };
    for (std::size_t i = 0; i < work.size(); ++i) {
        Status done = device::check_work(work[i], engine_, find);
        if (done && !resources_.copies_stencil()) done = check_no_stencil(work[i]);
        if (done) done = std::visit(*this, work[i]);
        if (!done) {
            Error error = std::move(done.error());
            // A call of the API that failed keeps its name.
            error.where =
                error.native_code ? fmt::format("work item {}: {}", i, error.where) : fmt::format("work item {}", i);
            return fail(std::move(error));
        }
    }
    return_to_common();
    return {};
}

void WorkRecorder::transition(ID3D12Resource* resource, D3D12_RESOURCE_STATES from, D3D12_RESOURCE_STATES to) {
    D3D12_RESOURCE_BARRIER barrier{};
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
    barrier.Transition.pResource = resource;
    barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    barrier.Transition.StateBefore = from;
    barrier.Transition.StateAfter = to;
    leave_call("ID3D12GraphicsCommandList::ResourceBarrier");
    list_->ResourceBarrier(1, &barrier);
}

void WorkRecorder::use(device::ResourceId id, D3D12_RESOURCE_STATES state, Range range) {
    Resource& resource = *resources_.find(id);
    const bool is_fresh = std::atomic_ref(resource.is_fresh).load(std::memory_order_relaxed);
    if (is_fresh && std::find(freshly_used_.begin(), freshly_used_.end(), id) == freshly_used_.end()) {
        freshly_used_.push_back(id);
        D3D12_RESOURCE_BARRIER barrier{};
        barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_ALIASING;
        barrier.Aliasing.pResourceAfter = resource.handle.get();
        leave_call("ID3D12GraphicsCommandList::ResourceBarrier");
        list_->ResourceBarrier(1, &barrier);
    }
    use(resource.handle.get(), state, range);
}

void WorkRecorder::use(ID3D12Resource* resource, D3D12_RESOURCE_STATES state, Range range) {
    Tracked& tracked = tracked_[resource];
    if (tracked.state != state) {
        transition(resource, tracked.state, state);
        tracked.written.clear();
        tracked.state = state;
    } else if (std::any_of(tracked.written.begin(), tracked.written.end(), [&range](const Range& written) {
                   return written.begin < range.end && range.begin < written.end;
               })) {
        transition(resource, state, D3D12_RESOURCE_STATE_COMMON);
        transition(resource, D3D12_RESOURCE_STATE_COMMON, state);
        tracked.written.clear();
    }
    if (!is_write(state)) return;
    // Neighbours become one range, so that a buffer written piece by piece stays one comparison.
    if (!tracked.written.empty() && tracked.written.back().end == range.begin) {
        tracked.written.back().end = range.end;
    } else {
        tracked.written.push_back(range);
    }
}

void WorkRecorder::return_to_common() {
    std::vector<D3D12_RESOURCE_BARRIER> barriers;
    for (const auto& [resource, tracked] : tracked_) {
        if (tracked.state == D3D12_RESOURCE_STATE_COMMON) continue;
        D3D12_RESOURCE_BARRIER barrier{};
        barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
        barrier.Transition.pResource = resource;
        barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
        barrier.Transition.StateBefore = tracked.state;
        barrier.Transition.StateAfter = D3D12_RESOURCE_STATE_COMMON;
        barriers.push_back(barrier);
    }
    if (!barriers.empty()) {
        leave_call("ID3D12GraphicsCommandList::ResourceBarrier");
        list_->ResourceBarrier(static_cast<UINT>(barriers.size()), barriers.data());
    }
    tracked_.clear();
}

Result<WorkRecorder::Pattern> WorkRecorder::word_pattern(std::uint32_t value, std::uint64_t size_bytes) {
    const std::uint64_t wanted = std::min(size_bytes, kPatternBytes);
    Pattern& pattern = patterns_[value];
    if (pattern.size_bytes >= wanted) return pattern;
    HEAPWRIGHT_ASSIGN(pattern.range, slot_.upload.take(wanted));
    pattern.size_bytes = wanted;
    for (std::uint64_t offset = 0; offset < wanted; offset += sizeof value) {
        std::memcpy(pattern.range.bytes + offset, &value, sizeof value);
    }
    return pattern;
}

Status WorkRecorder::operator()(const device::FillBuffer& fill) {
    Resource& buffer = *resources_.find(fill.buffer);
    HEAPWRIGHT_ASSIGN(const Pattern pattern, word_pattern(fill.value, fill.size_bytes));
    use(fill.buffer, D3D12_RESOURCE_STATE_COPY_DEST, {fill.offset_bytes, fill.offset_bytes + fill.size_bytes});
    for (std::uint64_t done = 0; done < fill.size_bytes; done += pattern.size_bytes) {
        leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
        list_->CopyBufferRegion(buffer.handle.get(), fill.offset_bytes + done, pattern.range.buffer,
                                pattern.range.offset_bytes, std::min(pattern.size_bytes, fill.size_bytes - done));
    }
    return {};
}

Status WorkRecorder::operator()(const device::CopyBuffer& copy) {
    Resource& source = *resources_.find(copy.source);
    Resource& destination = *resources_.find(copy.destination);
    const Range from{copy.source_offset_bytes, copy.source_offset_bytes + copy.size_bytes};
    const Range to{copy.destination_offset_bytes, copy.destination_offset_bytes + copy.size_bytes};
    use(copy.source, D3D12_RESOURCE_STATE_COPY_SOURCE, from);
    if (&source != &destination) {
        use(copy.destination, D3D12_RESOURCE_STATE_COPY_DEST, to);
        leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
        list_->CopyBufferRegion(destination.handle.get(), to.begin, source.handle.get(), from.begin, copy.size_bytes);
        return {};
    }
    // One resource is not in both states at a time.
    HEAPWRIGHT_ASSIGN(const ScratchRange between, slot_.device_only.take(copy.size_bytes));
    const Range middle{between.offset_bytes, between.offset_bytes + copy.size_bytes};
    use(between.buffer, D3D12_RESOURCE_STATE_COPY_DEST, middle);
    leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
    list_->CopyBufferRegion(between.buffer, middle.begin, source.handle.get(), from.begin, copy.size_bytes);
    use(between.buffer, D3D12_RESOURCE_STATE_COPY_SOURCE, middle);
    use(copy.destination, D3D12_RESOURCE_STATE_COPY_DEST, to);
    leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
    list_->CopyBufferRegion(destination.handle.get(), to.begin, between.buffer, middle.begin, copy.size_bytes);
    return {};
}

Status WorkRecorder::operator()(const device::ClearImage& clear) {
    Resource& image = *resources_.find(clear.image);
    const model::ImageDescription& description = image_of(image);
    // A view takes floats, which do not hold every 32-bit integer.
    const bool exact = description.format != model::Format::kR32Uint;
    const bool view = has_view(description) && engine_ == device::EngineKind::kGraphics && exact;
    if (view) return clear_by_view(image, clear);
    if (description.samples > 1) {
        return fail(ErrorCode::kNotSupported, "a multisampled image is cleared by a view of a graphics queue alone");
    }
    return clear_by_copy(image, clear);
}

void WorkRecorder::clear_level(const Resource& image, const device::ClearImage& clear, std::uint32_t mip_level) {
    const model::ImageDescription& description = image_of(image);
    const model::FormatInfo& format = model::info(description.format);
    const bool multisampled = description.samples > 1;
    const bool volume = description.dimension == model::ImageDimension::k3d;
    Com<ID3D12Device> device;
    leave_call("ID3D12DeviceChild::GetDevice");
    if (FAILED(image.handle->GetDevice(IID_ID3D12Device, device.out()))) return;
    D3D12_CPU_DESCRIPTOR_HANDLE view{};
    if (format.is_depth_stencil()) {
        D3D12_DEPTH_STENCIL_VIEW_DESC desc{};
        desc.Format = view_format(description.format);
        if (multisampled) {
            desc.ViewDimension = D3D12_DSV_DIMENSION_TEXTURE2DMSARRAY;
            desc.Texture2DMSArray.ArraySize = description.array_layers;
        } else {
            desc.ViewDimension = D3D12_DSV_DIMENSION_TEXTURE2DARRAY;
            desc.Texture2DArray.MipSlice = mip_level;
            desc.Texture2DArray.ArraySize = description.array_layers;
        }
        view = first_cpu_handle(slot_.depth_view.get());
        leave_call("ID3D12Device::CreateDepthStencilView");
        device->CreateDepthStencilView(image.handle.get(), &desc, view);
        float depth = 0;
        std::memcpy(&depth, &clear.value[0], sizeof depth);
        const D3D12_CLEAR_FLAGS flags =
            format.has_stencil ? D3D12_CLEAR_FLAG_DEPTH | D3D12_CLEAR_FLAG_STENCIL : D3D12_CLEAR_FLAG_DEPTH;
        leave_call("ID3D12GraphicsCommandList::ClearDepthStencilView");
        list_->ClearDepthStencilView(view, flags, depth, static_cast<UINT8>(clear.value[1]), 0, nullptr);
        return;
    }
    D3D12_RENDER_TARGET_VIEW_DESC desc{};
    desc.Format = view_format(description.format);
    if (volume) {
        desc.ViewDimension = D3D12_RTV_DIMENSION_TEXTURE3D;
        desc.Texture3D.MipSlice = mip_level;
        desc.Texture3D.WSize = mip_extent(description, mip_level).depth;
    } else if (multisampled) {
        desc.ViewDimension = D3D12_RTV_DIMENSION_TEXTURE2DMSARRAY;
        desc.Texture2DMSArray.ArraySize = description.array_layers;
    } else {
        desc.ViewDimension = D3D12_RTV_DIMENSION_TEXTURE2DARRAY;
        desc.Texture2DArray.MipSlice = mip_level;
        desc.Texture2DArray.ArraySize = description.array_layers;
    }
    view = first_cpu_handle(slot_.target_view.get());
    leave_call("ID3D12Device::CreateRenderTargetView");
    device->CreateRenderTargetView(image.handle.get(), &desc, view);
    float colour[4] = {};
    std::memcpy(colour, clear.value.data(), sizeof colour);
    leave_call("ID3D12GraphicsCommandList::ClearRenderTargetView");
    list_->ClearRenderTargetView(view, colour, 0, nullptr);
}

Status WorkRecorder::clear_by_view(Resource& image, const device::ClearImage& clear) {
    const model::ImageDescription& description = image_of(image);
    const bool depth = model::info(description.format).is_depth_stencil();
    use(clear.image, depth ? D3D12_RESOURCE_STATE_DEPTH_WRITE : D3D12_RESOURCE_STATE_RENDER_TARGET, {});
    for (std::uint32_t mip = 0; mip < description.mip_levels; ++mip) clear_level(image, clear, mip);
    return {};
}

Status WorkRecorder::clear_by_copy(Resource& image, const device::ClearImage& clear) {
    const model::ImageDescription& description = image_of(image);
    const model::FormatInfo& format = model::info(description.format);
    use(clear.image, D3D12_RESOURCE_STATE_COPY_DEST, {});
    for (const bool stencil : {false, true}) {
        if (stencil && !format.has_stencil) continue;
        if (stencil && !resources_.copies_stencil()) return stencil_refused();
        const auto texel = device::clear_texel(description.format, clear.value, stencil);
        if (!texel) return fail(ErrorCode::kNotSupported, fmt::format("a {} image cannot be cleared", format.name));
        const PlaneLayout top = plane_layout(description, 0, stencil);
        const std::uint64_t texel_bytes = top.row_bytes / mip_extent(description, 0).width;
        // One band of rows of the largest level, written once and copied as often as it takes.
        const auto band_rows =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kClearBandBytes / pitch_of(top), 1, top.rows));
        HEAPWRIGHT_ASSIGN(const ScratchRange band, slot_.upload.take(pitch_of(top) * band_rows));
        for (std::uint64_t at = 0; at + texel_bytes <= pitch_of(top); at += texel_bytes) {
            std::memcpy(band.bytes + at, texel->bytes.data(), std::min<std::uint64_t>(texel->size, texel_bytes));
        }
        for (std::uint32_t row = 1; row < band_rows; ++row) {
            std::memcpy(band.bytes + row * pitch_of(top), band.bytes, pitch_of(top));
        }
        for (std::uint32_t layer = 0; layer < description.array_layers; ++layer) {
            for (std::uint32_t mip = 0; mip < description.mip_levels; ++mip) {
                const Extent extent = mip_extent(description, mip);
                const PlaneLayout plane = plane_layout(description, mip, stencil);
                const auto destination =
                    texture_location(image.handle.get(), subresource_index(description, mip, layer, stencil));
                // The rows of a smaller level stand at its own pitch in the same bytes: every texel is equal.
                for (std::uint32_t slice = 0; slice < extent.depth; ++slice) {
                    for (std::uint32_t row = 0; row < plane.rows; row += band_rows) {
                        const std::uint32_t rows = std::min(band_rows, plane.rows - row);
                        auto source = buffer_location(band.buffer, band.offset_bytes, description, mip, stencil, rows);
                        source.PlacedFootprint.Footprint.Depth = 1;
                        leave_call("ID3D12GraphicsCommandList::CopyTextureRegion");
                        list_->CopyTextureRegion(&destination, 0, row, slice, &source, nullptr);
                    }
                }
            }
        }
    }
    return {};
}

Status WorkRecorder::operator()(const device::CopyBufferToImage& copy) {
    Resource& buffer = *resources_.find(copy.buffer);
    Resource& image = *resources_.find(copy.image);
    const model::ImageDescription& description = image_of(image);
    const auto& [mip, layer, stencil] = copy.subresource;
    PlaneLayout plane = plane_layout(description, mip, stencil);
    if (copy.rows.count != 0) plane.rows = copy.rows.count;
    use(copy.buffer, D3D12_RESOURCE_STATE_COPY_SOURCE,
        {copy.buffer_offset_bytes, copy.buffer_offset_bytes + plane.packed_bytes()});

    ID3D12Resource* source = buffer.handle.get();
    std::uint64_t offset = copy.buffer_offset_bytes;
    if (!fits_directly(plane, offset)) {
        HEAPWRIGHT_ASSIGN(const ScratchRange pitched, slot_.device_only.take(pitched_bytes(plane)));
        const Range range{pitched.offset_bytes, pitched.offset_bytes + pitched_bytes(plane)};
        use(pitched.buffer, D3D12_RESOURCE_STATE_COPY_DEST, range);
        for (std::uint32_t row = 0; row < plane.rows * plane.slices; ++row) {
            leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
            list_->CopyBufferRegion(pitched.buffer, pitched.offset_bytes + row * pitch_of(plane), source,
                                    offset + row * plane.row_bytes, plane.row_bytes);
        }
        use(pitched.buffer, D3D12_RESOURCE_STATE_COPY_SOURCE, range);
        source = pitched.buffer;
        offset = pitched.offset_bytes;
    }
    const std::uint32_t subresource = subresource_index(description, mip, layer, stencil);
    use(copy.image, D3D12_RESOURCE_STATE_COPY_DEST, {subresource, subresource + 1});
    const auto from = buffer_location(source, offset, description, mip, stencil, plane.rows);
    const auto to = texture_location(image.handle.get(), subresource);
    leave_call("ID3D12GraphicsCommandList::CopyTextureRegion");
    list_->CopyTextureRegion(&to, 0, copy.rows.first * model::info(description.format).block_height, 0, &from, nullptr);
    return {};
}

Status WorkRecorder::operator()(const device::CopyImageToBuffer& copy) {
    Resource& buffer = *resources_.find(copy.buffer);
    Resource& image = *resources_.find(copy.image);
    const model::ImageDescription& description = image_of(image);
    const auto& [mip, layer, stencil] = copy.subresource;
    const PlaneLayout plane = plane_layout(description, mip, stencil);
    const std::uint32_t subresource = subresource_index(description, mip, layer, stencil);
    const Range packed{copy.buffer_offset_bytes, copy.buffer_offset_bytes + plane.packed_bytes()};
    use(copy.image, D3D12_RESOURCE_STATE_COPY_SOURCE, {subresource, subresource + 1});
    const auto from = texture_location(image.handle.get(), subresource);
    if (fits_directly(plane, packed.begin)) {
        use(copy.buffer, D3D12_RESOURCE_STATE_COPY_DEST, packed);
        const auto to = buffer_location(buffer.handle.get(), packed.begin, description, mip, stencil, plane.rows);
        leave_call("ID3D12GraphicsCommandList::CopyTextureRegion");
        list_->CopyTextureRegion(&to, 0, 0, 0, &from, nullptr);
        return {};
    }
    HEAPWRIGHT_ASSIGN(const ScratchRange pitched, slot_.device_only.take(pitched_bytes(plane)));
    const Range range{pitched.offset_bytes, pitched.offset_bytes + pitched_bytes(plane)};
    use(pitched.buffer, D3D12_RESOURCE_STATE_COPY_DEST, range);
    const auto to = buffer_location(pitched.buffer, pitched.offset_bytes, description, mip, stencil, plane.rows);
    leave_call("ID3D12GraphicsCommandList::CopyTextureRegion");
    list_->CopyTextureRegion(&to, 0, 0, 0, &from, nullptr);
    use(pitched.buffer, D3D12_RESOURCE_STATE_COPY_SOURCE, range);
    use(copy.buffer, D3D12_RESOURCE_STATE_COPY_DEST, packed);
    for (std::uint32_t row = 0; row < plane.rows * plane.slices; ++row) {
        leave_call("ID3D12GraphicsCommandList::CopyBufferRegion");
        list_->CopyBufferRegion(buffer.handle.get(), packed.begin + row * plane.row_bytes, pitched.buffer,
                                pitched.offset_bytes + row * pitch_of(plane), plane.row_bytes);
    }
    return {};
}

Status WorkRecorder::operator()(const device::CopyImage& copy) {
    Resource& source = *resources_.find(copy.source);
    Resource& destination = *resources_.find(copy.destination);
    use(copy.source, D3D12_RESOURCE_STATE_COPY_SOURCE, {});
    use(copy.destination, D3D12_RESOURCE_STATE_COPY_DEST, {});
    leave_call("ID3D12GraphicsCommandList::CopyResource");
    list_->CopyResource(destination.handle.get(), source.handle.get());
    return {};
}

}  // namespace heapwright::d3d12
