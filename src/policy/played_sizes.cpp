#include "heapwright/policy/played_sizes.hpp"

#include <algorithm>
#include <variant>

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

}  // namespace heapwright::policy
