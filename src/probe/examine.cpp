#include "probe/examine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heapwright::probe {

namespace {

std::vector<Answer> joined(std::vector<Answer> answers, const std::vector<Answer>& more) {
    answers.insert(answers.end(), more.begin(), more.end());
    return answers;
}

}  // namespace

std::vector<DetailedFinding> examine_in_detail(const model::DeviceReport& device) {
    std::vector<DetailedFinding> findings;
    check_budgets(device, findings);
    if (device.identity.api != model::Api::kVulkan) return findings;
    check_memory(device, findings);
    check_limits(device, findings);
    const std::vector<Answer> images = image_answers(device.image_sweep);
    const std::vector<Answer> buffers = buffer_answers(device.buffer_sweep);
    check_requirements(device, "image", joined(images, odd_image_answers(device.image_sweep)), findings);
    check_requirements(device, "buffer", joined(buffers, odd_buffer_answers(device.buffer_sweep)), findings);
    check_images(device, images, findings);
    check_buffers(device, buffers, findings);
    return findings;
}

std::vector<model::Finding> examine(const model::DeviceReport& device) {
    std::vector<model::Finding> findings;
    for (DetailedFinding& detailed : examine_in_detail(device)) {
        const bool known =
            std::any_of(device.findings.begin(), device.findings.end(),
                        [&](const model::Finding& finding) { return finding.id == detailed.finding.id; });
        if (!known) findings.push_back(std::move(detailed.finding));
    }
    return findings;
}

namespace {

// The first grid point of every requirement class that the table uses.
std::vector<std::size_t> first_points(const model::SweepTable& table) {
    std::vector<std::size_t> points;
    std::vector<std::uint16_t> seen;
    for (std::size_t point = 0; point < table.size_bytes.size(); ++point) {
        if (table.size_bytes[point] == 0) continue;
        const std::uint16_t requirement = table.requirement[point];
        if (!seen.empty() && seen.back() == requirement) continue;
        if (std::find(seen.begin(), seen.end(), requirement) != seen.end()) continue;
        seen.push_back(requirement);
        points.push_back(point);
    }
    return points;
}

template <class Odd>
std::vector<Answer> odd_answers(const std::vector<Odd>& odd, std::string_view list) {
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < odd.size(); ++i) {
        answers.push_back({.pointer = fmt::format("{}/{}", list, i),
                           .query = {.resource = odd[i].description, .answer = odd[i].answer},
                           .count = odd[i].count});
    }
    return answers;
}

}  // namespace

Answer image_answer(const model::ImageSweep& sweep, std::size_t image_case, std::size_t point) {
    const model::ImageCase& entry = sweep.cases[image_case];
    const auto [width, height] = sweep.grid.point(point);
    return {.pointer = fmt::format("/image_sweep/cases/{}", image_case),
            .query = {.resource = entry.description(width, height),
                      .answer = answer_at(sweep.requirements, sweep.tables[*entry.table], point).value()}};
}

Answer buffer_answer(const model::BufferSweep& sweep, std::size_t buffer_case, std::size_t point) {
    const model::BufferCase& entry = sweep.cases[buffer_case];
    return {.pointer = fmt::format("/buffer_sweep/cases/{}", buffer_case),
            .query = {.resource = model::BufferDescription{.size_bytes = sweep.sizes[point], .usage = entry.usage},
                      .answer = answer_at(sweep.requirements, sweep.tables[*entry.table], point).value()}};
}

std::vector<Answer> image_answers(const model::ImageSweep& sweep) {
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
        if (!sweep.cases[i].table) continue;
        for (const std::size_t point : first_points(sweep.tables[*sweep.cases[i].table])) {
            answers.push_back(image_answer(sweep, i, point));
        }
    }
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const model::ImagePoint& point = sweep.points[i];
        if (!point.requirements) continue;
        answers.push_back({.pointer = fmt::format("/image_sweep/points/{}", i),
                           .query = {.resource = point.description, .answer = *point.requirements}});
    }
    return answers;
}

std::vector<Answer> buffer_answers(const model::BufferSweep& sweep) {
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
        if (!sweep.cases[i].table) continue;
        for (const std::size_t point : first_points(sweep.tables[*sweep.cases[i].table])) {
            answers.push_back(buffer_answer(sweep, i, point));
        }
    }
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const model::BufferPoint& point = sweep.points[i];
        if (!point.requirements) continue;
        answers.push_back({.pointer = fmt::format("/buffer_sweep/points/{}", i),
                           .query = {.resource = point.description, .answer = *point.requirements}});
    }
    return answers;
}

std::vector<Answer> odd_image_answers(const model::ImageSweep& sweep) {
    return odd_answers(sweep.odd_answers, "/image_sweep/odd_answers");
}

std::vector<Answer> odd_buffer_answers(const model::BufferSweep& sweep) {
    return odd_answers(sweep.odd_answers, "/buffer_sweep/odd_answers");
}

std::string evidence(const Answer& answer) {
    const model::MemoryRequirements& requirements = answer.query.answer;
    return fmt::format("{} ({}): size_bytes {}, alignment_bytes {}, memory_type_bits {:#x}", answer.pointer,
                       model::resource_text(answer.query.resource), requirements.size_bytes,
                       requirements.alignment_bytes, requirements.memory_type_bits);
}

}  // namespace heapwright::probe
