#include "validate/occupancy_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heapwright::validate {
namespace {

using Series = std::vector<model::OccupancySeries>;

template <class Visit>
void for_each_column(model::OccupancySeries& series, Visit&& visit) {
    visit(series.used_bytes);
    visit(series.reserved_bytes);
    visit(series.largest_free_bytes);
    visit(series.fragmentation);
    visit(series.chunks);
}

void append(Series& all, const std::vector<OccupancyFigures>& figures, std::size_t samples_before) {
    for (const OccupancyFigures& one : figures) {
        auto found = std::ranges::find(all, one.name, &model::OccupancySeries::name);
        if (found == all.end()) {
            all.push_back({.name = one.name});
            found = std::prev(all.end());
            for_each_column(*found, [&](auto& column) { column.resize(samples_before); });
        }
        found->used_bytes.push_back(one.used_bytes);
        found->reserved_bytes.push_back(one.reserved_bytes);
        found->largest_free_bytes.push_back(one.largest_free_bytes);
        found->fragmentation.push_back(one.fragmentation);
        found->chunks.push_back(one.chunks);
    }
    for (model::OccupancySeries& series : all)
        for_each_column(series, [&](auto& column) { column.resize(samples_before + 1); });
}

template <class T>
void keep_every_other(std::vector<T>& column) {
    for (std::size_t i = 0; i < column.size(); i += 2) column[i / 2] = column[i];
    column.resize((column.size() + 1) / 2);
}

Series without_idle(const Series& all) {
    Series used;
    std::ranges::copy_if(all, std::back_inserter(used), [](const model::OccupancySeries& one) {
        return std::ranges::any_of(one.chunks, [](std::uint64_t chunks) { return chunks != 0; });
    });
    return used;
}

}  // namespace

void OccupancyRecorder::add(std::uint64_t step, const std::vector<OccupancyFigures>& heaps,
                            const std::vector<OccupancyFigures>& pools) {
    if (samples_.steps.size() == model::kMaxOccupancySamples) {
        stride_ *= 2;
        keep_every_other(samples_.steps);
        for (Series* all : {&samples_.heaps, &samples_.pools}) {
            for (model::OccupancySeries& series : *all)
                for_each_column(series, [](auto& column) { keep_every_other(column); });
        }
    }
    append(samples_.heaps, heaps, samples_.steps.size());
    append(samples_.pools, pools, samples_.steps.size());
    samples_.steps.push_back(step);
}

void OccupancyRecorder::add_map(std::string moment, std::uint64_t step, model::ChunkMap map) {
    if (samples_.maps.size() == model::kMaxChunkMaps) return;
    map.moment = std::move(moment);
    map.step = step;
    samples_.maps.push_back(std::move(map));
}

std::optional<model::Occupancy> OccupancyRecorder::occupancy() const {
    if (samples_.steps.empty()) return std::nullopt;
    return model::Occupancy{.steps = samples_.steps,
                            .heaps = without_idle(samples_.heaps),
                            .pools = without_idle(samples_.pools),
                            .maps = samples_.maps};
}

}  // namespace heapwright::validate
