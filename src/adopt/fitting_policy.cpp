#include "heapwright/adopt/fitting_policy.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heapwright/loader/match.hpp"
#include "heapwright/loader/scale.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/sweep/pace.hpp"
#include "heapwright/vulkan/buffer_sweep.hpp"
#include "heapwright/vulkan/image_sweep.hpp"
#include "heapwright/vulkan/physical_device.hpp"
#include "heapwright/vulkan/requirement_query.hpp"
#include "heapwright/workload/presets.hpp"

namespace heapwright::adopt {
namespace {

loader::RunningDevice running_device(const model::DeviceReport& facts) {
    loader::RunningDevice running;
    running.identity = facts.identity;
    running.heaps = facts.heaps;
    running.memory_types = facts.memory_types;
    running.limits = facts.limits;
    running.budget_bytes.resize(facts.heaps.size());
    for (std::size_t heap = 0; heap < facts.run.heap_budgets.size() && heap < facts.heaps.size(); ++heap) {
        const std::uint64_t budget = facts.run.heap_budgets[heap].budget_bytes;
        if (budget != 0) running.budget_bytes[heap] = budget;
    }
    return running;
}

// Both sweeps, or an error that names the limit.
Status ask_sizes(const AdoptedDevice& device, const QuickProbe& probe, const model::Workload& workload,
                 model::DeviceReport& report) {
    const device::ReadOptions options{.time_limit_ns = probe.time_limit_ns};
    sweep::SweepPace pace(options);
    HEAPWRIGHT_ASSIGN(const vulkan::PhysicalDevice physical,
                      vulkan::PhysicalDevice::describe(device.instance(), device.open().physical));
    const auto query = vulkan::RequirementQuery::adopt(device.open(), device.features());
    const std::size_t types = report.memory_types.size();
    HEAPWRIGHT_ASSIGN(auto images, vulkan::sweep_images(device.instance(), physical, *query, types, &workload, pace));
    HEAPWRIGHT_ASSIGN(auto buffers, vulkan::sweep_buffers(*query, vulkan::largest_buffer_bytes(report.limits), types,
                                                          &workload, pace));
    report.image_sweep = std::move(images);
    report.buffer_sweep = std::move(buffers);
    return {};
}

}  // namespace

Result<FittingPolicy> fitting_policy(const model::DeviceReport& facts, std::string_view document,
                                     std::string_view source) {
    HEAPWRIGHT_ASSIGN(model::Policy read, model::read_policy(document, source));
    std::vector<loader::StoredPolicy> stored;
    for (model::DevicePolicy& device : read.devices) {
        stored.push_back({.file = std::string(source),
                          .header = read.header,
                          .workload_name = read.workload_name,
                          .device = std::move(device)});
    }
    const loader::RunningDevice running = running_device(facts);
    const loader::MatchResult found = loader::find_match(stored, running, {});
    if (!found.best) {
        std::string why = "no policy of the document fits the device";
        for (const std::string& line : found.passed_over) why += "; " + line;
        return fail(ErrorCode::kDeviceMismatch, std::move(why), std::string(source));
    }
    FittingPolicy fitting{.policy = std::move(stored[found.best->policy].device),
                          .explanation = fmt::format("{}: {}\n", source, found.best->reason)};
    for (const std::string& change : loader::scale(fitting.policy, running)) {
        fitting.explanation += fmt::format("scaled: {}\n", change);
    }
    return fitting;
}

Result<FittingPolicy> quick_policy(const AdoptedDevice& device, const QuickProbe& probe) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, workload::preset(probe.workload));
    model::DeviceReport report = device.facts();
    report.absent = {"/volatile/memory_cost"};
    std::string from = "the sizes that the driver gave";
    if (const Status asked = ask_sizes(device, probe, workload, report); !asked) {
        report.image_sweep = {};
        report.buffer_sweep = {};
        // The form of an imported report, whose sizes are assumed.
        report.origin = model::ReportOrigin::kImport;
        report.absent = {"/image_sweep", "/buffer_sweep", "/volatile/memory_cost"};
        from = fmt::format("heaps, memory types and limits alone ({})", to_string(asked.error()));
    }
    policy::AdviseOptions options;
    options.sample = {.most_resources = 2048, .churn_steps = 512};  // a start-up is to be short
    HEAPWRIGHT_ASSIGN(model::DevicePolicy policy, policy::advise(report, workload, 0, options));
    return FittingPolicy{
        .policy = std::move(policy),
        .explanation = fmt::format("made at start for the workload {} from {}\n", workload.name, from)};
}

}  // namespace heapwright::adopt
