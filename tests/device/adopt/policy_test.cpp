#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine.hpp"
#include "heapwright/model/json.hpp"
#include "resources.hpp"

namespace heapwright::test {
namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string document_of(const model::DevicePolicy& device) {
    model::Policy policy;
    policy.header.tool_version = "0.1.0";
    policy.workload_name = "a workload";
    policy.devices = {device};
    return model::write(policy);
}

TEST_CASE("without a policy one is made, from no memory of the device", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    const std::int64_t calls = call_counts().memories;
    auto pool = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(pool);
    CHECK(call_counts().memories == calls);
    CHECK((*pool)->figures().device_allocation_calls == 0);
    CHECK(contains((*pool)->policy_explanation(), "made at start for the workload general-engine"));
    CHECK_FALSE((*pool)->policy().buckets.empty());

    auto unknown = vulkan::DevicePool::create_without_policy(engine.device(), "none such");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::kInvalidArgument);
    pool->reset();
    CHECK(engine.messages() == std::vector<std::string>{});
}

TEST_CASE("a document's policy is taken where it fits the device", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    auto made = vulkan::DevicePool::create_without_policy(engine.device());
    REQUIRE(made);
    model::DevicePolicy policy = (*made)->policy();
    auto pool = vulkan::DevicePool::create_from_document(engine.device(), (*made)->policy_document(), "a policy");
    INFO((pool ? std::string() : to_string(pool.error())));
    REQUIRE(pool);
    CHECK((*pool)->policy().buckets.size() == policy.buckets.size());
    CHECK((*pool)->create_buffer(BufferInfo(1000, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT).info));

    policy.identity.vendor_id += 1;
    policy.identity.driver_id = "ANOTHER";
    policy.identity.driver_name = "another";
    const auto other = vulkan::DevicePool::create_from_document(engine.device(), document_of(policy), "a policy");
    REQUIRE_FALSE(other);
    CHECK(other.error().code == ErrorCode::kDeviceMismatch);
    const auto none = vulkan::DevicePool::create_from_document(engine.device(), "{", "no policy");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::kParseError);
}

TEST_CASE("a device's facts say what the engine switched on, not what it could have", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    const auto facts = vulkan::device_facts(engine.device());
    REQUIRE(facts);
    CHECK_FALSE(facts->heaps.empty());
    CHECK_FALSE(facts->feature("bufferDeviceAddress"));
    vulkan::PoolDevice incomplete = engine.device();
    incomplete.get_device_proc_addr = nullptr;
    const auto refused = vulkan::device_facts(incomplete);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    incomplete = engine.device();
    incomplete.api_version = VK_API_VERSION_1_0;
    const auto old = vulkan::device_facts(incomplete);
    REQUIRE_FALSE(old);
    CHECK(old.error().code == ErrorCode::kNotSupported);
}

}  // namespace
}  // namespace heapwright::test
