#include "model/what_if.hpp"

#include <fmt/format.h>

#include <array>

#include "model/detail/fields_what_if.hpp"
#include "model/detail/read.hpp"
#include "model/detail/write.hpp"

namespace heapwright::model {
namespace detail {

template Result<WhatIf> read_shape(std::string_view text, std::string_view source);

}  // namespace detail
namespace {

constexpr std::array<std::string_view, kWhatIfColumns> kWhatIfColumnNames{
    "peak_reserved_bytes", "mean_waste",    "peak_waste",       "device_allocations", "worst_frame_ns",
    "p99_frame_ns",        "allocating_ns", "late_allocations", "missed_types",       "failed_requests"};
constexpr std::array<std::string_view, 5> kWhatIfVerdictNames{"first", "same", "not_told", "less", "more"};
static_assert(kWhatIfColumns == static_cast<std::size_t>(WhatIfColumn::kFailedRequests) + 1);
static_assert(kWhatIfVerdictNames.size() == static_cast<std::size_t>(WhatIfVerdict::kMore) + 1);

// Of a row or a point, at the JSON pointer `at`.
template <class Played>
Status check_played(const Played& played, std::string_view source, const std::string& at) {
    const auto wrong = [&](std::string message, const std::string& where) {
        return fail(ErrorCode::kSchemaViolation, std::move(message), detail::place(source, where));
    };
    if (!played.not_played.empty() && !played.cells.empty())
        return wrong("has cells, and a reason why it has none", at + "/cells");
    for (std::size_t i = 0; i < played.cells.size(); ++i) {
        const WhatIfCell& cell = played.cells[i];
        const std::string where = fmt::format("{}/cells/{}", at, i);
        if (i != 0 && played.cells[i - 1].column >= cell.column)
            return wrong(fmt::format("{} does not stand in the columns' order, or stands twice", name_of(cell.column)),
                         where + "/column");
        if (cell.least_difference > cell.most_difference)
            return wrong(fmt::format("the interval begins at {}, behind its end {}", cell.least_difference,
                                     cell.most_difference),
                         where + "/least_difference");
    }
    return {};
}

Status check_what_if(const WhatIf& what_if, std::string_view source) {
    for (std::size_t i = 0; i < what_if.rows.size(); ++i)
        HEAPWRIGHT_TRY(check_played(what_if.rows[i], source, fmt::format("/rows/{}", i)));
    for (std::size_t i = 0; i < what_if.curves.size(); ++i) {
        const std::vector<WhatIfPoint>& points = what_if.curves[i].points;
        for (std::size_t k = 0; k < points.size(); ++k) {
            const std::string at = fmt::format("/curves/{}/points/{}", i, k);
            HEAPWRIGHT_TRY(check_played(points[k], source, at));
            if (k != 0 && points[k - 1].size_bytes >= points[k].size_bytes)
                return fail({.code = ErrorCode::kSchemaViolation,
                             .message = "the points' sizes do not ascend",
                             .where = detail::place(source, at + "/size_bytes"),
                             .value = points[k].size_bytes,
                             .limit = points[k - 1].size_bytes});
        }
    }
    return {};
}

}  // namespace

template <>
std::span<const std::string_view> names_of<WhatIfColumn>() {
    return kWhatIfColumnNames;
}
template <>
std::span<const std::string_view> names_of<WhatIfVerdict>() {
    return kWhatIfVerdictNames;
}

Result<WhatIf> read_what_if(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(WhatIf what_if, detail::read_shape<WhatIf>(text, source));
    HEAPWRIGHT_TRY(check_what_if(what_if, source));
    return what_if;
}

std::string write(const WhatIf& what_if) {
    return detail::write_document(what_if, true);
}

}  // namespace heapwright::model
