// What the driver asks for a resource that a workload names: from the sweep where it holds the answer, else from the
// nearest thing that the sweep does hold, and from the specification's guarantees where there is no sweep.
// Pure; a sizer refers to the context it was made with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "contract/swept_requirements.hpp"
#include "policy/context.hpp"
#include "policy/largest_buffer.hpp"

namespace heapwright::policy {

enum class SizeSource : std::uint8_t {
    kExact,       // the driver's own answer
    kNextLarger,  // its answer for the next larger extent or size of the grid, less what that has more
    kScaled,      // another case's or extent's answer, scaled by the packed bytes
    kAssumed,     // no sweep: contract/swept_requirements.hpp
};

struct SizedResource {
    model::MemoryRequirements requirements;
    SizeSource source = SizeSource::kExact;
    model::DecisionInput evidence;
};

class ImageSizer {
public:
    // `name`: "images/3", of the claims.
    ImageSizer(const Context& context, const model::ImageHint& hint, std::string name = {});

    // Nothing when the device does not support the image: beyond_limit() or why_not() tells.
    [[nodiscard]] std::optional<SizedResource> size(std::uint32_t width, std::uint32_t height) const;

    // "images/3 (R8G8B8A8_UNORM 2048x2048)".
    [[nodiscard]] std::string what(std::uint32_t width, std::uint32_t height) const;

    // "... cannot be served: a side of 100000 is above maxImageDimension2D (16384)"; empty within the device's limits.
    // Samples and formats that no limit or extension of the device allows are beyond it at every extent, unless the
    // device was asked.
    [[nodiscard]] model::Statement beyond_limit(std::uint32_t width, std::uint32_t height) const;

    // Why the device supports no extent of this hint, whatever its limits; empty when some may be.
    [[nodiscard]] const model::Statement& why_not() const { return why_not_; }
    // The hint's own case is in the sweep.
    [[nodiscard]] bool has_own_case() const { return own_case_; }

private:
    [[nodiscard]] model::Statement lacking(std::uint32_t width, std::uint32_t height) const;
    [[nodiscard]] model::ImageDescription description(std::uint32_t width, std::uint32_t height) const;
    [[nodiscard]] std::optional<SizedResource> from_grid(const model::ImageDescription& image) const;
    [[nodiscard]] std::optional<SizedResource> from_grid_point(const model::ImageDescription& image,
                                                               std::size_t point) const;

    const Context& context_;
    const model::ImageHint& hint_;
    std::string name_;
    std::optional<std::size_t> case_;
    contract::TileRule tiles_;  // of the case
    contract::DedicatedSizes dedicated_;
    bool own_case_ = false;
    model::Statement why_not_;
};

class BufferSizer {
public:
    BufferSizer(const Context& context, const model::BufferHint& hint, const std::string& name = {});

    [[nodiscard]] std::optional<SizedResource> size(std::uint64_t size_bytes) const;
    // What bounds a buffer on the device (largest_buffer.hpp), where it has none of this size for that.
    [[nodiscard]] std::optional<model::ExceededLimit> beyond_limit(std::uint64_t size_bytes) const;
    // The device has no such buffer, whatever its memory.
    [[nodiscard]] bool refuses(std::uint64_t size_bytes) const;
    [[nodiscard]] const model::Statement& why_not() const { return why_not_; }
    [[nodiscard]] bool has_own_case() const { return own_case_; }

private:
    const Context& context_;
    const model::BufferHint& hint_;
    std::optional<BufferLimit> limit_;
    std::optional<std::size_t> case_;
    bool own_case_ = false;
    model::Statement why_not_;
};

}  // namespace heapwright::policy
