#include "vulkan/device_report.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "probe/pace.hpp"
#include "vulkan/buffer_sweep.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/image_sweep.hpp"
#include "vulkan/requirement_query.hpp"
#include "vulkan/sparse_requirements.hpp"

namespace heapwright::vulkan {
namespace {

void take_facts(Facts facts, std::vector<model::Fact>& values, std::vector<model::UnreportedFact>& unreported) {
    values = std::move(facts.values);
    for (model::UnreportedFact& entry : facts.unreported) unreported.push_back(std::move(entry));
}

}  // namespace

model::DeviceReport read_facts(const Instance& instance, const PhysicalDevice& device, std::uint32_t device_index) {
    model::DeviceReport report;
    report.identity = read_identity(instance, device);
    read_memory(instance, device, report);
    take_facts(read_limits(instance, device), report.limits, report.unreported);
    take_facts(read_features(instance, device), report.features, report.unreported);
    read_texts(instance, device, report);
    read_layered_apis(instance, device, report);
    report.queue_families = read_queue_families(instance, device);
    report.extensions = device.extensions();
    report.run.device_index = device_index;
    return report;
}

Result<model::DeviceReport> read_report(const Instance& instance, const PhysicalDevice& device,
                                        std::uint32_t device_index, const device::ReadOptions& options) {
    probe::SweepPace pace(options);
    model::DeviceReport report = read_facts(instance, device, device_index);
    if (options.on_facts) options.on_facts(report);
    HEAPWRIGHT_ASSIGN(auto query, RequirementQuery::create(instance, device));

    const std::uint64_t max_buffer_bytes = largest_buffer_bytes(report.limits);
    const std::size_t type_count = report.memory_types.size();
    const std::uint64_t sweep_start_ns = pace.elapsed_ns();
    HEAPWRIGHT_ASSIGN(report.image_sweep,
                      sweep_images(instance, device, *query, type_count, options.workload, pace, report.findings));
    HEAPWRIGHT_ASSIGN(report.buffer_sweep,
                      sweep_buffers(*query, max_buffer_bytes, type_count, options.workload, pace, report.findings));
    report.run.timing.sweep_ns = pace.elapsed_ns() - sweep_start_ns;
    report.run.timing.sweep_queries = query->queries();
    const auto ask = [&](std::string_view stage, const auto& question) {
        std::string why = pace.objection(stage, 0);
        if (why.empty()) {
            question();
        } else {
            report.unreported.push_back({.name = std::string(stage), .reason = std::move(why)});
        }
    };
    ask("sparse requirements", [&] { read_sparse_requirements(instance, device, *query, report); });
    ask("image compression", [&] { read_image_compression(instance, device, report); });
    query->failed().tell("requirements-not-measured",
                         fmt::format("what {} resources take is not known", query->failed().count()), "/image_sweep",
                         report.findings);
    report.run.timing.total_ns = pace.elapsed_ns();
    if (options.may_close && !options.may_close(report)) device::leave_open(std::move(query));
    return report;
}

}  // namespace heapwright::vulkan
