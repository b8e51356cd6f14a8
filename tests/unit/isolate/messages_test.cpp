#include <catch2/catch_test_macros.hpp>

#include "heapwright/isolate/messages.hpp"

using namespace heapwright;
using namespace heapwright::isolate;

TEST_CASE("a request crosses unchanged") {
    const WorkerRequest request{.task = WorkerTask::kValidate,
                                .api = model::Api::kD3d12,
                                .vulkan_device_index = 4,
                                .vulkan_device = "{}",
                                .icd_files = {"a.json"},
                                .selectors = {"0", "10de:2330"},
                                .first_index = 3,
                                .skip = {1, 2},
                                .identity_only = true,
                                .measure_memory_cost = true,
                                .validation_layers = true,
                                .allow_other_device = true,
                                .seed = ~0ull,
                                .memory_limit_bytes = 1,
                                .time_limit_ns = 2,
                                .workload = "{\"w\": 1}",
                                .policy = "{\"p\": 1}"};
    const auto read = decode_request(encode(request));
    REQUIRE(read);
    CHECK(read->task == request.task);
    CHECK(read->api == request.api);
    CHECK(read->icd_files == request.icd_files);
    CHECK(read->vulkan_device_index == 4);
    CHECK(read->vulkan_device == "{}");
    CHECK(read->selectors == request.selectors);
    CHECK(read->first_index == 3);
    CHECK(read->skip == request.skip);
    CHECK(read->identity_only);
    CHECK(read->measure_memory_cost);
    CHECK(read->validation_layers);
    CHECK(read->allow_other_device);
    CHECK(read->seed == ~0ull);
    CHECK(read->memory_limit_bytes == 1);
    CHECK(read->time_limit_ns == 2);
    CHECK(read->workload == request.workload);
    CHECK(read->policy == request.policy);
    CHECK_FALSE(decode_request("{"));
    CHECK_FALSE(decode_request("{}"));
}

TEST_CASE("an error crosses unchanged, whatever bytes a driver put into it") {
    const Error error{.code = ErrorCode::kDeviceLost,
                      .message = "lost",
                      .where = "vkQueueSubmit",
                      .value = 7,
                      .limit = 8,
                      .native_code = -4};
    const Error read = decode_error(encode(error));
    CHECK(read.code == error.code);
    CHECK(to_string(read) == to_string(error));
    CHECK(decode_error(encode(Error{.code = ErrorCode::kNoDevice, .message = "\xff\xfe", .where = ""})).code ==
          ErrorCode::kNoDevice);
    CHECK(decode_error("nonsense").code == ErrorCode::kIoError);
}
