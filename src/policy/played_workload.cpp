#include "policy/played_workload.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "workload/draw.hpp"
#include "workload/stream.hpp"

namespace heapwright::policy {
namespace {

// Outer: nothing in the sweep answers. Inner: the device refuses it.
using Known = std::optional<std::optional<PlayedSize>>;

Known known_of(const contract::SweptRequirements& swept, const model::ResourceDescription& resource) {
    if (const auto answered = swept.answered(resource))
        return *answered ? std::optional(PlayedSize{.requirements = **answered}) : std::nullopt;
    if (const auto told = swept.told(resource, false))
        return PlayedSize{.requirements = told->requirements, .is_estimated = !swept.has_sweep(resource)};
    return {};
}

std::optional<PlayedSize> size_of(const contract::SweptRequirements& swept, const ImageSizer& sizer,
                                  const model::ImageDescription& image, const model::ResourceDescription& resource) {
    const auto sized = sizer.size(image.width, image.height);
    if (!sized) return std::nullopt;
    if (const Known known = known_of(swept, resource)) return *known;
    return PlayedSize{.requirements = sized->requirements, .is_estimated = true};
}

std::optional<PlayedSize> size_of(const contract::SweptRequirements& swept, const BufferSizer& sizer,
                                  const model::BufferDescription& buffer, const model::ResourceDescription& resource) {
    if (sizer.refuses(buffer.size_bytes)) return std::nullopt;
    if (const Known known = known_of(swept, resource)) return *known;
    const auto sized = sizer.size(buffer.size_bytes);
    return sized ? std::optional(PlayedSize{.requirements = sized->requirements, .is_estimated = true}) : std::nullopt;
}

// Every image of a kind differs from the others in its extent alone.
model::ImageHint kind_of_image(const model::ImageDescription& image) {
    model::ImageHint hint{
        .format = image.format,
        .tiling = image.tiling,
        .usage = image.usage,
        .full_mips =
            image.mip_levels > 1 && image.mip_levels == model::full_mip_chain(image.width, image.height, image.depth),
        .array_layers = image.array_layers,
        .samples = image.samples};
    hint.flags = image.flags;
    if (image.dimension == model::ImageDimension::k3d) hint.depth = image.depth;
    if (image.mip_levels > 1 && !hint.full_mips) hint.mip_levels = image.mip_levels;
    return hint;
}

bool is_same_kind(const model::ImageHint& one, const model::ImageHint& other) {
    return one.format == other.format && one.tiling == other.tiling && one.usage == other.usage &&
           one.full_mips == other.full_mips && one.mip_levels == other.mip_levels &&
           one.array_layers == other.array_layers && one.samples == other.samples && one.depth == other.depth &&
           one.flags == other.flags;
}

}  // namespace

HintSizers::HintSizers(const Context& of)
    : context(of), swept(of.device, of.device.image_sweep, of.device.buffer_sweep) {
    for (const model::ImageHint& hint : context.workload.images) images.emplace_back(context, hint);
    for (const model::BufferHint& hint : context.workload.buffers) buffers.emplace_back(context, hint);
}

HintSizes::HintSizes(const HintSizers& sizers) : sizers_(sizers) {
    const auto is_drawn_again = [](const auto& hint, auto smallest, auto largest) {
        return hint.distribution == model::SizeDistribution::kPowersOfTwo || smallest == largest;
    };
    const model::Workload& workload = sizers.context.workload;
    for (const model::ImageHint& hint : workload.images)
        drawn_again_.push_back(!hint.extents.empty() || is_drawn_again(hint, hint.smallest_side, hint.largest_side));
    for (const model::BufferHint& hint : workload.buffers)
        drawn_again_.push_back(is_drawn_again(hint, hint.smallest_bytes, hint.largest_bytes));
}

std::optional<PlayedSize> HintSizes::of(const workload::Create& create) {
    if (!drawn_again_[create.hint]) return ask(create);
    const auto* image = std::get_if<model::ImageDescription>(&create.resource);
    const Key key = image != nullptr ? Key{create.hint, image->width, image->height}
                                     : Key{create.hint, std::get<model::BufferDescription>(create.resource).size_bytes};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const auto asked = ask(create);
    if (!asked) return std::nullopt;
    return known_.emplace(key, *asked).first->second;
}

std::optional<PlayedSize> HintSizes::ask(const workload::Create& create) const {
    if (const auto* image = std::get_if<model::ImageDescription>(&create.resource))
        return size_of(sizers_.swept, sizers_.images[create.hint], *image, create.resource);
    return size_of(sizers_.swept, sizers_.buffers[create.hint - sizers_.images.size()],
                   std::get<model::BufferDescription>(create.resource), create.resource);
}

// The sizer refers to its hint.
struct ResourceSizes::OfImages {
    OfImages(const Context& context, const model::ImageHint& of) : hint(of), sizer(context, hint) {}
    const model::ImageHint hint;
    const ImageSizer sizer;
};

struct ResourceSizes::OfBuffers {
    OfBuffers(const Context& context, const model::BufferHint& of) : hint(of), sizer(context, hint) {}
    const model::BufferHint hint;
    const BufferSizer sizer;
};

namespace {

// A hostile trace has as many kinds as it has lines.
template <class Kinds>
void make_room(Kinds& kinds) {
    constexpr std::size_t kMostKinds = 4096;
    if (kinds.size() == kMostKinds) kinds.clear();
}

}  // namespace

ResourceSizes::ResourceSizes(const Context& context)
    : context_(context), swept_(context.device, context.device.image_sweep, context.device.buffer_sweep) {}

ResourceSizes::~ResourceSizes() = default;

const ImageSizer& ResourceSizes::sizer_of(const model::ImageDescription& image) {
    const model::ImageHint kind = kind_of_image(image);
    const auto known = std::ranges::find_if(images_, [&](const auto& one) { return is_same_kind(one->hint, kind); });
    if (known != images_.end()) return (*known)->sizer;
    make_room(images_);
    return images_.emplace_back(std::make_unique<OfImages>(context_, kind))->sizer;
}

const BufferSizer& ResourceSizes::sizer_of(const model::BufferDescription& buffer) {
    const auto known = std::ranges::find_if(buffers_, [&](const auto& one) { return one->hint.usage == buffer.usage; });
    if (known != buffers_.end()) return (*known)->sizer;
    make_room(buffers_);
    return buffers_.emplace_back(std::make_unique<OfBuffers>(context_, model::BufferHint{.usage = buffer.usage}))
        ->sizer;
}

std::optional<PlayedSize> ResourceSizes::of(const model::ResourceDescription& resource) {
    if (const auto* image = std::get_if<model::ImageDescription>(&resource))
        return size_of(swept_, sizer_of(*image), *image, resource);
    const auto& buffer = std::get<model::BufferDescription>(resource);
    return size_of(swept_, sizer_of(buffer), buffer, resource);
}

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
