#include "render/what_if_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/text.hpp"

namespace heapwright::render {
namespace {

using model::WhatIfCell;
using model::WhatIfColumn;
using model::WhatIfRow;
using model::WhatIfVerdict;

constexpr std::array<WhatIfColumnWords, model::kWhatIfColumns> kColumnWords{{
    {"peak reserved", "peak|reserved", "Device memory that is allocated at most at once, of all heaps together.",
     WhatIfUnit::kBytes},
    {"mean waste", "mean|waste",
     "What is allocated beyond what resources use, as a share of their use, over all frames.", WhatIfUnit::kShare},
    {"waste at peak", "peak|waste", "The same at the end of the frame that has most allocated.", WhatIfUnit::kShare},
    {"device allocations", "device|allocs", "Allocations of device memory that are alive at once, at most.",
     WhatIfUnit::kCount},
    {"worst frame", "worst|frame",
     "Time in calls for device memory, on the thread that renders, in the frame after the load that has most of it.",
     WhatIfUnit::kTime},
    {"99th percentile frame", "p99|frame", "What 99 of 100 frames after the load spend at most on such calls.",
     WhatIfUnit::kTime},
    {"time allocating", "alloc|time", "Time in calls for device memory altogether, load and background too.",
     WhatIfUnit::kTime},
    {"late allocations", "late|allocs", "Allocations of device memory after the load that a request waited for.",
     WhatIfUnit::kCount},
    {"memory types missed", "missed|types", "Requests that got another memory type than the best one for their use.",
     WhatIfUnit::kCount},
    {"failed requests", "no|memory", "Requests that found no memory.", WhatIfUnit::kCount},
}};

std::string three_digits(double value) {
    return std::abs(value) >= 999.5 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.3g}", value);
}

std::string magnitude_text(WhatIfUnit unit, double value) {
    if (value < 0) return "-" + magnitude_text(unit, -value);
    switch (unit) {
        case WhatIfUnit::kBytes: return byte_text(static_cast<std::uint64_t>(std::llround(value)));
        case WhatIfUnit::kShare: return share_text(value);
        case WhatIfUnit::kTime: return time_text(value);
        case WhatIfUnit::kCount: break;
    }
    if (std::abs(value) < 1e15 && value == std::floor(value)) return fmt::format("{:.0f}", value);
    return std::abs(value) < 100 ? fmt::format("{:.1f}", value) : three_digits(value);
}

// Of two shares, in points of a hundred.
std::string distance_text(WhatIfUnit unit, double value) {
    if (unit == WhatIfUnit::kShare) return fmt::format("{} points", three_digits(100 * value));
    return magnitude_text(unit, value);
}

std::string direction_text(WhatIfUnit unit, double difference) {
    if (difference == 0) return "none";
    return fmt::format("{} {}", distance_text(unit, std::abs(difference)), difference < 0 ? "less" : "more");
}

std::string span_between(WhatIfUnit unit, double least, double most, std::string_view word) {
    std::string from = distance_text(unit, least);
    const std::string to = distance_text(unit, most);
    if (from == to) return fmt::format("{} {}", to, word);
    // A unit that both have stands once.
    const std::size_t at = from.find(' ');
    if (at != std::string::npos && from.substr(at) == to.substr(std::min(to.find(' '), to.size()))) from.resize(at);
    return fmt::format("{} to {} {}", from, to, word);
}

// What is compared with each other: rows of one kind, or the points of a curve.
template <class Played>
bool some_is_not_best(const std::vector<const Played*>& compared, WhatIfColumn column) {
    return std::ranges::any_of(compared, [&](const Played* each) {
        const WhatIfCell* cell = cell_of(*each, column);
        return cell != nullptr && !cell->is_best;
    });
}

// Zero alone is plainly the best; beside others that are not told from it, it is marked as they are.
template <class Played>
bool is_marked_in(const std::vector<const Played*>& compared, const WhatIfCell& cell) {
    return cell.is_best && some_is_not_best(compared, cell.column) &&
           (cell.value != 0 || std::ranges::any_of(compared, [&](const Played* each) {
                const WhatIfCell* other = cell_of(*each, cell.column);
                return other != nullptr && other->is_best && other->value != 0;
            }));
}

bool is_told(const WhatIfCell& cell) {
    return cell.verdict == WhatIfVerdict::kLess || cell.verdict == WhatIfVerdict::kMore;
}

// "reserves 1.66 GiB at the peak": of a subject before it.
std::string predicate(WhatIfColumn column, double value) {
    const std::string text = value_text(column, value);
    switch (column) {
        case WhatIfColumn::kPeakReserved: return fmt::format("reserves {} at the peak", text);
        case WhatIfColumn::kMeanWaste: return fmt::format("wastes {} on average", text);
        case WhatIfColumn::kPeakWaste: return fmt::format("wastes {} at the peak", text);
        case WhatIfColumn::kDeviceAllocations: return fmt::format("needs {} device allocations at once", text);
        case WhatIfColumn::kWorstFrame: return fmt::format("spends {} of its worst frame on memory", text);
        case WhatIfColumn::kP99Frame: return fmt::format("spends {} of its 99th percentile frame on memory", text);
        case WhatIfColumn::kAllocating: return fmt::format("spends {} allocating", text);
        case WhatIfColumn::kLateAllocations: return fmt::format("lets requests wait for {} late allocations", text);
        case WhatIfColumn::kMissedTypes: return fmt::format("misses the best memory type {} times", text);
        case WhatIfColumn::kFailedRequests: return fmt::format("finds no memory for {} requests", text);
    }
    return {};
}

// How much the other's value is of the first's: "33% more", "12 times as much"; empty where the first is 0.
std::string ratio_text(double first, double other) {
    if (first <= 0) return {};
    const double ratio = other / first;
    if (ratio >= 2) return fmt::format("{} times as much", three_digits(ratio));
    const double percent = 100 * std::abs(ratio - 1);
    return fmt::format("{}% {}", percent < 1 ? fmt::format("{:.1g}", percent) : fmt::format("{:.0f}", percent),
                       ratio < 1 ? "less" : "more");
}

constexpr WhatIfColumn kClaimOrder[] = {WhatIfColumn::kFailedRequests,  WhatIfColumn::kPeakReserved,
                                        WhatIfColumn::kWorstFrame,      WhatIfColumn::kMeanWaste,
                                        WhatIfColumn::kAllocating,      WhatIfColumn::kP99Frame,
                                        WhatIfColumn::kPeakWaste,       WhatIfColumn::kMissedTypes,
                                        WhatIfColumn::kLateAllocations, WhatIfColumn::kDeviceAllocations};

// What the first row is better or worse in than the other: the column that weighs most, the next one with the same
// sign, and what that costs. Empty: nothing is told.
std::string claim_against(const WhatIfRow& first, const WhatIfRow& other) {
    std::string claim;
    std::string same_way;
    std::string other_way;
    auto direction = WhatIfVerdict::kSame;
    for (const WhatIfColumn column : kClaimOrder) {
        const WhatIfCell* mine = cell_of(first, column);
        const WhatIfCell* theirs = cell_of(other, column);
        if (mine == nullptr || theirs == nullptr || !is_told(*theirs)) continue;
        const std::string is = predicate(column, mine->value);
        const std::string has = value_text(column, theirs->value);
        if (claim.empty()) {
            const std::string ratio = ratio_text(mine->value, theirs->value);
            claim = fmt::format("{} {} where {} has {}{}", title_of(first), is, title_of(other), has,
                                ratio.empty() ? "" : fmt::format(" ({})", ratio));
            direction = theirs->verdict;
            continue;
        }
        std::string& clause = theirs->verdict == direction ? same_way : other_way;
        if (clause.empty()) clause = fmt::format("{} instead of {}", is, has);
    }
    if (claim.empty()) return claim;
    if (!same_way.empty()) claim += (other_way.empty() ? " and " : ", ") + same_way;
    if (!other_way.empty()) claim += ", but " + other_way;
    return claim + ".";
}

// "a, b and c"
std::string listed(const std::vector<std::string_view>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

// Against the first one of these, of each of the others in turn; empty: nothing is told.
std::string claim_among(const std::vector<const WhatIfRow*>& rows) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows.front()->cells.empty()) break;
        std::string claim = claim_against(*rows.front(), *rows[i]);
        if (!claim.empty()) return claim;
    }
    return {};
}

}  // namespace

const WhatIfColumnWords& words_of(WhatIfColumn column) {
    return kColumnWords[static_cast<std::size_t>(column)];
}

std::string value_text(WhatIfColumn column, double value) {
    return magnitude_text(words_of(column).unit, value);
}

std::string difference_text(const WhatIfCell& cell) {
    const WhatIfUnit unit = words_of(cell.column).unit;
    const double least = cell.least_difference;
    const double most = cell.most_difference;
    switch (cell.verdict) {
        case WhatIfVerdict::kFirst: return {};
        case WhatIfVerdict::kSame: return "the same";
        case WhatIfVerdict::kNotTold:
        case WhatIfVerdict::kLess:
        case WhatIfVerdict::kMore: break;
    }
    if (cell.verdict == WhatIfVerdict::kMore && least >= 0) return span_between(unit, least, most, "more");
    if (cell.verdict == WhatIfVerdict::kLess && most <= 0) return span_between(unit, -most, -least, "less");
    std::string span = fmt::format("{} to {}", direction_text(unit, least), direction_text(unit, most));
    if (cell.verdict == WhatIfVerdict::kNotTold) return "not told: " + span;
    return span;
}

std::vector<const model::WhatIfPoint*> points_with(const model::WhatIfCurve& curve, WhatIfColumn column) {
    std::vector<const model::WhatIfPoint*> points;
    for (const model::WhatIfPoint& point : curve.points)
        if (cell_of(point, column) != nullptr) points.push_back(&point);
    return points;
}

std::string title_of(const WhatIfRow& row) {
    return row.is_real ? row.name + " on the device" : row.name;
}

std::vector<const WhatIfRow*> rows_of(const model::WhatIf& what_if, bool is_real) {
    std::vector<const WhatIfRow*> rows;
    for (const WhatIfRow& row : what_if.rows)
        if (row.is_real == is_real) rows.push_back(&row);
    return rows;
}

bool is_marked(const model::WhatIf& what_if, const WhatIfRow& row, const WhatIfCell& cell) {
    return is_marked_in(rows_of(what_if, row.is_real), cell);
}
bool is_marked(const model::WhatIfCurve& curve, const WhatIfCell& cell) {
    return is_marked_in(points_with(curve, cell.column), cell);
}

bool has_failed(const WhatIfRow& row) {
    const WhatIfCell* failed = cell_of(row, WhatIfColumn::kFailedRequests);
    return failed != nullptr && failed->value > 0;
}

std::string failed_text(const WhatIfRow& row) {
    const WhatIfCell* failed = cell_of(row, WhatIfColumn::kFailedRequests);
    return fmt::format("{} found no memory for {} of its requests", title_of(row),
                       value_text(WhatIfColumn::kFailedRequests, failed == nullptr ? 0 : failed->value));
}

std::string not_played_text(const WhatIfRow& row) {
    return fmt::format("{} was not played: {}", title_of(row), reason_of(row));
}

std::vector<WhatIfColumn> shown_columns(const model::WhatIf& what_if) {
    std::vector<WhatIfColumn> columns;
    for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) {
        const auto column = static_cast<WhatIfColumn>(i);
        const auto shows = [&](const WhatIfRow& row) {
            return column == WhatIfColumn::kFailedRequests ? has_failed(row) : cell_of(row, column) != nullptr;
        };
        if (std::ranges::any_of(what_if.rows, shows)) columns.push_back(column);
    }
    return columns;
}

std::string first_of(const model::WhatIf& what_if) {
    // Both kinds begin with the same way.
    return rows_of(what_if, true).empty() ? title_of(what_if.rows.front()) : what_if.rows.front().name;
}

std::string claim_of(const model::WhatIf& what_if) {
    std::vector<const WhatIfRow*> played;
    for (const WhatIfRow& row : what_if.rows)
        if (!row.cells.empty()) played.push_back(&row);
    if (played.empty()) return "Nothing was played.";
    const WhatIfRow& first = *played.front();
    if (&first != &what_if.rows.front())
        return fmt::format("{} was not played: there is nothing to compare the other ways with.",
                           title_of(what_if.rows.front()));
    std::vector<const WhatIfRow*> alike = played;
    std::erase_if(alike, [&](const WhatIfRow* row) { return row->is_real != first.is_real; });
    if (alike.size() == 1) {
        std::vector<std::string> said;
        for (const WhatIfColumn column : kMainColumns)
            if (const WhatIfCell* cell = cell_of(first, column)) said.push_back(predicate(column, cell->value));
        if (said.empty()) return title_of(first) + " alone was played.";
        return fmt::format("{} {}; no other way was played.", title_of(first), listed({said.begin(), said.end()}));
    }
    for (const bool is_real : {first.is_real, !first.is_real}) {
        std::string claim = claim_among(rows_of(what_if, is_real));
        if (!claim.empty()) return claim;
    }
    if (alike.size() == 2)
        return fmt::format("No difference that can be told between {} and {}.", title_of(first), title_of(*alike[1]));
    return fmt::format("No difference that can be told between {} and the other {} ways.", title_of(first),
                       alike.size() - 1);
}

std::string best_of(const model::WhatIf& what_if) {
    if (what_if.rows.empty()) return {};
    const std::vector<const WhatIfRow*> rows = rows_of(what_if, what_if.rows.front().is_real);
    std::vector<std::pair<std::string, std::vector<std::string_view>>> groups;  // the ways, and what they are best in
    for (const WhatIfColumn column : {WhatIfColumn::kPeakReserved, WhatIfColumn::kMeanWaste, WhatIfColumn::kWorstFrame,
                                      WhatIfColumn::kAllocating}) {
        if (!some_is_not_best(rows, column)) continue;
        constexpr std::size_t kMostNames = 2;
        std::string names;
        std::size_t best = 0;
        for (const WhatIfRow* row : rows) {
            const WhatIfCell* cell = cell_of(*row, column);
            if (cell == nullptr || !cell->is_best || ++best > kMostNames) continue;
            names +=
                (names.empty() ? "" : " and ") + title_of(*row) + (has_failed(*row) ? " (it failed requests)" : "");
        }
        if (best == 0) continue;
        if (best > kMostNames) names += fmt::format(" and {} more", best - kMostNames);
        const auto group = std::ranges::find(groups, names, [](const auto& each) { return each.first; });
        (group == groups.end() ? groups.emplace_back(std::move(names), 0) : *group)
            .second.push_back(words_of(column).name);
    }
    std::string text;
    for (const auto& [names, columns] : groups)
        text += fmt::format("{}{}: {}", text.empty() ? "Best in " : "; ", listed(columns), names);
    return text.empty() ? text : text + ".";
}

std::string program_of(const model::WhatIf& what_if) {
    const auto& inputs = what_if.inputs;
    if (inputs.empty()) return "no input";
    if (inputs.size() == 1)
        return fmt::format("{} ({}, {}, {})", inputs[0].name, inputs[0].kind, counted(inputs[0].creations, "creation"),
                           counted(inputs[0].frames, "frame"));
    return fmt::format("{} and {}", inputs[0].name, counted(inputs.size() - 1, "other input"));
}

bool is_exact(const model::WhatIf& what_if) {
    return what_if.seeds == 0 && what_if.stretches == 0 && what_if.plays == 0;
}

std::string told_by(const model::WhatIf& what_if) {
    std::vector<std::string> by;
    if (what_if.seeds != 0) by.push_back(counted(what_if.seeds, "paired seed"));
    if (what_if.stretches != 0) by.push_back(counted(what_if.stretches, "stretch of frames", "stretches of frames"));
    const bool is_repeated = what_if.plays != 0 && (what_if.stretches != 0 || what_if.seeds == 0);
    if (is_repeated) by.push_back(counted(what_if.plays, "play on the device", "plays on the device"));
    if (what_if.seeds == 0 && what_if.stretches == 0) {
        const std::string alone = what_if.inputs.size() != 1            ? "these inputs"
                                  : what_if.inputs.front().kind.empty() ? "this input"
                                                                        : "this " + what_if.inputs.front().kind;
        if (!is_repeated) return fmt::format("Differences are exact, for {} alone.", alone);
        return fmt::format(
            "Differences are exact, for {} alone; on the device they are told by {}, at 99% for each row.", alone,
            counted(what_if.plays, "play"));
    }
    return fmt::format("Differences are told by {}, at 99% for each row.", listed({by.begin(), by.end()}));
}

}  // namespace heapwright::render
