#include "d3d12/transform_programs.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/dxbc_assembler.hpp"
#include "d3d12/programs.hpp"
#include "device/submitter.hpp"

namespace heapwright::d3d12 {

std::vector<std::uint32_t> transform_bytecode(bool in_place) {
    using namespace dxbc;
    constexpr std::uint32_t kMaskY = 2;
    constexpr std::uint32_t kMaskZ = 4;
    constexpr std::uint32_t kMaskW = 8;
    constexpr std::uint32_t kMaskXy = 3;
    const Operand word_count = constant(0, kX);
    const Operand row_words = constant(0, kY);
    const Operand key = constant(0, kZ);
    const Operand rounds = constant(0, kW);
    Assembler program;
    program.declare_constant_buffer(0, 1);
    if (!in_place) program.declare_raw_buffer(0);
    program.declare_raw_uav(0);
    program.declare_thread_id(kMaskXy);
    program.declare_temps(2);
    program.declare_thread_group(kTransformGroupWords, 1, 1);
    // r0: the word's index and then its byte address, the test, the round; r1: the word.
    program.emit(Opcode::kImad, {temp_mask(0, kMaskX), thread_id(kY), row_words, thread_id(kX)});
    program.emit(Opcode::kUlt, {temp_mask(0, kMaskY), temp(0, kX), word_count});
    program.emit_if_nonzero(Opcode::kIf, temp(0, kY));
    program.emit(Opcode::kIshl, {temp_mask(0, kMaskX), temp(0, kX), immediate(2u)});
    program.emit(Opcode::kLdRaw, {temp_mask(1, kMaskX), temp(0, kX), in_place ? uav_x(0) : resource_x(0)});
    program.emit(Opcode::kMov, {temp_mask(0, kMaskZ), immediate(0u)});
    program.emit(Opcode::kLoop);
    program.emit(Opcode::kUge, {temp_mask(0, kMaskW), temp(0, kZ), rounds});
    program.emit_if_nonzero(Opcode::kBreakc, temp(0, kW));
    program.emit(Opcode::kXor, {temp_mask(1, kMaskX), temp(1, kX), key});
    program.emit(Opcode::kImad, {temp_mask(1, kMaskX), temp(1, kX), immediate(device::kTransformFactor),
                                 immediate(device::kTransformAddend)});
    program.emit(Opcode::kIadd, {temp_mask(0, kMaskZ), temp(0, kZ), immediate(1u)});
    program.emit(Opcode::kEndLoop);
    program.emit(Opcode::kStoreRaw, {uav_mask(0, kMaskX), temp(0, kX), temp(1, kX)});
    program.emit(Opcode::kEndIf);
    program.emit(Opcode::kRet);
    return program.finish();
}

Result<const Pipeline*> TransformPrograms::get(bool in_place) {
    const std::scoped_lock lock(mutex_);
    Pipeline& pipeline = in_place ? in_place_ : apart_;
    if (!pipeline.state) HEAPWRIGHT_TRY(create(pipeline, in_place));
    return &pipeline;
}

Status TransformPrograms::create(Pipeline& pipeline, bool in_place) {
    D3D12_ROOT_PARAMETER parameters[3]{};
    parameters[kTransformConstants].ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
    parameters[kTransformConstants].Constants.Num32BitValues = 4;
    parameters[kTransformDestination].ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV;
    parameters[kTransformSource].ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV;
    D3D12_ROOT_SIGNATURE_DESC layout{};
    layout.NumParameters = in_place ? 2 : 3;
    layout.pParameters = parameters;
    HEAPWRIGHT_ASSIGN(pipeline.signature, create_root_signature(context_, layout));
    const std::vector<std::uint32_t> bytecode = transform_bytecode(in_place);
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc{};
    desc.pRootSignature = pipeline.signature.get();
    desc.CS.pShaderBytecode = bytecode.data();
    desc.CS.BytecodeLength = bytecode.size() * sizeof(std::uint32_t);
    leave_breadcrumb("ID3D12Device::CreateComputePipelineState", "transform");
    return check(context_.device->CreateComputePipelineState(&desc, IID_ID3D12PipelineState, pipeline.state.out()),
                 "ID3D12Device::CreateComputePipelineState");
}

}  // namespace heapwright::d3d12
