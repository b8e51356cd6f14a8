#include "probe/copy_curves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "model/names.hpp"
#include "probe/copy_places.hpp"
#include "probe/cost_fit.hpp"
#include "probe/engine_figures.hpp"

namespace heapwright::probe {
namespace {

using model::CopyDirection;
using model::CopyMeans;

constexpr std::uint64_t kLargestCopy = kGiB;
constexpr std::uint64_t kMostInARow = 16;
constexpr std::uint64_t kMostBytesInARow = 64 * kMiB;
constexpr std::uint32_t kCurveSamples = 5;
constexpr std::uint32_t kLeastCurveSamples = 3;
constexpr std::uint32_t kFirstRuns = 2;
constexpr std::uint64_t kImagesToSpare = 2;  // times as many as are expected to be copied in a row
constexpr double kLeastSlope = 1e-3;         // of a fit, in nanoseconds a MiB: below it no byte costs anything
constexpr const char* kNoShaderReachesHostHeaps =
    "on Direct3D 12 heaps of type UPLOAD and READBACK take no buffer that a shader writes";

// Of a group.
struct CurveEntry {
    std::size_t engine = 0;  // without meaning for the host
    model::CopyCurve curve;
    std::uint64_t in_a_row = 1;
    std::uint64_t one_ns = 0;  // what a copy of the last size took at best, by the host's clock
    std::string ended;         // why no larger size is measured
    TimeSeries times;          // of the size at hand
};

// Curves over the same memory, measured in turns so that they compare: the engines and means of one direction.
struct CurveGroup {
    CopyEnds ends;
    double share = 1;  // of the time
    std::vector<CurveEntry> entries;
};

std::string name_of_curve(const model::CopyCurve& curve) {
    return fmt::format("copy curve of {}, {} by {}{}", curve.engine, model::name_of(curve.direction),
                       model::name_of(curve.means), curve.mapped ? " of mapped device memory" : "");
}

// The memory of one group at a time.
struct CopyMemory {
    std::unique_ptr<EngineScratch> buffers;
    std::unique_ptr<EngineScratch> images;  // of one size
    std::optional<CopyPlaces> places;
};

class CurveRun {
public:
    CurveRun(device::Device& device, const EnginePhase& phase, const CopyCurveBounds& bounds)
        : device_(device), phase_(phase), bounds_(bounds) {}

    Status run() {
        std::vector<CurveGroup> groups = all_groups();
        const std::uint64_t start_ns = phase_.bench.now_ns();
        const auto all_ns = static_cast<double>(phase_.deadline_ns - std::min(phase_.deadline_ns, start_ns));
        double shares = 0;
        for (const CurveGroup& group : groups) shares += group.share;
        double until = 0;
        for (CurveGroup& group : groups) {
            // What one leaves unused the next has.
            until += group.share / shares;
            walked_bytes_ = walked_within(all_ns * group.share / shares);
            HEAPWRIGHT_TRY(measure(group, start_ns + static_cast<std::uint64_t>(until * all_ns)));
        }
        return {};
    }

private:
    // No more than the device copies in a tenth of the time: it is written first.
    [[nodiscard]] std::uint64_t walked_within(double time_ns) const {
        std::uint64_t rate = 0;
        for (const model::EngineCopy& copy : phase_.result.copies)
            if (copy.direction == CopyDirection::kOnDevice) rate = std::max(rate, copy.bytes_per_s);
        const auto bytes = static_cast<std::uint64_t>(static_cast<double>(rate) / 1e9 * time_ns / 10);
        return std::min(bounds_.walked_bytes, bytes / kSmallestCopy * kSmallestCopy);
    }

    // One engine of each queue family and kind: the others copy alike.
    [[nodiscard]] std::vector<std::size_t> measured_engines() const {
        std::vector<std::size_t> measured;
        const auto engines = phase_.bench.engines();
        for (std::size_t i = 0; i < engines.size(); ++i) {
            const bool is_like_another = std::ranges::any_of(measured, [&](std::size_t other) {
                return engines[other].queue_family == engines[i].queue_family && engines[other].kind == engines[i].kind;
            });
            if (engines[i].priority == device::EnginePriority::kNormal && !is_like_another) measured.push_back(i);
        }
        return measured;
    }

    void add_entry(CurveGroup& group, CopyMeans means, std::size_t engine, std::string ended = {}) const {
        group.ends.shaders = group.ends.shaders || (means == CopyMeans::kShader && ended.empty());
        group.entries.push_back({.engine = engine,
                                 .curve = {.engine = group.ends.by_host ? "host" : phase_.bench.engines()[engine].name,
                                           .direction = group.ends.direction,
                                           .means = means,
                                           .mapped = group.ends.mapped,
                                           .points = {},
                                           .fit = {},
                                           .left_out = {}},
                                 .ended = std::move(ended)});
    }

    [[nodiscard]] std::vector<CurveGroup> all_groups() const {
        std::vector<CurveGroup> groups;
        const std::vector<std::size_t> engines = measured_engines();
        using namespace model::memory_property;
        const bool has_mapped = has_type(kDeviceLocal | kHostVisible, 0);
        for (const CopyDirection direction : {CopyDirection::kUpload, CopyDirection::kDownload}) {
            for (const bool mapped : {true, false}) {
                if (mapped ? !has_mapped : !has_type(kHostVisible, kDeviceLocal)) continue;
                CurveGroup host{.ends = {.direction = direction, .mapped = mapped, .by_host = true}, .share = 0.5};
                add_entry(host, CopyMeans::kHost, 0);
                groups.push_back(std::move(host));
            }
        }
        std::vector<CurveGroup> of_images;
        for (const CopyDirection direction :
             {CopyDirection::kOnDevice, CopyDirection::kUpload, CopyDirection::kDownload}) {
            CurveGroup buffers{.ends = {.direction = direction}, .share = 2};
            CurveGroup images{.ends = {.direction = direction, .images = true}};
            for (const std::size_t engine : engines) {
                add_entry(buffers, CopyMeans::kCommand, engine);
                add_entry(images, CopyMeans::kImageCommand, engine);
            }
            const bool reaches = direction == CopyDirection::kOnDevice || is_vulkan();
            for (const std::size_t engine : engines) {
                if (phase_.bench.engines()[engine].kind == device::EngineKind::kCopy) continue;
                add_entry(buffers, CopyMeans::kShader, engine, reaches ? "" : kNoShaderReachesHostHeaps);
            }
            groups.push_back(std::move(buffers));
            of_images.push_back(std::move(images));
        }
        if (has_mapped && has_type(kDeviceLocal, kHostVisible)) {
            CurveGroup mapped{.ends = {.direction = CopyDirection::kOnDevice, .mapped = true}};
            for (const std::size_t engine : engines) add_entry(mapped, CopyMeans::kCommand, engine);
            groups.push_back(std::move(mapped));
        }
        std::ranges::move(of_images, std::back_inserter(groups));
        return groups;
    }

    [[nodiscard]] bool is_vulkan() const { return device_.facts().identity.api == model::Api::kVulkan; }
    [[nodiscard]] bool has_type(model::Flags with, model::Flags without) const {
        return std::ranges::any_of(device_.facts().memory_types, [&](const model::MemoryType& type) {
            return is_measurable(type) && (type.property_flags & with) == with && (type.property_flags & without) == 0;
        });
    }

    // Of each side.
    [[nodiscard]] std::uint64_t most_bytes(const CurveGroup& group) const {
        std::uint64_t most = bounds_.memory_limit_bytes / 2;
        if (group.ends.direction != CopyDirection::kOnDevice) most = std::min(most, bounds_.host_limit_bytes / 2);
        constexpr model::Flags kMappedBits =
            model::memory_property::kDeviceLocal | model::memory_property::kHostVisible;
        for (const model::MemoryType& type : device_.facts().memory_types) {
            if (!group.ends.mapped || (type.property_flags & kMappedBits) != kMappedBits) continue;
            most = std::min(most, device_.facts().heaps[type.heap_index].size_bytes / 4);
        }
        return most;
    }

    Status measure(CurveGroup& group, std::uint64_t deadline_ns) {
        CopyMemory memory;
        for (std::uint64_t bytes = kSmallestCopy; bytes <= kLargestCopy; bytes *= kCopyGrowth) {
            HEAPWRIGHT_TRY(check_interrupted());
            if (const std::string why = objection(group, bytes); !why.empty()) end_all(group, why);
            leave_out_what_takes_long(group, bytes, deadline_ns);
            HEAPWRIGHT_TRY(measure_size(group, bytes, deadline_ns, memory));
            for (CurveEntry& entry : group.entries) {
                if (!entry.ended.empty()) entry.curve.left_out.push_back({.bytes = bytes, .reason = entry.ended});
            }
        }
        for (CurveEntry& entry : group.entries) {
            entry.curve.fit = fit_of(entry.curve);
            phase_.result.copy_curves.push_back(std::move(entry.curve));
        }
        return {};
    }

    static void end_all(CurveGroup& group, const std::string& why) {
        for (CurveEntry& entry : group.entries)
            if (entry.ended.empty()) entry.ended = why;
    }

    // Why copies of that size are not measured; empty: they are.
    [[nodiscard]] std::string objection(const CurveGroup& group, std::uint64_t bytes) const {
        if (phase_.bench.now_ns() >= phase_.last_ns) return std::string(model::kTimeWasUp);
        const std::uint64_t most = most_bytes(group);
        if (bytes > most) return fmt::format("{}: {} for each side", model::kNoRoomForCopies, byte_text(most));
        const auto widest = device_.facts().limit("maxImageDimension2D");
        if (group.ends.images && widest && side_of(bytes) > *widest)
            return fmt::format("its image is wider than maxImageDimension2D, {}", *widest);
        return {};
    }

    // The slowest go first, until the rest fits the time. The smallest size is measured in any case.
    void leave_out_what_takes_long(CurveGroup& group, std::uint64_t bytes, std::uint64_t deadline_ns) const {
        if (bytes == kSmallestCopy) return;
        const std::uint64_t now_ns = phase_.bench.now_ns() - preparing_ns_;
        const std::uint64_t left_ns = deadline_ns - std::min(deadline_ns, now_ns);
        for (;;) {
            CurveEntry* slowest = nullptr;
            std::uint64_t all_ns = 0;
            for (CurveEntry& entry : group.entries) {
                if (!entry.ended.empty()) continue;
                all_ns += expected_ns(entry, bytes);
                if (slowest == nullptr || entry.one_ns > slowest->one_ns) slowest = &entry;
            }
            if (slowest == nullptr || all_ns <= left_ns) return;
            slowest->ended = model::kLongerThanItsShare;
        }
    }

    // Of the fastest. Nothing is known of the smallest size.
    [[nodiscard]] std::uint64_t expected_in_a_row(const CurveGroup& group, std::uint64_t bytes) const {
        std::uint64_t most = 1;
        for (const CurveEntry& entry : group.entries)
            if (entry.ended.empty()) most = std::max(most, in_a_row(entry.one_ns * kCopyGrowth, most_in_a_row(bytes)));
        return most;
    }
    // Of the least samples, and of the runs before them.
    [[nodiscard]] std::uint64_t expected_ns(const CurveEntry& entry, std::uint64_t bytes) const {
        const std::uint64_t one_ns = entry.one_ns * kCopyGrowth;
        return one_ns * (in_a_row(one_ns, most_in_a_row(bytes)) * kLeastCurveSamples + kFirstRuns);
    }
    [[nodiscard]] static std::uint64_t most_in_a_row(std::uint64_t bytes) {
        return std::clamp<std::uint64_t>(kMostBytesInARow / bytes, 1, kMostInARow);
    }
    // A power of two, so that runs whose first copies took a little longer have the same.
    [[nodiscard]] std::uint64_t in_a_row(std::uint64_t one_ns, std::uint64_t most) const {
        return std::bit_floor(std::clamp<std::uint64_t>(phase_.load_ns / std::max<std::uint64_t>(one_ns, 1), 1, most));
    }

    // What cannot be measured ends with its reason. Errors: those that end everything.
    Status measure_size(CurveGroup& group, std::uint64_t bytes, std::uint64_t deadline_ns, CopyMemory& memory) {
        const auto is_under_way = [](const CurveEntry& entry) { return entry.ended.empty(); };
        if (std::ranges::none_of(group.entries, is_under_way)) return {};
        const std::uint64_t start_ns = phase_.bench.now_ns();
        if (const Status made = make_room(group, bytes, memory); !made) {
            HEAPWRIGHT_TRY(phase_.tell(name_of_curve(group.entries.front().curve), made.error()));
            end_all(group, reason_of(made.error()));
            return {};
        }
        for (CurveEntry& entry : group.entries) {
            if (!is_under_way(entry)) continue;
            entry.times = {};
            entry.one_ns = ~0ull;
            // The first run pays for what a driver sets up once.
            std::uint64_t least_ns = ~0ull;
            for (std::uint32_t i = 0; i < kFirstRuns && is_under_way(entry); ++i) {
                const auto once = run_copies(group, entry, memory, 1);
                if (once)
                    least_ns = std::min(least_ns, once->ns());
                else
                    HEAPWRIGHT_TRY(end(entry, once.error()));
            }
            entry.in_a_row = in_a_row(least_ns, std::min(most_in_a_row(bytes), memory.places->most_in_a_row()));
        }
        preparing_ns_ += phase_.bench.now_ns() - start_ns;
        for (std::uint32_t i = 0; i < kCurveSamples; ++i) {
            if (i >= kLeastCurveSamples && phase_.bench.now_ns() - preparing_ns_ >= deadline_ns) break;
            for (CurveEntry& entry : group.entries) {
                if (!is_under_way(entry)) continue;
                auto taken = run_copies(group, entry, memory, entry.in_a_row);
                if (!taken) {
                    HEAPWRIGHT_TRY(end(entry, taken.error()));
                    continue;
                }
                *taken->host_ns /= entry.in_a_row;
                entry.one_ns = std::min(entry.one_ns, *taken->host_ns);
                if (taken->device_ns) *taken->device_ns /= entry.in_a_row;
                entry.times.add(*taken);
            }
        }
        note_points(group, bytes);
        return {};
    }

    static void note_points(CurveGroup& group, std::uint64_t bytes) {
        // They compare by one clock.
        const bool by_device = std::ranges::all_of(
            group.entries, [](const CurveEntry& entry) { return !entry.ended.empty() || entry.times.by_device(); });
        for (CurveEntry& entry : group.entries) {
            if (!entry.ended.empty()) continue;
            if (!by_device) entry.times.forget_device();
            model::CopyPoint point{.bytes = bytes,
                                   .in_a_row = static_cast<std::uint32_t>(entry.in_a_row),
                                   .samples = static_cast<std::uint32_t>(entry.times.size()),
                                   .time = entry.times.measured()};
            point.bytes_per_s = bytes_per_s(bytes, point.time.ns);
            entry.curve.points.push_back(std::move(point));
        }
    }

    Status end(CurveEntry& entry, const Error& error) const {
        entry.ended = reason_of(error);
        return phase_.tell(name_of_curve(entry.curve), error);
    }

    // Memory that others hold is no fault of the device.
    static std::string reason_of(const Error& error) {
        const bool is_room = error.code == ErrorCode::kOverBudget || error.code == ErrorCode::kExhausted ||
                             error.code == ErrorCode::kOutOfHostMemory || error.code == ErrorCode::kOutOfDeviceMemory;
        return is_room ? fmt::format("{}: {}", model::kNoRoomForCopies, to_string(error)) : to_string(error);
    }

    Status make_room(const CurveGroup& group, std::uint64_t bytes, CopyMemory& memory) {
        const bool makes_buffers = !memory.places || !memory.places->takes(bytes);
        if (makes_buffers) {
            memory.images.reset();
            memory.places.reset();
            memory.buffers = std::make_unique<EngineScratch>(device_, bounds_.memory_limit_bytes);
            const std::uint64_t walked = std::max(std::min(walked_bytes_, most_bytes(group)), bytes);
            HEAPWRIGHT_ASSIGN(memory.places, CopyPlaces::create(*memory.buffers, group.ends, bytes, walked));
            memory.images =
                std::make_unique<EngineScratch>(device_, bounds_.memory_limit_bytes - memory.buffers->used_bytes());
        }
        memory.places->change_size(bytes);
        if (group.ends.images)
            HEAPWRIGHT_TRY(
                memory.places->make_images(*memory.images, kImagesToSpare * expected_in_a_row(group, bytes)));
        if (group.ends.by_host || (!makes_buffers && !group.ends.images)) return {};
        HEAPWRIGHT_TRY(phase_.bench.time_alone({.engine = 0, .work = memory.places->first_touch()}));
        return {};
    }

    Result<RunTime> run_copies(const CurveGroup& group, const CurveEntry& entry, CopyMemory& memory,
                               std::uint64_t times) {
        if (!group.ends.by_host) {
            const bool by_shader = entry.curve.means == CopyMeans::kShader;
            return phase_.bench.time_alone({.engine = entry.engine, .work = memory.places->copies(by_shader, times)});
        }
        const std::uint64_t start_ns = phase_.bench.now_ns();
        HEAPWRIGHT_TRY(memory.places->copy_by_host(*memory.buffers, times));
        return RunTime{.host_ns = phase_.bench.now_ns() - start_ns, .device_ns = {}};
    }

    static std::optional<model::CopyFit> fit_of(const model::CopyCurve& curve) {
        std::vector<CostPoint> points;
        for (const model::CopyPoint& point : curve.points)
            points.push_back({.size_bytes = point.bytes, .cost_ns = point.time.ns});
        const auto fit = fit_cost(points);
        if (!fit || fit->ns_per_mib < kLeastSlope) return std::nullopt;
        return model::CopyFit{
            .latency_ns = static_cast<std::uint64_t>(std::llround(fit->fixed_ns)),
            .bytes_per_s = static_cast<std::uint64_t>(std::llround(1e9 * static_cast<double>(kMiB) / fit->ns_per_mib)),
            .largest_relative_error = fit->largest_relative_error};
    }

    device::Device& device_;
    const EnginePhase& phase_;
    const CopyCurveBounds& bounds_;
    std::uint64_t walked_bytes_ = 0;
    std::uint64_t preparing_ns_ = 0;  // memory and first runs, which no curve's share pays for
};

}  // namespace

Status measure_copy_curves(device::Device& device, const EnginePhase& phase, const CopyCurveBounds& bounds) {
    return CurveRun(device, phase, bounds).run();
}

}  // namespace heapwright::probe
