#include "frame/content_upload.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "device/image_planes.hpp"

namespace heapwright::frame {
namespace {

bool is_lack_of_room(const Error& error) {
    switch (error.code) {
        case ErrorCode::kExhausted:
        case ErrorCode::kOverBudget:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kOutOfDeviceMemory: return true;
        default: return false;
    }
}

// A range whose offset is a multiple of `unit_bytes`, which need not be a power of two, and of 4.
Result<UploadRange> take(DeviceContext& context, std::uint64_t size_bytes, std::uint64_t unit_bytes) {
    const std::uint64_t unit = std::lcm(unit_bytes, std::uint64_t{4});
    const bool is_power = suballoc::is_alignment(unit);
    HEAPWRIGHT_ASSIGN(UploadRange range,
                      context.allocate_upload(size_bytes + (is_power ? 0 : unit), is_power ? unit : 4));
    const std::uint64_t lead = is_power ? 0 : (unit - range.offset_bytes % unit) % unit;
    range.offset_bytes += lead;
    range.bytes = range.bytes.subspan(lead, size_bytes);
    return range;
}

// How content is divided, and the command that brings one piece to its place.
struct Division {
    std::uint64_t unit_bytes = 1;         // pieces are multiples of it, but the last
    std::uint64_t offset_unit_bytes = 4;  // of their place in the upload heap
    bool can_divide = true;
};

template <class Record>
class Pieces {
public:
    Pieces(RenderDevice& render, DeviceContext& context, const Division& division, Record& record)
        : render_(render), context_(context), division_(division), record_(record) {}

    // Nothing when all of it went as one.
    Result<std::uint64_t> send(std::span<const std::byte> bytes) {
        const std::uint64_t ring = render_.uploads().ring_bytes();
        const bool may_divide = division_.can_divide && context_.kind() == ContextKind::kImmediate;
        if (bytes.size() <= ring || !may_divide) {
            auto whole = take(context_, bytes.size(), division_.offset_unit_bytes);
            if (whole) {
                HEAPWRIGHT_TRY(put(*whole, bytes, 0));
                return 0;
            }
            if (!may_divide || !is_lack_of_room(whole.error())) return tl::unexpected(std::move(whole.error()));
        }
        HEAPWRIGHT_TRY(take_windows());
        auto sent = send_through_windows(bytes);
        // A copy that was recorded and not submitted reads its window yet.
        if (!sent) context_.upload_windows().clear();
        return sent;
    }

private:
    // The part of a window that whole units fit in, at an offset that suits them; empty where none does.
    [[nodiscard]] UploadRange part_of(const UploadRange& window) const {
        const std::uint64_t unit = std::lcm(division_.offset_unit_bytes, std::uint64_t{4});
        const std::uint64_t lead = (unit - window.offset_bytes % unit) % unit;
        const std::uint64_t room = window.bytes.size() - std::min<std::uint64_t>(lead, window.bytes.size());
        const std::uint64_t size = room / division_.unit_bytes * division_.unit_bytes;
        UploadRange part = window;
        part.offset_bytes += lead;
        part.bytes = size == 0 ? std::span<std::byte>() : window.bytes.subspan(lead, size);
        return part;
    }

    // Those of an earlier upload of the frame serve again.
    Status take_windows() {
        std::vector<DeviceContext::UploadWindow>& windows = context_.upload_windows();
        std::erase_if(windows, [this](const auto& window) { return part_of(window.range).bytes.empty(); });
        const std::uint64_t least = std::max(kLeastPieceBytes, division_.unit_bytes + division_.offset_unit_bytes);
        while (windows.size() < kWindows) {
            for (std::uint64_t size = std::max(render_.uploads().page_bytes(), least);;
                 size = std::max(size / 2, least)) {
                auto range = context_.allocate_upload(size, kWindowAlignmentBytes);
                if (range) {
                    windows.push_back({.range = *range, .readers_end = {}});
                    break;
                }
                if (!is_lack_of_room(range.error())) return tl::unexpected(std::move(range.error()));
                if (size > least) continue;
                // One does, without overlap of writing and copying.
                if (!windows.empty()) return {};
                return tl::unexpected(std::move(range.error()));
            }
        }
        return {};
    }

    Status put(const UploadRange& range, std::span<const std::byte> bytes, std::uint64_t at) {
        std::memcpy(range.bytes.data(), bytes.data(), bytes.size());
        // The context flushes what was allocated since its last submission alone, and not before it is submitted.
        HEAPWRIGHT_TRY(render_.uploads().flush(range));
        return record_(range, at);
    }

    Result<std::uint64_t> send_through_windows(std::span<const std::byte> bytes) {
        const std::size_t queue = context_.queue();
        std::uint64_t pieces = 0;
        for (std::uint64_t at = 0; at < bytes.size(); ++pieces) {
            const std::size_t number = pieces % context_.upload_windows().size();
            const DeviceContext::UploadWindow window = context_.upload_windows()[number];
            HEAPWRIGHT_TRY(render_.fence(queue).wait(window.readers_end, kWaitTimeoutNs));
            UploadRange piece = part_of(window.range);
            piece.bytes = piece.bytes.first(std::min<std::uint64_t>(piece.bytes.size(), bytes.size() - at));
            HEAPWRIGHT_TRY(put(piece, bytes.subspan(at, piece.bytes.size()), at));
            HEAPWRIGHT_TRY(render_.flush(queue));
            context_.upload_windows()[number].readers_end = render_.clock(queue).submitted();
            at += piece.bytes.size();
        }
        return pieces;
    }

    static constexpr std::size_t kWindows = 2;
    static constexpr std::uint64_t kWindowAlignmentBytes = 256;

    RenderDevice& render_;
    DeviceContext& context_;
    const Division& division_;
    Record& record_;
};

}  // namespace

Result<UploadOutcome> upload_buffer(RenderDevice& render, DeviceContext& context, std::span<const std::byte> bytes,
                                    device::ResourceId destination, std::uint64_t destination_offset_bytes,
                                    const MappedBuffer* mapped) {
    if (bytes.empty()) return UploadOutcome{};
    if (mapped != nullptr && render.prefers_direct_writes()) {
        if (destination_offset_bytes > mapped->bytes.size() ||
            bytes.size() > mapped->bytes.size() - destination_offset_bytes) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "an upload ends beyond its buffer",
                              .where = {},
                              .value = destination_offset_bytes,
                              .limit = mapped->bytes.size()});
        }
        std::memcpy(mapped->bytes.data() + destination_offset_bytes, bytes.data(), bytes.size());
        HEAPWRIGHT_TRY(render.device().memory().flush(mapped->memory, mapped->offset_bytes + destination_offset_bytes,
                                                      bytes.size()));
        return UploadOutcome{.direct_bytes = bytes.size()};
    }
    const auto record = [&](const UploadRange& range, std::uint64_t at) {
        context.copy_from_upload(range, destination, destination_offset_bytes + at);
        return Status{};
    };
    const Division division;
    HEAPWRIGHT_ASSIGN(const std::uint64_t pieces, Pieces(render, context, division, record).send(bytes));
    return UploadOutcome{.staged_bytes = bytes.size(), .pieces = pieces};
}

Result<UploadOutcome> upload_image(RenderDevice& render, DeviceContext& context, std::span<const std::byte> bytes,
                                   device::ResourceId image, const model::ImageDescription& description,
                                   const device::ImageSubresource& subresource) {
    const std::uint64_t expected = device::copied_bytes(description, subresource);
    if (expected == 0 || bytes.size() != expected) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the content is not that of the subresource",
                          .where = "upload_image",
                          .value = bytes.size(),
                          .limit = expected});
    }
    const std::uint64_t row_bytes = expected / device::block_rows(description, subresource.mip_level);
    const device::EngineKind engine = render.device().submitter().engines()[render.engine(context.queue()).value].kind;
    const Division division{.unit_bytes = row_bytes,
                            .offset_unit_bytes = model::info(description.format).block_bytes,
                            .can_divide = device::takes_rows(description, subresource.mip_level, engine)};
    std::uint64_t submitted = 0;
    const auto record = [&](const UploadRange& range, std::uint64_t at) {
        device::CopyBufferToImage copy{.buffer = range.buffer,
                                       .image = image,
                                       .buffer_offset_bytes = range.offset_bytes,
                                       .subresource = subresource};
        if (range.bytes.size() != expected) {
            copy.rows = {.first = static_cast<std::uint32_t>(at / row_bytes),
                         .count = static_cast<std::uint32_t>(range.bytes.size() / row_bytes)};
        }
        context.note_dynamic_use(range);
        if (context.kind() == ContextKind::kDeferred) {
            context.record(copy);
            return Status{};
        }
        // The first use of an image is a submission, not a recorded list (CommandRecorder).
        const device::Work work = copy;
        ++submitted;
        return render.submit_now({&work, 1}, context.queue());
    };
    HEAPWRIGHT_TRY(Pieces(render, context, division, record).send(bytes));
    return UploadOutcome{.staged_bytes = bytes.size(), .pieces = submitted};
}

}  // namespace heapwright::frame
