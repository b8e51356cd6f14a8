#include "heapwright/d3d12/buffer_sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/d3d12/facts.hpp"
#include "heapwright/d3d12/resource_description.hpp"
#include "heapwright/sweep/cases.hpp"
#include "heapwright/sweep/hint_points.hpp"
#include "heapwright/sweep/tables.hpp"

namespace heapwright::d3d12 {
namespace {

void leave_usage_breadcrumb(model::Flags usage) {
    leave_breadcrumb("ID3D12Device::GetResourceAllocationInfo", fmt::format("buffer usage {}", usage));
}

sweep::RequirementAnswer ask(AllocationQuery& query, const model::BufferDescription& buffer) {
    D3D12_RESOURCE_DESC desc = buffer_description(buffer);
    return query.buffer(buffer, desc);
}

}  // namespace

std::uint64_t largest_buffer_bytes(ID3D12Device* device) {
    const auto support =
        feature_data<D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT>(device, D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT);
    const std::uint32_t bits = support.MaxGPUVirtualAddressBitsPerResource;
    return bits == 0 || bits >= 40 ? sweep::kLargestSweptBuffer : 1ull << bits;
}

Result<model::BufferSweep> sweep_buffers(AllocationQuery& query, std::uint64_t max_bytes, sweep::SweepPace& pace) {
    model::BufferSweep sweep;
    sweep.sizes = sweep::buffer_sizes(max_bytes);
    sweep.cases = sweep::standard_buffer_cases();
    sweep::RequirementClasses classes;
    sweep::TableStore tables;
    model::SweepTable table = sweep::empty_table(sweep.sizes.size());
    std::size_t done = 0;
    for (model::BufferCase& entry : sweep.cases) {
        HEAPWRIGHT_TRY(pace.step("buffer sweep", done++, sweep.cases.size()));
        leave_usage_breadcrumb(entry.usage);
        for (std::size_t point = 0; point < sweep.sizes.size(); ++point) {
            const auto answer = ask(query, {.size_bytes = sweep.sizes[point], .usage = entry.usage});
            table.size_bytes[point] = answer.size_bytes;
            table.requirement[point] = answer.size_bytes == 0 ? std::uint16_t{0} : classes.index_of(answer);
        }
        if (sweep::holds_an_answer(table)) {
            entry.table = tables.add(table);
        } else {
            entry.not_supported = "the device refused every size of the grid";
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    return sweep;
}

Status add_workload_buffers(const model::Workload& workload, AllocationQuery& query, std::uint64_t max_bytes,
                            sweep::SweepPace& pace, model::BufferSweep& sweep) {
    std::size_t done = 0;
    for (const model::BufferHint& hint : workload.buffers) {
        HEAPWRIGHT_TRY(pace.step("workload buffers", done++, workload.buffers.size()));
        leave_usage_breadcrumb(hint.usage);
        for (const std::uint64_t size : sweep::hint_sizes(hint)) {
            const model::BufferDescription description{.size_bytes = size, .usage = hint.usage};
            if (sweep::answers(sweep, description)) continue;
            model::BufferPoint point{.description = description, .requirements = {}, .not_supported = {}};
            if (size > max_bytes) {
                point.not_supported = fmt::format("{} bytes, limit {}", size, max_bytes);
            } else if (const auto answer = ask(query, description); answer.size_bytes != 0) {
                point.requirements = sweep::requirements_of(answer);
            } else {
                point.not_supported = "the device refused this buffer";
            }
            sweep.points.push_back(std::move(point));
        }
    }
    return {};
}

}  // namespace heapwright::d3d12
