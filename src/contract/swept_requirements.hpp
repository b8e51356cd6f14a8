// What a report's sweep tells of the memory that a driver asks for a resource: its own answers, and for what lies
// between them the nearest one that holds as much (model/swept_image.hpp, swept_buffer.hpp); assumed
// (assumed_requirements.hpp) where there is no sweep. Advice plays by it and the replay acts by it. Thread-safe.
// Ownership: the facts, which need no sweep, and both sweeps outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "model/swept_image.hpp"

namespace heapwright::contract {

class SweptRequirements {
public:
    struct Told {
        model::MemoryRequirements requirements;
        // The swept point that stands in; empty: assumed, for want of a sweep, or nobody wants to know.
        std::string taken_from;
    };

    SweptRequirements(const model::DeviceReport& facts, const model::ImageSweep& images,
                      const model::BufferSweep& buffers)
        : facts_(facts), images_(images), buffers_(buffers) {}

    // The device's own answer; an error (kNotSupported, with the driver's reason) where it refused. Nothing: the sweep
    // did not ask for this resource.
    [[nodiscard]] std::optional<Result<model::MemoryRequirements>> answered(
        const model::ResourceDescription& resource) const;
    // For what it did not ask. Nothing: no answer can stand for it.
    [[nodiscard]] std::optional<Told> told(const model::ResourceDescription& resource, bool names_point = true) const;

    // The report holds a sweep of such resources: without one what is told is assumed.
    [[nodiscard]] bool has_sweep(const model::ResourceDescription& resource) const {
        return std::holds_alternative<model::ImageDescription>(resource)
                   ? !images_.cases.empty() || !images_.points.empty()
                   : !buffers_.cases.empty() || !buffers_.points.empty();
    }

private:
    // How the driver rounds images of one kind up, and from which size on it wants memory of their own.
    struct Fit {
        model::TileRule tiles;
        model::DedicatedSizes dedicated;
    };
    using Answer = std::optional<Result<model::MemoryRequirements>>;

    [[nodiscard]] Answer answer(const model::ImageDescription& image) const;
    [[nodiscard]] Answer answer(const model::BufferDescription& buffer) const;
    [[nodiscard]] std::optional<Told> tell(const model::ImageDescription& image, bool names_point) const;
    [[nodiscard]] std::optional<Told> tell(const model::BufferDescription& buffer, bool names_point) const;
    [[nodiscard]] const Fit& fit(const model::ImageDescription& answered, std::optional<std::size_t> image_case) const;

    const model::DeviceReport& facts_;
    const model::ImageSweep& images_;
    const model::BufferSweep& buffers_;
    mutable std::mutex mutex_;
    // By the case that answers; of single images by format, tiling, dimension, usage, samples and flags.
    using FitKey = std::tuple<std::optional<std::size_t>, model::Format, model::ImageTiling, model::ImageDimension,
                              model::Flags, std::uint32_t, model::Flags>;
    mutable std::map<FitKey, Fit> fits_;
};

}  // namespace heapwright::contract
