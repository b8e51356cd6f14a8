#include <catch2/catch_test_macros.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "isolate/detail/request_fields.hpp"
#include "isolate/messages.hpp"

using namespace heapwright;
using namespace heapwright::isolate;
using namespace heapwright::model::detail;

namespace {

// A value that is not the default, for every row of a field table and of the tables beneath it: a member that gets a
// row is tested by that alone.
void change(const BoolCodec&, bool& value) {
    value = !value;
}
void change(const WideCodec&, std::uint64_t& value) {
    value = ~value;
}
template <std::unsigned_integral T>
void change(const UintCodec& codec, T& value) {
    value = static_cast<T>(value == codec.max ? codec.min : codec.max);
}
template <class E>
void change(const NameCodec<E>&, E& value) {
    value = value == E{} ? static_cast<E>(1) : E{};
}
void change(const TextCodec&, std::string& value) {
    value += "{\"a\\b\":\n1} \xC3\xA9";
}
void change(const PatternCodec& codec, std::string& value) {
    for (const char* text : {"0123456789abcdef0123456789abcdef", "0123456789abcdef"}) {
        if (codec.matches(text)) value = text;
    }
}
template <class T>
void change(const RecordCodec<T>&, T& value);
template <class C, class T>
void change(const ItemsCodec<C>& codec, std::vector<T>& values) {
    for (int i = 0; i < 2; ++i) change(codec.item, values.emplace_back());
}
template <class C, class T>
void change(const C& codec, std::optional<T>& value) {
    change(codec, value.emplace());
}
template <class T>
void change(const RecordCodec<T>&, T& value) {
    std::apply([&](const auto&... row) { (change(row.codec, std::invoke(row.member, value)), ...); }, Fields<T>::list);
}

template <class T>
bool are_equal(const T& a, const T& b);
template <class T>
bool are_equal(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || are_equal(*a, *b));
}
template <class T>
bool are_equal(const T& a, const T& b) {
    if constexpr (std::equality_comparable<T>) {
        return a == b;
    } else {
        return std::apply(
            [&](const auto&... row) {
                return (are_equal(std::invoke(row.member, a), std::invoke(row.member, b)) && ...);
            },
            Fields<T>::list);
    }
}

// Each row of T under `path`, and those beneath it.
template <class T>
void check_rows(const std::string& path, const T& fresh, const T& sent, const T& read) {
    const auto check = [&](const auto& row) {
        const auto& was = std::invoke(row.member, fresh);
        const auto& in = std::invoke(row.member, sent);
        const auto& out = std::invoke(row.member, read);
        INFO(path << "/" << row.key);
        CHECK_FALSE(are_equal(was, in));
        CHECK(are_equal(in, out));
    };
    std::apply([&](const auto&... row) { (check(row), ...); }, Fields<T>::list);
}

}  // namespace

TEST_CASE("every field of a request crosses unchanged") {
    WorkerRequest sent;
    change(RecordCodec<WorkerRequest>{}, sent);
    const auto read = decode_request(encode(sent));
    if (!read) FAIL(to_string(read.error()));
    const WorkerRequest fresh;
    check_rows("", fresh, sent, *read);
    check_rows("/target", fresh.target, sent.target, read->target);
    check_rows("/limits", fresh.limits, sent.limits, read->limits);
    check_rows("/probe", ProbeRequest{}, *sent.probe, *read->probe);
    check_rows("/validation", validate::ValidationRequest{}, *sent.validation, *read->validation);
}

TEST_CASE("a request that asks for nothing but the devices crosses as that") {
    const auto read = decode_request(encode(WorkerRequest{}));
    REQUIRE(read);
    CHECK(are_equal(WorkerRequest{}, *read));
    CHECK_FALSE(read->probe);
    CHECK_FALSE(read->validation);
    CHECK_FALSE(read->limits.memory_limit_bytes);
}

TEST_CASE("a message that is no request is a broken pipe") {
    std::string more = encode(WorkerRequest{});
    more.insert(more.find('{') + 1, "\"unheard_of\": 1,");
    for (const std::string& text : {std::string("{"), std::string("{}"), more}) {
        const auto read = decode_request(text);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::kIoError);
        CHECK(read.error().where.starts_with("message between heapwright and its worker"));
    }
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
