// What a report's sweep tells of the memory that a driver asks for a resource: its own answers, and for what lies
// between them the nearest one that holds as much (between_swept_images(), between_swept_sizes()); assumed where there
// is no sweep. Advice plays by it and the replay acts by it. Thread-safe.
// Ownership: the facts, which need no sweep, and both sweeps outlive it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "core/checked.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::contract {

// What a driver asks for an image between two swept ones, from its answers at swept ones. One rule for the policy,
// which predicts with it, and for the replay, which acts by it. Sizes in bytes, tiles in blocks of the format (texels
// where it has none). Pure and thread-safe; no errors.

// How a driver rounds images up: every mip level is stored in whole tiles of a power of two of blocks each way.
struct TileRule {
    std::uint32_t width = 1;
    std::uint32_t height = 1;

    // The bytes of all levels, layers and samples; those of packed_size_bytes() where tiles are single blocks.
    [[nodiscard]] std::uint64_t bytes(const model::ImageDescription& image) const;
};

// The rule whose sizes come nearest to the answers, the smallest tile among equals; single blocks where the case has no
// answers.
[[nodiscard]] TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageCase& entry);

// The same of the single images of this format, tiling, dimension, usage, samples and flags.
[[nodiscard]] TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageDescription& like);

// From which size on a driver wants an image to have memory of its own.
struct DedicatedSizes {
    std::uint64_t largest_without = 0;
    std::uint64_t smallest_with = std::numeric_limits<std::uint64_t>::max();
    model::Dedicated wanted = model::Dedicated::kNone;  // from there on

    // Nothing where the answers know no such size. Between the two that bound it, it is taken to be a power of two
    // where one lies there.
    [[nodiscard]] std::optional<model::Dedicated> at(std::uint64_t size_bytes) const;
};

// From all answers for images of this format, tiling, dimension, usage, samples and flags.
[[nodiscard]] DedicatedSizes fit_dedicated(const model::ImageSweep& sweep, const model::ImageDescription& like);

// `answer` for `answered`, changed for `image`: by the bytes in whole tiles, never less than the packed ones.
[[nodiscard]] model::MemoryRequirements between_swept_images(model::MemoryRequirements answer,
                                                             const model::ImageDescription& answered,
                                                             const model::ImageDescription& image,
                                                             const TileRule& tiles, const DedicatedSizes& dedicated);

// What a driver asks for a buffer between two swept sizes, from its answer at a swept one. One rule for the policy,
// which predicts with it, and for the replay, which acts by it. Pure and thread-safe; sizes in bytes.

// `answer` at `swept_bytes`, for a buffer of `size_bytes`: drivers round a buffer up by a few bytes, so the same
// padding is added to the size asked for, up to the alignment.
[[nodiscard]] inline model::MemoryRequirements between_swept_sizes(model::MemoryRequirements answer,
                                                                   std::uint64_t swept_bytes,
                                                                   std::uint64_t size_bytes) {
    if (swept_bytes == size_bytes) return answer;
    const std::uint64_t padding = answer.size_bytes > swept_bytes ? answer.size_bytes - swept_bytes : 0;
    const std::uint64_t padded = checked_add(size_bytes, padding).value_or(size_bytes);
    answer.size_bytes = align_up_or_largest(padded, answer.alignment_bytes);
    return answer;
}

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
        contract::TileRule tiles;
        contract::DedicatedSizes dedicated;
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

// What is assumed that a driver asks for a resource where a report holds no sweep, as an import does: packed bytes,
// rounded up, and every memory type that holds its class. Advice and replay assume alike. Pure and thread-safe.
//   images                  the common page of 64 KiB
//   buffers of Vulkan       the largest offset alignment that it lets a buffer need (Vulkan 1.3, table "Required
//                           Limits": 256)
//   buffers of Direct3D 12  64 KiB on every adapter (ID3D12Device::GetResourceAllocationInfo, remarks)

inline constexpr std::uint64_t kAssumedImageAlignment = 65536;
[[nodiscard]] std::uint64_t assumed_buffer_alignment(const model::DeviceReport& device);

[[nodiscard]] model::MemoryRequirements assumed_requirements(const model::DeviceReport& device,
                                                             const model::ResourceDescription& resource);

}  // namespace heapwright::contract
