// What a simulation of the whole policy plays: the workload's operations of each seed, and what the device asks for
// each resource that they create, as a replayed one does (contract/swept_requirements.hpp). Both are the same under
// every policy. Of a workload of more than most_played resources a part is made: hints of few resources whole, as their
// sizes may be anything, and of the others as many as remain. Of a long one a part of its churn is made. Thread-safe.
// Ownership: the context outlives it. Pure; same input, same streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/policy/context.hpp"
#include "heapwright/policy/played_sizes.hpp"
#include "heapwright/policy/sampled_trace.hpp"
#include "heapwright/workload/operation.hpp"

namespace heapwright::policy {

class PlayedStreams {
public:
    struct Stream {
        std::vector<workload::Operation> operations;
        // Of these, for who only compares: up to the frame in which half as many resources have been made after the
        // load as the churn has steps.
        std::size_t short_count = 0;
        std::vector<std::optional<model::MemoryRequirements>> requirements;  // of each creation; empty: refused
        std::uint64_t most_creations = 0;                                    // in one frame after the load
        double estimated_share = 0;  // of the bytes that creations ask for: of sizes that nothing in the report tells
    };

    PlayedStreams(const Context& context, const SampleOptions& sample);

    // Of the workload's bytes, the part that is made.
    [[nodiscard]] double scale() const { return scale_; }
    // Of the resources of a hint, images before buffers.
    [[nodiscard]] double scale_of_hint(std::size_t hint) const { return hint_scales_[hint]; }
    [[nodiscard]] std::uint32_t churn_steps() const { return workload_.churn_steps; }
    [[nodiscard]] std::size_t hint_count() const { return sizers_.images.size() + sizers_.buffers.size(); }
    // The first few that are asked for are kept. Errors: ResourceStream's.
    [[nodiscard]] Result<std::shared_ptr<const Stream>> of(std::uint64_t seed) const;

private:
    void take_part(std::uint64_t most_played);
    [[nodiscard]] std::size_t expected_operations() const;
    [[nodiscard]] Result<std::shared_ptr<const Stream>> make(std::uint64_t seed) const;

    HintSizers sizers_;
    model::Workload workload_;
    std::uint64_t most_operations_;
    std::vector<double> hint_scales_;
    double scale_ = 1;
    mutable std::mutex mutex_;
    mutable std::map<std::uint64_t, std::shared_ptr<const Stream>> kept_;
};

}  // namespace heapwright::policy
