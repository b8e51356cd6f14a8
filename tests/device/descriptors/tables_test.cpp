// What a shader reads through descriptor tables proves where each descriptor points.
#include <algorithm>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "cases.hpp"
#include "scene.hpp"

namespace heapwright::test {
namespace {

using device::AddressMode;
using device::DescriptorHeapKind;

TEST_CASE("a device takes its own form of descriptors and refuses those that it cannot have", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        const auto own = backend.open(std::nullopt, Layers::kOff);
        REQUIRE(own);
        const device::DescriptorFormChoice& choice = own->device->descriptors()->form();
        CAPTURE(choice.reason);
        // Of a device that no table knows, what is seen is the result.
        if (backend.can.empty()) WARN(backend.name << ": " << name_of(choice.form) << " (" << choice.reason << ")");
        CHECK_FALSE(choice.reason.empty());
        if (backend.own) CHECK(choice.form == *backend.own);
        for (std::size_t i = 0; i < backend.can.size(); ++i) {
            CAPTURE(name_of(forms()[i]));
            const auto forced = backend.open(forms()[i], Layers::kOff);
            CHECK(forced.has_value() == backend.can[i]);
            if (forced) CHECK(forced->device->descriptors()->form().form == forms()[i]);
            if (!forced) {
                CHECK(forced.error().code == ErrorCode::kNotSupported);
                CHECK(forced.error().message.size() > 20);
            }
        }
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("every descriptor of a table points where it was written", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        constexpr std::uint32_t kTables = 24;
        // Written in a heap of the host's at odd places, then copied: one table at once, or descriptor by descriptor.
        const auto host = scene.heap(DescriptorHeapKind::kCbvSrvUav, 512, false);
        const auto visible = scene.heap(DescriptorHeapKind::kCbvSrvUav, 1024, true);
        const auto host_samplers = scene.heap(DescriptorHeapKind::kSampler, 16, false);
        const auto samplers = scene.heap(DescriptorHeapKind::kSampler, 16, true);
        constexpr AddressMode kModes[] = {AddressMode::kRepeat, AddressMode::kMirroredRepeat, AddressMode::kClampToEdge,
                                          AddressMode::kClampToBorder};
        for (std::uint32_t i = 0; i < 4; ++i) {
            scene.write(host_samplers, 3 * i, device::SamplerDescription{.address_u = kModes[i]});
            scene.copy(samplers, 2 * i + 1, host_samplers, 3 * i, 1);
        }
        std::vector<device::Work> work;
        for (std::uint32_t i = 0; i < kTables; ++i) {
            const std::uint32_t static_table = 700 + 7 * i;
            const std::uint32_t dynamic_table = 11 + 13 * i;
            scene.write_static_table(host, 10 * i, pick(i));
            scene.write_dynamic_table(host, 10 * i + 5, pick(i));
            if (i % 2 == 0) {
                scene.copy(visible, static_table, host, 10 * i, device::kStaticTableSize);
                scene.copy(visible, dynamic_table, host, 10 * i + 5, device::kDynamicTableSize);
            } else {
                for (std::uint32_t k = 0; k < 3; ++k) {
                    scene.copy(visible, static_table + k, host, 10 * i + k, 1);
                    scene.copy(visible, dynamic_table + k, host, 10 * i + 5 + k, 1);
                }
            }
            work.emplace_back(
                scene.dispatch(visible, static_table, dynamic_table, samplers, 2 * (i % 4) + 1, 16 * i, pick(i)));
        }
        scene.run(work);
        for (std::uint32_t i = 0; i < kTables; ++i) scene.check_output(16 * i, pick(i), kModes[i % 4]);

        // Written straight into the shader-visible heap, sampled by the static sampler.
        scene.write_static_table(visible, 0, pick(40));
        scene.write_dynamic_table(visible, 3, pick(40));
        const device::Work last = scene.dispatch(visible, 0, 3, std::nullopt, 0, 1000, pick(40));
        scene.run(std::span(&last, 1));
        scene.check_output(1000, pick(40), AddressMode::kClampToEdge);
        // Only its own words were written.
        CHECK(scene.read(scene.output, 999, 1).front() == 0xDEADBEEF);
        CHECK(scene.read(scene.output, 1005, 1).front() == 0xDEADBEEF);
        scene.finish();
    }
}

TEST_CASE("lists of several threads read the tables that each thread wrote", "[device]") {
    constexpr std::uint32_t kThreads = 6;
    constexpr std::uint32_t kDispatches = 8;
    constexpr std::uint32_t kFrames = 4;
    constexpr std::uint32_t kInFlight = 2;
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        constexpr std::uint32_t kTablesInFlight = kThreads * kDispatches * 3;
        const auto visible = scene.heap(DescriptorHeapKind::kCbvSrvUav, 2 * kInFlight * kTablesInFlight, true);
        std::vector<device::CommandAllocatorId> allocators;
        for (std::uint32_t i = 0; i < kThreads * kInFlight; ++i) allocators.push_back(scene.allocator());
        auto timeline = (*scene).create_timeline(0);
        REQUIRE(timeline);
        const auto table_of = [](std::uint32_t frame, std::uint32_t thread, std::uint32_t dispatch) {
            return 2 * ((frame % kInFlight) * kTablesInFlight + (thread * kDispatches + dispatch) * 3);
        };
        const auto word_of = [](std::uint32_t frame, std::uint32_t thread, std::uint32_t dispatch) {
            return ((frame * kThreads + thread) * kDispatches + dispatch) * 8;
        };
        const auto seed_of = [](std::uint32_t frame, std::uint32_t thread, std::uint32_t dispatch) {
            return frame * 101 + thread * 13 + dispatch;
        };
        for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
            // The tables and allocators of this frame were used two frames ago.
            if (frame >= kInFlight) REQUIRE((*timeline)->wait({frame - kInFlight + 1}, 60'000'000'000));
            std::vector<Result<device::CommandListId>> lists(kThreads, device::CommandListId{});
            std::vector<std::jthread> threads;
            for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
                threads.emplace_back([&, thread] {
                    const auto allocator = allocators[(frame % kInFlight) * kThreads + thread];
                    if (const Status reset = scene.recorder().reset(allocator); !reset) {
                        lists[thread] = fail(reset.error());
                        return;
                    }
                    std::vector<device::Work> work;
                    for (std::uint32_t i = 0; i < kDispatches; ++i) {
                        const std::uint32_t table = table_of(frame, thread, i);
                        const Pick now = pick(seed_of(frame, thread, i));
                        scene.write_static_table(visible, table, now);
                        scene.write_dynamic_table(visible, table + 3, now);
                        work.emplace_back(
                            scene.dispatch(visible, table, table + 3, std::nullopt, 0, word_of(frame, thread, i), now));
                    }
                    lists[thread] = scene.recorder().record(allocator, work);
                });
            }
            threads.clear();
            std::vector<device::CommandListId> ids;
            for (const auto& list : lists) {
                if (!list) FAIL(to_string(list.error()));
                ids.push_back(*list);
            }
            const device::TimelinePoint done{.timeline = timeline->get(), .value = {frame + 1}};
            const Status submitted = (*scene).submitter().submit(
                {.engine = {}, .waits = {}, .work = {}, .signals = std::span(&done, 1), .lists = ids});
            if (!submitted) FAIL(to_string(submitted.error()));
            // A list runs once.
            if (frame == 0) {
                const Status again = (*scene).submitter().submit(
                    {.engine = {}, .waits = {}, .work = {}, .signals = {}, .lists = std::span(ids).first(1)});
                REQUIRE_FALSE(again);
                CHECK(again.error().code == ErrorCode::kInvalidArgument);
            }
        }
        REQUIRE((*timeline)->wait({kFrames}, 60'000'000'000));
        const std::vector<std::uint32_t> found = scene.read(scene.output, 0, kFrames * kThreads * kDispatches * 8);
        for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
            for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
                for (std::uint32_t i = 0; i < kDispatches; ++i) {
                    CAPTURE(frame, thread, i);
                    CHECK(is_output(std::span(found).subspan(word_of(frame, thread, i)),
                                    pick(seed_of(frame, thread, i)), AddressMode::kClampToEdge));
                }
            }
        }
        timeline->reset();
        scene.finish();
    }
}

TEST_CASE("heaps have addresses where the API has them, apart from each other, else places", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        const device::DescriptorFormChoice& choice = scene.descriptors().form();
        const bool has_addresses = choice.form == device::DescriptorForm::kDescriptorHeap;
        for (const DescriptorHeapKind kind : {DescriptorHeapKind::kCbvSrvUav, DescriptorHeapKind::kSampler}) {
            const auto host = scene.descriptors().addresses(scene.heap(kind, 64, false));
            const auto visible = scene.descriptors().addresses(scene.heap(kind, 64, true));
            CHECK_FALSE(host.gpu_start);
            REQUIRE(visible.gpu_start);
            REQUIRE(host.increment_bytes > 0);
            CHECK(visible.increment_bytes == host.increment_bytes);
            CHECK((host.cpu_start != 0) == has_addresses);
            if (!has_addresses) continue;
            const std::uint64_t bytes = 64 * host.increment_bytes;
            CHECK(std::max(host.cpu_start, visible.cpu_start) - std::min(host.cpu_start, visible.cpu_start) >= bytes);
        }
        for (const DescriptorHeapKind kind : {DescriptorHeapKind::kRtv, DescriptorHeapKind::kDsv})
            CHECK_FALSE(scene.descriptors().addresses(scene.heap(kind, 8, false)).gpu_start);
        scene.finish();
    }
}

TEST_CASE("a heap, a table or a program that does not suit is refused", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        device::DescriptorHeapSource& source = scene.descriptors();
        const auto code = [](const auto& result) { return result ? std::nullopt : std::optional(result.error().code); };
        CHECK(code(source.create({.kind = DescriptorHeapKind::kCbvSrvUav, .capacity = 0})) ==
              ErrorCode::kInvalidArgument);
        CHECK(code(source.create({.kind = DescriptorHeapKind::kRtv, .capacity = 4, .shader_visible = true})) ==
              ErrorCode::kInvalidArgument);
        const auto visible = scene.heap(DescriptorHeapKind::kCbvSrvUav, 16, true);
        const auto host = scene.heap(DescriptorHeapKind::kCbvSrvUav, 16, false);
        const auto samplers = scene.heap(DescriptorHeapKind::kSampler, 16, true);
        scene.write_static_table(visible, 0, pick(1));
        scene.write_dynamic_table(visible, 3, pick(1));
        CHECK(code(source.write(visible, 16, device::BufferView{.buffer = scene.words, .size_bytes = 16})) ==
              ErrorCode::kInvalidArgument);
        CHECK(code(source.write(visible, 0, device::SamplerDescription{})) == ErrorCode::kInvalidArgument);
        if (!one.backend.only_reports) {
            CHECK(code(source.write(visible, 0, device::BufferView{.buffer = scene.constants, .size_bytes = 16})) ==
                  ErrorCode::kInvalidArgument);
        }
        CHECK(code(source.write(visible, 0,
                                device::BufferView{.buffer = scene.words, .size_bytes = kSlots * kSlotBytes + 16})) ==
              ErrorCode::kInvalidArgument);
        CHECK(code(source.copy(samplers, 0, host, 0, 1)) == ErrorCode::kInvalidArgument);
        CHECK(code(source.copy(host, 0, visible, 0, 1)) == ErrorCode::kInvalidArgument);
        CHECK(code(source.copy(visible, 15, host, 0, 2)) == ErrorCode::kInvalidArgument);
        const auto refused = [&](const device::DispatchTables& dispatch) {
            const device::Work work = dispatch;
            return code(
                (*scene).submitter().submit({.engine = {}, .waits = {}, .work = std::span(&work, 1), .signals = {}}));
        };
        const auto good = scene.dispatch(visible, 0, 3, std::nullopt, 0, 0, pick(1));
        auto dispatch = good;
        dispatch.static_table = 3;  // its third descriptor is a writable buffer
        const auto unsuited = refused(dispatch);
        if (one.backend.only_reports) {
            CHECK_FALSE(unsuited);
            REQUIRE((*scene).submitter().wait_idle());
            CHECK_FALSE((*scene).take_validation_messages().empty());
        } else {
            CHECK(unsuited == ErrorCode::kInvalidArgument);
        }
        dispatch = good;
        dispatch.dynamic_table = 14;
        CHECK(refused(dispatch) == ErrorCode::kInvalidArgument);
        dispatch = good;
        dispatch.resource_heap = host;
        CHECK(refused(dispatch) == ErrorCode::kInvalidArgument);
        dispatch = good;
        dispatch.sampler_heap = samplers;
        CHECK(refused(dispatch) == ErrorCode::kInvalidArgument);
        dispatch = good;
        dispatch.pipeline = scene.pipeline;
        CHECK(refused(dispatch) == ErrorCode::kInvalidArgument);
        dispatch = good;
        dispatch.pipeline = {};
        CHECK(refused(dispatch) == ErrorCode::kInvalidArgument);
        // The refusals left the tables as they were.
        const device::Work work = good;
        scene.run(std::span(&work, 1));
        scene.check_output(0, pick(1), AddressMode::kClampToEdge);
        scene.finish();
    }
}

}  // namespace
}  // namespace heapwright::test
