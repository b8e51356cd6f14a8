// ComputeProgram as cs_5_0 bytecode, and the root signature that the programs share:
//   parameter 0  the static table: b0, t0, t1       parameter 2  the sampler table: s0, or s0 is a static sampler
//   parameter 1  the dynamic table: b1, t2, u0      parameter 3  one constant, b2: the output's first word
// (with a static sampler the constant is parameter 2). Thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/com.hpp"
#include "d3d12/device.hpp"
#include "device/submitter.hpp"

namespace heapwright::d3d12 {

inline constexpr std::uint32_t kStaticTableParameter = 0;
inline constexpr std::uint32_t kDynamicTableParameter = 1;
inline constexpr std::uint32_t kSamplerParameter = 2;
[[nodiscard]] constexpr std::uint32_t output_parameter(bool static_sampler) {
    return static_sampler ? 2 : 3;
}

// One bytecode serves both: where the sampler comes from is the root signature's affair.
[[nodiscard]] std::vector<std::uint32_t> read_tables_bytecode();

// Errors: kNoLoader (the runtime has no D3D12SerializeRootSignature), its own, CreateRootSignature's.
[[nodiscard]] Result<Com<ID3D12RootSignature>> create_root_signature(const OpenDevice& context,
                                                                     const D3D12_ROOT_SIGNATURE_DESC& desc);

// That of the programs. Errors: as above.
[[nodiscard]] Result<Com<ID3D12RootSignature>> create_root_signature(const OpenDevice& context, bool static_sampler);

}  // namespace heapwright::d3d12
