#include "heapwright/policy/played_streams.hpp"

#include <algorithm>
#include <unordered_map>
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

// What a hint draws again and again is kept.
class PlayedStreams::Sizes {
public:
    struct Size {
        model::MemoryRequirements requirements;
        bool is_estimated = false;  // nothing in the report tells it
    };

    explicit Sizes(const PlayedStreams& streams)
        : images_(streams.images_), buffers_(streams.buffers_), swept_(streams.swept_) {
        const auto is_drawn_again = [](const auto& hint, auto smallest, auto largest) {
            return hint.distribution == model::SizeDistribution::kPowersOfTwo || smallest == largest;
        };
        for (const model::ImageHint& hint : streams.workload_.images)
            drawn_again_.push_back(!hint.extents.empty() ||
                                   is_drawn_again(hint, hint.smallest_side, hint.largest_side));
        for (const model::BufferHint& hint : streams.workload_.buffers)
            drawn_again_.push_back(is_drawn_again(hint, hint.smallest_bytes, hint.largest_bytes));
    }

    // Empty: the device refuses it.
    [[nodiscard]] std::optional<Size> of(const workload::Create& create) {
        const auto* image = std::get_if<model::ImageDescription>(&create.resource);
        const auto ask = [&] {
            return image != nullptr ? of_image(create, *image)
                                    : of_buffer(create, std::get<model::BufferDescription>(create.resource).size_bytes);
        };
        if (!drawn_again_[create.hint]) return ask();
        const Key key = image != nullptr
                            ? Key{create.hint, image->width, image->height}
                            : Key{create.hint, std::get<model::BufferDescription>(create.resource).size_bytes};
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        const auto asked = ask();
        if (!asked) return std::nullopt;
        return known_.emplace(key, *asked).first->second;
    }

private:
    // Outer: nothing in the sweep answers. Inner: the device refuses it.
    using Known = std::optional<std::optional<Size>>;

    [[nodiscard]] Known known_of(const model::ResourceDescription& resource) const {
        if (const auto answered = swept_.answered(resource))
            return *answered ? std::optional(Size{.requirements = **answered}) : std::nullopt;
        if (const auto told = swept_.told(resource, false))
            return Size{.requirements = told->requirements, .is_estimated = !swept_.has_sweep(resource)};
        return {};
    }
    [[nodiscard]] std::optional<Size> of_image(const workload::Create& create,
                                               const model::ImageDescription& image) const {
        const auto sized = images_[create.hint].size(image.width, image.height);
        if (!sized) return std::nullopt;
        if (const Known known = known_of(create.resource)) return *known;
        return Size{.requirements = sized->requirements, .is_estimated = true};
    }
    [[nodiscard]] std::optional<Size> of_buffer(const workload::Create& create, std::uint64_t size_bytes) const {
        const BufferSizer& sizer = buffers_[create.hint - images_.size()];
        if (sizer.refuses(size_bytes)) return std::nullopt;
        if (const Known known = known_of(create.resource)) return *known;
        const auto sized = sizer.size(size_bytes);
        return sized ? std::optional(Size{.requirements = sized->requirements, .is_estimated = true}) : std::nullopt;
    }

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

    const std::vector<ImageSizer>& images_;
    const std::vector<BufferSizer>& buffers_;
    const contract::SweptRequirements& swept_;
    std::vector<bool> drawn_again_;  // by hint
    std::unordered_map<Key, Size, Hash> known_;
};

PlayedStreams::PlayedStreams(const Context& context, const SampleOptions& sample)
    : swept_(context.device, context.device.image_sweep, context.device.buffer_sweep),
      workload_(context.workload),
      most_operations_(sample.churn_steps * kPlayedPerSampled * kOperationsPerStep) {
    for (const model::ImageHint& hint : context.workload.images) images_.emplace_back(context, hint);
    for (const model::BufferHint& hint : context.workload.buffers) buffers_.emplace_back(context, hint);
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
    Sizes sizes(*this);
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
            const std::optional<Sizes::Size> size = sizes.of(*create);
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
