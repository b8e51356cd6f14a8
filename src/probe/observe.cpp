#include "probe/observe.hpp"

#include "probe/alignment_rule.hpp"
#include "probe/observations.hpp"

namespace heapwright::probe {
namespace {

std::vector<std::array<std::uint32_t, 2>> extents(const model::ImageGrid& grid) {
    std::vector<std::array<std::uint32_t, 2>> all(grid.point_count());
    for (std::size_t index = 0; index < all.size(); ++index) all[index] = grid.point(index);
    return all;
}

}  // namespace

model::Observations observe(const model::DeviceReport& device) {
    model::Observations observations;
    const model::ImageSweep& images = device.image_sweep;
    if (!images.tables.empty()) {
        const AlignmentRuleFinder finder(extents(images.grid));
        for (std::uint32_t table = 0; table < images.tables.size(); ++table) {
            observations.images.push_back(observe_image_table(images, table, finder));
        }
    }
    const model::BufferSweep& buffers = device.buffer_sweep;
    for (std::uint32_t table = 0; table < buffers.tables.size(); ++table) {
        observations.buffers.push_back(observe_buffer_table(buffers, table));
    }
    const BufferUsageEffect effect = buffer_usage_effect(buffers);
    observations.buffer_usage_changes_size = effect.size;
    observations.buffer_usage_changes_alignment = effect.alignment;
    observations.buffer_usage_changes_memory_types = effect.memory_types;
    observations.statements = device_statements(device, observations);
    return observations;
}

}  // namespace heapwright::probe
