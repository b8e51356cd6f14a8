// Resources in words, for findings: "image 256x256 R8G8B8A8_UNORM, 9 mips". Pure.
#pragma once

#include <string>

#include "heapwright/model/resource.hpp"

namespace heapwright::validate {

[[nodiscard]] std::string describe(const model::ResourceDescription& resource);

}  // namespace heapwright::validate
