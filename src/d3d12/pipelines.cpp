#include "d3d12/pipelines.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/programs.hpp"

namespace heapwright::d3d12 {

Result<device::PipelineId> Pipelines::create(device::ComputeProgram program) {
    Pipeline pipeline{.static_sampler = program == device::ComputeProgram::kReadTablesStaticSampler};
    HEAPWRIGHT_ASSIGN(pipeline.signature, create_root_signature(context_, pipeline.static_sampler));
    const std::vector<std::uint32_t> bytecode = read_tables_bytecode();
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc{};
    desc.pRootSignature = pipeline.signature.get();
    desc.CS.pShaderBytecode = bytecode.data();
    desc.CS.BytecodeLength = bytecode.size() * sizeof(std::uint32_t);
    leave_breadcrumb("ID3D12Device::CreateComputePipelineState");
    HEAPWRIGHT_TRY(
        check(context_.device->CreateComputePipelineState(&desc, IID_ID3D12PipelineState, pipeline.state.out()),
              "ID3D12Device::CreateComputePipelineState"));
    return device::PipelineId{pipelines_.insert(std::move(pipeline))};
}

}  // namespace heapwright::d3d12
