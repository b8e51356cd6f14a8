// The compute pipelines that dispatches name. Thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "d3d12/com.hpp"
#include "d3d12/device.hpp"
#include "device/slot_map.hpp"
#include "device/submitter.hpp"

namespace heapwright::d3d12 {

struct Pipeline {
    Com<ID3D12RootSignature> signature;
    Com<ID3D12PipelineState> state;
    bool static_sampler = false;
};

class Pipelines {
public:
    explicit Pipelines(const OpenDevice& context) : context_(context) {}

    // Errors: those of D3D12SerializeRootSignature, CreateRootSignature, CreateComputePipelineState.
    [[nodiscard]] Result<device::PipelineId> create(device::ComputeProgram program);
    void destroy(device::PipelineId pipeline) { static_cast<void>(pipelines_.take(pipeline.value)); }

    // Null for an id that is not live.
    [[nodiscard]] const Pipeline* find(device::PipelineId pipeline) { return pipelines_.find(pipeline.value); }
    [[nodiscard]] std::size_t live() const { return pipelines_.size(); }

    // Adapter::table_objection()
    [[nodiscard]] const std::string& table_objection() const { return context_.table_objection; }

private:
    const OpenDevice& context_;
    device::SlotMap<Pipeline> pipelines_;
};

}  // namespace heapwright::d3d12
