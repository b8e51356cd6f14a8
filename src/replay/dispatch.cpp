#include "replay/dispatch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "device/image_planes.hpp"

namespace heapwright::replay {
namespace {

// Where kReadTables samples.
constexpr double kSampleU = 1.25;
constexpr double kSampleV = 0.5;

tl::unexpected<Error> refuse(std::string message, std::uint64_t value = 0, std::uint64_t limit = 0) {
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = std::move(message),
                 .where = "submit: device::DispatchTables",
                 .value = value,
                 .limit = limit});
}

bool holds(const ReplayDescriptorHeap& heap, std::uint32_t first, std::uint32_t count) {
    return first <= heap.request.capacity && count <= heap.request.capacity - first;
}

template <class Visit>
void for_each_descriptor(const BoundDispatch& dispatch, Visit&& visit) {
    for (std::uint32_t i = 0; i < device::kStaticTableSize; ++i)
        visit(dispatch.resource_heap->descriptors[dispatch.tables.static_table + i]);
    for (std::uint32_t i = 0; i < device::kDynamicTableSize; ++i)
        visit(dispatch.resource_heap->descriptors[dispatch.tables.dynamic_table + i]);
    if (dispatch.sampler_heap) visit(dispatch.sampler_heap->descriptors[dispatch.tables.sampler]);
}

class Run {
public:
    Run(const BoundDispatch& dispatch, ReplayContext& context) : dispatch_(dispatch), context_(context) {}

    void operator()() const {
        const std::uint32_t fixed = dispatch_.tables.static_table;
        const std::uint32_t moving = dispatch_.tables.dynamic_table;
        const std::array<std::uint32_t, device::kReadTablesWords> words{
            first_word<device::ConstantBufferView>(fixed), first_word<device::BufferView>(fixed + 1),
            first_word<device::ConstantBufferView>(moving), first_word<device::BufferView>(moving + 1),
            sampled_texel(fixed + 2)};
        const auto output = target_of<device::BufferView>(moving + 2);
        if (!output.resource) return;
        if (!output.view.writable) message(moving + 2, "is written through, but is read-only");
        const std::uint64_t first = std::uint64_t{dispatch_.tables.output_word} * 4;
        if (first + sizeof words > output.view.size_bytes) {
            message(moving + 2, "is written through beyond its view");
            return;
        }
        std::array<std::byte, sizeof words> bytes;
        std::memcpy(bytes.data(), words.data(), sizeof words);
        output.resource->write(output.view.offset_bytes + first, bytes);
    }

private:
    template <class View>
    struct Target {
        View view;
        std::shared_ptr<ReplayResource> resource;  // null: nothing to reach
    };

    void message(std::uint32_t index, std::string_view what) const {
        context_.message_locked(
            fmt::format("dispatch: descriptor {} of heap {} {}", index, dispatch_.resource_heap->id, what));
    }

    template <class View>
    [[nodiscard]] Target<View> target_of(std::uint32_t index) const {
        const ReplayDescriptor& descriptor = dispatch_.resource_heap->descriptors[index];
        if (!descriptor.value) {
            message(index, "was never written");
            return {};
        }
        const auto* view = std::get_if<View>(&*descriptor.value);
        if (view == nullptr) {
            message(index, "is of another type than the program reads");
            return {};
        }
        auto resource = descriptor.target.lock();
        if (!resource) {
            message(index, "points to a destroyed resource");
        } else if (std::ranges::find(dispatch_.reads, resource) == dispatch_.reads.end() &&
                   std::ranges::find(dispatch_.writes, resource) == dispatch_.writes.end()) {
            message(index, "points to a resource that the dispatch does not name");
        }
        return {*view, std::move(resource)};
    }

    template <class View>
    [[nodiscard]] std::uint32_t first_word(std::uint32_t index) const {
        const auto target = target_of<View>(index);
        if (!target.resource) return 0;
        std::array<std::byte, 4> bytes;
        target.resource->read(target.view.offset_bytes, bytes);
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        return word;
    }

    [[nodiscard]] device::SamplerDescription sampler() const {
        if (!dispatch_.sampler_heap)
            return {.address_u = device::AddressMode::kClampToEdge, .address_v = device::AddressMode::kClampToEdge};
        const ReplayDescriptor& descriptor = dispatch_.sampler_heap->descriptors[dispatch_.tables.sampler];
        const auto* found = descriptor.value ? std::get_if<device::SamplerDescription>(&*descriptor.value) : nullptr;
        if (found != nullptr) return *found;
        context_.message_locked(fmt::format("dispatch: sampler {} of heap {} was never written",
                                            dispatch_.tables.sampler, dispatch_.sampler_heap->id));
        return {};
    }

    // The texel that an integer coordinate gives; nothing for the border.
    static std::optional<std::uint32_t> addressed(std::int64_t coordinate, std::uint32_t side,
                                                  device::AddressMode mode) {
        const auto size = static_cast<std::int64_t>(side);
        switch (mode) {
            case device::AddressMode::kRepeat: return static_cast<std::uint32_t>(((coordinate % size) + size) % size);
            case device::AddressMode::kMirroredRepeat: {
                const std::int64_t period = ((coordinate % (2 * size)) + 2 * size) % (2 * size);
                return static_cast<std::uint32_t>(period < size ? period : 2 * size - 1 - period);
            }
            case device::AddressMode::kClampToEdge:
                return static_cast<std::uint32_t>(std::clamp<std::int64_t>(coordinate, 0, size - 1));
            case device::AddressMode::kClampToBorder: break;
        }
        if (coordinate < 0 || coordinate >= size) return std::nullopt;
        return static_cast<std::uint32_t>(coordinate);
    }

    [[nodiscard]] std::uint32_t sampled_texel(std::uint32_t index) const {
        const auto target = target_of<device::ImageView>(index);
        if (!target.resource) return 0;
        const auto& image = std::get<model::ImageDescription>(target.resource->description());
        const auto plane =
            device::image_plane(image, {.mip_level = target.view.mip_level, .array_layer = target.view.array_layer});
        if (!plane || plane->texel_bytes != 4) {
            message(index, "is an image of another format than R8G8B8A8_UNORM");
            return 0;
        }
        const std::uint32_t width = std::max(1u, image.width >> target.view.mip_level);
        const std::uint32_t height = std::max(1u, image.height >> target.view.mip_level);
        const device::SamplerDescription how = sampler();
        const auto texel = [&](std::int64_t x, std::int64_t y) {
            const auto column = addressed(x, width, how.address_u);
            const auto row = addressed(y, height, how.address_v);
            std::uint32_t word = 0;  // the border is transparent black
            if (!column || !row) return word;
            std::array<std::byte, 4> bytes;
            target.resource->read(plane->offset_bytes + (std::uint64_t{*row} * width + *column) * 4, bytes);
            std::memcpy(&word, bytes.data(), sizeof word);
            return word;
        };
        const double x = kSampleU * width;
        const double y = kSampleV * height;
        if (how.filter == device::FilterMode::kNearest)
            return texel(static_cast<std::int64_t>(std::floor(x)), static_cast<std::int64_t>(std::floor(y)));
        return blended(x - 0.5, y - 0.5, texel);
    }

    template <class Texel>
    [[nodiscard]] static std::uint32_t blended(double x, double y, Texel&& texel) {
        const auto left = static_cast<std::int64_t>(std::floor(x));
        const auto top = static_cast<std::int64_t>(std::floor(y));
        const double right_share = x - std::floor(x);
        const double bottom_share = y - std::floor(y);
        std::uint32_t word = 0;
        for (std::uint32_t shift = 0; shift < 32; shift += 8) {
            const auto channel = [&](std::int64_t column, std::int64_t row) {
                return static_cast<double>(texel(column, row) >> shift & 0xFFu);
            };
            const double above = channel(left, top) * (1 - right_share) + channel(left + 1, top) * right_share;
            const double below = channel(left, top + 1) * (1 - right_share) + channel(left + 1, top + 1) * right_share;
            const double value = above * (1 - bottom_share) + below * bottom_share;
            word |= static_cast<std::uint32_t>(std::lround(value)) << shift;
        }
        return word;
    }

    const BoundDispatch& dispatch_;
    ReplayContext& context_;
};

}  // namespace

Result<std::shared_ptr<BoundDispatch>> bind_dispatch(const device::DispatchTables& tables,
                                                     const ReplayResources& resources,
                                                     const ReplayDescriptors& descriptors,
                                                     const ReplayPipelines& pipelines) {
    auto bound = std::make_shared<BoundDispatch>();
    bound->tables = tables;
    bound->pipeline = pipelines.find_locked(tables.pipeline);
    if (!bound->pipeline) return refuse("no such pipeline", tables.pipeline.value);
    bound->program = bound->pipeline->program;
    bound->resource_heap = descriptors.find_locked(tables.resource_heap);
    const auto is_visible = [](const std::shared_ptr<ReplayDescriptorHeap>& heap, device::DescriptorHeapKind kind) {
        return heap && heap->request.shader_visible && heap->request.kind == kind;
    };
    if (!is_visible(bound->resource_heap, device::DescriptorHeapKind::kCbvSrvUav))
        return refuse("no shader-visible CBV_SRV_UAV heap", tables.resource_heap.value);
    if (!holds(*bound->resource_heap, tables.static_table, device::kStaticTableSize) ||
        !holds(*bound->resource_heap, tables.dynamic_table, device::kDynamicTableSize)) {
        return refuse("a table leaves its heap", std::max(tables.static_table, tables.dynamic_table),
                      bound->resource_heap->request.capacity);
    }
    const bool wants_sampler = bound->program == device::ComputeProgram::kReadTables;
    if (wants_sampler != tables.sampler_heap.has_value())
        return refuse("a sampler heap is named exactly for the program without a static sampler");
    if (tables.sampler_heap) {
        bound->sampler_heap = descriptors.find_locked(*tables.sampler_heap);
        if (!is_visible(bound->sampler_heap, device::DescriptorHeapKind::kSampler))
            return refuse("no shader-visible sampler heap", tables.sampler_heap->value);
        if (!holds(*bound->sampler_heap, tables.sampler, 1))
            return refuse("the sampler is beyond its heap", tables.sampler, bound->sampler_heap->request.capacity);
    }
    const auto find_all = [&](const std::vector<device::ResourceId>& ids, auto& found) -> Status {
        for (const device::ResourceId id : ids) {
            found.push_back(resources.find_locked(id));
            if (!found.back()) return refuse("the resource is not live", id.value);
        }
        return {};
    };
    HEAPWRIGHT_TRY(find_all(tables.reads, bound->reads));
    HEAPWRIGHT_TRY(find_all(tables.writes, bound->writes));
    return bound;
}

void begin_pending(BoundDispatch& dispatch) {
    for_each_descriptor(dispatch, [](ReplayDescriptor& descriptor) { ++descriptor.pending_reads; });
    ++dispatch.resource_heap->pending_uses;
    if (dispatch.sampler_heap) ++dispatch.sampler_heap->pending_uses;
    ++dispatch.pipeline->pending_uses;
}

void end_pending(BoundDispatch& dispatch) {
    for_each_descriptor(dispatch, [](ReplayDescriptor& descriptor) { --descriptor.pending_reads; });
    --dispatch.resource_heap->pending_uses;
    if (dispatch.sampler_heap) --dispatch.sampler_heap->pending_uses;
    --dispatch.pipeline->pending_uses;
}

void run_dispatch(const BoundDispatch& dispatch, ReplayContext& context) {
    Run(dispatch, context)();
}

}  // namespace heapwright::replay
