// The C border: NULLs, wrong arguments, structures of other sizes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <cstring>

#include "core/file.hpp"
#include "fixture.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kPolicies = test::source_path("policies");
constexpr const char* kH100 = "nvidia-h100-580.159.04-vulkan.json";

heapwright_status select(const heapwright_device& device, heapwright_message& message) {
    const auto request = test::fallback();
    heapwright_policy* policy = nullptr;
    const auto status = heapwright_policy_select(nullptr, &device, &request, &policy, &message);
    heapwright_policy_free(policy);
    return status;
}

}  // namespace

TEST_CASE("the library is of the header's ABI") {
    CHECK(heapwright_loader_abi() == HEAPWRIGHT_LOADER_ABI);
}

TEST_CASE("NULL is an error or nothing, never a crash") {
    heapwright_policies* set = nullptr;
    heapwright_policy* policy = nullptr;
    heapwright_message message{};
    CHECK(heapwright_policies_open(nullptr, &set, &message) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(heapwright_policies_open(kPolicies.c_str(), nullptr, nullptr) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(heapwright_policy_select(nullptr, nullptr, nullptr, &policy, &message) == HEAPWRIGHT_INVALID_ARGUMENT);
    const test::Engine engine(test::committed_device(kH100));
    CHECK(heapwright_policy_select(nullptr, &engine.device, nullptr, nullptr, nullptr) == HEAPWRIGHT_INVALID_ARGUMENT);
    heapwright_policies_close(nullptr);
    heapwright_policy_free(nullptr);
    CHECK(heapwright_policies_count(nullptr) == 0);
    CHECK(heapwright_policies_skipped_count(nullptr) == 0);
    CHECK(heapwright_policies_skipped(nullptr, 0) == nullptr);
    CHECK(heapwright_policy_document(nullptr) == nullptr);
    heapwright_policy_info info{};
    info.struct_size = sizeof(info);
    CHECK(heapwright_policy_get_info(nullptr, &info) == HEAPWRIGHT_INVALID_ARGUMENT);
    const test::Set opened(kPolicies);
    const test::Selected selected(opened.get(), engine.device);
    CHECK(heapwright_policy_get_info(selected.get(), nullptr) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(heapwright_policy_get_bucket(selected.get(), 0, nullptr) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(heapwright_policy_get_heap(selected.get(), 99, nullptr) == HEAPWRIGHT_INVALID_ARGUMENT);
}

TEST_CASE("a folder that is not there is an error with its name; an empty one is not") {
    heapwright_policies* set = nullptr;
    heapwright_message message{};
    CHECK(heapwright_policies_open("/no/such/folder", &set, &message) == HEAPWRIGHT_IO_ERROR);
    CHECK(set == nullptr);
    CHECK_THAT(std::string(message.text), ContainsSubstring("/no/such/folder"));
    const test::Folder folder;
    const test::Set empty(folder.path());
    CHECK(heapwright_policies_count(empty.get()) == 0);
}

TEST_CASE("a device that contradicts itself is refused with the place") {
    test::Engine engine(test::committed_device(kH100));
    heapwright_message message{};
    heapwright_device device = engine.device;
    device.heap_count = 0;
    CHECK(select(device, message) == HEAPWRIGHT_INVALID_ARGUMENT);
    device = engine.device;
    device.memory_types = nullptr;
    CHECK(select(device, message) == HEAPWRIGHT_INVALID_ARGUMENT);
    device = engine.device;
    device.api = 7;
    CHECK(select(device, message) == HEAPWRIGHT_INVALID_ARGUMENT);
    engine.memory_types[2].heap_index = 9;
    CHECK(select(engine.device, message) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(std::string(message.text) == "device.memory_types[2].heap_index names no heap (value 9, limit 2)");
}

TEST_CASE("an older caller's shorter structure is filled as far as it goes") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    const test::Selected selected(set.get(), engine.device);
    heapwright_policy_info info;
    std::memset(&info, 0x5a, sizeof(info));
    info.struct_size = offsetof(heapwright_policy_info, explanation);
    REQUIRE(heapwright_policy_get_info(selected.get(), &info) == HEAPWRIGHT_OK);
    CHECK(info.match == HEAPWRIGHT_MATCH_EXACT);
    CHECK(info.struct_size == offsetof(heapwright_policy_info, explanation));
    unsigned char untouched[sizeof(info.explanation)];
    std::memset(untouched, 0x5a, sizeof(untouched));
    CHECK(std::memcmp(&info.explanation, untouched, sizeof(untouched)) == 0);
    info.struct_size = 0;
    CHECK(heapwright_policy_get_info(selected.get(), &info) == HEAPWRIGHT_INVALID_ARGUMENT);

    // A shorter device: what lies beyond is unknown.
    heapwright_device old = engine.device;
    old.struct_size = offsetof(heapwright_device, max_memory_allocation_bytes);
    const test::Selected still(set.get(), old);
    CHECK(still.info().match == HEAPWRIGHT_MATCH_EXACT);
}

TEST_CASE("the kinds that divide the descriptor heaps are told beside their sizes") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    const test::Selected selected(set.get(), engine.device);
    const heapwright_policy_info info = selected.info();
    CHECK(info.cpu_descriptor_suballocator == HEAPWRIGHT_SUBALLOCATOR_TLSF);
    CHECK(info.resource_static_suballocator == HEAPWRIGHT_SUBALLOCATOR_TLSF);
    CHECK(info.resource_dynamic_suballocator == HEAPWRIGHT_SUBALLOCATOR_SLOTS);
    CHECK(info.sampler_static_suballocator == HEAPWRIGHT_SUBALLOCATOR_TLSF);
    CHECK(info.sampler_dynamic_suballocator == HEAPWRIGHT_SUBALLOCATOR_SLOTS);

    heapwright_policy_info before;  // of a caller from before they were there
    std::memset(&before, 0x5a, sizeof(before));
    before.largest_storage_buffer_bytes = 7;
    before.struct_size = offsetof(heapwright_policy_info, cpu_descriptor_suballocator);
    REQUIRE(heapwright_policy_get_info(selected.get(), &before) == HEAPWRIGHT_OK);
    CHECK(before.descriptors.rtv_page == info.descriptors.rtv_page);
    CHECK(before.cpu_descriptor_suballocator == 0x5a5a5a5au);
    CHECK(before.largest_storage_buffer_bytes == 7);
}

TEST_CASE("bounds of buffers come as the policy has them, and as 0 where it has none") {
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    auto policy = model::read_policy(*text, "policy.json");
    REQUIRE(policy);
    const test::Engine engine(test::committed_device(kH100));
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 27, std::uint64_t{0xffff'0000}}) {
        INFO(bytes);
        for (auto* const bound :
             {&policy->devices[0].largest_buffer_bytes, &policy->devices[0].largest_storage_buffer_bytes}) {
            bound->reset();
            if (bytes != 0) *bound = model::Decided<std::uint64_t>{.value = bytes, .why = {}};
        }
        const test::Folder folder;
        folder.write("policy.json", model::write(*policy));
        const test::Set set(folder.path());
        const test::Selected selected(set.get(), engine.device);
        CHECK(selected.info().largest_buffer_bytes == bytes);
        CHECK(selected.info().largest_storage_buffer_bytes == bytes);
    }
}

TEST_CASE("a newer caller's longer structure is filled as far as the library knows it") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    struct Newer {
        heapwright_device device;
        std::uint64_t unknown;
    } newer{engine.device, 7};
    newer.device.struct_size = sizeof(newer);
    const test::Selected selected(set.get(), newer.device);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
}

TEST_CASE("a choice knows sizes, thresholds and what the driver wishes") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    const test::Selected selected(set.get(), engine.device);
    const heapwright_policy_info info = selected.info();
    heapwright_request request{};
    request.struct_size = sizeof(request);
    request.use = HEAPWRIGHT_USE_DEVICE_ONLY;
    request.resource_class = HEAPWRIGHT_CLASS_LINEAR;
    request.memory_type_bits = ~0u;
    request.size_bytes = 1000;
    request.alignment_bytes = 256;
    heapwright_choice choice{};
    choice.struct_size = sizeof(choice);
    REQUIRE(heapwright_policy_choose(selected.get(), &request, &choice) == HEAPWRIGHT_OK);
    REQUIRE(choice.bucket < info.bucket_count);
    CHECK(choice.refused == 0);
    heapwright_bucket bucket{};
    bucket.struct_size = sizeof(bucket);
    REQUIRE(heapwright_policy_get_bucket(selected.get(), choice.bucket, &bucket) == HEAPWRIGHT_OK);
    CHECK(bucket.memory_type == choice.memory_type);
    CHECK((bucket.resource_classes & HEAPWRIGHT_CLASS_LINEAR) != 0);
    CHECK((bucket.priority >= 0 && bucket.priority <= 1));

    request.dedicated = HEAPWRIGHT_DEDICATED_REQUIRED;
    REQUIRE(heapwright_policy_choose(selected.get(), &request, &choice) == HEAPWRIGHT_OK);
    CHECK(choice.bucket == HEAPWRIGHT_NO_BUCKET);
    request.dedicated = HEAPWRIGHT_DEDICATED_NONE;
    request.size_bytes = info.humongous_threshold_bytes + 1;
    REQUIRE(heapwright_policy_choose(selected.get(), &request, &choice) == HEAPWRIGHT_OK);
    CHECK(choice.bucket == HEAPWRIGHT_NO_BUCKET);
    CHECK(choice.refused == info.refuses_humongous);
    request.memory_type_bits = 0;
    CHECK(heapwright_policy_choose(selected.get(), &request, &choice) == HEAPWRIGHT_NOT_FOUND);
    request.resource_class = HEAPWRIGHT_CLASS_LINEAR | HEAPWRIGHT_CLASS_OPTIMAL;
    CHECK(heapwright_policy_choose(selected.get(), &request, &choice) == HEAPWRIGHT_INVALID_ARGUMENT);
}

TEST_CASE("a bucket is found by use, class, alignment and memory type bits") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    const test::Selected selected(set.get(), engine.device);
    const auto find = [&](std::uint32_t use, std::uint32_t resource_class, std::uint64_t alignment, std::uint32_t bits,
                          std::uint32_t& index) {
        return heapwright_policy_find_bucket(selected.get(), use, resource_class, alignment, bits, &index);
    };
    std::uint32_t index = 0;
    REQUIRE(find(HEAPWRIGHT_USE_DEVICE_ONLY, HEAPWRIGHT_CLASS_OPTIMAL, 1024, 0xff, index) == HEAPWRIGHT_OK);
    const std::uint32_t* types = nullptr;
    std::uint32_t count = 0;
    REQUIRE(heapwright_policy_get_memory_types(selected.get(), HEAPWRIGHT_USE_DEVICE_ONLY, &types, &count) ==
            HEAPWRIGHT_OK);
    CHECK(selected.bucket(index).memory_type == types[0]);
    CHECK((selected.bucket(index).resource_classes & HEAPWRIGHT_CLASS_OPTIMAL) != 0);
    REQUIRE(find(HEAPWRIGHT_USE_UPLOAD, HEAPWRIGHT_CLASS_LINEAR, 16, ~0u, index) == HEAPWRIGHT_OK);
    CHECK((engine.memory_types[selected.bucket(index).memory_type].property_flags &
           model::memory_property::kHostVisible) != 0);
    CHECK(find(HEAPWRIGHT_USE_UPLOAD, HEAPWRIGHT_CLASS_LINEAR, 16, 0, index) == HEAPWRIGHT_NOT_FOUND);
    // No bucket has so large an alignment: the largest takes it.
    REQUIRE(find(HEAPWRIGHT_USE_DEVICE_ONLY, HEAPWRIGHT_CLASS_OPTIMAL, 1ull << 40, ~0u, index) == HEAPWRIGHT_OK);
    const std::uint64_t largest = selected.bucket(index).alignment_bytes;
    REQUIRE(find(HEAPWRIGHT_USE_DEVICE_ONLY, HEAPWRIGHT_CLASS_OPTIMAL, 65536, ~0u, index) == HEAPWRIGHT_OK);
    CHECK(selected.bucket(index).alignment_bytes <= largest);
    CHECK(find(9, HEAPWRIGHT_CLASS_LINEAR, 1, ~0u, index) == HEAPWRIGHT_INVALID_ARGUMENT);
    CHECK(find(HEAPWRIGHT_USE_UPLOAD, HEAPWRIGHT_CLASS_LINEAR | HEAPWRIGHT_CLASS_OPTIMAL, 1, ~0u, index) ==
          HEAPWRIGHT_INVALID_ARGUMENT);
}

TEST_CASE("a long message is cut and terminated") {
    heapwright_message message;
    std::memset(&message, 0x5a, sizeof(message));
    heapwright_policies* set = nullptr;
    const std::string folder(4000, 'x');
    CHECK(heapwright_policies_open(folder.c_str(), &set, &message) == HEAPWRIGHT_IO_ERROR);
    CHECK(std::strlen(message.text) == sizeof(message.text) - 1);
}
