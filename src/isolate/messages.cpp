#include "isolate/messages.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "isolate/detail/request_fields.hpp"
#include "model/detail/read.hpp"
#include "model/detail/write.hpp"

namespace heapwright::isolate {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPlace = "message between heapwright and its worker";

}  // namespace

std::string encode(const WorkerRequest& request) {
    return model::detail::write_document(request, true);
}

Result<WorkerRequest> decode_request(std::string_view text) {
    auto request = model::detail::read_shape<WorkerRequest>(text, kPlace);
    if (!request)
        return fail(ErrorCode::kIoError, std::move(request.error().message), std::move(request.error().where));
    return request;
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
        return {.code = ErrorCode::kIoError, .message = failure.what(), .where = std::string(kPlace)};
    }
}

}  // namespace heapwright::isolate
