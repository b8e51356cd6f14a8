#include "probe/engine_loads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "probe/cost_fit.hpp"

namespace heapwright::probe {
namespace {

namespace usage = model::buffer_usage;

constexpr std::uint32_t kImageSide = 256;
static_assert(std::uint64_t{kImageSide} * kImageSide * 4 == kSlotBytes);
constexpr std::byte kStagingByte{0x5A};
constexpr std::uint64_t kCheckedBytes = 256;
constexpr std::uint32_t kKey = 0x9E37'79B9u;
constexpr std::uint64_t kMostItems = 512;        // of one submission
constexpr std::uint64_t kMostRounds = 1u << 22;  // of one transform

std::uint64_t most_of(LoadKind kind) {
    return kind == LoadKind::kCompute ? kMostRounds : kMostItems;
}

std::vector<device::Work> repeated(const device::Work& work, std::uint64_t times) {
    return std::vector<device::Work>(static_cast<std::size_t>(times), work);
}

// The next of the places of that size in a buffer of `all_bytes`, round and round.
std::uint64_t next_place(std::uint64_t& next_bytes, std::uint64_t size_bytes, std::uint64_t all_bytes) {
    if (next_bytes + size_bytes > all_bytes) next_bytes = 0;
    const std::uint64_t place = next_bytes;
    next_bytes += size_bytes;
    return place;
}

// Copies of the same bytes to one place after the other.
std::vector<device::Work> to_places(device::CopyBuffer copy, std::uint64_t times, std::uint64_t& next_bytes,
                                    std::uint64_t all_bytes) {
    std::vector<device::Work> work;
    for (std::uint64_t i = 0; i < times; ++i) {
        copy.destination_offset_bytes = next_place(next_bytes, copy.size_bytes, all_bytes);
        work.emplace_back(copy);
    }
    return work;
}

}  // namespace

std::string_view work_name(LoadKind kind) {
    switch (kind) {
        case LoadKind::kCompute: return "compute";
        case LoadKind::kUpload:
        case LoadKind::kDownload:
        case LoadKind::kCopyOnDevice: return "copy";
        case LoadKind::kDraw: return "draw";
        case LoadKind::kClear: return "clear";
    }
    return {};
}

Result<EngineLoads> EngineLoads::create(device::Device& device, EngineScratch& scratch, const LoadSizes& sizes) {
    EngineLoads loads;
    loads.sizes_ = sizes;
    loads.sizes_.device_span_bytes = std::max(sizes.device_span_bytes, sizes.device_bytes);
    loads.sizes_.uploaded_span_bytes = std::max(sizes.uploaded_span_bytes, sizes.host_bytes);
    using enum ScratchUse;
    HEAPWRIGHT_ASSIGN(loads.staging_,
                      scratch.buffer(kUpload, std::max(sizes.host_span_bytes, kSlotBytes), usage::kTransferSrc));
    std::memset(loads.staging_.bytes.data(), std::to_integer<int>(kStagingByte), loads.staging_.bytes.size());
    HEAPWRIGHT_TRY(scratch.flush(loads.staging_));
    HEAPWRIGHT_ASSIGN(loads.uploaded_, scratch.buffer(kDevice, loads.sizes_.uploaded_span_bytes,
                                                      usage::kTransferDst | usage::kTransferSrc));
    HEAPWRIGHT_ASSIGN(loads.readback_, scratch.buffer(kReadback, std::max(sizes.host_back_bytes, sizes.host_bytes),
                                                      usage::kTransferDst));
    HEAPWRIGHT_ASSIGN(loads.from_,
                      scratch.buffer(kDevice, sizes.device_bytes, usage::kTransferSrc | usage::kTransferDst));
    HEAPWRIGHT_ASSIGN(loads.to_, scratch.buffer(kDevice, loads.sizes_.device_span_bytes, usage::kTransferDst));
    HEAPWRIGHT_ASSIGN(loads.words_, scratch.buffer(kDevice, kSlotBytes, usage::kStorage));
    HEAPWRIGHT_ASSIGN(loads.ring_,
                      scratch.buffer(kDevice, kSlotBytes * kRingSlots, usage::kStorage | usage::kTransferDst));
    HEAPWRIGHT_TRY(loads.make_render_target(device, scratch));
    return loads;
}

Status EngineLoads::make_render_target(device::Device& device, EngineScratch& scratch) {
    const bool draws = device.submitter().engines().front().kind == device::EngineKind::kGraphics;
    device::DescriptorHeapSource* const descriptors = device.descriptors();
    if (!draws || descriptors == nullptr) {
        no_render_target_ = draws ? "the backend has no render target views" : "the device has no graphics engine";
        return {};
    }
    const model::ImageDescription description{
        .usage = model::image_usage::kColorAttachment | model::image_usage::kTransferDst,
        .width = kImageSide,
        .height = kImageSide};
    HEAPWRIGHT_ASSIGN(image_, scratch.image(description));
    HEAPWRIGHT_ASSIGN(view_, scratch.render_target_view(*descriptors, image_));
    return {};
}

Status EngineLoads::write_all(EngineBench& bench) {
    touch_pages(readback_.bytes);
    std::vector<device::Work> work;
    for (const auto& [buffer, size_bytes] :
         {std::pair(from_.resource, sizes_.device_bytes), std::pair(to_.resource, sizes_.device_span_bytes),
          std::pair(uploaded_.resource, sizes_.uploaded_span_bytes)}) {
        work.emplace_back(
            device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = size_bytes, .value = kKey});
    }
    HEAPWRIGHT_TRY(bench.time_alone({.engine = 0, .work = std::move(work)}));
    return {};
}

Status EngineLoads::check_that_work_runs(EngineBench& bench, EngineScratch& scratch) {
    const std::span<std::byte> arrived = readback_.bytes.first(kCheckedBytes);
    std::memset(arrived.data(), 0, arrived.size());
    HEAPWRIGHT_TRY(scratch.flush(readback_));
    const device::CopyBuffer copy{
        .source = staging_.resource, .destination = readback_.resource, .size_bytes = kCheckedBytes};
    HEAPWRIGHT_TRY(bench.time_alone({.engine = 0, .work = {copy}}));
    HEAPWRIGHT_TRY(scratch.invalidate(readback_));
    if (std::ranges::all_of(arrived, [](std::byte byte) { return byte == kStagingByte; })) return {};
    return fail(ErrorCode::kNotSupported,
                "a copy was submitted and said to be done, but its bytes did not arrive: the device runs no work");
}

std::vector<device::Work> EngineLoads::uploads(device::CopyBuffer copy, std::uint64_t times, Walk to) {
    std::vector<device::Work> work;
    for (std::uint64_t i = 0; i < times; ++i) {
        copy.source_offset_bytes = next_place(next_staged_bytes_, copy.size_bytes, staging_.size_bytes);
        if (to == Walk::kDestinations)
            copy.destination_offset_bytes =
                next_place(next_uploaded_bytes_, copy.size_bytes, sizes_.uploaded_span_bytes);
        work.emplace_back(copy);
    }
    return work;
}

Result<std::vector<device::Work>> EngineLoads::of(LoadKind kind, std::uint64_t amount) {
    amount = std::clamp<std::uint64_t>(amount, 1, most_of(kind));
    switch (kind) {
        case LoadKind::kCompute:
            return repeated(device::TransformBuffer{.source = words_.resource,
                                                    .destination = words_.resource,
                                                    .size_bytes = kSlotBytes,
                                                    .key = kKey,
                                                    .rounds = static_cast<std::uint32_t>(amount)},
                            1);
        case LoadKind::kUpload:
            return uploads(
                {.source = staging_.resource, .destination = uploaded_.resource, .size_bytes = sizes_.host_bytes},
                amount, Walk::kDestinations);
        case LoadKind::kDownload:
            return to_places(
                {.source = uploaded_.resource, .destination = readback_.resource, .size_bytes = sizes_.host_bytes},
                amount, next_read_back_bytes_, readback_.size_bytes);
        case LoadKind::kCopyOnDevice:
            return to_places({.source = from_.resource, .destination = to_.resource, .size_bytes = sizes_.device_bytes},
                             amount, next_copied_bytes_, sizes_.device_span_bytes);
        case LoadKind::kDraw: return draw_from(0, amount);
        case LoadKind::kClear:
            if (!no_render_target_.empty()) return fail(ErrorCode::kNotSupported, no_render_target_);
            return repeated(device::ClearRenderTarget{.heap = view_, .image = image_}, amount);
    }
    return fail(ErrorCode::kInvalidArgument, "no such load");
}

std::uint64_t EngineLoads::bytes_of(LoadKind kind, std::uint64_t amount) const {
    switch (kind) {
        case LoadKind::kUpload:
        case LoadKind::kDownload: return sizes_.host_bytes * amount;
        case LoadKind::kCopyOnDevice: return sizes_.device_bytes * amount;
        case LoadKind::kCompute:
        case LoadKind::kDraw:
        case LoadKind::kClear: return 0;
    }
    return 0;
}

Result<std::uint64_t> EngineLoads::amount_for(EngineBench& bench, std::size_t engine, LoadKind kind,
                                              std::uint64_t target_ns) {
    return bench.calibrate(
        engine, [&](std::uint64_t amount) { return of(kind, amount); }, most_of(kind), target_ns);
}

Result<std::uint64_t> EngineLoads::slot_uploads_for(EngineBench& bench, std::size_t engine, std::uint64_t target_ns) {
    return bench.calibrate(
        engine, [&](std::uint64_t copies) { return upload_into(0, copies); }, kMostItems, target_ns);
}

Result<std::vector<device::Work>> EngineLoads::compute_into(std::uint32_t slot, std::uint64_t rounds) const {
    return repeated(device::TransformBuffer{.source = words_.resource,
                                            .destination = ring_.resource,
                                            .destination_offset_bytes = slot * kSlotBytes,
                                            .size_bytes = kSlotBytes,
                                            .key = kKey,
                                            .rounds = static_cast<std::uint32_t>(rounds)},
                    1);
}

Result<std::vector<device::Work>> EngineLoads::upload_into(std::uint32_t slot, std::uint64_t copies) {
    return uploads({.source = staging_.resource,
                    .destination = ring_.resource,
                    .destination_offset_bytes = slot * kSlotBytes,
                    .size_bytes = kSlotBytes},
                   copies, Walk::kStays);
}

Result<std::vector<device::Work>> EngineLoads::draw_from(std::uint32_t slot, std::uint64_t draws) const {
    if (!no_render_target_.empty()) return fail(ErrorCode::kNotSupported, no_render_target_);
    return repeated(
        device::DrawBuffer{
            .heap = view_, .image = image_, .source = ring_.resource, .source_offset_bytes = slot * kSlotBytes},
        draws);
}

}  // namespace heapwright::probe
