// What becomes of commands, rows and releases on the paths that a steady frame never takes: nothing to submit, a list
// that was closed early, a submission that fails, a context that is thrown away.
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/generators/catch_generators.hpp>

#include "render_scene.hpp"

namespace submission_test {

using namespace heapwright;

namespace {

constexpr replay::ReplayOptions kManual{.interpolate = true, .mode = replay::ReplayMode::kManual};
constexpr std::uint64_t kWords = 16;
constexpr std::uint64_t kBytes = kWords * 4;

device::Work fill(device::ResourceId buffer, std::uint32_t word = 1, std::uint64_t offset_bytes = 0) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = offset_bytes, .size_bytes = 4, .value = word};
}

// Host-visible, so that what ran can be read.
struct Words {
    explicit Words(device::Device& device) {
        auto made = device.resources().create_dedicated(
            model::BufferDescription{.size_bytes = kBytes, .usage = test::kBindableUsage}, MemoryTypeIndex{1}, 0.5f);
        if (!made) FAIL(to_string(made.error()));
        buffer = *made;
        bytes = device.resources().map_dedicated(buffer).value();
        std::memset(bytes.data(), 0, bytes.size());
    }
    [[nodiscard]] std::uint32_t operator[](std::uint64_t word) const {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + word * 4, sizeof value);
        return value;
    }

    device::ResourceId buffer;
    std::span<std::byte> bytes;
};

// No device has it.
constexpr device::ResourceId kNoResource{0xDEAD};

}  // namespace

TEST_CASE("frames without commands give back what was released, once the device has passed what used it") {
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(256);
    scene.submit_fill(buffer);
    REQUIRE(scene.render->finish_frame());
    auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
    auto table = scene.render->resource_heap().allocate(3);
    REQUIRE((view && table));
    scene.render->release(buffer);
    view->reset();
    table->reset();
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == 2);  // and the upload ring: the device has not passed the list
    CHECK(scene.render->figures().cpu[0].stale == 1);
    scene.device->advance(1);
    for (int frame = 0; frame < 2; ++frame) REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == 1);
    CHECK(scene.render->figures().cpu[0].stale == 0);
    CHECK(scene.render->figures().static_resources.stale == 0);
}

TEST_CASE("a loading screen that draws nothing never runs out of descriptors or memory") {
    const test::RenderScene scene;
    const auto capacity = static_cast<std::uint32_t>(scene.render->resource_heap().static_figures().capacity);
    for (int frame = 0; frame < 100; ++frame) {
        INFO("frame " << frame);
        const auto buffer = scene.buffer(256);
        auto tables = scene.render->resource_heap().allocate(capacity / 2 + 1);
        auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
        REQUIRE((tables && view));
        scene.render->release(buffer);
        tables->reset();
        view->reset();
        REQUIRE(scene.render->finish_frame());
    }
    CHECK(scene.render->figures().cpu[0].peak <= 3);
    CHECK(scene.device->counters().resources <= 3);
}

TEST_CASE("uploads that are waited for without the end of a frame give their space back") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(test::kMib);
    for (int load = 0; load < 100; ++load) {
        INFO("load " << load);
        const auto space = scene.render->immediate().allocate_upload(test::kMib);
        if (!space) FAIL(to_string(space.error()));
        scene.render->immediate().copy_from_upload(*space, buffer, 0);
        REQUIRE(scene.render->wait_idle());
    }
    CHECK(scene.render->figures().uploads.used_bytes == 0);
    CHECK(scene.render->checker().broken_count() == 0);
    scene.render->release(buffer);
}

TEST_CASE("what is recorded after close() runs with the same submission, and keeps what it uses alive until then") {
    const test::RenderScene scene(kManual);
    const Words words(*scene.device);
    const auto released = scene.buffer(64);
    frame::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(words.buffer, 7, 0));
    REQUIRE(deferred.close());
    REQUIRE(deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    deferred.record(fill(released));
    deferred.record(fill(words.buffer, 8, 4));
    deferred.release(released);
    REQUIRE(scene.render->execute(deferred));
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == 3);
    CHECK(scene.render->figures().dynamic_resources.stale == 128);
    REQUIRE(scene.render->wait_idle());
    CHECK(words[0] == 7);
    CHECK(words[1] == 8);
    CHECK(scene.device->counters().resources == 2);
    CHECK_FALSE(scene.render->flush()->has_value());  // nothing is left over for a later list
    CHECK(scene.device->take_validation_messages().empty());
    scene.render->release(words.buffer);
}

TEST_CASE("commands that follow a submission that failed run behind those of it, in the next one") {
    auto replay = replay::open_replay(test::bindable_report(), {.interpolate = true});
    REQUIRE(replay);
    const auto device = replay::inject_faults(std::move(*replay), {.fail_at = 1, .only = replay::SeamCall::kSubmit});
    const auto render = *frame::RenderDevice::create(*device, test::render_policy(), {});
    const Words words(*device);
    const auto released = device->resources().create_dedicated(
        model::BufferDescription{.size_bytes = 64, .usage = test::kBindableUsage}, MemoryTypeIndex{0}, 0.5f);
    REQUIRE(released);
    frame::DeviceContext& context = render->immediate();
    context.record(fill(words.buffer, 5, 0));
    REQUIRE_FALSE(render->flush());
    CHECK(words[0] == 0);
    const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    REQUIRE(row);
    context.record(fill(*released));
    context.record(fill(words.buffer, 6, 4));
    context.release(*released);
    const auto flushed = render->flush();
    REQUIRE(flushed);
    CHECK(*flushed == 0u);  // the one that failed took no number
    CHECK(words[0] == 5);
    CHECK(words[1] == 6);
    REQUIRE(render->finish_frame());
    REQUIRE(render->finish_frame());
    CHECK(device->take_validation_messages().empty());
    CHECK_FALSE(render->flush()->has_value());
    render->release(words.buffer);
}

TEST_CASE("a submission that lost the device is not tried again, and its allocators are not used again") {
    const auto device =
        replay::inject_faults(*replay::open_replay(test::bindable_report(), {.interpolate = true}),
                              {.fail_at = 1, .only = replay::SeamCall::kSubmit, .code = ErrorCode::kDeviceLost});
    const auto render = *frame::RenderDevice::create(*device, test::render_policy(), {});
    const Words words(*device);
    frame::DeviceContext& context = render->immediate();
    for (std::uint64_t allocators = 1; allocators <= 2; ++allocators) {
        context.record(fill(words.buffer));
        for (int attempt = 0; attempt < 2; ++attempt) {
            const auto refused = render->flush();
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::kDeviceLost);
        }
        CHECK(render->figures().command_allocators == allocators);
        context.discard();
    }
    CHECK(words[0] == 0);
    render->release(words.buffer);
}

TEST_CASE("a frame with work can be repeated whichever call fails, and all of it runs once") {
    for (std::uint64_t n = 1;; ++n) {
        auto replay = replay::open_replay(test::bindable_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto device = replay::inject_faults(std::move(*replay), {.fail_at = n});
        bool ran = false;
        {
            auto render = frame::RenderDevice::create(*device, test::render_policy(), {});
            auto made = device->resources().create_dedicated(
                model::BufferDescription{.size_bytes = kBytes, .usage = test::kBindableUsage}, MemoryTypeIndex{1},
                0.5f);
            auto mapped = made ? device->resources().map_dedicated(*made) : tl::unexpected(Error{});
            if (render && made && mapped) {
                ran = true;
                INFO("call " << n);
                std::memset(mapped->data(), 0, mapped->size());
                for (std::uint32_t frame = 0; frame < 4; ++frame) {
                    (*render)->immediate().record(fill(*made, frame + 1, frame * 4));
                    if (!(*render)->flush()) {
                        (*render)->immediate().record(fill(*made, 100, 60));
                        REQUIRE((*render)->flush());
                        CHECK(std::to_integer<int>((*mapped)[60]) == 100);
                    }
                    frame::DeviceContext& deferred = (*render)->take_deferred();
                    deferred.record(fill(*made, frame + 9, 16 + frame * 4));
                    if (!deferred.close()) REQUIRE(deferred.close());
                    if (!(*render)->execute(deferred)) REQUIRE((*render)->execute(deferred));
                    if (!(*render)->finish_frame()) REQUIRE((*render)->finish_frame());
                }
                if (!(*render)->wait_idle()) REQUIRE((*render)->wait_idle());
                for (std::uint32_t frame = 0; frame < 4; ++frame) {
                    std::uint32_t words[2];
                    std::memcpy(&words[0], mapped->data() + frame * 4, 4);
                    std::memcpy(&words[1], mapped->data() + 16 + frame * 4, 4);
                    CHECK(words[0] == frame + 1);
                    CHECK(words[1] == frame + 9);
                }
                CHECK(device->take_validation_messages().empty());
            }
            if (made) {
                if (render)
                    (*render)->release(*made);
                else
                    device->resources().destroy(*made);
            }
        }
        INFO("call " << n);
        CHECK(device->counters().nothing_alive());
        if (device->counters().injected == 0) {
            CHECK(ran);
            break;
        }
        REQUIRE(n < 300);
    }
}

TEST_CASE("a context whose submission is told to somebody who throws was submitted all the same") {
    bool throws = true;
    frame::RenderDeviceOptions options;
    options.on_submitted = [&](std::uint32_t, std::uint64_t) {
        if (throws) throw std::runtime_error("no");
    };
    const test::RenderScene scene(kManual, options);
    const Words words(*scene.device);
    frame::DeviceContext& immediate = scene.render->immediate();
    immediate.record(fill(words.buffer, 1));
    CHECK_THROWS((void)scene.render->flush());
    CHECK_FALSE(immediate.is_recording());
    frame::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(words.buffer, 2, 4));
    CHECK_THROWS((void)scene.render->submit(deferred));
    CHECK_FALSE(deferred.is_recording());
    CHECK(&scene.render->take_deferred() == &deferred);
    throws = false;
    immediate.record(fill(words.buffer, 3, 8));
    REQUIRE(scene.render->flush() == 2u);
    REQUIRE(scene.render->wait_idle());
    for (std::uint64_t word = 0; word < 3; ++word) CHECK(words[word] == word + 1);
    CHECK(scene.device->take_validation_messages().empty());
    scene.render->release(words.buffer);
}

TEST_CASE("a context whose commands no list can hold is discarded, and the frame goes on without them") {
    const test::RenderScene scene(kManual);
    const Words words(*scene.device);
    const auto released = scene.buffer(64);
    frame::DeviceContext& context = scene.render->immediate();
    REQUIRE(context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    context.record(fill(words.buffer, 1));
    context.record(fill(kNoResource));
    context.release(released);
    for (int attempt = 0; attempt < 2; ++attempt) {
        CHECK_FALSE(scene.render->flush());
        CHECK_FALSE(scene.render->finish_frame());
        CHECK_FALSE(scene.render->wait_idle());
    }
    context.discard();
    CHECK_FALSE(context.is_recording());
    context.record(fill(words.buffer, 2, 4));
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());
    CHECK(words[0] == 0);
    CHECK(words[1] == 2);
    CHECK(scene.render->figures().dynamic_resources.live == 0);
    CHECK(scene.device->counters().resources == 2);  // what was released ends all the same
    CHECK(scene.device->take_validation_messages().empty());
    scene.render->release(words.buffer);
}

TEST_CASE("a deferred context can be given back without being submitted") {
    const test::RenderScene scene(kManual);
    const Words words(*scene.device);
    frame::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(words.buffer, 1));
    const bool is_closed = GENERATE(false, true);
    if (is_closed) REQUIRE(deferred.close());
    REQUIRE(deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    scene.render->give_back(deferred);
    CHECK(&scene.render->take_deferred() == &deferred);
    CHECK_FALSE(deferred.is_recording());
    deferred.record(fill(words.buffer, 2, 4));
    REQUIRE(scene.render->execute(deferred));
    REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());
    CHECK(words[0] == 0);
    CHECK(words[1] == 2);
    CHECK(scene.render->figures().dynamic_resources.live == 0);
    CHECK(scene.render->checker().broken_count() == 0);
    CHECK(scene.device->take_validation_messages().empty());
    scene.render->release(words.buffer);
}

TEST_CASE("what was released through a context that was never submitted ends with the render device") {
    struct Owner final : frame::MemoryRangeOwner {
        void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle) override { ++freed; }
        int freed = 0;
    } owner;
    test::RenderScene scene;
    const bool has_work = GENERATE(false, true);
    for (const bool is_deferred : {false, true}) {
        const auto buffer = scene.buffer(256);
        const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
        auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
        REQUIRE((pipeline && view));
        frame::DeviceContext& context = is_deferred ? scene.render->take_deferred() : scene.render->immediate();
        if (has_work) context.record(fill(buffer));
        context.release(buffer);
        context.release(*pipeline);
        context.release(std::move(*view));
        context.release(frame::MemoryRange{.owner = &owner});
    }
    scene.render.reset();
    CHECK(owner.freed == 2);
    const replay::ReplayCounters left = scene.device->counters();
    CHECK(left.resources == 0);
    CHECK(left.pipelines == 0);
    CHECK(left.descriptor_heaps == 0);
    CHECK(left.command_allocators == 0);
}

TEST_CASE("a frame may end while another thread begins to record a deferred context") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    for (int round = 0; round < 50; ++round) {
        frame::DeviceContext& deferred = scene.render->take_deferred();
        std::jthread recording([&] { deferred.record(fill(buffer)); });
        REQUIRE(scene.render->finish_frame());  // reads whether the context is open
        recording.join();
        REQUIRE(scene.render->execute(deferred));
    }
    scene.render->release(buffer);
}

}  // namespace submission_test
