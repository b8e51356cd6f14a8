#include "frame/dynamic_buffer.hpp"

#include <utility>

namespace heapwright::frame {

Result<std::span<std::byte>> DynamicBuffer::map(DeviceContext& context) {
    HEAPWRIGHT_ASSIGN(range_, context.allocate_dynamic_space(size_bytes_, alignment_bytes_));
    unmap();
    mapping_ = context.map_begins();
    mapped_in_ = &context;
    return range_.bytes;
}

void DynamicBuffer::unmap() {
    if (DeviceContext* context = std::exchange(mapped_in_, nullptr)) context->map_ends(mapping_);
}

const UploadRange& DynamicBuffer::place(DeviceContext& context) const {
    context.use_dynamic_space(range_);
    return range_;
}

device::ConstantBufferView DynamicBuffer::constants(DeviceContext& context) const {
    const UploadRange& range = place(context);
    return {.buffer = range.buffer, .offset_bytes = range.offset_bytes, .size_bytes = size_bytes_};
}

device::BufferView DynamicBuffer::words(DeviceContext& context) const {
    const UploadRange& range = place(context);
    return {.buffer = range.buffer, .offset_bytes = range.offset_bytes, .size_bytes = size_bytes_, .writable = false};
}

}  // namespace heapwright::frame
