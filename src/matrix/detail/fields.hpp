// How the list of drivers and the matrix's table stand in JSON.
#pragma once

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "heapwright/matrix/driver.hpp"
#include "heapwright/matrix/table.hpp"
#include "heapwright/model/detail/fields_common.hpp"
#include "heapwright/model/names.hpp"

namespace heapwright::matrix {

struct DriverList {
    std::vector<Driver> drivers;
};

// An id becomes a file's name on every system, and no hidden one.
constexpr bool is_file_name(std::string_view text) {
    return !text.empty() && text.front() != '.' && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
}

}  // namespace heapwright::matrix

namespace heapwright::model {

template <>
std::span<const std::string_view> names_of<matrix::DriverApi>();
template <>
std::span<const std::string_view> names_of<matrix::Outcome>();

}  // namespace heapwright::model

namespace heapwright::model::detail {

inline constexpr PatternCodec kFileNameCodec{"^[A-Za-z0-9_-][A-Za-z0-9._-]*$", matrix::is_file_name,
                                             "letters, digits, '.', '-' and '_', not beginning with '.'"};
inline constexpr TextCodec kNonEmptyCodec{.min_length = 1};

template <>
struct Fields<matrix::EnvironmentEntry> {
    using S = matrix::EnvironmentEntry;
    static constexpr std::string_view kName = "environment_entry";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name, kNonEmptyCodec), field("value", &S::value)};
};
static_assert(kHasRowForEveryMember<matrix::EnvironmentEntry>);

template <>
struct Fields<matrix::Driver> {
    using S = matrix::Driver;
    static constexpr std::string_view kName = "driver";
    static constexpr auto list = std::tuple{field("id", &S::id, kFileNameCodec),
                                            field("family", &S::family, kFileNameCodec),
                                            field("api", &S::api, Presence::kDefaulted),
                                            field("icd", &S::icd, kNonEmptyCodec),
                                            field("gpu", &S::gpu, kNonEmptyCodec),
                                            field("environment", &S::environment, Presence::kDefaulted),
                                            field("command", &S::command, Presence::kDefaulted),
                                            field("timing", &S::timing, Presence::kDefaulted),
                                            field("purpose", &S::purpose),
                                            field("absent", &S::absent, kNonEmptyCodec)};
};
static_assert(kHasRowForEveryMember<matrix::Driver>);

template <>
struct Fields<matrix::DriverList> {
    using S = matrix::DriverList;
    static constexpr std::string_view kName = "driver_list";
    static constexpr auto list = std::tuple{field("drivers", &S::drivers)};
};
static_assert(kHasRowForEveryMember<matrix::DriverList>);

template <>
struct Fields<matrix::Row> {
    using S = matrix::Row;
    static constexpr std::string_view kName = "row";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("driver", &S::driver),
                                            field("api", &S::api),
                                            field("purpose", &S::purpose),
                                            field("outcome", &S::outcome),
                                            field("exit_code", &S::exit_code),
                                            field("signal", &S::signal),
                                            field("elapsed_seconds", &S::elapsed_seconds),
                                            field("device_count", &S::device_count),
                                            field("reason", &S::reason)};
};
static_assert(kHasRowForEveryMember<matrix::Row>);

template <>
struct Fields<matrix::Table> {
    using S = matrix::Table;
    static constexpr std::string_view kName = "driver_matrix";
    static constexpr auto list =
        std::tuple{field("tool_version", &S::tool_version), field("rows", &S::rows), field("notes", &S::notes)};
};
static_assert(kHasRowForEveryMember<matrix::Table>);

}  // namespace heapwright::model::detail
