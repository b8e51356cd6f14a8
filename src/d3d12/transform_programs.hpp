// The compute programs of TransformBuffer with their pipelines, made when they are first recorded: one that reads its
// source as a shader resource, one that works in place, since a buffer is in one state at a time. Root signature:
//   parameter 0  four constants, b0: words, words in a row of groups, key, rounds
//   parameter 1  the destination, u0         parameter 2  the source, t0; not in place
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "d3d12/device.hpp"
#include "d3d12/pipelines.hpp"

namespace heapwright::d3d12 {

inline constexpr std::uint32_t kTransformConstants = 0;
inline constexpr std::uint32_t kTransformDestination = 1;
inline constexpr std::uint32_t kTransformSource = 2;

inline constexpr std::uint32_t kTransformGroupWords = 64;

// cs_5_0.
[[nodiscard]] std::vector<std::uint32_t> transform_bytecode(bool in_place);

class TransformPrograms {
public:
    explicit TransformPrograms(const OpenDevice& context) : context_(context) {}

    // Errors: those of D3D12SerializeRootSignature, CreateRootSignature, CreateComputePipelineState.
    [[nodiscard]] Result<const Pipeline*> get(bool in_place);

private:
    [[nodiscard]] Status create(Pipeline& pipeline, bool in_place);

    const OpenDevice& context_;
    std::mutex mutex_;
    Pipeline apart_;
    Pipeline in_place_;
};

}  // namespace heapwright::d3d12
