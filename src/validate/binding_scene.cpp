#include "validate/binding_scene.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace heapwright::validate {
namespace {

using device::AddressMode;
using device::DescriptorHeapKind;
namespace buffer_usage = model::buffer_usage;
namespace image_usage = model::image_usage;

constexpr std::uint64_t kSlotBytes = 256;
constexpr std::uint64_t kOutputBytes =
    (std::uint64_t{BindingScene::kMostDispatches} * device::kReadTablesWords * 4 + 255) / 256 * 256;
constexpr std::uint64_t kImageBytes = std::uint64_t{BindingScene::kImageSide} * BindingScene::kImageSide * 4;
constexpr std::uint64_t kMostBuffers = 192;  // of 256 KiB, a quarter of which Direct3D 12 takes for each small one
constexpr std::uint64_t kMostImages = 256;

// Every use but device addresses, which a backend adds where it needs them: reports hold this case.
constexpr model::Flags kBindable = buffer_usage::kTransferSrc | buffer_usage::kTransferDst |
                                   buffer_usage::kUniformTexel | buffer_usage::kStorageTexel | buffer_usage::kUniform |
                                   buffer_usage::kStorage | buffer_usage::kIndex | buffer_usage::kVertex |
                                   buffer_usage::kIndirect;

model::ImageDescription scene_image() {
    return {.format = model::Format::kR8G8B8A8Unorm,
            .usage = image_usage::kSampled | image_usage::kTransferSrc | image_usage::kTransferDst,
            .width = BindingScene::kImageSide,
            .height = BindingScene::kImageSide};
}

void put(std::span<std::byte> bytes, std::uint64_t offset, std::uint32_t word) {
    std::memcpy(bytes.data() + offset, &word, sizeof word);
}

void put_texels(std::span<std::byte> bytes, std::uint32_t image) {
    constexpr std::uint32_t kSide = BindingScene::kImageSide;
    for (std::uint32_t y = 0; y < kSide; ++y) {
        for (std::uint32_t x = 0; x < kSide; ++x) put(bytes, (y * kSide + x) * 4, BindingScene::texel(image, x, y));
    }
}

}  // namespace

model::BufferDescription BindingScene::bindable_buffer(std::uint64_t size_bytes) {
    return {.size_bytes = size_bytes, .usage = kBindable};
}

std::uint32_t BindingScene::sampled(std::uint32_t image, AddressMode address_u) {
    // u = 1.25 of five texels is column 6, mirrored (0.75) 3; v = 0.5 is row 2. Of four texels both would lie between
    // columns, where devices differ.
    switch (address_u) {
        case AddressMode::kRepeat: return texel(image, 1, 2);
        case AddressMode::kMirroredRepeat: return texel(image, 3, 2);
        case AddressMode::kClampToEdge: return texel(image, 4, 2);
        case AddressMode::kClampToBorder: break;
    }
    return 0;
}

void BindingScene::clean_up() {
    if (render_) {
        for (const auto& pipeline : {pipeline_, static_sampler_pipeline_}) {
            if (pipeline) render_->release(*pipeline);
        }
        constant_views_.clear();
        buffer_views_.clear();
        image_views_.clear();
        output_views_.clear();
    }
    render_.reset();  // waits for the device
    for (ScenePlacement* placement : {&constants_, &buffers_, &output_}) {
        if (placement->range.owner != nullptr) buffer_memory_->discard(*placement);
        *placement = {};
    }
    for (const ScenePlacement& placement : images_) image_memory_->discard(placement);
    images_.clear();
    if (readback_.range.owner != nullptr) readback_memory_->discard(std::exchange(readback_, {}));
    kept_.clear();
    readback_memory_.reset();
    image_memory_.reset();
    buffer_memory_.reset();
}

frame::RenderDeviceOptions BindingScene::render_options() const {
    frame::RenderDeviceOptions render;
    render.reports_lifetimes = true;
    render.make_visible_heap = options.make_visible_heap;
    return render;
}

Result<bool> BindingScene::more(std::uint64_t frame, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t now = clock.now_ns();
    if (frame > 0) frames_ns_.push_back(static_cast<double>(now - frame_started_ns_));
    frame_started_ns_ = now;
    const std::uint64_t elapsed = now - started_ns;
    if (frame >= least) return frame < most && elapsed < std::min(options.extra_frames_ns, options.time_limit_ns);
    if (elapsed < options.time_limit_ns) return true;
    return fail(Error{.code = ErrorCode::kTimeLimit,
                      .message = "the time limit came before the least number of frames",
                      .where = {},
                      .value = frame,
                      .limit = least});
}

void BindingScene::add_figures(const frame::RenderDevice& render) {
    const frame::RenderDeviceFigures seen = render.figures();
    figures.frames += seen.frames;
    figures.command_lists += seen.command_lists;
    figures.peak_upload_bytes = std::max(figures.peak_upload_bytes, seen.uploads.peak_used_bytes);
    add_stalls(seen.uploads);
}

void BindingScene::note_broken_rules(frame::RenderDevice& render) {
    for (const frame::BrokenRule& rule : render.checker().broken())
        log.add(model::Fault::kBrokenRule, std::string(frame::to_string(rule.rule)), rule.statement);
}

Status BindingScene::set_up(const frame::RenderDeviceOptions& wanted) {
    frame::RenderDeviceOptions noted = wanted;
    noted.on_submitted = [this](std::uint32_t context, std::uint64_t list) { note_submitted(context, list); };
    HEAPWRIGHT_ASSIGN(render_, frame::RenderDevice::create(device, policy, noted));
    device::CommandRecorder& recorder = *device.recorder();
    HEAPWRIGHT_ASSIGN(pipeline_, recorder.create_pipeline(device::ComputeProgram::kReadTables));
    HEAPWRIGHT_ASSIGN(static_sampler_pipeline_,
                      recorder.create_pipeline(device::ComputeProgram::kReadTablesStaticSampler));
    HEAPWRIGHT_TRY(make_resources());
    HEAPWRIGHT_TRY(make_views());
    return fill_resources();
}

Status BindingScene::make_resources() {
    slots_.resize(render_->frames_in_flight() + 1);
    HEAPWRIGHT_ASSIGN(buffer_memory_, SceneMemory::create(device, policy, model::MemoryUse::kDeviceOnly,
                                                          bindable_buffer(kSlots * kSlotBytes), kMostBuffers));
    HEAPWRIGHT_ASSIGN(image_memory_,
                      SceneMemory::create(device, policy, model::MemoryUse::kDeviceOnly, scene_image(), kMostImages));
    const std::uint64_t output_bytes = kOutputBytes * slots_.size();
    const model::BufferDescription readback{.size_bytes = output_bytes,
                                            .usage = buffer_usage::kTransferSrc | buffer_usage::kTransferDst};
    HEAPWRIGHT_ASSIGN(readback_memory_, SceneMemory::create(device, policy, model::MemoryUse::kReadback, readback, 1));
    HEAPWRIGHT_ASSIGN(constants_, buffer_memory_->place(bindable_buffer(kSlots * kSlotBytes)));
    HEAPWRIGHT_ASSIGN(buffers_, buffer_memory_->place(bindable_buffer(kSlots * kSlotBytes)));
    HEAPWRIGHT_ASSIGN(output_, buffer_memory_->place(bindable_buffer(output_bytes)));
    HEAPWRIGHT_ASSIGN(readback_, readback_memory_->place(readback));
    for (std::uint32_t image = 0; image < kImages; ++image) {
        HEAPWRIGHT_ASSIGN(ScenePlacement placement, image_memory_->place(scene_image()));
        images_.push_back(placement);
    }
    return {};
}

device::Descriptor BindingScene::constant_view(std::uint32_t slot) const {
    return device::ConstantBufferView{
        .buffer = constants_.resource, .offset_bytes = slot * kSlotBytes, .size_bytes = kSlotBytes};
}

device::Descriptor BindingScene::buffer_view(std::uint32_t slot) const {
    return device::BufferView{
        .buffer = buffers_.resource, .offset_bytes = slot * kSlotBytes, .size_bytes = kSlotBytes, .writable = false};
}

device::Descriptor BindingScene::image_view(std::uint32_t image) const {
    return device::ImageView{.image = images_[image].resource};
}

device::Descriptor BindingScene::output_view(std::size_t slot) const {
    return device::BufferView{
        .buffer = output_.resource, .offset_bytes = slot * kOutputBytes, .size_bytes = kOutputBytes, .writable = true};
}

Status BindingScene::make_views() {
    const auto add = [this](std::vector<frame::DescriptorHeapAllocation>& views,
                            const device::Descriptor& descriptor) -> Status {
        HEAPWRIGHT_ASSIGN(auto view, render_->create_view(descriptor));
        views.push_back(std::move(view));
        return {};
    };
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        HEAPWRIGHT_TRY(add(constant_views_, constant_view(slot)));
        HEAPWRIGHT_TRY(add(buffer_views_, buffer_view(slot)));
    }
    for (std::uint32_t image = 0; image < kImages; ++image) HEAPWRIGHT_TRY(add(image_views_, image_view(image)));
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) HEAPWRIGHT_TRY(add(output_views_, output_view(slot)));
    return {};
}

Status BindingScene::fill_resources() {
    frame::UploadHeap& uploads = render_->uploads();
    std::vector<device::Work> work;
    HEAPWRIGHT_ASSIGN(const auto constants, uploads.allocate(kSlots * kSlotBytes));
    HEAPWRIGHT_ASSIGN(const auto buffers, uploads.allocate(kSlots * kSlotBytes));
    HEAPWRIGHT_ASSIGN(const auto texels, uploads.allocate(kImages * kImageBytes));
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        put(constants.bytes, slot * kSlotBytes, constant_word(slot));
        put(buffers.bytes, slot * kSlotBytes, buffer_word(slot));
    }
    for (std::uint32_t image = 0; image < kImages; ++image) {
        put_texels(texels.bytes.subspan(image * kImageBytes), image);
        work.push_back(device::CopyBufferToImage{.buffer = texels.buffer,
                                                 .image = images_[image].resource,
                                                 .buffer_offset_bytes = texels.offset_bytes + image * kImageBytes,
                                                 .subresource = {}});
    }
    const auto copy = [&](const frame::UploadRange& from, device::ResourceId to) {
        work.push_back(device::CopyBuffer{.source = from.buffer,
                                          .destination = to,
                                          .source_offset_bytes = from.offset_bytes,
                                          .destination_offset_bytes = 0,
                                          .size_bytes = from.bytes.size()});
    };
    copy(constants, constants_.resource);
    copy(buffers, buffers_.resource);
    for (const frame::UploadRange* range : {&constants, &buffers, &texels}) HEAPWRIGHT_TRY(uploads.flush(*range));
    return render_->submit_now(work);
}

model::ImageDescription BindingScene::image_description() {
    return scene_image();
}

Status BindingScene::fill_image(device::ResourceId image, std::uint32_t as_image) {
    frame::UploadHeap& uploads = render_->uploads();
    HEAPWRIGHT_ASSIGN(const auto texels, uploads.allocate(kImageBytes));
    put_texels(texels.bytes, as_image);
    HEAPWRIGHT_TRY(uploads.flush(texels));
    const device::Work work = device::CopyBufferToImage{
        .buffer = texels.buffer, .image = image, .buffer_offset_bytes = texels.offset_bytes, .subresource = {}};
    return render_->submit_now({&work, 1});
}

Result<frame::DescriptorHeapAllocation> BindingScene::make_static_table(const SceneTables& tables) {
    return make_static_table(tables, image_views_[tables.image]);
}

Result<frame::DescriptorHeapAllocation> BindingScene::make_static_table(
    const SceneTables& tables, const frame::DescriptorHeapAllocation& image_view) {
    HEAPWRIGHT_ASSIGN(auto table, render_->resource_heap().allocate(device::kStaticTableSize));
    const std::array<const frame::DescriptorHeapAllocation*, device::kStaticTableSize> views{
        &constant_views_[tables.static_constant], &buffer_views_[tables.static_buffer], &image_view};
    for (std::uint32_t i = 0; i < views.size(); ++i) {
        HEAPWRIGHT_TRY(render_->descriptors().copy(table.heap(), table.first_index() + i, views[i]->heap(),
                                                   views[i]->first_index(), 1));
    }
    return table;
}

Result<frame::DynamicDescriptors> BindingScene::make_dynamic_sampler(frame::DeviceContext& context,
                                                                     const frame::SamplerCache::Reference& sampler) {
    HEAPWRIGHT_ASSIGN(const auto row, context.allocate_dynamic(DescriptorHeapKind::kSampler, 1));
    HEAPWRIGHT_TRY(render_->descriptors().copy(render_->sampler_heap().heap(), row.first, sampler.cpu().heap(),
                                               sampler.cpu().first_index(), 1));
    return row;
}

Status BindingScene::dispatch(frame::DeviceContext& context, const Use& use) {
    const std::uint32_t first_word = next_word_.fetch_add(device::kReadTablesWords, std::memory_order_relaxed);
    if ((std::uint64_t{first_word} + device::kReadTablesWords) * 4 > kOutputBytes) {
        return fail(Error{.code = ErrorCode::kExhausted,
                          .message = "more dispatches in one frame than the scene reads back",
                          .where = {},
                          .value = first_word / device::kReadTablesWords,
                          .limit = kMostDispatches});
    }
    HEAPWRIGHT_ASSIGN(const auto row,
                      context.allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, device::kDynamicTableSize));
    const std::array<const frame::DescriptorHeapAllocation*, device::kDynamicTableSize> views{
        use.other_constant != nullptr ? use.other_constant : &constant_views_[use.tables.dynamic_constant],
        &buffer_views_[use.tables.dynamic_buffer], use.output != nullptr ? use.output : &output_views_[slot_]};
    std::vector<frame::ViewPlace> copied;
    for (std::uint32_t i = 0; i < views.size(); ++i) {
        if (i == 0 && use.written_constant) {
            HEAPWRIGHT_TRY(
                render_->descriptors().write(render_->resource_heap().heap(), row.first, *use.written_constant));
            continue;
        }
        HEAPWRIGHT_TRY(render_->descriptors().copy(render_->resource_heap().heap(), row.first + i, views[i]->heap(),
                                                   views[i]->first_index(), 1));
        copied.push_back({.heap = views[i]->heap(), .index = views[i]->first_index()});
    }
    const bool has_other_constant = use.other_constant != nullptr || use.written_constant.has_value();
    const device::ResourceId image = use.other_image.value_or(images_[use.tables.image].resource);
    const device::PipelineId own = use.address_u ? *pipeline_ : *static_sampler_pipeline_;
    frame::TableDispatch dispatch{.pipeline = use.pipeline.value_or(own),
                                  .static_table = use.static_table,
                                  .dynamic_table = row,
                                  .sampler = {},
                                  .dynamic_sampler = use.dynamic_sampler,
                                  .output_word = first_word,
                                  .reads = {constants_.resource, buffers_.resource, image},
                                  .writes = {output_.resource},
                                  .views = std::move(copied)};
    if (has_other_constant) dispatch.reads.push_back(use.other_resource);
    if (use.address_u && !use.dynamic_sampler) dispatch.sampler = use.sampler;
    context.dispatch(dispatch);
    const device::ResourceId constant = has_other_constant ? use.other_resource : constants_.resource;
    const Expectation expected{
        .first_word = first_word,
        .words = {constant_word(use.tables.static_constant), buffer_word(use.tables.static_buffer),
                  has_other_constant ? use.other_word : constant_word(use.tables.dynamic_constant),
                  buffer_word(use.tables.dynamic_buffer),
                  sampled(use.tables.image, use.address_u.value_or(AddressMode::kClampToEdge))},
        .descriptors = {use.static_table, use.static_table + 1, row.first, row.first + 1, use.static_table + 2},
        .resources = {constants_.resource, buffers_.resource, constant, buffers_.resource, image},
        .context = context.number()};
    const std::lock_guard lock(expected_mutex_);
    slots_[slot_].expected.push_back(expected);
    return {};
}

void BindingScene::note_submitted(std::uint32_t context, std::uint64_t command_list) {
    const std::lock_guard lock(expected_mutex_);
    for (Expectation& expected : slots_[slot_].expected) {
        if (expected.context == context && !expected.command_list) expected.command_list = command_list;
    }
}

Status BindingScene::begin_frame() {
    slot_ = frames_ % slots_.size();
    next_word_.store(0, std::memory_order_relaxed);
    slots_[slot_].frame = frames_;
    return {};
}

Status BindingScene::end_frame() {
    const std::uint64_t used_bytes = std::uint64_t{next_word_.load(std::memory_order_relaxed)} * 4;
    if (used_bytes != 0) {
        render_->immediate().record(device::CopyBuffer{.source = output_.resource,
                                                       .destination = readback_.resource,
                                                       .source_offset_bytes = slot_ * kOutputBytes,
                                                       .destination_offset_bytes = slot_ * kOutputBytes,
                                                       .size_bytes = std::min(used_bytes, kOutputBytes)});
    }
    HEAPWRIGHT_TRY(render_->flush());
    slots_[slot_].end = TimelineValue{render_->clock().next()};
    HEAPWRIGHT_TRY(render_->finish_frame());
    ++frames_;
    // The frame that used the next slot before is over: no more than frames_in_flight() are not.
    const std::size_t next = frames_ % slots_.size();
    return compare(slots_[next], next);
}

Status BindingScene::drain() {
    HEAPWRIGHT_TRY(render_->wait_idle());
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) HEAPWRIGHT_TRY(compare(slots_[slot], slot));
    return {};
}

Status BindingScene::compare(Slot& slot, std::size_t index) {
    if (slot.expected.empty()) return {};
    HEAPWRIGHT_TRY(render_->fence().wait(slot.end, frame::RenderDevice::kWaitTimeoutNs));
    HEAPWRIGHT_TRY(readback_memory_->invalidate(readback_, index * kOutputBytes, kOutputBytes));
    for (const Expectation& expected : slot.expected) {
        std::array<std::uint32_t, device::kReadTablesWords> words{};
        std::memcpy(words.data(),
                    readback_.bytes.data() + index * kOutputBytes + std::uint64_t{expected.first_word} * 4,
                    sizeof words);
        compare_one(expected, words.data(), slot.frame);
    }
    figures.descriptors_checked += slot.expected.size() * (device::kStaticTableSize + device::kDynamicTableSize + 1);
    figures.bytes_checked += slot.expected.size() * device::kReadTablesWords * 4;
    slot.expected.clear();
    return {};
}

void BindingScene::compare_one(const Expectation& expected, const std::uint32_t* words, std::uint64_t frame) {
    constexpr std::array<const char*, device::kReadTablesWords> kNames{
        "static constant", "static buffer", "dynamic constant", "dynamic buffer", "static image through its sampler"};
    for (std::size_t i = 0; i < device::kReadTablesWords; ++i) {
        if (words[i] == expected.words[i]) continue;
        log.add(model::Fault::kWrongDescriptor,
                fmt::format("descriptor {} ({}) of context {}", expected.descriptors[i], kNames[i], expected.context),
                fmt::format("frame {}, command list {}: the device read 0x{:08x} through it where resource {} holds "
                            "0x{:08x}",
                            frame, expected.command_list ? std::to_string(*expected.command_list) : "never submitted",
                            words[i], expected.resources[i].value, expected.words[i]));
    }
}

}  // namespace heapwright::validate
