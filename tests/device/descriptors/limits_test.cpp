// The limits that a device states, and what happens at them.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "cases.hpp"
#include "scene.hpp"

namespace heapwright::test {
namespace {

using device::AddressMode;
using device::DescriptorHeapKind;

constexpr std::uint64_t kWanted = 1'000'000;
constexpr std::uint32_t kMostSamplers = 40'000;

// The layers keep a record for each descriptor of a set, which a million of them would drown in.
TEST_CASE("a million descriptors, or as many as the device states, are reached and given back", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form, Layers::kOff);
        const auto limit = scene.descriptors().stated_limit(DescriptorHeapKind::kCbvSrvUav, true);
        const auto capacity = static_cast<std::uint32_t>(std::min(kWanted, limit.value_or(kWanted)));
        CAPTURE(capacity);
        for (int round = 0; round < 2; ++round) {
            const auto heap = scene.heap(DescriptorHeapKind::kCbvSrvUav, capacity, true);
            const auto host = scene.heap(DescriptorHeapKind::kCbvSrvUav, 6, false);
            // The first and the last tables, and some between.
            constexpr std::uint32_t kTables = 5;
            std::vector<device::Work> work;
            for (std::uint32_t i = 0; i < kTables; ++i) {
                const auto first = static_cast<std::uint32_t>(std::uint64_t{capacity - 6} * i / (kTables - 1));
                const Pick now = pick(i + 10 * static_cast<std::uint32_t>(round));
                scene.write_static_table(host, 0, now);
                scene.write_dynamic_table(host, 3, now);
                scene.copy(heap, first, host, 0, 6);
                work.emplace_back(scene.dispatch(heap, first, first + 3, std::nullopt, 0, 8 * i, now));
            }
            scene.run(work);
            for (std::uint32_t i = 0; i < kTables; ++i) {
                scene.check_output(8 * i, pick(i + 10 * static_cast<std::uint32_t>(round)), AddressMode::kClampToEdge);
            }
            scene.destroy(heap);
            scene.destroy(host);
        }
        if (limit && *limit < 0xFFFFFFFFu) {
            const auto refused = scene.descriptors().create({.kind = DescriptorHeapKind::kCbvSrvUav,
                                                             .capacity = static_cast<std::uint32_t>(*limit) + 1,
                                                             .shader_visible = true});
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::kOutOfRange);
            CHECK(refused.error().value == *limit + 1);
            CHECK(refused.error().limit == *limit);
        }
        if (one.backend.can.empty()) {
            WARN(one.backend.name << ", " << name_of(one.form) << ": " << capacity << " descriptors reached");
        }
        scene.finish();
    }
}

TEST_CASE("samplers reach the device's limit, or none is enforced; room that is made is used again", "[device]") {
    for (const Case& one : cases()) {
        if (one.form && *one.form != device::DescriptorForm::kPooledSets && one.backend.own &&
            *one.form != *one.backend.own) {
            continue;  // samplers do not depend on the form
        }
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form, Layers::kOff);
        device::DescriptorHeapSource& source = scene.descriptors();
        if (const auto limit = source.stated_limit(DescriptorHeapKind::kSampler, true); limit) {
            const auto refused = source.create({.kind = DescriptorHeapKind::kSampler,
                                                .capacity = static_cast<std::uint32_t>(*limit) + 1,
                                                .shader_visible = true});
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::kOutOfRange);
            CHECK(refused.error().limit == *limit);
            // Asked beyond it: what Direct3D 12 says is the device's word, Vulkan forbids to ask.
            const auto beyond = source.create({.kind = DescriptorHeapKind::kSampler,
                                               .capacity = static_cast<std::uint32_t>(*limit) + 1,
                                               .shader_visible = true,
                                               .beyond_stated_limit = true});
            if (beyond) source.destroy(*beyond);
            switch (source.form().form) {
                case device::DescriptorForm::kShadow: break;  // by the report
                case device::DescriptorForm::kDescriptorHeap:
                    if (*limit == 2048) CHECK(beyond);  // vkd3d 1.2 enforces nothing
                    if (!beyond) CHECK(beyond.error().code != ErrorCode::kOutOfRange);
                    break;
                default: REQUIRE_FALSE(beyond); CHECK(beyond.error().code == ErrorCode::kOutOfRange);
            }
        }
        const auto heap = scene.heap(DescriptorHeapKind::kSampler, kMostSamplers, false);
        const auto description = [](std::uint32_t i) {
            return device::SamplerDescription{.address_u = AddressMode::kMirroredRepeat,
                                              .max_lod = static_cast<float>(i) / 16.0f};
        };
        std::uint32_t written = 0;
        std::optional<Error> stopped;
        while (written < kMostSamplers && !stopped) {
            const Status status = source.write(heap, written, description(written));
            if (!status) {
                stopped = status.error();
            } else {
                ++written;
            }
        }
        CAPTURE(written);
        CHECK(written >= 2000);
        if (stopped) {
            CAPTURE(to_string(*stopped));
            if (one.backend.can.empty()) WARN(one.backend.name << ": " << to_string(*stopped));
            CHECK(stopped->code == ErrorCode::kTooManyObjects);
            REQUIRE(stopped->limit);
            // A backend's static sampler may be one of them.
            CHECK(written <= *stopped->limit);
            CHECK(written + 1 >= *stopped->limit);
            // What is overwritten makes room for itself; what is forgotten, for one more.
            CHECK(source.write(heap, 0, description(kMostSamplers + 1)));
            CHECK_FALSE(source.write(heap, written, description(kMostSamplers + 2)));
            source.forget(heap, 1, 2);
            CHECK(source.write(heap, written, description(kMostSamplers + 2)));
        } else {
            WARN(one.backend.name << ": no limit on samplers is enforced up to " << written);
        }
        // Nothing was lost: the last sampler that was written still works.
        if (stopped) source.forget(heap, 5, 1);
        const auto visible = scene.heap(DescriptorHeapKind::kCbvSrvUav, 16, true);
        const auto samplers = scene.heap(DescriptorHeapKind::kSampler, 16, true);
        scene.copy(samplers, 7, heap, written - 1, 1);
        scene.write_static_table(visible, 0, pick(3));
        scene.write_dynamic_table(visible, 3, pick(3));
        const device::Work work = scene.dispatch(visible, 0, 3, samplers, 7, 0, pick(3));
        scene.run(std::span(&work, 1));
        scene.check_output(0, pick(3), AddressMode::kMirroredRepeat);
        scene.finish();
    }
}

}  // namespace
}  // namespace heapwright::test
