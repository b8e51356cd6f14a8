// The same questions once more: identical creations have identical requirements, whatever was asked before. The sweep
// asks from the first case to the last; here some answers of each case are asked for again, from the last to the first.
// Not thread-safe.
// Source: Vulkan specification, Resource Memory Association, VkMemoryRequirements: of resources that were created with
// the same parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "probe/examine.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::probe {

inline constexpr std::size_t kAskedAgain = 12;  // points of each case

// What came of it.
struct AskedAgain {
    std::uint64_t answers = 0;
    std::uint64_t others = 0;        // that differ from the first answer
    std::vector<std::string> shown;  // the first of them: both answers

    // Size, alignment and memory types count; whether memory of one's own is preferred is advice, which may change.
    void add(const Answer& first, const Answer& second);
    // The finding "image-requirements-change" or "buffer-requirements-change"; none where every answer was the same.
    void tell(std::string_view kind, std::string_view clause, std::vector<model::Finding>& findings) const;
};

// The answers that `sweep` holds, at about kAskedAgain points of each case, as far as the time allows.
// Errors: kInterrupted.
template <class Sweep, class MakeQuestion>
[[nodiscard]] Result<AskedAgain> ask_again(const Sweep& sweep, std::size_t memory_type_count, SweepPace& pace,
                                           const MakeQuestion& question_about) {
    AskedAgain again;
    // Odd answers are taken as the sweep took them, and told of there.
    OddAnswers<typename Kind<Sweep>::Odd> odd(memory_type_count);
    const auto& grid = Kind<Sweep>::grid(sweep);
    const std::size_t step = std::max<std::size_t>(grid.size() / kAskedAgain, 1);
    for (std::size_t left = sweep.cases.size(); left-- > 0;) {
        const std::size_t done = sweep.cases.size() - 1 - left;
        if (Status stepped = pace.step(Kind<Sweep>::kAgainStage, done, sweep.cases.size()); !stepped) {
            // What was asked again until then counts.
            if (stepped.error().code == ErrorCode::kTimeLimit) return again;
            return fail(std::move(stepped.error()));
        }
        const typename Kind<Sweep>::Case& entry = sweep.cases[left];
        if (!entry.table || !pace.objection(Kind<Sweep>::kAgainStage, done).empty()) continue;
        const model::SweepTable& table = sweep.tables[*entry.table];
        CaseQuestion<Sweep> auto question = question_about(entry);
        question.leave_breadcrumb();
        // Other points of each case, so that all of the grid has its turn.
        for (std::size_t point = grid.size() - 1 - left % step;; point -= step) {
            const auto first = answer_at(sweep.requirements, table, point);
            // No answer, as for lack of memory, is no other answer.
            if (first && question.admits(grid[point])) {
                model::MemoryRequirements second;
                const std::uint64_t odd_before = odd.taken();
                const bool answers = ask_point<Sweep>(question, entry, grid[point], odd, second);
                const bool is_refused = !answers && second.size_bytes == 0 && odd.taken() == odd_before;
                if (!is_refused) {
                    const auto resource = Kind<Sweep>::description(entry, grid[point]);
                    again.add({.pointer = std::string(Kind<Sweep>::kPointer) + "/cases/" + std::to_string(left),
                               .query = {resource, *first}},
                              {.pointer = "asked again", .query = {resource, second}});
                }
            }
            if (point < step) break;
        }
    }
    return again;
}

// Asks again, and tells of what came of it; `clause` is what the API says of identical creations.
// Errors: kInterrupted.
template <class Sweep, class MakeQuestion>
[[nodiscard]] Status check_again(const Sweep& sweep, std::size_t memory_type_count, SweepPace& pace,
                                 std::string_view clause, std::vector<model::Finding>& findings,
                                 const MakeQuestion& question_about) {
    HEAPWRIGHT_ASSIGN(const AskedAgain again, ask_again(sweep, memory_type_count, pace, question_about));
    again.tell(Kind<Sweep>::kName, clause, findings);
    return {};
}

}  // namespace heapwright::probe
