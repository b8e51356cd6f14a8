#include "heapwright/frame/dynamic_buffer.hpp"

#include <utility>

namespace heapwright::frame {

Result<std::span<std::byte>> DynamicBuffer::map(DeviceContext& context) {
    HEAPWRIGHT_ASSIGN(range_, context.allocate_dynamic_space(size_bytes_, alignment_bytes_));
    if (!std::exchange(is_mapped_, true)) context.map_begins();
    return range_.bytes;
}

void DynamicBuffer::unmap(DeviceContext& context) {
    if (std::exchange(is_mapped_, false)) context.map_ends();
}

const UploadRange& DynamicBuffer::place(DeviceContext& context) const {
    context.note_dynamic_use(range_);
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
