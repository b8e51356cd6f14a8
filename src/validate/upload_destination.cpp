#include "validate/upload_destination.hpp"

#include <fmt/format.h>

namespace heapwright::validate {

UploadDestination::~UploadDestination() {
    (void)scene_.device.submitter().wait_idle();  // after a failure copies may still run
    if (to_.range.owner != nullptr) memory_->discard(to_);
    if (back_.range.owner != nullptr) readback_memory_->discard(back_);
}

Status UploadDestination::set_up(std::uint64_t size_bytes) {
    const model::BufferDescription plain{
        .size_bytes = size_bytes, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
    HEAPWRIGHT_ASSIGN(memory_,
                      SceneMemory::create(scene_.device, scene_.policy, model::MemoryUse::kDeviceOnly, plain, 1));
    HEAPWRIGHT_ASSIGN(readback_memory_,
                      SceneMemory::create(scene_.device, scene_.policy, model::MemoryUse::kReadback, plain, 1));
    HEAPWRIGHT_ASSIGN(to_, memory_->place(plain));
    HEAPWRIGHT_ASSIGN(back_, readback_memory_->place(plain));
    return {};
}

device::CopyBuffer UploadDestination::way_back(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    return {.source = to_.resource,
            .destination = back_.resource,
            .source_offset_bytes = offset_bytes,
            .destination_offset_bytes = offset_bytes,
            .size_bytes = size_bytes};
}

void UploadDestination::fill(const frame::UploadRange& range, std::uint64_t offset_bytes,
                             std::vector<SentUpload>& sent) {
    const Pattern pattern{.base = static_cast<std::uint32_t>(scene_.random.next())};
    write_pattern(pattern, range.bytes);
    sent.push_back({.offset_bytes = offset_bytes, .size_bytes = range.bytes.size(), .pattern = pattern});
}

Status UploadDestination::send(frame::DeviceContext& context, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                               std::vector<SentUpload>& sent) {
    HEAPWRIGHT_ASSIGN(const frame::UploadRange range, context.allocate_upload(size_bytes));
    fill(range, offset_bytes, sent);
    context.copy_from_upload(range, to_.resource, offset_bytes);
    context.record(way_back(offset_bytes, size_bytes));
    return {};
}

void UploadDestination::send(const frame::UploadRange& range, std::uint64_t offset_bytes,
                             std::vector<device::Work>& work, std::vector<SentUpload>& sent) {
    fill(range, offset_bytes, sent);
    work.push_back(device::CopyBuffer{.source = range.buffer,
                                      .destination = to_.resource,
                                      .source_offset_bytes = range.offset_bytes,
                                      .destination_offset_bytes = offset_bytes,
                                      .size_bytes = range.bytes.size()});
    work.push_back(way_back(offset_bytes, range.bytes.size()));
}

Status UploadDestination::compare(std::vector<SentUpload>& sent, std::uint64_t frame, std::uint64_t command_list) {
    for (const SentUpload& one : sent) {
        HEAPWRIGHT_TRY(readback_memory_->invalidate(back_, one.offset_bytes, one.size_bytes));
        const auto mismatch = compare_pattern(one.pattern, back_.bytes.subspan(one.offset_bytes, one.size_bytes));
        if (mismatch) {
            scene_.log.add(model::Fault::kStaleBytes, fmt::format("upload of {} bytes", one.size_bytes),
                           fmt::format("frame {}, command list {}: at byte {} of resource {} stands 0x{:08x} where "
                                       "0x{:08x} was written",
                                       frame, command_list, one.offset_bytes + mismatch->offset_bytes,
                                       back_.resource.value, mismatch->seen, mismatch->expected));
        }
        scene_.figures.bytes_checked += one.size_bytes;
    }
    sent.clear();
    return {};
}

}  // namespace heapwright::validate
