#include "policy/demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "contract/swept_requirements.hpp"
#include "core/text.hpp"
#include "model/claims.hpp"
#include "model/names.hpp"
#include "workload/draw.hpp"
#include "workload/stream.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// Counts, for one hint, how its sizes were come by, so that a hint gives one warning and not hundreds.
class SourceTally {
public:
    void add(SizeSource source) { ++counts_[static_cast<std::size_t>(source)]; }
    void add_unsupported() { ++unsupported_; }

    // Of all sizes beyond a limit one part, named by the first.
    void add_beyond(Demand part) {
        if (!beyond_) {
            beyond_ = std::move(part);
            return;
        }
        ++beyond_->other_sizes;
        beyond_->mean_bytes =
            (beyond_->mean_bytes * beyond_->count + part.mean_bytes * part.count) / (beyond_->count + part.count);
        if (part.too_large) {  // sizes ascend
            beyond_->too_large = part.too_large;
            beyond_->beyond_limit = part.beyond_limit;
        }
        beyond_->count += part.count;
        beyond_->in_flight += part.in_flight;
    }

    [[nodiscard]] std::optional<Demand> take_beyond() { return std::move(beyond_); }

    void report(const std::string& hint, bool own_case, const model::Statement& why_not,
                model::Statement& warnings) const {
        const std::uint32_t between = count(SizeSource::kNextLarger);
        const std::uint32_t scaled = count(SizeSource::kScaled);
        if (unsupported_ != 0) {
            warnings += claim<ClaimId::kSizesLeftOut>(hint, model::count(unsupported_));
            warnings += why_not;
        }
        if (between != 0) warnings += claim<ClaimId::kSizesBetween>(hint, model::count(between));
        if (scaled != 0) {
            warnings += own_case ? claim<ClaimId::kSizesScaled>(hint, model::count(scaled))
                                 : claim<ClaimId::kSizesOfOtherCase>(hint, model::count(scaled));
        }
    }

    [[nodiscard]] bool has_assumed() const { return count(SizeSource::kAssumed) != 0; }

private:
    [[nodiscard]] std::uint32_t count(SizeSource source) const { return counts_[static_cast<std::size_t>(source)]; }

    std::array<std::uint32_t, 4> counts_{};
    std::uint32_t unsupported_ = 0;
    std::optional<Demand> beyond_;
};

// Of sides beyond every limit, too, whose bytes no integer holds.
double texel_bytes(const model::ImageHint& hint, std::array<std::uint32_t, 2> extent) {
    const model::FormatInfo& format = model::info(hint.format);
    const double blocks = static_cast<double>(extent[0]) * extent[1] / (format.block_width * format.block_height);
    return blocks * format.block_bytes * hint.depth.value_or(1) * hint.array_layers * hint.samples;
}

// The points that the workload needs and the report lacks, of all hints together.
class MissingPoints {
public:
    void add_image(const std::string& hint, const model::ImageHint& image, std::array<std::uint32_t, 2> extent) {
        add([&] {
            return fmt::format("{} {} {} {}x{}{} ({})", model::info(image.format).name, model::name_of(image.tiling),
                               model::flags_text(image.usage, model::image_usage_names(), "0"), extent[0], extent[1],
                               shape_text(image), hint);
        });
    }

    void add_buffer(const std::string& hint, const model::BufferHint& buffer, std::uint64_t size_bytes) {
        add([&] {
            return fmt::format("{} size_bytes {} ({})",
                               model::flags_text(buffer.usage, model::buffer_usage_names(), "0"), size_bytes, hint);
        });
    }

    void add_assumed_hint(const std::string& hint) { append(assumed_, ", ", hint); }

    [[nodiscard]] std::uint64_t count() const { return count_; }

    // Empty where nothing is.
    [[nodiscard]] model::Statement assumed(const model::DeviceReport& device) const {
        if (assumed_.empty()) return {};
        return claim<ClaimId::kSizesAssumed>(assumed_, model::bytes(contract::kAssumedImageAlignment),
                                             model::bytes(contract::assumed_buffer_alignment(device)));
    }

    void report(const Context& context, model::Statement& warnings) const {
        if (count_ == 0) return;
        warnings += claim<ClaimId::kPointsMissing>(
            model::count(count_),
            probe_command(context.workload_argument.empty() ? context.workload.name : context.workload_argument));
        warnings += listed_;
    }

private:
    static constexpr std::uint64_t kListed = 2;

    template <class Describe>
    void add(Describe describe) {
        if (count_++ < kListed) listed_ += claim<ClaimId::kPointMissing>(describe());
    }

    static std::string shape_text(const model::ImageHint& image) {
        std::string text;
        if (image.depth) text += fmt::format("x{}", *image.depth);
        if (image.full_mips) text += " full_mips";
        if (image.mip_levels) text += fmt::format(" mip_levels {}", *image.mip_levels);
        if (image.array_layers > 1) text += fmt::format(" array_layers {}", image.array_layers);
        if (image.samples > 1) text += fmt::format(" samples {}", image.samples);
        return text;
    }

    std::uint64_t count_ = 0;
    model::Statement listed_;
    std::string assumed_;
};

// A hint that asks for memory of its own is planned as if the driver required it, one that refuses it as if the driver
// did not prefer it.
model::MemoryRequirements wished(model::MemoryRequirements requirements, model::OwnMemory wish) {
    if (wish == model::OwnMemory::kAlways) requirements.dedicated = model::Dedicated::kRequired;
    if (wish == model::OwnMemory::kNever && requirements.dedicated == model::Dedicated::kPreferred) {
        requirements.dedicated = model::Dedicated::kNone;
    }
    return requirements;
}

template <class Hint>
void set_wishes(Demand& demand, const Hint& hint) {
    demand.use = model::planned_use(hint);
    demand.own_memory = hint.dedicated;
    demand.importance = hint.importance;
}

model::Statement beyond_limits(const Context& context, const std::string& hint, const model::ExceededLimit& buffer) {
    model::Statement limits = unserved(hint, buffer);
    const auto allocation = find_limit(context, "maxMemoryAllocationSize");
    if (allocation && buffer.size_bytes > allocation->value) {
        limits += unserved(
            hint,
            {.limit = "maxMemoryAllocationSize", .limit_bytes = allocation->value, .size_bytes = buffer.size_bytes});
    }
    return limits;
}

class DemandBuilder {
public:
    explicit DemandBuilder(const Context& context)
        : context_(context),
          separate_targets_(separates_render_targets(context.device)),
          held_in_flight_(workload::held_in_flight(context.workload)) {}

    void add_images(std::size_t index);
    void add_buffers(std::size_t index);
    [[nodiscard]] DemandList take() {
        missing_.report(context_, list_.warnings);
        list_.assumed = missing_.assumed(context_.device);
        list_.unanswered_points = missing_.count();
        return std::move(list_);
    }

private:
    void add_image_size(const ImageSizer& sizer, const model::ImageHint& hint, std::size_t index,
                        std::array<std::uint32_t, 2> extent, double count, double mean_area,
                        std::vector<model::DecisionInput> inputs, SourceTally& tally);

    const Context& context_;
    bool separate_targets_;
    std::vector<double> held_in_flight_;  // by hint, images then buffers
    MissingPoints missing_;
    DemandList list_;
};

void DemandBuilder::add_image_size(const ImageSizer& sizer, const model::ImageHint& hint, std::size_t index,
                                   std::array<std::uint32_t, 2> extent, double count, double mean_area,
                                   std::vector<model::DecisionInput> inputs, SourceTally& tally) {
    const std::string name = fmt::format("images/{}", index);
    const double full_area = static_cast<double>(extent[0]) * static_cast<double>(extent[1]);
    const double mean_share = std::min(1.0, mean_area / full_area);
    const double in_flight = held_in_flight_[index] * count / hint.count;
    Demand demand;
    demand.hint = name;
    demand.what = sizer.what(extent[0], extent[1]);
    auto sized = sizer.size(extent[0], extent[1]);
    if (!sized) {
        demand.beyond_limit = sizer.beyond_limit(extent[0], extent[1]);
        if (demand.beyond_limit.empty()) {
            tally.add_unsupported();
            return;
        }
        set_wishes(demand, hint);
        demand.count = count;
        demand.in_flight = in_flight;
        demand.mean_bytes = texel_bytes(hint, extent) * mean_share;
        tally.add_beyond(std::move(demand));
        return;
    }
    tally.add(sized->source);
    if (sized->source != SizeSource::kExact) missing_.add_image(name, hint, extent);
    demand.resource_class = model::resource_class(
        model::ImageDescription{.format = hint.format, .tiling = hint.tiling, .usage = hint.usage}, separate_targets_);
    set_wishes(demand, hint);
    demand.lifetime = hint.lifetime;
    demand.transient_attachment = (hint.usage & model::image_usage::kTransientAttachment) != 0;
    constexpr model::Flags kWritten = model::image_usage::kStorage | model::image_usage::kColorAttachment |
                                      model::image_usage::kDepthStencilAttachment;
    demand.device_writes = (hint.usage & kWritten) != 0;
    demand.requirements = wished(sized->requirements, hint.dedicated);
    demand.count = count;
    demand.in_flight = in_flight;
    demand.mean_bytes = static_cast<double>(sized->requirements.size_bytes) * mean_share;
    demand.evidence = std::move(sized->evidence);
    demand.hint_inputs = std::move(inputs);
    list_.parts.push_back(std::move(demand));
}

void DemandBuilder::add_images(std::size_t index) {
    const model::ImageHint& hint = context_.workload.images[index];
    if (hint.count == 0) return;
    const std::string name = fmt::format("images/{}", index);
    const ImageSizer sizer(context_, hint, name);
    SourceTally tally;
    if (!hint.extents.empty()) {
        const double count = static_cast<double>(hint.count) / static_cast<double>(hint.extents.size());
        for (std::size_t at = 0; at < hint.extents.size(); ++at) {
            const auto extent = hint.extents[at];
            add_image_size(sizer, hint, index, extent, count,
                           static_cast<double>(extent[0]) * static_cast<double>(extent[1]),
                           {context_.cite_workload(fmt::format("/images/{}/extents/{}", index, at),
                                                   fmt::format("[{}, {}]", extent[0], extent[1]))},
                           tally);
        }
    } else {
        const auto bins = workload::size_bins(hint.distribution, hint.smallest_side, hint.largest_side);
        const std::vector<model::DecisionInput> inputs{
            context_.cite_workload(fmt::format("/images/{}/largest_side", index), model::count(hint.largest_side))};
        for (const workload::SizeBin& width : bins) {
            for (const workload::SizeBin& height : bins) {
                add_image_size(sizer, hint, index,
                               {static_cast<std::uint32_t>(width.largest), static_cast<std::uint32_t>(height.largest)},
                               width.weight * height.weight * static_cast<double>(hint.count), width.mean * height.mean,
                               inputs, tally);
            }
        }
    }
    if (auto beyond = tally.take_beyond()) list_.parts.push_back(std::move(*beyond));
    tally.report(name, sizer.has_own_case(), sizer.why_not(), list_.warnings);
    if (!sizer.why_not().empty()) list_.why_not.emplace(name, sizer.why_not());
    if (tally.has_assumed()) missing_.add_assumed_hint(name);
}

void DemandBuilder::add_buffers(std::size_t index) {
    const model::BufferHint& hint = context_.workload.buffers[index];
    if (hint.count == 0) return;
    const std::string name = fmt::format("buffers/{}", index);
    const BufferSizer sizer(context_, hint, name);
    SourceTally tally;
    for (const workload::SizeBin& bin :
         workload::size_bins(hint.distribution, hint.smallest_bytes, hint.largest_bytes)) {
        Demand demand;
        demand.hint = name;
        demand.what = name;
        demand.resource_class = model::ResourceClass::kLinear;
        demand.count = bin.weight * static_cast<double>(hint.count);
        demand.in_flight = held_in_flight_[context_.workload.images.size() + index] * bin.weight;
        demand.too_large = sizer.beyond_limit(bin.largest);
        if (demand.too_large) {
            demand.beyond_limit = beyond_limits(context_, name, *demand.too_large);
            set_wishes(demand, hint);
            demand.mean_bytes = bin.mean;
            tally.add_beyond(std::move(demand));
            continue;
        }
        auto sized = sizer.size(bin.largest);
        if (!sized) {
            tally.add_unsupported();
            continue;
        }
        tally.add(sized->source);
        // How large a part is follows from the device's limits, and no probe with the workload asks for it.
        const bool is_between = hint.splittable && sized->source == SizeSource::kNextLarger;
        if (sized->source != SizeSource::kExact && !is_between) missing_.add_buffer(name, hint, bin.largest);
        demand.device_writes = (hint.usage & (model::buffer_usage::kStorage | model::buffer_usage::kStorageTexel)) != 0;
        set_wishes(demand, hint);
        demand.lifetime = hint.lifetime;
        demand.requirements = wished(sized->requirements, hint.dedicated);
        demand.mean_bytes = static_cast<double>(sized->requirements.size_bytes) *
                            std::min(1.0, bin.mean / static_cast<double>(bin.largest));
        demand.evidence = std::move(sized->evidence);
        // The document has the size of the whole.
        demand.hint_inputs = {hint.splittable
                                  ? context_.cite_workload(fmt::format("/buffers/{}/splittable", index), "true")
                                  : context_.cite_workload(fmt::format("/buffers/{}/largest_bytes", index),
                                                           model::bytes(hint.largest_bytes))};
        list_.parts.push_back(std::move(demand));
    }
    if (auto beyond = tally.take_beyond()) list_.parts.push_back(std::move(*beyond));
    tally.report(name, sizer.has_own_case(), sizer.why_not(), list_.warnings);
    if (!sizer.why_not().empty()) list_.why_not.emplace(name, sizer.why_not());
    if (tally.has_assumed()) missing_.add_assumed_hint(name);
}

}  // namespace

model::Claim unserved(const std::string& what, const model::ExceededLimit& exceeded) {
    const model::Figure size = model::bytes(exceeded.size_bytes);
    const model::Figure most = model::bytes(exceeded.limit_bytes);
    if (exceeded.limit.starts_with("heap")) return claim<ClaimId::kUnservedHeap>(what, size, exceeded.limit, most);
    return is_soft(exceeded) ? claim<ClaimId::kUnservedSoft>(what, size, exceeded.limit, most)
                             : claim<ClaimId::kUnservedBytes>(what, size, exceeded.limit, most);
}

std::string probe_command(std::string_view workload) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:\\";
    if (workload == "-") workload = "FILE";  // standard input: a file with the same text
    const bool plain = !workload.empty() && workload.find_first_not_of(kPlain) == std::string_view::npos;
    return fmt::format("heapwright probe --workload {0}{1}{0} --output report.json", plain ? "" : "\"", workload);
}

bool separates_render_targets(const model::DeviceReport& device) {
    return std::any_of(device.memory_types.begin(), device.memory_types.end(), [](const model::MemoryType& type) {
        const auto& classes = type.resource_classes;
        const auto holds = [&classes](model::ResourceClass one) {
            return std::find(classes.begin(), classes.end(), one) != classes.end();
        };
        return holds(model::ResourceClass::kOptimalRenderTarget) != holds(model::ResourceClass::kOptimal);
    });
}

DemandList list_demand(const Context& context) {
    DemandBuilder builder(context);
    for (std::size_t index = 0; index < context.workload.images.size(); ++index) builder.add_images(index);
    for (std::size_t index = 0; index < context.workload.buffers.size(); ++index) builder.add_buffers(index);
    return builder.take();
}

}  // namespace heapwright::policy
