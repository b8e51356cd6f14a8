#include "scene.hpp"

#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {
namespace {

constexpr std::uint64_t kSceneTimeoutNs = 60'000'000'000;
constexpr std::uint64_t kStagingBytes = 1 << 20;
constexpr model::Flags kBothTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;

template <class T>
T demand(Result<T> result) {
    if (!result) FAIL(to_string(result.error()));
    return std::move(*result);
}
void demand(const Status& status) {
    if (!status) FAIL(to_string(status.error()));
}

}  // namespace

Pick pick(std::uint32_t seed) {
    return {.static_constant = (seed * 5 + 1) % kSlots,
            .static_word = (seed * 11 + 2) % kSlots,
            .image = seed % kImages,
            .dynamic_constant = (seed * 17 + 3) % kSlots,
            .dynamic_word = (seed * 23 + 4) % kSlots};
}

std::array<std::uint32_t, device::kReadTablesWords> expected(const Pick& pick, device::AddressMode mode) {
    // (1.25, 0.5): 1.25 repeats to 0.25, mirrors to 0.75, clamps to 1.
    std::uint32_t found = texel(pick.image, 1, 1);
    if (mode == device::AddressMode::kMirroredRepeat) found = texel(pick.image, 4, 1);
    if (mode == device::AddressMode::kClampToEdge) found = texel(pick.image, 5, 1);
    if (mode == device::AddressMode::kClampToBorder) found = 0;
    return {constant_word(pick.static_constant), buffer_word(pick.static_word), constant_word(pick.dynamic_constant),
            buffer_word(pick.dynamic_word), found};
}

bool is_output(std::span<const std::uint32_t> words, const Pick& pick, device::AddressMode mode) {
    const auto wanted = expected(pick, mode);
    return words.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), words.begin());
}

Scene::Scene(const Backend& backend, std::optional<device::DescriptorForm> form, Layers layers)
    : opened_(demand(backend.open(form, layers))) {
    // The layer may be older than a driver whose facts and functions were read while it was opened.
    (void)opened_.device->take_validation_messages();
    REQUIRE(opened_.device->descriptors() != nullptr);
    REQUIRE(opened_.device->recorder() != nullptr);
    staging_ = host_buffer(kStagingBytes);
    staging_bytes_ = demand(opened_.device->resources().map_dedicated(staging_));
    constexpr std::uint64_t kBytes = std::uint64_t{kSlots} * kSlotBytes;
    constants = dedicated(
        model::BufferDescription{.size_bytes = kBytes, .usage = kBothTransfers | model::buffer_usage::kUniform});
    words = dedicated(
        model::BufferDescription{.size_bytes = kBytes, .usage = kBothTransfers | model::buffer_usage::kStorage});
    output = dedicated(model::BufferDescription{.size_bytes = kOutputWords * 4,
                                                .usage = kBothTransfers | model::buffer_usage::kStorage});
    for (device::ResourceId& image : images) {
        image = dedicated(model::ImageDescription{
            .usage = kBothTransfers | model::image_usage::kSampled, .width = kImageWidth, .height = kImageHeight});
    }
    fill();
    pipeline = demand(recorder().create_pipeline(device::ComputeProgram::kReadTables));
    static_sampler_pipeline = demand(recorder().create_pipeline(device::ComputeProgram::kReadTablesStaticSampler));
}

Scene::~Scene() {
    if (opened_.device) static_cast<void>(opened_.device->submitter().wait_idle());
}

void Scene::fill() {
    std::vector<device::Work> work;
    work.emplace_back(device::FillBuffer{.buffer = output, .size_bytes = kOutputWords * 4, .value = 0xDEADBEEF});
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        const std::uint64_t offset = std::uint64_t{slot} * kSlotBytes;
        work.emplace_back(device::FillBuffer{
            .buffer = constants, .offset_bytes = offset, .size_bytes = kSlotBytes, .value = constant_word(slot)});
        work.emplace_back(device::FillBuffer{
            .buffer = words, .offset_bytes = offset, .size_bytes = kSlotBytes, .value = buffer_word(slot)});
    }
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < kImages; ++i) {
        work.emplace_back(device::CopyBufferToImage{.buffer = staging_, .image = images[i], .buffer_offset_bytes = at});
        for (std::uint32_t y = 0; y < kImageHeight; ++y) {
            for (std::uint32_t x = 0; x < kImageWidth; ++x, at += 4) {
                const std::uint32_t value = texel(i, x, y);
                std::memcpy(staging_bytes_.data() + at, &value, sizeof value);
            }
        }
    }
    run(work);
}

device::ResourceId Scene::host_buffer(std::uint64_t size_bytes) {
    const model::BufferDescription buffer{.size_bytes = size_bytes, .usage = kBothTransfers};
    device::ResourceBinder& binder = opened_.device->resources();
    const auto requirements = demand(binder.requirements(buffer));
    for (std::uint32_t type = 0; type < 32; ++type) {
        if ((requirements.memory_type_bits >> type & 1) == 0) continue;
        const auto& types = opened_.device->facts().memory_types;
        if (type >= types.size() || (types[type].property_flags & model::memory_property::kHostVisible) == 0) continue;
        auto created = binder.create_dedicated(buffer, {type}, 0.5f);
        if (!created) continue;
        if (!binder.map_dedicated(*created)) {
            binder.destroy(*created);
            continue;
        }
        resources_.push_back(*created);
        return *created;
    }
    FAIL("no host-visible memory type takes a buffer");
    return {};
}

device::ResourceId Scene::dedicated(const model::ResourceDescription& resource) {
    device::ResourceBinder& binder = opened_.device->resources();
    const auto requirements = demand(binder.requirements(resource));
    for (std::uint32_t type = 0; type < 32; ++type) {
        if ((requirements.memory_type_bits >> type & 1) == 0) continue;
        auto created = binder.create_dedicated(resource, {type}, 0.5f);
        if (!created) continue;
        resources_.push_back(*created);
        return *created;
    }
    FAIL("no memory type takes the resource");
    return {};
}

device::DescriptorHeapId Scene::heap(device::DescriptorHeapKind kind, std::uint32_t capacity, bool shader_visible) {
    heaps_.push_back(
        demand(descriptors().create({.kind = kind, .capacity = capacity, .shader_visible = shader_visible})));
    return heaps_.back();
}

void Scene::destroy(device::DescriptorHeapId heap) {
    descriptors().destroy(heap);
    std::erase(heaps_, heap);
}

device::CommandAllocatorId Scene::allocator(device::EngineId engine) {
    allocators_.push_back(demand(recorder().create_allocator(engine)));
    return allocators_.back();
}

void Scene::write(device::DescriptorHeapId heap, std::uint32_t index, const device::Descriptor& descriptor) {
    demand(descriptors().write(heap, index, descriptor));
}

void Scene::copy(device::DescriptorHeapId destination, std::uint32_t destination_index, device::DescriptorHeapId source,
                 std::uint32_t source_index, std::uint32_t count) {
    demand(descriptors().copy(destination, destination_index, source, source_index, count));
}

void Scene::write_static_table(device::DescriptorHeapId heap, std::uint32_t first, const Pick& pick) {
    write(heap, first,
          device::ConstantBufferView{.buffer = constants,
                                     .offset_bytes = std::uint64_t{pick.static_constant} * kSlotBytes,
                                     .size_bytes = kSlotBytes});
    write(heap, first + 1,
          device::BufferView{
              .buffer = words, .offset_bytes = std::uint64_t{pick.static_word} * kSlotBytes, .size_bytes = kSlotBytes});
    write(heap, first + 2, device::ImageView{.image = images[pick.image]});
}

void Scene::write_dynamic_table(device::DescriptorHeapId heap, std::uint32_t first, const Pick& pick) {
    write(heap, first,
          device::ConstantBufferView{.buffer = constants,
                                     .offset_bytes = std::uint64_t{pick.dynamic_constant} * kSlotBytes,
                                     .size_bytes = kSlotBytes});
    write(
        heap, first + 1,
        device::BufferView{
            .buffer = words, .offset_bytes = std::uint64_t{pick.dynamic_word} * kSlotBytes, .size_bytes = kSlotBytes});
    write(heap, first + 2, device::BufferView{.buffer = output, .size_bytes = kOutputWords * 4, .writable = true});
}

device::DispatchTables Scene::dispatch(device::DescriptorHeapId heap, std::uint32_t static_table,
                                       std::uint32_t dynamic_table, std::optional<device::DescriptorHeapId> samplers,
                                       std::uint32_t sampler, std::uint32_t output_word, const Pick& pick) {
    return {.pipeline = samplers ? pipeline : static_sampler_pipeline,
            .resource_heap = heap,
            .static_table = static_table,
            .dynamic_table = dynamic_table,
            .sampler_heap = samplers,
            .sampler = sampler,
            .output_word = output_word,
            .reads = {constants, words, images[pick.image]},
            .writes = {output}};
}

void Scene::run(std::span<const device::Work> work, std::span<const device::CommandListId> lists,
                device::EngineId engine) {
    const auto timeline = demand(opened_.device->create_timeline(0));
    const device::TimelinePoint done{.timeline = timeline.get(), .value = {1}};
    demand(opened_.device->submitter().submit(
        {.engine = engine, .waits = {}, .work = work, .signals = std::span(&done, 1), .lists = lists}));
    demand(timeline->wait({1}, kSceneTimeoutNs));
}

void Scene::upload(device::ResourceId buffer, std::uint32_t first_word, std::span<const std::uint32_t> contents) {
    REQUIRE(contents.size_bytes() <= kStagingBytes);
    staging_bytes_ = demand(opened_.device->resources().map_dedicated(staging_));
    std::memcpy(staging_bytes_.data(), contents.data(), contents.size_bytes());
    const device::Work copy = device::CopyBuffer{.source = staging_,
                                                 .destination = buffer,
                                                 .destination_offset_bytes = std::uint64_t{first_word} * 4,
                                                 .size_bytes = contents.size_bytes()};
    run(std::span(&copy, 1));
}

std::vector<std::uint32_t> Scene::read(device::ResourceId buffer, std::uint32_t first_word, std::uint32_t count) {
    const device::Work copy = device::CopyBuffer{.source = buffer,
                                                 .destination = staging_,
                                                 .source_offset_bytes = std::uint64_t{first_word} * 4,
                                                 .size_bytes = std::uint64_t{count} * 4};
    run(std::span(&copy, 1));
    staging_bytes_ = demand(opened_.device->resources().map_dedicated(staging_));
    std::vector<std::uint32_t> found(count);
    std::memcpy(found.data(), staging_bytes_.data(), found.size() * sizeof(std::uint32_t));
    return found;
}

void Scene::check_output(std::uint32_t word, const Pick& pick, device::AddressMode mode) {
    const auto wanted = expected(pick, mode);
    const std::vector<std::uint32_t> found = read(output, word, device::kReadTablesWords);
    CAPTURE(word, pick.static_constant, pick.static_word, pick.image, pick.dynamic_constant, pick.dynamic_word);
    CHECK(found == std::vector<std::uint32_t>(wanted.begin(), wanted.end()));
}

void Scene::check_messages() {
    for (const std::string& message : opened_.device->take_validation_messages()) FAIL_CHECK(message);
}

void Scene::finish() {
    demand(opened_.device->submitter().wait_idle());
    for (const device::CommandAllocatorId allocator : allocators_) recorder().destroy(allocator);
    recorder().destroy(pipeline);
    recorder().destroy(static_sampler_pipeline);
    for (const device::DescriptorHeapId heap : heaps_) descriptors().destroy(heap);
    for (const device::ResourceId resource : resources_) opened_.device->resources().destroy(resource);
    CHECK(opened_.living(*opened_.device) == "");
    check_messages();
    opened_.device.reset();
}

}  // namespace heapwright::test
