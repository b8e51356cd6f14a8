// Views of every type are created in the CPU heaps, half of them destroyed in every frame and made again for something
// else. Shader-visible ones are copied into tables and read by a dispatch, or written through; render target and depth
// stencil views clear their image, which is read back. No program here writes an image: its views for writing are made,
// copied and destroyed, and proven by nothing but the validation layers.
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device/image_planes.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

using device::DescriptorHeapKind;
namespace image_usage = model::image_usage;

constexpr std::uint64_t kLeastDescriptorViewsFrames = 12;
constexpr std::uint64_t kMostDescriptorViewsFrames = 48;
constexpr std::uint32_t kViewSets = 96;
constexpr std::uint32_t kTargets = 6;
constexpr std::uint32_t kTargetSide = 16;
constexpr std::uint64_t kTargetBytes = std::uint64_t{kTargetSide} * kTargetSide * 4;

struct ViewSet {
    SceneTables tables;
    frame::DescriptorHeapAllocation constant;
    frame::DescriptorHeapAllocation buffer;
    frame::DescriptorHeapAllocation image;
    device::AddressMode address_u = device::AddressMode::kRepeat;
    frame::DescriptorHeapAllocation sampler;
    frame::DescriptorHeapAllocation written_image;
};

// An image of a kind of attachment, cleared through a view and read back.
class Attachments {
public:
    Attachments(BindingScene& scene, bool is_depth) : scene_(scene), is_depth_(is_depth) {}
    ~Attachments() {
        views_.clear();
        (void)scene_.render().wait_idle();
        for (const ScenePlacement& image : images_) memory_->discard(image);
        if (readback_) readback_memory_->discard(*readback_);
    }
    Attachments(const Attachments&) = delete;
    Attachments& operator=(const Attachments&) = delete;

    Status set_up() {
        const model::ImageDescription image{
            .format = is_depth_ ? model::Format::kD32Sfloat : model::Format::kR8G8B8A8Unorm,
            .usage = image_usage::kSampled | image_usage::kTransferSrc |
                     (is_depth_ ? image_usage::kDepthStencilAttachment : image_usage::kColorAttachment),
            .width = kTargetSide,
            .height = kTargetSide};
        HEAPWRIGHT_ASSIGN(
            memory_, SceneMemory::create(scene_.device, scene_.policy, model::MemoryUse::kDeviceOnly, image, kTargets));
        const model::BufferDescription readback{
            .size_bytes = kTargetBytes * kTargets,
            .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
        HEAPWRIGHT_ASSIGN(readback_memory_,
                          SceneMemory::create(scene_.device, scene_.policy, model::MemoryUse::kReadback, readback, 1));
        HEAPWRIGHT_ASSIGN(readback_, readback_memory_->place(readback));
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            HEAPWRIGHT_ASSIGN(const ScenePlacement placement, memory_->place(image));
            images_.push_back(placement);
        }
        return {};
    }

    // Clears every image with a colour of its own, through views made for this frame, and compares the texels.
    Status play(std::uint64_t frame) {
        std::vector<device::Work> work;
        views_.clear();
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            const auto view = is_depth_ ? device::Descriptor(device::DepthStencilView{.image = images_[i].resource})
                                        : device::Descriptor(device::RenderTargetView{.image = images_[i].resource});
            HEAPWRIGHT_ASSIGN(auto made, scene_.render().create_view(view));
            views_.push_back(std::move(made));
        }
        // Backwards, so that a view's place says nothing about its image.
        for (std::uint32_t i = kTargets; i-- > 0;) {
            const frame::DescriptorHeapAllocation& view = views_[i];
            if (is_depth_) {
                work.push_back(device::ClearDepthStencil{.heap = view.heap(),
                                                         .index = view.first_index(),
                                                         .image = images_[i].resource,
                                                         .depth = depth(frame, i),
                                                         .stencil = 0});
            } else {
                work.push_back(device::ClearRenderTarget{.heap = view.heap(),
                                                         .index = view.first_index(),
                                                         .image = images_[i].resource,
                                                         .value = colour(frame, i)});
            }
        }
        for (std::uint32_t i = 0; i < kTargets; ++i) {
            work.push_back(device::CopyImageToBuffer{.image = images_[i].resource,
                                                     .buffer = readback_->resource,
                                                     .buffer_offset_bytes = i * kTargetBytes,
                                                     .subresource = {}});
        }
        HEAPWRIGHT_TRY(scene_.render().submit_now(work));
        const TimelineValue over{scene_.render().clock().next()};
        HEAPWRIGHT_TRY(scene_.render().fence().wait(over, frame::RenderDevice::kWaitTimeoutNs));
        HEAPWRIGHT_TRY(readback_memory_->invalidate(*readback_, 0, kTargetBytes * kTargets));
        for (std::uint32_t i = 0; i < kTargets; ++i) compare(frame, over.value - 1, i);
        scene_.figures.descriptors_checked += kTargets;
        scene_.figures.bytes_checked += kTargetBytes * kTargets;
        return {};
    }

private:
    static float depth(std::uint64_t frame, std::uint32_t image) {
        return static_cast<float>((frame * kTargets + image) % 64) / 64.0f;
    }
    static std::array<std::uint32_t, 4> colour(std::uint64_t frame, std::uint32_t image) {
        std::array<std::uint32_t, 4> value{};
        for (std::uint32_t channel = 0; channel < 4; ++channel) {
            const auto byte = static_cast<float>((frame * 7 + image * 31 + channel * 57) % 256);
            value[channel] = std::bit_cast<std::uint32_t>(byte / 255.0f);
        }
        return value;
    }

    void compare(std::uint64_t frame, std::uint64_t command_list, std::uint32_t image) {
        const auto format = is_depth_ ? model::Format::kD32Sfloat : model::Format::kR8G8B8A8Unorm;
        const std::array<std::uint32_t, 4> value =
            is_depth_ ? std::array<std::uint32_t, 4>{std::bit_cast<std::uint32_t>(depth(frame, image))}
                      : colour(frame, image);
        const auto texel = device::clear_texel(format, value, false);
        std::uint32_t expected = 0;
        std::memcpy(&expected, texel->bytes.data(), sizeof expected);
        for (std::uint64_t at = 0; at < kTargetBytes; at += 4) {
            std::uint32_t seen = 0;
            std::memcpy(&seen, readback_->bytes.data() + image * kTargetBytes + at, sizeof seen);
            if (seen == expected) continue;
            scene_.log.add(model::Fault::kWrongDescriptor,
                           fmt::format("{} view of resource {}", is_depth_ ? "depth stencil" : "render target",
                                       images_[image].resource.value),
                           fmt::format("frame {}, command list {}: byte {} holds 0x{:08x} where the clear wrote "
                                       "0x{:08x}",
                                       frame, command_list, at, seen, expected));
            return;
        }
    }

    BindingScene& scene_;
    bool is_depth_;
    std::unique_ptr<SceneMemory> memory_;
    std::unique_ptr<SceneMemory> readback_memory_;
    std::optional<ScenePlacement> readback_;
    std::vector<ScenePlacement> images_;
    std::vector<frame::DescriptorHeapAllocation> views_;
};

// An image that views for writing point to. Where the device has none, there are none, and why() says so.
class WrittenImage {
public:
    explicit WrittenImage(BindingScene& scene) : scene_(scene) {}
    ~WrittenImage() {
        if (image_) memory_->discard(*image_);
    }
    WrittenImage(const WrittenImage&) = delete;
    WrittenImage& operator=(const WrittenImage&) = delete;

    Status set_up() {
        const model::ImageDescription image{.usage = image_usage::kSampled | image_usage::kStorage |
                                                     image_usage::kTransferSrc | image_usage::kTransferDst,
                                            .width = kTargetSide,
                                            .height = kTargetSide};
        if (const auto can = scene_.device.resources().requirements(image); !can) {
            why_ = to_string(can.error());
            return {};
        }
        HEAPWRIGHT_ASSIGN(memory_,
                          SceneMemory::create(scene_.device, scene_.policy, model::MemoryUse::kDeviceOnly, image, 1));
        HEAPWRIGHT_ASSIGN(image_, memory_->place(image));
        return {};
    }
    [[nodiscard]] const std::string& why() const { return why_; }

    // Made, and copied once into the shader-visible heap.
    Status make_view(frame::DescriptorHeapAllocation& view) {
        if (!image_) return {};
        frame::RenderDevice& render = scene_.render();
        HEAPWRIGHT_ASSIGN(view, render.create_view(device::ImageView{.image = image_->resource, .writable = true}));
        HEAPWRIGHT_ASSIGN(const auto place, render.resource_heap().allocate(1));
        return render.descriptors().copy(place.heap(), place.first_index(), view.heap(), view.first_index(), 1);
    }

private:
    BindingScene& scene_;
    std::unique_ptr<SceneMemory> memory_;
    std::optional<ScenePlacement> image_;
    std::string why_;
};

Status make_views(BindingScene& scene, WrittenImage& written, ViewSet& set) {
    const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(scene.random.below(count)); };
    set.tables = {.static_constant = pick(BindingScene::kSlots),
                  .static_buffer = pick(BindingScene::kSlots),
                  .image = pick(BindingScene::kImages),
                  .dynamic_constant = pick(BindingScene::kSlots),
                  .dynamic_buffer = pick(BindingScene::kSlots)};
    set.address_u = kAddressModes[pick(kAddressModes.size())];
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(set.constant, render.create_view(scene.constant_view(set.tables.static_constant)));
    HEAPWRIGHT_ASSIGN(set.buffer, render.create_view(scene.buffer_view(set.tables.static_buffer)));
    HEAPWRIGHT_ASSIGN(set.image, render.create_view(scene.image_view(set.tables.image)));
    HEAPWRIGHT_ASSIGN(set.sampler, render.create_view(device::SamplerDescription{
                                       .address_u = set.address_u, .address_v = device::AddressMode::kClampToEdge}));
    return written.make_view(set.written_image);
}

// The views in tables of their own, so that nothing but them is read; the sampler's where it may be used.
Status dispatch_views(BindingScene& scene, ViewSet& set, bool with_sampler) {
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(auto table, render.resource_heap().allocate(device::kStaticTableSize));
    std::uint32_t place = table.first_index();
    for (const auto* view : {&set.constant, &set.buffer, &set.image})
        HEAPWRIGHT_TRY(render.descriptors().copy(table.heap(), place++, view->heap(), view->first_index(), 1));
    HEAPWRIGHT_ASSIGN(const auto output, render.create_view(scene.output_view()));
    BindingScene::Use dispatch{.tables = set.tables, .static_table = table.first_index(), .output = &output};
    if (with_sampler) {
        HEAPWRIGHT_ASSIGN(const auto sampler, render.immediate().allocate_dynamic(DescriptorHeapKind::kSampler, 1));
        HEAPWRIGHT_TRY(render.descriptors().copy(render.sampler_heap().heap(), sampler.first, set.sampler.heap(),
                                                 set.sampler.first_index(), 1));
        dispatch.address_u = set.address_u;
        dispatch.dynamic_sampler = sampler;
    }
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), dispatch));
    render.immediate().release(std::move(table));
    return {};
}

}  // namespace

Status play_descriptor_views(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    std::optional<Attachments> colour(std::in_place, scene, false);
    std::optional<Attachments> depth(std::in_place, scene, true);
    HEAPWRIGHT_TRY(colour->set_up());
    HEAPWRIGHT_TRY(depth->set_up());
    WrittenImage written(scene);
    HEAPWRIGHT_TRY(written.set_up());
    if (!written.why().empty()) scene.figures.limits = "no views for writing images: " + written.why();
    std::vector<ViewSet> sets(kViewSets);
    const std::uint32_t dynamic_samplers = scene.options.bindings.dynamic_samplers_per_frame;
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on,
                          scene.more(frame, kLeastDescriptorViewsFrames, kMostDescriptorViewsFrames));
        if (!goes_on) break;
        HEAPWRIGHT_TRY(scene.begin_frame());
        for (ViewSet& set : sets) {
            if (!set.constant.is_null() && scene.random.below(2) == 0) continue;
            set = {};
            HEAPWRIGHT_TRY(make_views(scene, written, set));
        }
        // For more dynamic samplers than the workload's the policy's heap has no room; each set has its turn.
        for (std::size_t i = 0; i < sets.size(); ++i)
            HEAPWRIGHT_TRY(dispatch_views(scene, sets[i], (i + frame) % sets.size() < dynamic_samplers));
        HEAPWRIGHT_TRY(colour->play(frame));
        HEAPWRIGHT_TRY(depth->play(frame));
        HEAPWRIGHT_TRY(scene.end_frame());
    }
    scene.figures.recording_contexts = 1;
    sets.clear();
    HEAPWRIGHT_TRY(scene.render().wait_idle());
    return {};
}

}  // namespace heapwright::validate
