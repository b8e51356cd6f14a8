// The memory that a replayed device asks for: the sweep's own answers and, where asked, what they tell of other
// resources (contract/swept_requirements.hpp). Each answer is kept. Thread-safe. Errors: kNotSupported with the
// driver's reason when the report says that the device refuses such a resource; kOutOfRange when the report does not
// know.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "contract/swept_requirements.hpp"
#include "heapwright/core/result.hpp"
#include "replay/device.hpp"

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
    [[nodiscard]] Answer find_locked(const model::ResourceDescription& resource);

    const model::ImageSweep images_;
    const model::BufferSweep buffers_;
    const contract::SweptRequirements swept_;
    const bool interpolate_;
    mutable std::mutex mutex_;
    std::unordered_map<model::ResourceDescription, Answer, Hash> answers_;
    std::vector<InterpolatedRequirement> interpolated_;
};

}  // namespace heapwright::replay
