// Content larger than the whole upload heap: a buffer and an image reach the device in pieces that pass through two
// windows again and again, and every byte is read back. Content that the host can write where it belongs goes there
// directly, where the policy wants that.
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "frame/content_upload.hpp"
#include "validate/binding_scenario.hpp"
#include "validate/pattern.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastContentFrames = 4;
constexpr std::uint64_t kMostContentFrames = 32;
constexpr std::uint64_t kHeapBytes = 128 * 1024;
constexpr std::uint64_t kContentBytes = 1024 * 1024;
constexpr std::uint32_t kContentSide = 256;
constexpr std::uint64_t kTexelBytes = std::uint64_t{kContentSide} * kContentSide * 4;

model::ImageDescription content_image() {
    model::ImageDescription image = BindingScene::image_description();
    image.width = kContentSide;
    image.height = kContentSide;
    return image;
}

model::BufferDescription plain_buffer(std::uint64_t size_bytes) {
    return {.size_bytes = size_bytes, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
}

class ContentUploads {
public:
    ContentUploads(BindingScene& scene, frame::RenderDevice& render) : scene_(scene), render_(render) {}
    ~ContentUploads() {
        for (const auto& [memory, placement] : placed_) memory->discard(placement);
    }
    ContentUploads(const ContentUploads&) = delete;
    ContentUploads& operator=(const ContentUploads&) = delete;

    Status set_up() {
        HEAPWRIGHT_TRY(make(model::MemoryUse::kDeviceOnly, plain_buffer(kContentBytes), buffer_memory_, buffer_));
        HEAPWRIGHT_TRY(make(model::MemoryUse::kStreaming, plain_buffer(kContentBytes), direct_memory_, direct_));
        HEAPWRIGHT_TRY(make(model::MemoryUse::kDeviceOnly, content_image(), image_memory_, image_));
        return make(model::MemoryUse::kReadback, plain_buffer(2 * kContentBytes + kTexelBytes), back_memory_, back_);
    }

    Status play(std::uint64_t frame) {
        frame::DeviceContext& context = render_.immediate();
        std::vector<std::byte> bytes(kContentBytes);
        std::vector<std::byte> direct(kContentBytes);
        std::vector<std::byte> texels(kTexelBytes);
        const auto fill = [&](std::vector<std::byte>& content) {
            const Pattern pattern{.base = static_cast<std::uint32_t>(scene_.random.next())};
            write_pattern(pattern, content);
            return pattern;
        };
        const Pattern of_buffer = fill(bytes);
        const Pattern of_direct = fill(direct);
        const Pattern of_image = fill(texels);
        HEAPWRIGHT_ASSIGN(const auto pieces, frame::upload_buffer(render_, context, bytes, buffer_.resource));
        HEAPWRIGHT_ASSIGN(const auto rows,
                          frame::upload_image(render_, context, texels, image_.resource, content_image()));
        const frame::MappedBuffer mapped{
            .memory = direct_memory_->allocation(), .offset_bytes = direct_.range.offset_bytes, .bytes = direct_.bytes};
        HEAPWRIGHT_ASSIGN(const auto written, frame::upload_buffer(render_, context, direct, direct_.resource, 0,
                                                                   direct_.bytes.empty() ? nullptr : &mapped));
        if (pieces.pieces < kContentBytes / kHeapBytes || rows.pieces < kTexelBytes / kHeapBytes) {
            scene_.log.add(model::Fault::kInvariant, "content uploads",
                           fmt::format("{} and {} pieces are fewer than an upload heap of {} bytes holds",
                                       pieces.pieces, rows.pieces, kHeapBytes));
        }
        const auto read_back = [&](device::ResourceId source, std::uint64_t offset_bytes) {
            context.record(device::CopyBuffer{.source = source,
                                              .destination = back_.resource,
                                              .source_offset_bytes = 0,
                                              .destination_offset_bytes = offset_bytes,
                                              .size_bytes = kContentBytes});
        };
        read_back(buffer_.resource, 0);
        read_back(direct_.resource, kContentBytes);
        context.record(device::CopyImageToBuffer{.image = image_.resource,
                                                 .buffer = back_.resource,
                                                 .buffer_offset_bytes = 2 * kContentBytes,
                                                 .subresource = {}});
        HEAPWRIGHT_TRY(render_.finish_frame());
        HEAPWRIGHT_TRY(render_.wait_idle());
        HEAPWRIGHT_TRY(compare("a buffer in pieces", of_buffer, 0, kContentBytes, frame));
        HEAPWRIGHT_TRY(compare(written.direct_bytes != 0 ? "a buffer written directly" : "a buffer for streaming",
                               of_direct, kContentBytes, kContentBytes, frame));
        HEAPWRIGHT_TRY(compare("an image in rows", of_image, 2 * kContentBytes, kTexelBytes, frame));
        scene_.figures.limits = fmt::format("{} and {} pieces through an upload heap of {}; {} written {}",
                                            pieces.pieces, rows.pieces, byte_text(kHeapBytes), byte_text(kContentBytes),
                                            written.direct_bytes != 0 ? "directly" : "through it, too");
        return {};
    }

private:
    Status make(model::MemoryUse use, const model::ResourceDescription& description,
                std::unique_ptr<SceneMemory>& memory, ScenePlacement& placement) {
        HEAPWRIGHT_ASSIGN(memory, SceneMemory::create(scene_.device, scene_.policy, use, description, 1));
        HEAPWRIGHT_ASSIGN(placement, memory->place(description));
        placed_.emplace_back(memory.get(), placement);
        return {};
    }

    Status compare(const char* what, const Pattern& pattern, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                   std::uint64_t frame) {
        HEAPWRIGHT_TRY(back_memory_->invalidate(back_, offset_bytes, size_bytes));
        const auto mismatch = compare_pattern(pattern, back_.bytes.subspan(offset_bytes, size_bytes));
        if (mismatch) {
            scene_.log.add(model::Fault::kStaleBytes, what,
                           fmt::format("frame {}: at byte {} stands 0x{:08x} where 0x{:08x} was written", frame,
                                       mismatch->offset_bytes, mismatch->seen, mismatch->expected));
        }
        scene_.figures.bytes_checked += size_bytes;
        return {};
    }

    BindingScene& scene_;
    frame::RenderDevice& render_;
    std::unique_ptr<SceneMemory> buffer_memory_;
    std::unique_ptr<SceneMemory> direct_memory_;
    std::unique_ptr<SceneMemory> image_memory_;
    std::unique_ptr<SceneMemory> back_memory_;
    ScenePlacement buffer_;
    ScenePlacement direct_;
    ScenePlacement image_;
    ScenePlacement back_;
    std::vector<std::pair<SceneMemory*, ScenePlacement>> placed_;
};

}  // namespace

Status play_content_uploads(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    HEAPWRIGHT_TRY(scene.render().finish_frame());  // its own content
    scene.figures.recording_contexts = 1;
    model::DevicePolicy small = scene.policy;
    small.uploads.ring_bytes.value = kHeapBytes;
    small.uploads.page_bytes.value = kHeapBytes / 2;
    frame::RenderDeviceOptions options = scene.render_options();
    options.most_upload_bytes = kHeapBytes;
    HEAPWRIGHT_ASSIGN(const auto render, frame::RenderDevice::create(scene.device, small, options));
    ContentUploads uploads(scene, *render);
    HEAPWRIGHT_TRY(uploads.set_up());
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastContentFrames, kMostContentFrames));
        if (!goes_on) break;
        if (Status played = uploads.play(frame); !played) {
            // Nothing in flight may use what ends now.
            (void)scene.device.submitter().wait_idle();
            return played;
        }
    }
    scene.add_figures(*render);
    scene.note_broken_rules(*render);
    return render->uploads().validate_invariants();
}

}  // namespace heapwright::validate
