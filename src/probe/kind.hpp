// What tells a sweep of images from one of buffers: the grid's points, the cases, a workload's hints. One
// specialisation each, so that run_sweep.hpp stands once. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/hint_points.hpp"

namespace heapwright::probe {

template <class Sweep>
struct Kind;

template <>
struct Kind<model::ImageSweep> {
    using Case = model::ImageCase;
    using Point = Extent;
    using Answered = model::ImagePoint;
    using Odd = model::OddImage;
    static constexpr std::string_view kStage = "image sweep";
    static constexpr std::string_view kWorkloadStage = "workload images";

    [[nodiscard]] static std::vector<Extent> grid(const model::ImageSweep& sweep) {
        std::vector<Extent> points(sweep.grid.point_count());
        for (std::size_t index = 0; index < points.size(); ++index) points[index] = sweep.grid.point(index);
        return points;
    }
    [[nodiscard]] static model::ImageDescription description(const model::ImageCase& image, const Extent& at) {
        return image.description(at[0], at[1]);
    }
    [[nodiscard]] static const std::vector<model::ImageHint>& hints(const model::Workload& workload) {
        return workload.images;
    }
};

template <>
struct Kind<model::BufferSweep> {
    using Case = model::BufferCase;
    using Point = std::uint64_t;
    using Answered = model::BufferPoint;
    using Odd = model::OddBuffer;
    static constexpr std::string_view kStage = "buffer sweep";
    static constexpr std::string_view kWorkloadStage = "workload buffers";

    [[nodiscard]] static const std::vector<std::uint64_t>& grid(const model::BufferSweep& sweep) { return sweep.sizes; }
    [[nodiscard]] static model::BufferDescription description(const model::BufferCase& buffer, std::uint64_t size) {
        return {.size_bytes = size, .usage = buffer.usage};
    }
    [[nodiscard]] static const std::vector<model::BufferHint>& hints(const model::Workload& workload) {
        return workload.buffers;
    }
};

}  // namespace heapwright::probe
