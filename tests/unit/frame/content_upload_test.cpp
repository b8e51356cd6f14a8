// Uploads of any size, and dynamic buffers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <catch2/generators/catch_generators.hpp>

#include "core/random.hpp"
#include "device/image_planes.hpp"
#include "frame/content_upload.hpp"
#include "frame/dynamic_buffer.hpp"
#include "render_scene.hpp"

using namespace heapwright;
using frame::LifetimeRule;

namespace {

constexpr MemoryTypeIndex kHost{1};

std::vector<std::byte> noise(std::uint64_t size_bytes, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::byte> bytes(size_bytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    return bytes;
}

// An upload heap of 256 KiB in pages of 64 KiB that may not grow.
model::DevicePolicy small_uploads() {
    model::DevicePolicy policy = test::render_policy();
    policy.uploads = {test::chosen(256 * test::kKib), test::chosen(64 * test::kKib)};
    return policy;
}

frame::RenderDeviceOptions no_growth() {
    frame::RenderDeviceOptions options;
    options.most_upload_bytes = 256 * test::kKib;
    return options;
}

struct UploadScene : test::RenderScene {
    explicit UploadScene(const replay::ReplayOptions& replay_options = {.interpolate = true},
                         const frame::RenderDeviceOptions& options = no_growth(),
                         const model::DevicePolicy& policy = small_uploads())
        : RenderScene(replay_options, options, policy) {}

    [[nodiscard]] device::ResourceId host_buffer(std::uint64_t size_bytes) const {
        auto made = device->resources().create_dedicated(
            model::BufferDescription{.size_bytes = size_bytes, .usage = test::kBindableUsage}, kHost, 0.5f);
        if (!made) FAIL(to_string(made.error()));
        return *made;
    }
    [[nodiscard]] std::span<std::byte> bytes(device::ResourceId buffer) const {
        return device->resources().map_dedicated(buffer).value();
    }
    [[nodiscard]] frame::DeviceContext& context() const { return render->immediate(); }
    void check_silent() const {
        for (const std::string& message : device->take_validation_messages()) FAIL_CHECK(message);
        for (const frame::BrokenRule& rule : render->checker().broken()) FAIL_CHECK(rule.statement);
    }
};

model::ImageDescription sampled_image(std::uint32_t width, std::uint32_t height) {
    return {.usage = model::image_usage::kSampled | model::image_usage::kStorage | model::image_usage::kTransferSrc |
                     model::image_usage::kTransferDst,
            .width = width,
            .height = height};
}

}  // namespace

TEST_CASE("a buffer larger than the upload ring arrives whole, in pieces that the device is done with") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    const UploadScene scene({.interpolate = true, .mode = mode, .seed = 3});
    const std::uint64_t size = 20 * 256 * test::kKib + 1000;
    const auto content = noise(size, 1);
    const auto buffer = scene.host_buffer(size + 256);
    scene.context().record(
        device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = size + 256 - size % 4, .value = 7});
    const auto sent = frame::upload_buffer(*scene.render, scene.context(), content, buffer, 128);
    if (!sent) FAIL(to_string(sent.error()));
    CHECK(sent->staged_bytes == size);
    CHECK(sent->pieces == 81);  // of 64 KiB
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());
    CHECK(std::ranges::equal(scene.bytes(buffer).subspan(128, size), content));
    CHECK(std::to_integer<int>(scene.bytes(buffer)[124]) == 7);
    CHECK(scene.render->figures().uploads.peak_capacity_bytes == 256 * test::kKib);
    CHECK(scene.render->figures().uploads.stalls == 0);
    scene.check_silent();
    scene.render->release(buffer);
}

TEST_CASE("what fits the ring goes as one, with the context's list; when the frame has used it up, in pieces") {
    const UploadScene scene;
    const auto content = noise(64 * test::kKib, 2);
    const auto buffer = scene.host_buffer(content.size());
    const auto as_one = frame::upload_buffer(*scene.render, scene.context(), content, buffer);
    REQUIRE(as_one);
    CHECK(as_one->pieces == 0);
    CHECK(scene.render->clock().next() == 0);
    while (scene.context().allocate_upload(48 * test::kKib)) {
    }
    const auto larger = noise(200 * test::kKib, 3);
    const auto target = scene.host_buffer(larger.size());
    const auto pieces = frame::upload_buffer(*scene.render, scene.context(), larger, target);
    if (pieces) {
        CHECK(pieces->pieces > 0);
        CHECK(std::ranges::equal(scene.bytes(target).first(larger.size()), larger));
    } else {
        CHECK(pieces.error().code == ErrorCode::kExhausted);  // not even one window
    }
    REQUIRE(scene.render->finish_frame());
    CHECK(std::ranges::equal(scene.bytes(buffer).first(content.size()), content));
    for (const auto resource : {buffer, target}) scene.render->release(resource);
}

TEST_CASE("a deferred context takes no pieces") {
    const UploadScene scene;
    const auto content = noise(512 * test::kKib, 2);
    const auto buffer = scene.host_buffer(content.size());
    frame::DeviceContext& deferred = scene.render->take_deferred();
    const auto refused = frame::upload_buffer(*scene.render, deferred, content, buffer);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    scene.render->give_back(deferred);
    scene.render->release(buffer);
}

TEST_CASE("an image larger than the upload ring arrives in rows") {
    const auto mode = GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kManual);
    model::DevicePolicy policy = small_uploads();
    policy.uploads.ring_bytes.value = 128 * test::kKib;
    frame::RenderDeviceOptions options;
    options.most_upload_bytes = 128 * test::kKib;
    const UploadScene scene({.interpolate = true, .mode = mode}, options, policy);
    const model::ImageDescription description = sampled_image(256, 256);
    const auto image = scene.device->resources().create_dedicated(description, MemoryTypeIndex{0}, 0.5f);
    REQUIRE(image);
    const auto content = noise(256 * 256 * 4, 4);
    const auto back = scene.host_buffer(content.size());
    const auto sent = frame::upload_image(*scene.render, scene.context(), content, *image, description);
    if (!sent) FAIL(to_string(sent.error()));
    CHECK(sent->pieces == 4);  // of 64 rows
    scene.context().record(device::CopyImageToBuffer{.image = *image, .buffer = back});
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());
    CHECK(std::ranges::equal(scene.bytes(back).first(content.size()), content));
    CHECK(scene.render->figures().uploads.peak_capacity_bytes == 128 * test::kKib);
    scene.check_silent();
    const auto refused =
        frame::upload_image(*scene.render, scene.context(), std::span(content).first(100), *image, description);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    for (const auto resource : {*image, back}) scene.render->release(resource);
}

TEST_CASE("whichever call fails, an upload in pieces fails or arrives, and leaves nothing behind") {
    const auto content = noise(1024 * test::kKib, 5);
    for (std::uint64_t n = 1;; ++n) {
        auto replay = replay::open_replay(test::bindable_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto device = replay::inject_faults(std::move(*replay), {.fail_at = n});
        {
            auto render = frame::RenderDevice::create(*device, small_uploads(), no_growth());
            auto made = device->resources().create_dedicated(
                model::BufferDescription{.size_bytes = content.size(), .usage = test::kBindableUsage}, kHost, 0.5f);
            auto mapped = made ? device->resources().map_dedicated(*made) : tl::unexpected(Error{});
            if (render && mapped) {
                const auto sent = frame::upload_buffer(**render, (*render)->immediate(), content, *made);
                if (!(*render)->finish_frame()) REQUIRE((*render)->finish_frame());
                if (!(*render)->wait_idle()) REQUIRE((*render)->wait_idle());
                INFO("call " << n);
                if (sent) CHECK(std::ranges::equal(mapped->first(content.size()), content));
                REQUIRE((*render)->validate_invariants());
            }
            if (made) device->resources().destroy(*made);
        }
        INFO("call " << n);
        CHECK(device->counters().nothing_alive());
        if (device->counters().injected == 0) break;
        REQUIRE(n < 400);
    }
}

TEST_CASE("content goes directly where the host sees the buffer and the policy ranks the device's memory first") {
    const bool prefers = GENERATE(true, false);
    model::DevicePolicy policy = small_uploads();
    for (model::MemoryUsePolicy& use : policy.memory_uses) {
        if (use.use == model::MemoryUse::kStreaming)
            use.memory_types.value = prefers ? std::vector<std::uint32_t>{2, 1} : std::vector<std::uint32_t>{1, 2};
    }
    const UploadScene scene({.interpolate = true}, no_growth(), policy);
    CHECK(scene.render->prefers_direct_writes() == prefers);
    const auto content = noise(512 * test::kKib, 6);
    constexpr std::uint64_t kBytes = 1024 * test::kKib;
    const auto memory = scene.device->memory().allocate({.memory_type = MemoryTypeIndex{2}, .size_bytes = kBytes});
    REQUIRE(memory);
    const auto buffer = scene.device->resources().create_placed(
        {model::BufferDescription{.size_bytes = kBytes, .usage = test::kBindableUsage}}, *memory, 0);
    REQUIRE(buffer);
    const frame::MappedBuffer mapped{
        .memory = *memory, .offset_bytes = 0, .bytes = *scene.device->memory().map(*memory)};
    const auto sent = frame::upload_buffer(*scene.render, scene.context(), content, *buffer, 4096, &mapped);
    REQUIRE(sent);
    CHECK(sent->direct_bytes == (prefers ? content.size() : 0));
    CHECK(sent->staged_bytes == (prefers ? 0 : content.size()));
    CHECK(scene.render->clock().next() == sent->pieces);
    REQUIRE(scene.render->wait_idle());
    CHECK(std::ranges::equal(mapped.bytes.subspan(4096, content.size()), content));
    if (prefers) {
        const auto beyond = frame::upload_buffer(*scene.render, scene.context(), content, *buffer, kBytes - 4, &mapped);
        REQUIRE_FALSE(beyond);
        CHECK(beyond.error().code == ErrorCode::kOutOfRange);
    }
    scene.device->resources().destroy(*buffer);
    scene.device->memory().free(*memory);
}

TEST_CASE(
    "each map of a dynamic buffer has space of its own, in the policy's memory for streaming, until its frame is "
    "over") {
    const UploadScene scene({.interpolate = true, .mode = replay::ReplayMode::kManual});
    CHECK(scene.render->figures().dynamic_space.capacity_bytes == 0);  // nobody has asked for it
    const auto back = scene.host_buffer(4096);
    frame::DynamicBuffer buffer(256);
    std::vector<std::uint64_t> offsets;
    for (std::uint32_t draw = 0; draw < 8; ++draw) {
        const auto bytes = buffer.map(scene.context());
        REQUIRE(bytes);
        CHECK(buffer.is_mapped());
        CHECK(bytes->size() == 256);
        std::memset(bytes->data(), static_cast<int>(draw + 1), bytes->size());
        buffer.unmap();
        const device::ConstantBufferView view = buffer.constants(scene.context());
        CHECK(view.offset_bytes % 256 == 0);
        CHECK(view.size_bytes == 256);
        CHECK(std::ranges::find(offsets, view.offset_bytes) == offsets.end());
        offsets.push_back(view.offset_bytes);
        // A shader would read it there; a copy reads the same bytes.
        scene.context().record(device::CopyBuffer{.source = view.buffer,
                                                  .destination = back,
                                                  .source_offset_bytes = view.offset_bytes,
                                                  .destination_offset_bytes = draw * 256,
                                                  .size_bytes = 256});
    }
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.render->figures().dynamic_space.used_bytes > 0);
    CHECK((*scene.render->dynamic_space())->memory_types().front() == MemoryTypeIndex{2});
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.render->figures().dynamic_space.used_bytes == 0);
    for (std::uint32_t draw = 0; draw < 8; ++draw)
        CHECK(std::to_integer<std::uint32_t>(scene.bytes(back)[draw * 256 + 255]) == draw + 1);
    scene.check_silent();
    scene.render->release(back);
}

TEST_CASE("dynamic buffers go to the next memory type of the policy, and are charged to its limits") {
    model::DevicePolicy policy = small_uploads();
    policy.heaps[0].usable_bytes.value = 0;
    const UploadScene scene({.interpolate = true}, no_growth(), policy);
    frame::DynamicBuffer buffer(256);
    const auto bytes = buffer.map(scene.context());
    if (!bytes) FAIL(to_string(bytes.error()));
    buffer.unmap();
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());

    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    pool::BudgetedMemory accounts(device->facts(), device->memory(), test::pool_policy(), ~0ull, {});
    {
        frame::RenderDeviceOptions options = no_growth();
        options.accounts = &accounts;
        const auto render = *frame::RenderDevice::create(*device, small_uploads(), options);
        CHECK(accounts.state().heaps[0].beside_bytes == 0);
        REQUIRE(buffer.map(render->immediate()));
        buffer.unmap();
        CHECK(accounts.state().heaps[0].beside_bytes == 64 * test::kKib);
        REQUIRE(render->finish_frame());
    }
    CHECK(accounts.state().reserved_bytes == 0);
}

TEST_CASE("the checker tells dynamic buffers that are kept across frames, foreign, or mapped when they are submitted") {
    const UploadScene scene;
    const auto target = scene.host_buffer(256);
    const auto rules = [&] {
        std::vector<LifetimeRule> broken;
        for (const frame::BrokenRule& rule : scene.render->checker().broken()) broken.push_back(rule.rule);
        return broken;
    };
    frame::DynamicBuffer buffer(256);
    REQUIRE(buffer.map(scene.context()));
    scene.submit_fill(target);
    CHECK(rules() == std::vector{LifetimeRule::kMappedWhenSubmitted});
    buffer.unmap();
    (void)buffer.constants(scene.context());
    CHECK(rules().size() == 1);
    REQUIRE(scene.render->finish_frame());
    (void)buffer.words(scene.context());
    CHECK(rules().back() == LifetimeRule::kDynamicKeptAcrossFrames);
    REQUIRE(buffer.map(scene.context()));
    buffer.unmap();
    frame::DeviceContext& deferred = scene.render->take_deferred();
    (void)buffer.words(deferred);
    CHECK(rules().back() == LifetimeRule::kForeignDynamicDescriptors);
    CHECK(rules().size() == 3);
    scene.render->release(target);
}

TEST_CASE("an upload leaves alone what the piece of one that failed before it still reads") {
    const auto device = replay::inject_faults(*replay::open_replay(test::bindable_report(), {.interpolate = true}),
                                              {.fail_at = 1, .only = replay::SeamCall::kSubmit});
    frame::RenderDeviceOptions options;
    options.most_upload_bytes = test::kMib;
    const auto render = *frame::RenderDevice::create(*device, small_uploads(), options);
    const auto make = [&] {
        return *device->resources().create_dedicated(
            model::BufferDescription{.size_bytes = test::kMib, .usage = test::kBindableUsage}, kHost, 0.5f);
    };
    const auto failing = make();
    const auto next = make();
    const auto first = noise(test::kMib, 1);
    const auto second = noise(test::kMib, 2);
    REQUIRE_FALSE(frame::upload_buffer(*render, render->immediate(), first, failing));
    REQUIRE(frame::upload_buffer(*render, render->immediate(), second, next));
    REQUIRE(render->wait_idle());
    const auto arrived = device->resources().map_dedicated(failing).value();
    CHECK(std::ranges::equal(arrived.first(64 * test::kKib), std::span(first).first(64 * test::kKib)));
    CHECK(std::ranges::equal(device->resources().map_dedicated(next).value(), second));
    render->release(failing);
    render->release(next);
}
