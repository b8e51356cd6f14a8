// Which bytes a piece of a program's work touches and in which resource state, and the work with other resources in
// the places of its own. Pure.
#pragma once

#include <functional>
#include <vector>

#include "engines/program.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::engines {

// Errors: kNotSupported: programs hold fills, copies, transforms, draws and copies between images and buffers.
[[nodiscard]] Result<std::vector<engines::Access>> accesses_of(const Step& step,
                                                               const std::vector<ProgramResource>& resources);

// Every resource replaced by `real`, and a draw's view by `view`.
struct RealResources {
    std::function<device::ResourceId(ResourceIndex)> real;
    std::function<std::uint32_t(ResourceIndex)> view;
    device::DescriptorHeapId views;
};
[[nodiscard]] device::Work with_real_resources(device::Work work, const RealResources& resources);

}  // namespace heapwright::engines
