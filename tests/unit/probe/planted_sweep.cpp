#include "planted_sweep.hpp"

#include <algorithm>

namespace heapwright::test {
namespace {

template <class Sweep>
std::uint16_t requirement_index(Sweep& sweep, std::uint64_t alignment) {
    for (std::size_t index = 0; index < sweep.requirements.size(); ++index) {
        if (sweep.requirements[index].alignment_bytes == alignment) return static_cast<std::uint16_t>(index);
    }
    sweep.requirements.push_back({.alignment_bytes = alignment, .memory_type_bits = 1});
    return static_cast<std::uint16_t>(sweep.requirements.size() - 1);
}

}  // namespace

std::uint64_t rgba8_bytes(std::uint32_t width, std::uint32_t height, std::uint64_t rounding) {
    const std::uint64_t bytes = std::uint64_t{width} * height * 4;
    return (bytes + rounding - 1) / rounding * rounding;
}

model::ImageGrid full_grid() {
    model::ImageGrid grid;
    for (std::uint32_t side = 1; side <= 16384; side *= 2) {
        grid.widths.push_back(side);
        grid.heights.push_back(side);
    }
    grid.extra = {{1920, 1080}, {2560, 1440}, {3840, 2160}, {100, 100}, {1000, 1000}};
    return grid;
}

model::DeviceReport image_report(const std::vector<PlantedImageRule>& rules) {
    model::DeviceReport device;
    model::ImageSweep& sweep = device.image_sweep;
    sweep.grid = full_grid();
    for (const PlantedImageRule& rule : rules) {
        model::SweepTable table;
        for (std::size_t index = 0; index < sweep.grid.point_count(); ++index) {
            const auto [width, height] = sweep.grid.point(index);
            const PlantedAnswer answer = rule(width, height);
            table.size_bytes.push_back(answer.size_bytes);
            table.requirement.push_back(answer.size_bytes == 0 ? std::uint16_t{0}
                                                               : requirement_index(sweep, answer.alignment_bytes));
        }
        sweep.cases.push_back(
            {.usage = model::image_usage::kSampled, .table = static_cast<std::uint32_t>(sweep.tables.size())});
        sweep.tables.push_back(std::move(table));
    }
    return device;
}

model::DeviceReport buffer_report(const std::vector<PlantedBufferRule>& rules) {
    model::DeviceReport device;
    model::BufferSweep& sweep = device.buffer_sweep;
    for (std::uint64_t size = 1; size <= (1ull << 30); size *= 2) {
        for (const std::uint64_t near : {size - 1, size, size + 1}) {
            if (near != 0 && (sweep.sizes.empty() || near > sweep.sizes.back())) sweep.sizes.push_back(near);
        }
    }
    model::Flags usage = 1;
    for (const PlantedBufferRule& rule : rules) {
        model::SweepTable table;
        for (const std::uint64_t size : sweep.sizes) {
            const PlantedAnswer answer = rule(size);
            table.size_bytes.push_back(answer.size_bytes);
            table.requirement.push_back(requirement_index(sweep, answer.alignment_bytes));
        }
        sweep.cases.push_back({.usage = usage, .table = static_cast<std::uint32_t>(sweep.tables.size())});
        sweep.tables.push_back(std::move(table));
        usage *= 2;
    }
    return device;
}

}  // namespace heapwright::test
