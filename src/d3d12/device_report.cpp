#include "d3d12/device_report.hpp"

#include <fmt/format.h>

#include "d3d12/allocation_query.hpp"
#include "d3d12/descriptor_facts.hpp"
#include "d3d12/facts.hpp"
#include "d3d12/format_support.hpp"
#include "d3d12/sweeps.hpp"
#include "device/image_planes.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {
namespace {

// Direct3D 12 states no count of queues: as many as a program makes share the device.
std::vector<model::QueueFamily> queue_types() {
    namespace flag = model::queue_flag;
    return {{.flags = flag::kGraphics | flag::kCompute | flag::kTransfer, .queue_count = 1},
            {.flags = flag::kCompute | flag::kTransfer, .queue_count = 1},
            {.flags = flag::kTransfer, .queue_count = 1}};
}

void read_memory(const Adapter& adapter, const MemoryLayout& layout, model::DeviceReport& report) {
    const AdapterMemory memory = adapter.memory();
    if (layout.is_unified()) {
        report.heaps.push_back(
            {.size_bytes = memory.local_bytes + memory.non_local_bytes, .flags = model::memory_heap::kDeviceLocal});
    } else {
        report.heaps.push_back({.size_bytes = memory.local_bytes, .flags = model::memory_heap::kDeviceLocal});
        report.heaps.push_back({.size_bytes = memory.non_local_bytes, .flags = 0});
    }
    for (const MemoryRow& row : layout.rows()) report.memory_types.push_back(row.type);

    if (memory.local_budget && (layout.is_unified() || memory.non_local_budget)) {
        report.run.heap_budgets.push_back(*memory.local_budget);
        if (!layout.is_unified()) report.run.heap_budgets.push_back(*memory.non_local_budget);
    } else {
        report.absent.push_back("/volatile/heap_budgets");
    }
    for (std::size_t i = 0; i < report.heaps.size(); ++i) {
        const std::string pointer = fmt::format("/heaps/{}", i);
        if (report.heaps[i].size_bytes == 0) {
            report.absent.push_back(pointer + "/size_bytes");
            report.findings.push_back({.id = std::string(model::kZeroSizeHeapFinding),
                                       .severity = model::FindingSeverity::kWarning,
                                       .statement = fmt::format("nothing tells the size of memory segment {}", i),
                                       .clause = "DXGI_ADAPTER_DESC",
                                       .evidence = {pointer}});
        } else if (const std::string source = adapter.memory_source(); !source.empty()) {
            report.findings.push_back({.id = "heap-size-not-of-this-api",
                                       .severity = model::FindingSeverity::kNote,
                                       .statement = fmt::format("there is no DXGI to tell the size of memory segment "
                                                                "{}; it is taken from {}",
                                                                i, source),
                                       .clause = "DXGI_ADAPTER_DESC",
                                       .evidence = {pointer}});
        }
    }
}

}  // namespace

model::DeviceReport read_facts(const Adapter& adapter, ID3D12Device* device, const MemoryLayout& layout,
                               std::uint32_t device_index) {
    model::DeviceReport report;
    report.identity = adapter.identity();
    read_memory(adapter, layout, report);
    read_features(device, report);
    layout.failed().tell("memory-types-not-measured", "the memory types are those of a device that answers zero",
                         "/memory_types", report.findings);
    if (!adapter.copies_stencil()) {
        report.findings.push_back(
            {.id = std::string(device::kStencilNotCopiedFinding),
             .severity = model::FindingSeverity::kNote,
             .statement = "vkd3d takes the stencil plane that a texture copy names for an array layer beyond the last, "
                          "and other memory is written; no stencil is copied here",
             .clause = "D3D12_TEXTURE_COPY_LOCATION",
             .evidence = {}});
    }
    if (std::string why = adapter.table_objection(); !why.empty()) {
        report.findings.push_back({.id = "descriptor-tables-dropped",
                                   .severity = model::FindingSeverity::kWarning,
                                   .statement = std::move(why),
                                   .clause = "ID3D12GraphicsCommandList::SetComputeRootDescriptorTable",
                                   .evidence = {}});
    }
    report.queue_families = queue_types();
    report.run.device_index = device_index;
    return report;
}

Result<model::DeviceReport> read_report(Adapter& adapter, std::uint32_t device_index,
                                        const device::ReadOptions& options) {
    probe::SweepPace pace(options);
    HEAPWRIGHT_ASSIGN(Com<ID3D12Device> device, adapter.create_device());
    const MemoryLayout layout = MemoryLayout::read(device.get());
    model::DeviceReport report = read_facts(adapter, device.get(), layout, device_index);
    if (options.on_facts) options.on_facts(report);
    read_descriptor_facts(device.get(), report);

    FormatSupport support(device.get());
    AllocationQuery query(device.get(), layout);
    probe::FailedQuestions failed_limit;
    const std::uint64_t max_buffer_bytes = largest_buffer_bytes(device.get(), failed_limit);
    const std::uint64_t sweep_start_ns = pace.elapsed_ns();
    const std::size_t type_count = report.memory_types.size();
    HEAPWRIGHT_ASSIGN(report.image_sweep,
                      sweep_images(support, query, type_count, options.workload, pace, report.findings));
    HEAPWRIGHT_ASSIGN(report.buffer_sweep,
                      sweep_buffers(query, max_buffer_bytes, type_count, options.workload, pace, report.findings));
    support.failed().tell("image-sweep-not-measured",
                          fmt::format("{} questions about formats have no answer", support.failed().count()),
                          "/image_sweep", report.findings);
    failed_limit.tell("buffer-sweep-not-measured", "the largest buffer is not known", "/buffer_sweep", report.findings);
    report.run.timing.sweep_ns = pace.elapsed_ns() - sweep_start_ns;
    report.run.timing.sweep_queries = query.queries();
    report.run.timing.total_ns = pace.elapsed_ns();
    if (options.may_close && !options.may_close(report))
        device::leave_open(std::make_shared<Com<ID3D12Device>>(std::move(device)));
    return report;
}

}  // namespace heapwright::d3d12
