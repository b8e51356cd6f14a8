#include "probe/examine.hpp"

#include <algorithm>

#include "probe/rules.hpp"

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

}  // namespace heapwright::probe
