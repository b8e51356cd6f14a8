// Whether a device can create a texture of some format, usage and shape.
// Source: D3D12_FEATURE_FORMAT_SUPPORT, D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS, D3D12_REQ_TEXTURE*_DIMENSION.
// Asks the runtime once for each format. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "d3d12/api.hpp"
#include "heapwright/model/resource.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {

class FormatSupport {
public:
    explicit FormatSupport(ID3D12Device* device);

    // Why there is no such texture whatever its extent; empty when there is.
    [[nodiscard]] std::string objection(const model::ImageDescription& image);

    // Why there is none of this extent; empty when there is. objection() was empty.
    [[nodiscard]] std::string extent_objection(const model::ImageDescription& image) const;

    // Of what was asked so far. No thread asks meanwhile.
    [[nodiscard]] const probe::FailedQuestions& failed() const { return failed_; }

private:
    struct Answer {
        std::string refusal;  // why the call told nothing
        std::uint32_t support1 = 0;
        std::uint32_t support2 = 0;
        std::uint32_t sample_counts = 0;  // bit n: n samples
    };
    [[nodiscard]] const Answer& of(model::Format format);

    ID3D12Device* device_;
    probe::FailedQuestions failed_;
    bool unaligned_blocks_;
    std::mutex mutex_;
    std::array<std::optional<Answer>, model::kFormatCount> answers_;
};

}  // namespace heapwright::d3d12
