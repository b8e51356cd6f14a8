// The sweep: every case at every point of its grid, then the points that a workload names beside it. It stands here
// once, for images and buffers and for every API. A backend gives a question about each case: what the device supports,
// how the driver is asked, the breadcrumb. What becomes of the answers is decided here: odd ones are set aside, equal
// tables shared, refusals given their reason.
// The question is a template parameter: a software driver answers in 90 ns, and nothing virtual lies between two calls.
// Not thread-safe.
// Beside it: what tells images from buffers, the pace of a probe, and the questions that a driver failed.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/cases.hpp"
#include "probe/tables.hpp"

namespace heapwright::probe {

// Questions of a probe that the driver failed: it gave an error that is no answer about the device. Each is counted,
// the first one is named, and a warning tells of them, so that what is missing is not taken for what the device lacks.
// Not thread-safe.

class FailedQuestions {
public:
    // The call with its result.
    void add(std::string failure) {
        if (count_++ == 0) first_ = std::move(failure);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }

    // The finding `id`, which ends with "-not-measured"; none where no question failed. `lost`: what is not known.
    void tell(std::string_view id, std::string_view lost, std::string evidence,
              std::vector<model::Finding>& findings) const {
        if (count_ == 0) return;
        findings.push_back({.id = std::string(id),
                            .severity = model::FindingSeverity::kWarning,
                            .statement = first_ + "; " + std::string(lost),
                            .clause = {},
                            .evidence = {std::move(evidence)}});
    }

private:
    std::uint64_t count_ = 0;
    std::string first_;
};

// What tells a sweep of images from one of buffers: the grid's points, the cases, a workload's hints. One
// specialisation each, so that run_sweep() stands once. Pure.

template <class Sweep>
struct Kind;

template <>
struct Kind<model::ImageSweep> {
    using Case = model::ImageCase;
    using Point = Extent;
    using Answered = model::ImagePoint;
    using Odd = model::OddImage;
    static constexpr std::string_view kName = "image";
    static constexpr std::string_view kStage = "image sweep";
    static constexpr std::string_view kAgainStage = "images again";
    static constexpr std::string_view kPointer = "/image_sweep";
    static constexpr std::string_view kWorkloadStage = "workload images";

    [[nodiscard]] static std::vector<Extent> grid(const model::ImageSweep& sweep) {
        std::vector<Extent> points(sweep.grid.point_count());
        for (std::size_t index = 0; index < points.size(); ++index) points[index] = sweep.grid.point(index);
        return points;
    }
    [[nodiscard]] static model::ImageDescription description(const model::ImageCase& image, const Extent& at) {
        return image.description(at[0], at[1]);
    }
    [[nodiscard]] static const std::vector<model::ImageHint>& hints(const model::Workload& workload) {
        return workload.images;
    }
};

template <>
struct Kind<model::BufferSweep> {
    using Case = model::BufferCase;
    using Point = std::uint64_t;
    using Answered = model::BufferPoint;
    using Odd = model::OddBuffer;
    static constexpr std::string_view kName = "buffer";
    static constexpr std::string_view kStage = "buffer sweep";
    static constexpr std::string_view kAgainStage = "buffers again";
    static constexpr std::string_view kPointer = "/buffer_sweep";
    static constexpr std::string_view kWorkloadStage = "workload buffers";

    [[nodiscard]] static const std::vector<std::uint64_t>& grid(const model::BufferSweep& sweep) { return sweep.sizes; }
    [[nodiscard]] static model::BufferDescription description(const model::BufferCase& buffer, std::uint64_t size) {
        return {.size_bytes = size, .usage = buffer.usage};
    }
    [[nodiscard]] static const std::vector<model::BufferHint>& hints(const model::Workload& workload) {
        return workload.buffers;
    }
};

// What long work of a probe asks between two steps: was it interrupted, is its time over, who wants to know.

class SweepPace {
public:
    explicit SweepPace(const device::ReadOptions& options) : options_(options), start_ns_(clock_.now_ns()) {}

    // Errors: kInterrupted, kTimeLimit.
    [[nodiscard]] Status step(std::string_view stage, std::size_t done, std::size_t total) {
        HEAPWRIGHT_TRY(check_interrupted());
        if (options_.time_limit_ns != ~0ull && elapsed_ns() > options_.time_limit_ns) {
            return fail({.code = ErrorCode::kTimeLimit,
                         .message = "the probe's time limit passed",
                         .where = std::string(stage),
                         .value = elapsed_ns(),
                         .limit = options_.time_limit_ns});
        }
        if (options_.progress) options_.progress(stage, static_cast<double>(done) / static_cast<double>(total));
        return {};
    }

    // Why this step must not be taken; empty: it may.
    [[nodiscard]] std::string objection(std::string_view stage, std::size_t index) {
        return options_.objection ? options_.objection(stage, index) : std::string();
    }

    [[nodiscard]] std::uint64_t elapsed_ns() { return clock_.now_ns() - start_ns_; }

private:
    const device::ReadOptions& options_;
    SteadyClock clock_;
    std::uint64_t start_ns_;
};

// A backend's question about one case. The first group is asked once a case, the second at every point; objection()
// gives the words only where admits() or keeps() said no.
template <class Question, class Sweep>
concept CaseQuestion = requires(Question& question, const typename Kind<Sweep>::Point& at,
                                const model::MemoryRequirements& answer) {
    { question.not_supported() } -> std::convertible_to<std::string>;  // empty: the device has resources of this case
    question.leave_breadcrumb();
    { Question::kRefused } -> std::convertible_to<std::string_view>;            // why one point has no answer
    { Question::kRefusedEverywhere } -> std::convertible_to<std::string_view>;  // why no point of the grid has one

    { question.admits(at) } -> std::same_as<bool>;  // within the limits that the device states; else it is not asked
    { question.ask(at) } -> std::same_as<model::MemoryRequirements>;
    { question.keeps(answer) } -> std::same_as<bool>;  // the answer is within those limits too
    { question.objection(at) } -> std::convertible_to<std::string>;
    { question.objection(answer) } -> std::convertible_to<std::string>;
};

inline constexpr std::string_view kOddAnswer =
    "the driver's answer breaks what every answer keeps; it stands in odd_answers";

// Asks at one point; `requirements` is what the report may hold of the answer. Gives whether it may hold any.
template <class Sweep, CaseQuestion<Sweep> Question>
[[nodiscard]] bool ask_point(Question& question, const typename Kind<Sweep>::Case& entry,
                             const typename Kind<Sweep>::Point& at, OddAnswers<typename Kind<Sweep>::Odd>& odd,
                             model::MemoryRequirements& requirements) {
    requirements = question.ask(at);
    if (!odd.is_sound(requirements)) requirements = odd.take(requirements, Kind<Sweep>::description(entry, at));
    return requirements.size_bytes != 0 && question.keeps(requirements);
}

// Fills the tables of `sweep`, which has its grid and cases. Errors: kInterrupted, kTimeLimit, kExhausted.
template <class Sweep, class MakeQuestion>
[[nodiscard]] Status sweep_cases(Sweep& sweep, const MakeQuestion& question_about,
                                 OddAnswers<typename Kind<Sweep>::Odd>& odd, SweepPace& pace) {
    const auto& grid = Kind<Sweep>::grid(sweep);
    RequirementClasses classes;
    TableStore tables;
    model::SweepTable table = empty_table(grid.size());
    std::size_t done = 0;
    for (typename Kind<Sweep>::Case& entry : sweep.cases) {
        HEAPWRIGHT_TRY(pace.step(Kind<Sweep>::kStage, done, sweep.cases.size()));
        entry.not_supported = pace.objection(Kind<Sweep>::kStage, done++);
        if (!entry.not_supported.empty()) continue;
        CaseQuestion<Sweep> auto question = question_about(entry);
        entry.not_supported = question.not_supported();
        if (!entry.not_supported.empty()) continue;
        question.leave_breadcrumb();
        const std::uint64_t odd_before = odd.taken();
        for (std::size_t point = 0; point < grid.size(); ++point) {
            model::MemoryRequirements answer;
            const bool answered =
                question.admits(grid[point]) && ask_point<Sweep>(question, entry, grid[point], odd, answer);
            table.size_bytes[point] = answered ? answer.size_bytes : 0;
            table.requirement[point] = answered ? classes.index_of(answer) : std::uint16_t{0};
        }
        if (holds_an_answer(table)) {
            entry.table = tables.add(table);
        } else {
            entry.not_supported = odd.taken() == odd_before ? question.kRefusedEverywhere : kOddAnswer;
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    return {};
}

// The answer at a point outside the grid, or why there is none.
template <class Sweep, CaseQuestion<Sweep> Question>
[[nodiscard]] typename Kind<Sweep>::Answered workload_point(Question& question, const typename Kind<Sweep>::Case& entry,
                                                            const typename Kind<Sweep>::Point& at,
                                                            OddAnswers<typename Kind<Sweep>::Odd>& odd) {
    typename Kind<Sweep>::Answered point;
    point.description = Kind<Sweep>::description(entry, at);
    if (!question.admits(at)) {
        point.not_supported = question.objection(at);
        return point;
    }
    const std::uint64_t odd_before = odd.taken();
    model::MemoryRequirements answer;
    if (ask_point<Sweep>(question, entry, at, odd, answer)) {
        point.requirements = answer;
    } else if (answer.size_bytes != 0) {
        point.not_supported = question.objection(answer);
    } else {
        point.not_supported = odd.taken() == odd_before ? question.kRefused : kOddAnswer;
    }
    return point;
}

// Adds the workload's points that `sweep` does not answer yet. Errors: kInterrupted, kTimeLimit.
template <class Sweep, class MakeQuestion>
[[nodiscard]] Status add_workload_points(Sweep& sweep, const model::Workload& workload,
                                         const MakeQuestion& question_about, OddAnswers<typename Kind<Sweep>::Odd>& odd,
                                         SweepPace& pace) {
    const auto& hints = Kind<Sweep>::hints(workload);
    std::size_t done = 0;
    for (const auto& hint : hints) {
        HEAPWRIGHT_TRY(pace.step(Kind<Sweep>::kWorkloadStage, done, hints.size()));
        const typename Kind<Sweep>::Case entry = case_of(hint);
        if (const std::string why = pace.objection(Kind<Sweep>::kWorkloadStage, done++); !why.empty()) {
            for (const typename Kind<Sweep>::Point& at : points_of(hint)) {
                const auto description = Kind<Sweep>::description(entry, at);
                if (!answers(sweep, description))
                    sweep.points.push_back({.description = description, .requirements = {}, .not_supported = why});
            }
            continue;
        }
        CaseQuestion<Sweep> auto question = question_about(entry);
        const std::string not_supported = question.not_supported();
        question.leave_breadcrumb();
        for (const typename Kind<Sweep>::Point& at : points_of(hint)) {
            const auto description = Kind<Sweep>::description(entry, at);
            if (answers(sweep, description)) continue;
            if (not_supported.empty()) {
                sweep.points.push_back(workload_point<Sweep>(question, entry, at, odd));
            } else {
                sweep.points.push_back(
                    {.description = description, .requirements = {}, .not_supported = not_supported});
            }
        }
    }
    return {};
}

// Both: `sweep` comes with its grid and cases and goes with everything that the driver answers. `question_about` makes
// a question of a case, which outlives it. Without a workload the sweep has no points.
template <class Sweep, class MakeQuestion>
[[nodiscard]] Result<Sweep> run_sweep(Sweep sweep, const model::Workload* workload, std::size_t memory_type_count,
                                      SweepPace& pace, const MakeQuestion& question_about) {
    OddAnswers<typename Kind<Sweep>::Odd> odd(memory_type_count);
    HEAPWRIGHT_TRY(sweep_cases(sweep, question_about, odd, pace));
    if (workload != nullptr) HEAPWRIGHT_TRY(add_workload_points(sweep, *workload, question_about, odd, pace));
    sweep.odd_answers = odd.take_all();
    return sweep;
}

// For an API whose call cannot refuse: a case that the device supports and of which the driver told nothing is a failed
// question. `call` is the one that was asked with.
template <class Question, class Sweep>
void add_silent_cases(const Sweep& sweep, std::string_view call, FailedQuestions& failed) {
    for (const typename Kind<Sweep>::Case& entry : sweep.cases) {
        if (entry.not_supported == Question::kRefusedEverywhere)
            failed.add(std::string(call) + ": " + entry.not_supported);
    }
}

}  // namespace heapwright::probe
