#include "workload/stream.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "workload/draw.hpp"

namespace heapwright::workload {

namespace {

using model::Lifetime;

std::uint32_t scaled(std::uint32_t count, double scale) {
    if (count == 0) return 0;
    return std::max(1u, static_cast<std::uint32_t>(std::floor(static_cast<double>(count) * scale)));
}

}  // namespace

ResourceStream::ResourceStream(model::Workload workload, std::uint64_t seed)
    : workload_(std::move(workload)), random_(seed) {}

Result<ResourceStream> ResourceStream::create(model::Workload workload, std::uint64_t seed, double scale) {
    HEAPWRIGHT_TRY(check_workload(workload));
    if (!(scale > 0.0 && scale <= 1.0)) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("scale {} is not in (0, 1]", scale), "workload");
    }
    ResourceStream stream(std::move(workload), seed);
    stream.plan_load(scale);
    return stream;
}

Lifetime ResourceStream::lifetime(std::uint32_t hint) const {
    const std::size_t images = workload_.images.size();
    return hint < images ? workload_.images[hint].lifetime : workload_.buffers[hint - images].lifetime;
}

Create ResourceStream::draw_from(std::uint32_t hint) {
    const std::size_t images = workload_.images.size();
    if (hint < images) {
        const model::ImageHint& image = workload_.images[hint];
        return {.id = next_id_++,
                .resource = draw_image(image, random_),
                .memory_use = model::planned_use(image),
                .lifetime = image.lifetime,
                .hint = hint,
                .own_memory = image.dedicated};
    }
    const model::BufferHint& buffer = workload_.buffers[hint - images];
    return {.id = next_id_++,
            .resource = draw_buffer(buffer, random_),
            .memory_use = model::planned_use(buffer),
            .lifetime = buffer.lifetime,
            .hint = hint,
            .own_memory = buffer.dedicated};
}

void ResourceStream::plan_load(double scale) {
    for (const model::ImageHint& hint : workload_.images) {
        counts_.push_back({.hint = static_cast<std::uint32_t>(counts_.size()),
                           .wanted = hint.count,
                           .used = scaled(hint.count, scale)});
    }
    for (const model::BufferHint& hint : workload_.buffers) {
        counts_.push_back({.hint = static_cast<std::uint32_t>(counts_.size()),
                           .wanted = hint.count,
                           .used = scaled(hint.count, scale)});
    }
    std::vector<std::uint32_t> order;
    for (const ScaledCount& count : counts_) {
        if (lifetime(count.hint) != Lifetime::kFrame) order.insert(order.end(), count.used, count.hint);
    }
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(i))]);
    }

    std::vector<std::optional<std::size_t>> open_group(counts_.size());
    for (const std::uint32_t hint : order) {
        const Create created = draw_from(hint);
        planned_.emplace_back(created);
        if (lifetime(hint) == Lifetime::kPersistent) continue;
        const std::uint32_t group = renewed_together(lifetime(hint), counts_[hint].used);
        if (!open_group[hint] || units_[*open_group[hint]].members.size() == group) {
            open_group[hint] = units_.size();
            units_.push_back({.hint = hint});
        }
        units_[*open_group[hint]].members.push_back(created.id);
    }
    planned_.emplace_back(EndFrame{});
}

bool ResourceStream::plan_step() {
    if (renewed_in_frame_ >= units_.size()) return false;
    std::size_t chosen = 0;
    do chosen = static_cast<std::size_t>(random_.below(units_.size()));
    while (units_[chosen].renewed_in == frames_planned_);
    Unit& unit = units_[chosen];
    unit.renewed_in = frames_planned_;
    ++renewed_in_frame_;
    last_unit_ = chosen;
    for (const std::uint64_t id : unit.members) carried_.emplace_back(Destroy{id});
    for (std::uint64_t& id : unit.members) {
        const Create created = draw_from(unit.hint);
        id = created.id;
        carried_.emplace_back(created);
    }
    steps_planned_ += unit.members.size();
    return true;
}

void ResourceStream::plan_frame() {
    const std::uint32_t rate = std::max(1u, workload_.steps_per_frame);
    const bool has_frame_resources = std::ranges::any_of(
        counts_, [&](const ScaledCount& count) { return count.used != 0 && lifetime(count.hint) == Lifetime::kFrame; });
    const std::uint64_t frames =
        has_frame_resources || !units_.empty() ? div_ceil(std::uint64_t{workload_.churn_steps}, rate) : 0;
    if (carried_.empty() && frames_planned_ >= std::max<std::uint64_t>(frames, has_frame_resources ? 1 : 0)) return;
    ++frames_planned_;
    renewed_in_frame_ = 0;
    if (!carried_.empty()) {
        units_[*last_unit_].renewed_in = frames_planned_;
        renewed_in_frame_ = 1;
    }
    std::vector<std::uint64_t> frame_ids;
    for (const ScaledCount& count : counts_) {
        if (lifetime(count.hint) != Lifetime::kFrame) continue;
        for (std::uint32_t i = 0; i < count.used; ++i) {
            const Create created = draw_from(count.hint);
            frame_ids.push_back(created.id);
            planned_.emplace_back(created);
        }
    }
    // A step ends with its creation: destructions of a group are free until then.
    for (std::uint32_t steps = 0; steps < rate;) {
        if (carried_.empty() && (steps_planned_ >= workload_.churn_steps || !plan_step())) break;
        if (std::holds_alternative<Create>(carried_.front())) ++steps;
        planned_.push_back(std::move(carried_.front()));
        carried_.pop_front();
    }
    for (const std::uint64_t id : frame_ids) planned_.emplace_back(Destroy{id});
    planned_.emplace_back(EndFrame{});
}

std::optional<Operation> ResourceStream::next() {
    if (planned_.empty()) plan_frame();
    if (planned_.empty()) return std::nullopt;
    Operation operation = std::move(planned_.front());
    planned_.pop_front();
    return operation;
}

Result<ExpectedBytes> expected_live_bytes(const model::Workload& workload, double scale) {
    HEAPWRIGHT_TRY(check_workload(workload));
    ExpectedBytes expected;
    const auto add = [&](const auto& hint) {
        expected.by_use[static_cast<std::size_t>(model::planned_use(hint))] +=
            static_cast<std::uint64_t>(mean_packed_bytes(hint)) * scaled(hint.count, scale);
    };
    std::ranges::for_each(workload.images, add);
    std::ranges::for_each(workload.buffers, add);
    return expected;
}

Result<double> scale_to_fit(const model::Workload& workload, std::uint64_t limit_bytes) {
    constexpr std::uint32_t kSteps = 1024;
    std::uint32_t fits = 0;
    std::uint64_t smallest_bytes = 0;
    for (std::uint32_t step = kSteps, low = 0; low < step;) {
        // Expected bytes never shrink with the scale, so the largest that fits is found by halving.
        const std::uint32_t middle = low + (step - low + 1) / 2;
        HEAPWRIGHT_ASSIGN(const auto bytes, expected_live_bytes(workload, static_cast<double>(middle) / kSteps));
        if (bytes.total() <= limit_bytes) {
            low = fits = middle;
        } else {
            step = middle - 1;
            smallest_bytes = bytes.total();
        }
    }
    if (fits != 0) return static_cast<double>(fits) / kSteps;
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = fmt::format("one resource of every hint of \"{}\" does not fit", workload.name),
                 .where = "workload",
                 .value = smallest_bytes,
                 .limit = limit_bytes});
}

namespace {

double mean(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest) {
    double sum = 0;
    for (const SizeBin& bin : size_bins(distribution, smallest, largest)) sum += bin.weight * bin.mean;
    return sum;
}

double mean_bytes(const model::ImageHint& hint) {
    if (hint.extents.empty()) {
        const auto side = static_cast<std::uint32_t>(mean(hint.distribution, hint.smallest_side, hint.largest_side));
        return static_cast<double>(model::packed_size_bytes(model::describe(hint, side, side)));
    }
    double sum = 0;
    for (const auto& [width, height] : hint.extents)
        sum += static_cast<double>(model::packed_size_bytes(model::describe(hint, width, height)));
    return sum / static_cast<double>(hint.extents.size());
}

}  // namespace

std::uint64_t upload_bytes_per_frame(const model::Workload& workload) {
    if (workload.uploads.bytes_per_frame) return *workload.uploads.bytes_per_frame;
    const std::vector<double> renewed = renewed_in_frame(workload);
    double bytes = 0;
    std::size_t at = 0;
    for (const model::ImageHint& hint : workload.images) {
        if ((hint.usage & model::image_usage::kTransferDst) != 0) bytes += renewed[at] * mean_bytes(hint);
        ++at;
    }
    for (const model::BufferHint& hint : workload.buffers) {
        if ((hint.usage & model::buffer_usage::kTransferDst) != 0)
            bytes += renewed[at] * mean(hint.distribution, hint.smallest_bytes, hint.largest_bytes);
        ++at;
    }
    return static_cast<std::uint64_t>(std::clamp(bytes, static_cast<double>(kLeastUnstatedUploadBytes),
                                                 static_cast<double>(kMostUnstatedUploadBytes)));
}

namespace {

template <class Visit>
void for_each_hint(const model::Workload& workload, Visit visit) {
    for (const model::ImageHint& hint : workload.images) visit(hint.lifetime, hint.count);
    for (const model::BufferHint& hint : workload.buffers) visit(hint.lifetime, hint.count);
}

}  // namespace

std::vector<double> renewed_in_frame(const model::Workload& workload) {
    double all = 0;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        if (is_renewed(lifetime)) all += count;
    });
    const double steps =
        workload.churn_steps == 0 ? 0 : std::min(all, static_cast<double>(std::max(1u, workload.steps_per_frame)));
    std::vector<double> renewed;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        renewed.push_back(is_renewed(lifetime) && count != 0 ? steps * count / all : 0);
    });
    return renewed;
}

std::vector<double> held_in_flight(const model::Workload& workload) {
    const auto frames = static_cast<double>(std::max(1u, workload.frames_in_flight));
    std::vector<double> held = renewed_in_frame(workload);
    std::size_t at = 0;
    for_each_hint(workload, [&](model::Lifetime lifetime, std::uint32_t count) {
        if (lifetime == model::Lifetime::kFrame && workload.churn_steps != 0) held[at] = count;
        held[at++] *= frames;
    });
    return held;
}

}  // namespace heapwright::workload
