// The sweep of a report as a function from descriptions to memory requirements, exact or (where asked) interpolated,
// and assumed where there is no sweep. Thread-safe. Errors: kNotSupported with the driver's reason when the report says
// that the device refuses such a resource; kOutOfRange when the report does not know.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/swept_image.hpp"
#include "heapwright/replay/device.hpp"

namespace heapwright::replay {

class ReplayRequirements {
public:
    // The facts, which need no sweep, outlive this.
    ReplayRequirements(const model::DeviceReport& facts, model::ImageSweep images, model::BufferSweep buffers,
                       bool interpolate);

    [[nodiscard]] Result<model::MemoryRequirements> query(const model::ResourceDescription& resource);

    // The same answer without counting the query as one of the caller's.
    [[nodiscard]] Result<model::MemoryRequirements> lookup(const model::ResourceDescription& resource);

    [[nodiscard]] std::vector<InterpolatedRequirement> interpolated() const;

private:
    struct Answer {
        Result<model::MemoryRequirements> requirements;
        std::optional<std::size_t> interpolated_index = {};
    };
    struct Hash {
        std::size_t operator()(const model::ResourceDescription& resource) const noexcept;
    };

    Answer& answer_locked(const model::ResourceDescription& resource);
    [[nodiscard]] Answer find_locked(const model::ImageDescription& image);
    [[nodiscard]] Answer find_locked(const model::BufferDescription& buffer);
    [[nodiscard]] Answer interpolated_answer_locked(const model::ResourceDescription& resource,
                                                    const model::MemoryRequirements& requirements,
                                                    std::string taken_from);
    [[nodiscard]] Answer assumed_answer_locked(const model::ResourceDescription& resource);

    // How the driver rounds images of one kind up, and from which size on it wants memory of their own.
    struct Fit {
        model::TileRule tiles;
        model::DedicatedSizes dedicated;
    };
    const Fit& fit_locked(const model::ImageDescription& answered, std::optional<std::size_t> image_case);

    const model::DeviceReport& facts_;
    const model::ImageSweep images_;
    const model::BufferSweep buffers_;
    const bool interpolate_;
    mutable std::mutex mutex_;
    std::unordered_map<model::ResourceDescription, Answer, Hash> answers_;
    std::vector<InterpolatedRequirement> interpolated_;
    // By the case that answers; of single images by format, tiling, dimension, usage, samples and flags.
    using FitKey = std::tuple<std::optional<std::size_t>, model::Format, model::ImageTiling, model::ImageDimension,
                              model::Flags, std::uint32_t, model::Flags>;
    std::map<FitKey, Fit> fits_;
};

}  // namespace heapwright::replay
