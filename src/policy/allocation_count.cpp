#include "heapwright/policy/allocation_count.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heapwright::policy {

model::Decided<std::uint64_t> decide_max_chunks(const Context& context, std::vector<std::string>& warnings) {
    const auto limit = find_limit(context, "maxMemoryAllocationCount");
    const std::uint64_t count = limit ? limit->value : kGuaranteedAllocationCount;

    model::Decided<std::uint64_t> decided;
    decided.value = std::max<std::uint64_t>(1, count - count / 8);
    if (limit) {
        decided.why.inputs.push_back(limit->input);
        decided.why.reason = fmt::format(
            "maxMemoryAllocationCount {} less an eighth for the swapchain and other libraries of the process", count);
    } else if (context.device.identity.api == model::Api::kD3d12) {
        decided.why.reason = fmt::format(
            "Direct3D 12 states no limit; the {} that Vulkan guarantees, less an eighth, keeps residency lists short",
            count);
    } else {
        decided.why.reason = fmt::format(
            "maxMemoryAllocationCount is missing from the report; the {} that the specification guarantees, less an "
            "eighth for the swapchain and other libraries of the process",
            count);
        warnings.push_back(fmt::format(
            "maxMemoryAllocationCount is missing from the report: the number of device allocations rests on the "
            "specification's guarantee of {}",
            count));
    }
    decided.why.alternatives.push_back(
        {.value = std::to_string(count), .reason = "all of them: an allocation made elsewhere in the process fails"});
    decided.why.alternatives.push_back(
        {.value = "80", .reason = "what the conformance test suite asks for as a guideline: lower than needed here"});
    return decided;
}

}  // namespace heapwright::policy
