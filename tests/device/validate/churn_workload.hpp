// Textures, targets and buffers of every memory use, small enough for a software driver.
#pragma once

#include "heapwright/model/workload.hpp"

namespace heapwright::test {

inline model::Workload churn_workload() {
    namespace image = model::image_usage;
    namespace buffer = model::buffer_usage;
    using model::Format;
    model::Workload workload;
    workload.name = "churn";
    workload.images = {
        {.usage = image::kSampled | image::kTransferDst, .largest_side = 256, .full_mips = true, .count = 1000},
        {.format = Format::kBc7UnormBlock,
         .usage = image::kSampled | image::kTransferDst,
         .largest_side = 512,
         .full_mips = true,
         .count = 400},
        {.format = Format::kR16G16B16A16Sfloat,
         .usage = image::kColorAttachment | image::kSampled,
         .extents = {{480, 270}, {256, 256}},
         .count = 50},
        {.format = Format::kR8Unorm, .usage = image::kSampled | image::kTransferDst, .largest_side = 128, .count = 300},
        {.format = Format::kD32Sfloat, .usage = image::kDepthStencilAttachment, .largest_side = 256, .count = 40},
        {.format = Format::kR8G8B8A8Unorm,
         .usage = image::kColorAttachment,
         .largest_side = 256,
         .samples = 4,
         .count = 20},
        {.format = Format::kB10G11R11UfloatPack32,
         .usage = image::kSampled | image::kTransferDst,
         .largest_side = 128,
         .array_layers = 6,
         .count = 100},
        {.format = Format::kR32G32B32A32Sfloat, .usage = image::kSampled, .largest_side = 128, .count = 90}};
    workload.buffers = {
        {.usage = buffer::kVertex | buffer::kTransferDst, .count = 3000},
        {.usage = buffer::kUniform, .largest_bytes = 65536, .count = 1000, .memory_use = model::MemoryUse::kStreaming},
        {.usage = buffer::kTransferSrc,
         .largest_bytes = 1 << 20,
         .count = 300,
         .memory_use = model::MemoryUse::kUpload},
        {.usage = buffer::kTransferDst,
         .largest_bytes = 1 << 18,
         .count = 200,
         .memory_use = model::MemoryUse::kReadback},
        {.usage = buffer::kStorage | buffer::kTransferDst, .largest_bytes = 1 << 22, .count = 500}};
    return workload;
}

}  // namespace heapwright::test
