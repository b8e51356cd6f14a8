// Brings content of any size into buffers and images: initial data, whole mip levels.
//
//   directly  where the host sees the destination and the policy wants such writes (RenderDevice::
//             prefers_direct_writes): no copy, no command
//   as one    where the upload ring can hold it: one range, one copy in the context's list
//   in pieces where it cannot, or has no room: two windows of the upload heap in turn. Each piece is a list of its own,
//             and a window is written again when the list that read it is over, so that no upload takes more than two
//             pages of memory.
//
// An immediate context's images go in submissions of their own however small they are, since an image's first use does.
//
// What such a submission takes: the dynamic descriptors of the immediate context, as flush() does, so that commands
// behind the upload need new ones; and where both windows are in use, a wait on the host until the older one is over.
//
// Guarantees: what follows in the context comes behind the whole upload. On an error some of the pieces may have been
// written.
// Threads: that of the context. Pieces are submitted with flush(), so that only immediate contexts take them.
// Errors: kExhausted from a deferred context whose upload heap has no room for the whole; from an immediate one when
// there is no room for the least piece (kLeastPieceBytes, or one row of texel blocks); the device's.
// Sizes in bytes. Source: "Managing Resource Lifetimes" (Diligent Engine), initial data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "frame/render_device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::frame {

inline constexpr std::uint64_t kLeastPieceBytes = 64 * 1024;

// Where the host finds the bytes of a buffer.
struct MappedBuffer {
    device::AllocationId memory;
    std::uint64_t offset_bytes = 0;  // of the buffer in its device memory
    std::span<std::byte> bytes;      // the whole buffer
};

struct UploadOutcome {
    std::uint64_t direct_bytes = 0;
    std::uint64_t staged_bytes = 0;
    std::uint64_t pieces = 0;  // that were submitted on the way; 0: all that was staged waits in the context
};

// `mapped`, where the host can reach the destination: no submitted or recorded command uses these bytes of it.
[[nodiscard]] Result<UploadOutcome> upload_buffer(RenderDevice& render, DeviceContext& context,
                                                  std::span<const std::byte> bytes, device::ResourceId destination,
                                                  std::uint64_t destination_offset_bytes = 0,
                                                  const MappedBuffer* mapped = nullptr);

// One subresource, tightly packed as CopyBufferToImage takes it. From a deferred context the image has been used
// before. Errors: also kInvalidArgument where `bytes` are not the bytes of the subresource. Depth formats, 3D images
// and contexts of copy queues take no pieces.
[[nodiscard]] Result<UploadOutcome> upload_image(RenderDevice& render, DeviceContext& context,
                                                 std::span<const std::byte> bytes, device::ResourceId image,
                                                 const model::ImageDescription& description,
                                                 const device::ImageSubresource& subresource = {});

}  // namespace heapwright::frame
