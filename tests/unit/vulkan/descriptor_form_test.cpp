#include <catch2/catch_test_macros.hpp>

#include "device/descriptor_form.hpp"

namespace heapwright::device {
namespace {

constexpr DescriptorAbilities::Counts counts(std::uint64_t all, std::uint64_t resources) {
    return {.samplers = all,
            .uniform_buffers = all,
            .storage_buffers = all,
            .sampled_images = all,
            .storage_images = all,
            .resources = resources};
}

// lavapipe of Mesa 25.0.7.
DescriptorAbilities everything() {
    DescriptorAbilities device;
    device.descriptor_buffer = device.mutable_descriptors = device.runtime_arrays = device.variable_counts = true;
    device.partially_bound = device.updates_while_pending = true;
    device.indexed_uniform_buffers = device.indexed_storage_buffers = device.indexed_sampled_images = true;
    device.updated_uniform_buffers = device.updated_storage_buffers = true;
    device.updated_sampled_images = device.updated_storage_images = true;
    device.plain = device.updated = counts(1'000'000, 1'000'000);
    device.updated_in_all_pools = 0xFFFFFFFF;
    device.resource_range_bytes = device.sampler_range_bytes = 0xFFFFFFFF;
    device.uniform_buffer_bytes = device.storage_buffer_bytes = device.sampled_image_bytes = 256;
    device.storage_image_bytes = device.sampler_bytes = 256;
    device.live_samplers = 32768;
    return device;
}

// SwiftShader of Chromium.
DescriptorAbilities no_uniform_updates() {
    DescriptorAbilities device = everything();
    device.descriptor_buffer = device.mutable_descriptors = device.updated_uniform_buffers = false;
    device.plain = {.samplers = 64,
                    .uniform_buffers = 15,
                    .storage_buffers = 30,
                    .sampled_images = 200,
                    .storage_images = 16,
                    .resources = 200};
    device.updated = counts(500'000, 500'000);
    device.updated.uniform_buffers = 15;
    device.updated_in_all_pools = 500'000;
    device.live_samplers = 4000;
    return device;
}

// lavapipe of Mesa 22.3.6.
DescriptorAbilities little() {
    DescriptorAbilities device;
    device.indexed_uniform_buffers = device.indexed_storage_buffers = true;
    device.plain = {.samplers = 32,
                    .uniform_buffers = 15,
                    .storage_buffers = 32,
                    .sampled_images = 128,
                    .storage_images = 64,
                    .resources = 128};
    device.updated = counts(65'536, 65'536);
    device.updated_in_all_pools = 67'108'863;
    device.live_samplers = 32768;
    return device;
}

TEST_CASE("a device that can do everything has a descriptor buffer of a million") {
    const auto plan = plan_descriptors(everything(), std::nullopt);
    REQUIRE(plan);
    CHECK(plan->is(DescriptorForm::kDescriptorBuffer));
    CHECK(plan->mutable_descriptors);
    CHECK(plan->resource_limit == 1'000'000);
    CHECK(plan->choice.reason.find("256 bytes") != std::string::npos);
}

TEST_CASE("without mutable descriptors the arrays of a stage share its resources") {
    DescriptorAbilities device = everything();
    device.mutable_descriptors = false;
    for (const DescriptorForm form :
         {DescriptorForm::kDescriptorBuffer, DescriptorForm::kUpdateAfterBindSet, DescriptorForm::kLargeSet}) {
        const auto plan = plan_descriptors(device, form);
        REQUIRE(plan);
        CHECK(plan->is(form));
        CHECK_FALSE(plan->mutable_descriptors);
        CHECK(plan->resource_limit == 333'333);
    }
    // A range of 4 descriptors of 256 bytes for each index.
    device.resource_range_bytes = 1024 * 1000;
    CHECK(plan_descriptors(device, DescriptorForm::kDescriptorBuffer)->resource_limit == 1000);
}

TEST_CASE("uniform buffers that cannot be updated after binding come apart, and the reason says so") {
    const auto plan = plan_descriptors(no_uniform_updates(), std::nullopt);
    REQUIRE(plan);
    CHECK(plan->is(DescriptorForm::kUpdateAfterBindSet));
    CHECK(plan->uniform_in_table);
    // Three arrays in the pools, beside the samplers.
    CHECK(plan->resource_limit == (500'000 - 4000) / 3);
    CHECK(plan->sampler_limit == 4000);
    CHECK(plan->choice.reason.find("descriptorBindingUniformBufferUpdateAfterBind") != std::string::npos);
    CHECK(plan->choice.reason.find("no VK_EXT_descriptor_buffer") != std::string::npos);
    const auto large = plan_descriptors(no_uniform_updates(), DescriptorForm::kLargeSet);
    REQUIRE_FALSE(large);
    CHECK(large.error().code == ErrorCode::kNotSupported);
    CHECK(large.error().message.find("16 descriptors") != std::string::npos);
}

TEST_CASE("a device without descriptor indexing has pooled sets, and the reason names what it lacks") {
    const auto plan = plan_descriptors(little(), std::nullopt);
    REQUIRE(plan);
    CHECK(plan->is(DescriptorForm::kPooledSets));
    CHECK_FALSE(plan->resource_limit);
    CHECK(plan->choice.reason.find("runtimeDescriptorArray") != std::string::npos);
    CHECK(plan->choice.reason.find("shaderSampledImageArrayDynamicIndexing") != std::string::npos);
    CHECK_FALSE(plan_descriptors(little(), DescriptorForm::kUpdateAfterBindSet));
}

TEST_CASE("every device has pooled sets; none of this API has descriptor heaps") {
    for (const DescriptorAbilities& device : {everything(), no_uniform_updates(), little(), DescriptorAbilities{}}) {
        const auto pooled = plan_descriptors(device, DescriptorForm::kPooledSets);
        REQUIRE(pooled);
        CHECK(pooled->is(DescriptorForm::kPooledSets));
        CHECK_FALSE(plan_descriptors(device, DescriptorForm::kDescriptorHeap));
        CHECK_FALSE(plan_descriptors(device, DescriptorForm::kShadow));
    }
}

}  // namespace
}  // namespace heapwright::device
