#include "heapwright/policy/played_streams.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "heapwright/workload/draw.hpp"
#include "heapwright/workload/stream.hpp"

namespace heapwright::policy {
namespace {

// A search plays its sample hundreds of times, this the whole policy once for each seed.
constexpr std::uint64_t kPlayedPerSampled = 16;
// Frames end early where their own resources are many beside what churns.
constexpr std::uint64_t kOperationsPerStep = 16;
constexpr std::size_t kKeptStreams = 2;  // what candidates are compared by
// A hint of up to this part of the cap is played in whole.
constexpr std::uint64_t kPartsOfCap = 64;

}  // namespace

PlayedStreams::PlayedStreams(const Context& context, const SampleOptions& sample)
    : sizers_(context),
      workload_(context.workload),
      most_operations_(sample.churn_steps * kPlayedPerSampled * kOperationsPerStep) {
    hint_scales_.assign(hint_count(), 1);
    take_part(sample.most_played);
    workload_.churn_steps = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(workload_.churn_steps, sample.churn_steps * kPlayedPerSampled));
}

void PlayedStreams::take_part(std::uint64_t most_played) {
    double live = 0;
    for (const model::ImageHint& hint : workload_.images) live += hint.count;
    for (const model::BufferHint& hint : workload_.buffers) live += hint.count;
    const double share = static_cast<double>(most_played) / live;
    if (live == 0 || share >= 1 || !workload::check_workload(workload_)) return;  // what is wrong with it make() tells
    const auto fewest = static_cast<double>(std::max<std::uint64_t>(1, most_played / kPartsOfCap));
    double bytes = 0;
    double played_bytes = 0;
    const auto scale_hint = [&](std::size_t position, auto& hint) {
        if (hint.count == 0) return;
        const double count = hint.count;
        hint.count = static_cast<std::uint32_t>(std::min(count, std::max(fewest, count * share)));
        hint_scales_[position] = hint.count / count;
        const double each = workload::mean_packed_bytes(hint);
        bytes += each * count;
        played_bytes += each * hint.count;
    };
    std::size_t position = 0;
    for (model::ImageHint& hint : workload_.images) scale_hint(position++, hint);
    for (model::BufferHint& hint : workload_.buffers) scale_hint(position++, hint);
    scale_ = played_bytes / bytes;
}

Result<std::shared_ptr<const PlayedStreams::Stream>> PlayedStreams::of(std::uint64_t seed) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = kept_.find(seed); known != kept_.end()) return known->second;
    }
    HEAPWRIGHT_ASSIGN(auto made, make(seed));
    const std::lock_guard lock(mutex_);
    if (kept_.size() < kKeptStreams) kept_.emplace(seed, made);
    return made;
}

// About as many as a stream has.
std::size_t PlayedStreams::expected_operations() const {
    std::uint64_t live = 0;
    std::uint64_t of_frame = 1;
    const auto count = [&](const auto& hints) {
        for (const auto& hint : hints) (hint.lifetime == model::Lifetime::kFrame ? of_frame : live) += hint.count;
    };
    count(workload_.images);
    count(workload_.buffers);
    const std::uint64_t steps = workload_.churn_steps;
    const std::uint64_t frames = steps / std::max(1u, workload_.steps_per_frame) + 1;
    return static_cast<std::size_t>(live + std::min(2 * (steps + frames * of_frame), most_operations_));
}

Result<std::shared_ptr<const PlayedStreams::Stream>> PlayedStreams::make(std::uint64_t seed) const {
    HEAPWRIGHT_ASSIGN(auto source, workload::ResourceStream::create(workload_, seed));
    auto stream = std::make_shared<Stream>();
    std::vector<workload::Operation>& operations = stream->operations;
    HintSizes sizes(sizers_);
    operations.reserve(expected_operations());
    std::uint64_t load_operations = 0;
    std::uint64_t creations = 0;
    std::uint64_t steps = 0;  // creations after the load
    double bytes = 0;
    double estimated_bytes = 0;
    while (auto operation = source.next()) {
        if (std::holds_alternative<workload::EndFrame>(*operation)) {
            if (load_operations == 0) {
                load_operations = operations.size() + 1;
            } else {
                stream->most_creations = std::max(stream->most_creations, creations);
                steps += creations;
            }
            creations = 0;
            operations.push_back(std::move(*operation));
            if (steps * 2 <= workload_.churn_steps) stream->short_count = operations.size();
            if (operations.size() > load_operations + most_operations_) break;
            continue;
        }
        if (const auto* create = std::get_if<workload::Create>(&*operation)) {
            ++creations;
            const std::optional<PlayedSize> size = sizes.of(*create);
            stream->requirements.push_back(size ? std::optional(size->requirements) : std::nullopt);
            if (size) {
                const auto asked = static_cast<double>(size->requirements.size_bytes);
                bytes += asked;
                if (size->is_estimated) estimated_bytes += asked;
            }
        }
        operations.push_back(std::move(*operation));
    }
    if (bytes > 0) stream->estimated_share = estimated_bytes / bytes;
    return stream;
}

}  // namespace heapwright::policy
