#include "heapwright/isolate/messages.hpp"

#include <nlohmann/json.hpp>

namespace heapwright::isolate {
namespace {

using Json = nlohmann::json;

// Parent and child are one program, so a message that cannot be read is a broken pipe, not a user's mistake.
tl::unexpected<Error> broken(const std::exception& error) {
    return fail(ErrorCode::kIoError, error.what(), "message between heapwright and its worker");
}

}  // namespace

std::string encode(const WorkerRequest& request) {
    return Json{{"task", request.task},
                {"api", request.api},
                {"icd_files", request.icd_files},
                {"vulkan_device_index", request.vulkan_device_index},
                {"vulkan_device", request.vulkan_device},
                {"selectors", request.selectors},
                {"first_index", request.first_index},
                {"skip", request.skip},
                {"identity_only", request.identity_only},
                {"measure_memory_cost", request.measure_memory_cost},
                {"validation_layers", request.validation_layers},
                {"allow_other_device", request.allow_other_device},
                {"baselines", request.baselines},
                {"scenarios", request.scenarios},
                {"seed", request.seed},
                {"memory_limit_bytes", request.memory_limit_bytes},
                {"time_limit_ns", request.time_limit_ns},
                {"workload", request.workload},
                {"policy", request.policy}}
        .dump();
}

Result<WorkerRequest> decode_request(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        WorkerRequest request;
        json.at("task").get_to(request.task);
        json.at("api").get_to(request.api);
        json.at("icd_files").get_to(request.icd_files);
        json.at("vulkan_device_index").get_to(request.vulkan_device_index);
        json.at("vulkan_device").get_to(request.vulkan_device);
        json.at("selectors").get_to(request.selectors);
        json.at("first_index").get_to(request.first_index);
        json.at("skip").get_to(request.skip);
        json.at("identity_only").get_to(request.identity_only);
        json.at("measure_memory_cost").get_to(request.measure_memory_cost);
        json.at("validation_layers").get_to(request.validation_layers);
        json.at("allow_other_device").get_to(request.allow_other_device);
        json.at("baselines").get_to(request.baselines);
        json.at("scenarios").get_to(request.scenarios);
        json.at("seed").get_to(request.seed);
        json.at("memory_limit_bytes").get_to(request.memory_limit_bytes);
        json.at("time_limit_ns").get_to(request.time_limit_ns);
        json.at("workload").get_to(request.workload);
        json.at("policy").get_to(request.policy);
        return request;
    } catch (const std::exception& error) {
        return broken(error);
    }
}

std::string encode(const Error& error) {
    Json json{{"code", static_cast<int>(error.code)}, {"message", error.message}, {"where", error.where}};
    if (error.value) json["value"] = *error.value;
    if (error.limit) json["limit"] = *error.limit;
    if (error.native_code) json["native_code"] = *error.native_code;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error decode_error(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        Error error;
        error.code = static_cast<ErrorCode>(json.at("code").get<int>());
        json.at("message").get_to(error.message);
        json.at("where").get_to(error.where);
        if (json.contains("value")) error.value = json["value"].get<std::uint64_t>();
        if (json.contains("limit")) error.limit = json["limit"].get<std::uint64_t>();
        if (json.contains("native_code")) error.native_code = json["native_code"].get<std::int64_t>();
        return error;
    } catch (const std::exception& failure) {
        return broken(failure).value();
    }
}

}  // namespace heapwright::isolate
