// The workload that a simulation of the whole policy plays: sizes of its resources, and its operations by seed.
//
// What a device asks for each resource of a play, as a replayed one does (contract/swept_requirements.hpp), and for
// what the sweep does not tell, as the nearest thing that it does (resource_sizing.hpp). Not thread-safe; one a thread,
// over shared sizers. Ownership: the context and the sizers outlive what is made over them. Pure; same input, same
// sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "contract/swept_requirements.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/context.hpp"
#include "policy/resource_sizing.hpp"
#include "policy/simulation.hpp"
#include "workload/operation.hpp"

namespace heapwright::policy {

struct PlayedSize {
    model::MemoryRequirements requirements;
    bool is_estimated = false;  // nothing in the report tells it
};

// Of a workload's hints. Thread-safe.
struct HintSizers {
    explicit HintSizers(const Context& of);

    const Context context;
    std::vector<ImageSizer> images;    // by hint
    std::vector<BufferSizer> buffers;  // by hint
    contract::SweptRequirements swept;
};

// Of what hints draw; what one draws again and again is kept.
class HintSizes {
public:
    explicit HintSizes(const HintSizers& sizers);

    // Empty: the device refuses it.
    [[nodiscard]] std::optional<PlayedSize> of(const workload::Create& create);

private:
    struct Key {
        std::uint32_t hint = 0;
        std::uint64_t size = 0;    // a buffer's bytes, an image's width
        std::uint64_t height = 0;  // of an image
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t mixed = key.size * 0x9E37'79B9'7F4A'7C15u ^ (key.height << 32 | key.hint);
            mixed = (mixed ^ mixed >> 29) * 0xBF58'476D'1CE4'E5B9u;
            return static_cast<std::size_t>(mixed ^ mixed >> 32);
        }
    };

    [[nodiscard]] std::optional<PlayedSize> ask(const workload::Create& create) const;

    const HintSizers& sizers_;
    std::vector<bool> drawn_again_;  // by hint
    std::unordered_map<Key, PlayedSize, Hash> known_;
};

// Of single resources, as a trace names them.
class ResourceSizes {
public:
    explicit ResourceSizes(const Context& context);
    ~ResourceSizes();
    ResourceSizes(const ResourceSizes&) = delete;
    ResourceSizes& operator=(const ResourceSizes&) = delete;

    // Empty: the device refuses it.
    [[nodiscard]] std::optional<PlayedSize> of(const model::ResourceDescription& resource);

private:
    struct OfImages;
    struct OfBuffers;

    [[nodiscard]] const ImageSizer& sizer_of(const model::ImageDescription& image);
    [[nodiscard]] const BufferSizer& sizer_of(const model::BufferDescription& buffer);

    const Context context_;
    contract::SweptRequirements swept_;
    std::vector<std::unique_ptr<OfImages>> images_;    // of each kind that was asked for lately
    std::vector<std::unique_ptr<OfBuffers>> buffers_;  // the same
};

// What a simulation of the whole policy plays: the workload's operations of each seed, and what the device asks for
// each resource that they create, as a replayed one does (contract/swept_requirements.hpp). Both are the same under
// every policy. Of a workload of more than most_played resources a part is made: hints of few resources whole, as their
// sizes may be anything, and of the others as many as remain. Of a long one a part of its churn is made. Thread-safe.
// Ownership: the context outlives it. Pure; same input, same streams.

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
