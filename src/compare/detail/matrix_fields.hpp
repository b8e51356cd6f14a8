// How the list of drivers and the matrix's table stand in JSON.
#pragma once

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "compare/matrix_driver.hpp"
#include "compare/matrix_table.hpp"
#include "model/detail/fields_common.hpp"
#include "model/names.hpp"

namespace heapwright::compare {

struct DriverList {
    std::vector<MatrixDriver> drivers;
};

// An id becomes a file's name on every system, and no hidden one.
constexpr bool is_file_name(std::string_view text) {
    return !text.empty() && text.front() != '.' && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
}

}  // namespace heapwright::compare

namespace heapwright::model {

template <>
std::span<const std::string_view> names_of<compare::DriverApi>();
template <>
std::span<const std::string_view> names_of<compare::MatrixOutcome>();

}  // namespace heapwright::model

namespace heapwright::model::detail {

inline constexpr PatternCodec kFileNameCodec{"^[A-Za-z0-9_-][A-Za-z0-9._-]*$", compare::is_file_name,
                                             "letters, digits, '.', '-' and '_', not beginning with '.'"};
inline constexpr TextCodec kNonEmptyCodec{.min_length = 1};

template <>
struct Fields<compare::EnvironmentEntry> {
    using S = compare::EnvironmentEntry;
    static constexpr std::string_view kName = "environment_entry";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name, kNonEmptyCodec), field("value", &S::value)};
};
static_assert(kHasRowForEveryMember<compare::EnvironmentEntry>);

template <>
struct Fields<compare::MatrixDriver> {
    using S = compare::MatrixDriver;
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
static_assert(kHasRowForEveryMember<compare::MatrixDriver>);

template <>
struct Fields<compare::DriverList> {
    using S = compare::DriverList;
    static constexpr std::string_view kName = "driver_list";
    static constexpr auto list = std::tuple{field("drivers", &S::drivers)};
};
static_assert(kHasRowForEveryMember<compare::DriverList>);

template <>
struct Fields<compare::MatrixRow> {
    using S = compare::MatrixRow;
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
static_assert(kHasRowForEveryMember<compare::MatrixRow>);

template <>
struct Fields<compare::MatrixTable> {
    using S = compare::MatrixTable;
    static constexpr std::string_view kName = "driver_matrix";
    static constexpr auto list =
        std::tuple{field("tool_version", &S::tool_version), field("rows", &S::rows), field("notes", &S::notes)};
};
static_assert(kHasRowForEveryMember<compare::MatrixTable>);

}  // namespace heapwright::model::detail
