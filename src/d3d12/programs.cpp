#include "d3d12/programs.hpp"

#ifndef _WIN32
#include <dlfcn.h>
#endif

#include <iterator>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/dxbc_assembler.hpp"

namespace heapwright::d3d12 {
namespace {

constexpr const char* kSerialize = "D3D12SerializeRootSignature";
using SerializeFunction = HRESULT(__stdcall*)(const D3D12_ROOT_SIGNATURE_DESC*, D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**,
                                              ID3DBlob**);

// From the runtime that made the device, which is loaded.
SerializeFunction load_serialize() {
#ifdef _WIN32
    const HMODULE runtime = GetModuleHandleA("d3d12.dll");
    if (runtime == nullptr) return nullptr;
    return reinterpret_cast<SerializeFunction>(reinterpret_cast<void*>(GetProcAddress(runtime, kSerialize)));
#else
#ifdef HEAPWRIGHT_D3D12_OF_WSL
    constexpr const char* kRuntimes[] = {"libd3d12.so"};
#else
    constexpr const char* kRuntimes[] = {"libvkd3d-utils.so.1", "libvkd3d-utils.so"};
#endif
    for (const char* name : kRuntimes) {
        void* runtime = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
        if (runtime == nullptr) continue;
        if (void* symbol = dlsym(runtime, kSerialize)) return reinterpret_cast<SerializeFunction>(symbol);
    }
    return nullptr;
#endif
}

D3D12_DESCRIPTOR_RANGE range(D3D12_DESCRIPTOR_RANGE_TYPE type, UINT count, UINT first_register) {
    return {.RangeType = type,
            .NumDescriptors = count,
            .BaseShaderRegister = first_register,
            .RegisterSpace = 0,
            .OffsetInDescriptorsFromTableStart = D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND};
}

template <std::size_t N>
D3D12_ROOT_PARAMETER table(const D3D12_DESCRIPTOR_RANGE (&ranges)[N]) {
    D3D12_ROOT_PARAMETER parameter{};
    parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameter.DescriptorTable.NumDescriptorRanges = static_cast<UINT>(N);
    parameter.DescriptorTable.pDescriptorRanges = ranges;
    parameter.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    return parameter;
}

}  // namespace

std::vector<std::uint32_t> read_tables_bytecode() {
    using namespace dxbc;
    constexpr std::uint32_t kReadMaskY = 2;
    constexpr std::uint32_t kReadMaskZ = 4;
    constexpr std::uint32_t kReadMaskW = 8;
    constexpr std::uint32_t kTexelOffsetBytes = 16;
    Assembler program;
    for (const std::uint32_t buffer : {0u, 1u, 2u}) program.declare_constant_buffer(buffer, 1);
    program.declare_sampler(0);
    program.declare_raw_buffer(0);
    program.declare_texture_2d(1);
    program.declare_raw_buffer(2);
    program.declare_raw_uav(0);
    program.declare_temps(3);
    program.declare_thread_group(1, 1, 1);
    // r0: the four words.
    program.emit(Opcode::kMov, {temp_mask(0, kMaskX), constant(0, kX)});
    program.emit(Opcode::kLdRaw, {temp_mask(0, kReadMaskY), immediate(0u), resource_x(0)});
    program.emit(Opcode::kMov, {temp_mask(0, kReadMaskZ), constant(1, kX)});
    program.emit(Opcode::kLdRaw, {temp_mask(0, kReadMaskW), immediate(0u), resource_x(2)});
    // r2: the texel, packed as R8G8B8A8_UNORM stores it.
    program.emit(Opcode::kSampleL,
                 {temp_mask(2, kMaskAll), immediate(1.25f, 0.5f, 0.0f, 0.0f), resource(1), sampler(0), immediate(0u)});
    program.emit(Opcode::kMad, {temp_mask(2, kMaskAll), temp(2), immediate(255.0f, 255.0f, 255.0f, 255.0f),
                                immediate(0.5f, 0.5f, 0.5f, 0.5f)});
    program.emit(Opcode::kFtou, {temp_mask(2, kMaskAll), temp(2)});
    program.emit(Opcode::kIshl, {temp_mask(2, kMaskAll), temp(2), immediate(0u, 8u, 16u, 24u)});
    program.emit(Opcode::kOr, {temp_mask(2, kMaskX), temp(2, kX), temp(2, kY)});
    program.emit(Opcode::kOr, {temp_mask(2, kReadMaskY), temp(2, kZ), temp(2, kW)});
    program.emit(Opcode::kOr, {temp_mask(2, kMaskX), temp(2, kX), temp(2, kY)});
    // r1: byte addresses in the output.
    program.emit(Opcode::kIshl, {temp_mask(1, kMaskX), constant(2, kX), immediate(2u)});
    program.emit(Opcode::kIadd, {temp_mask(1, kReadMaskY), temp(1, kX), immediate(kTexelOffsetBytes)});
    program.emit(Opcode::kStoreRaw, {uav_mask(0, kMaskAll), temp(1, kX), temp(0)});
    program.emit(Opcode::kStoreRaw, {uav_mask(0, kMaskX), temp(1, kY), temp(2, kX)});
    program.emit(Opcode::kRet);
    return program.finish();
}

Result<Com<ID3D12RootSignature>> create_root_signature(const OpenDevice& context,
                                                       const D3D12_ROOT_SIGNATURE_DESC& desc) {
    const SerializeFunction serialize = load_serialize();
    if (serialize == nullptr) return fail(ErrorCode::kNoLoader, "the runtime does not have it", kSerialize);
    Com<ID3DBlob> blob;
    Com<ID3DBlob> message;
    leave_breadcrumb(kSerialize);
    HEAPWRIGHT_TRY(check(serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1_0, reinterpret_cast<ID3DBlob**>(blob.out()),
                                   reinterpret_cast<ID3DBlob**>(message.out())),
                         kSerialize));
    Com<ID3D12RootSignature> signature;
    leave_call("ID3D10Blob::GetBufferPointer");
    const void* const bytes = blob->GetBufferPointer();
    leave_call("ID3D10Blob::GetBufferSize");
    const std::size_t size_bytes = blob->GetBufferSize();
    leave_call("ID3D12Device::CreateRootSignature");
    HEAPWRIGHT_TRY(
        check(context.device->CreateRootSignature(0, bytes, size_bytes, IID_ID3D12RootSignature, signature.out()),
              "ID3D12Device::CreateRootSignature"));
    return signature;
}

Result<Com<ID3D12RootSignature>> create_root_signature(const OpenDevice& context, bool static_sampler) {
    const D3D12_DESCRIPTOR_RANGE static_table[] = {range(D3D12_DESCRIPTOR_RANGE_TYPE_CBV, 1, 0),
                                                   range(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 2, 0)};
    const D3D12_DESCRIPTOR_RANGE dynamic_table[] = {range(D3D12_DESCRIPTOR_RANGE_TYPE_CBV, 1, 1),
                                                    range(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 1, 2),
                                                    range(D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 1, 0)};
    const D3D12_DESCRIPTOR_RANGE sampler_table[] = {range(D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER, 1, 0)};
    std::vector<D3D12_ROOT_PARAMETER> parameters{table(static_table), table(dynamic_table)};
    if (!static_sampler) parameters.push_back(table(sampler_table));
    D3D12_ROOT_PARAMETER output{};
    output.ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
    output.Constants.ShaderRegister = 2;
    // The first is read alone, but a program's constants come in rows of four, and layers below vkd3d ask for all of
    // them.
    output.Constants.Num32BitValues = 4;
    output.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    parameters.push_back(output);

    D3D12_STATIC_SAMPLER_DESC sampler{};
    sampler.Filter = D3D12_FILTER_MIN_MAG_MIP_POINT;
    sampler.AddressU = D3D12_TEXTURE_ADDRESS_MODE_CLAMP;
    sampler.AddressV = D3D12_TEXTURE_ADDRESS_MODE_CLAMP;
    sampler.AddressW = D3D12_TEXTURE_ADDRESS_MODE_CLAMP;
    sampler.MaxAnisotropy = 1;
    sampler.ComparisonFunc = D3D12_COMPARISON_FUNC_NEVER;
    sampler.BorderColor = D3D12_STATIC_BORDER_COLOR_TRANSPARENT_BLACK;
    sampler.ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;

    D3D12_ROOT_SIGNATURE_DESC desc{};
    desc.NumParameters = static_cast<UINT>(parameters.size());
    desc.pParameters = parameters.data();
    desc.NumStaticSamplers = static_sampler ? 1 : 0;
    desc.pStaticSamplers = static_sampler ? &sampler : nullptr;
    return create_root_signature(context, desc);
}

}  // namespace heapwright::d3d12
