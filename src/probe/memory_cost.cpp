#include "probe/memory_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/interrupt.hpp"
#include "core/machine_load.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "device/measurement_session.hpp"
#include "probe/allocation_count.hpp"
#include "probe/cost_fit.hpp"
#include "probe/host_bandwidth.hpp"

namespace heapwright::probe {
namespace {

constexpr std::array kSizes{64 * kKiB, 256 * kKiB, 1 * kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB, 1 * kGiB};
constexpr std::uint64_t kSizeRatio = 4;

// Of the time budget, what one sample may take by the size before it: larger sizes are left out.
constexpr std::uint64_t kShareOfSample = 32;

// Samples of a size that used up its share of the time, as far as time is left.
constexpr std::uint32_t kDearSamples = 5;

// The sizes, from the smallest, whose times say whether a memory type has settled: those of which every round has one.
constexpr std::size_t kJudgedSizes = 3;

// Of the point's own spread fewer tell nothing.
constexpr std::size_t kSamplesOfSpread = 8;

// More rounds, where the times have not settled, may take as long as those before; more copies a twentieth of all the
// time before.
constexpr std::uint64_t kCopiesShare = 20;

// Of the time budget, for a driver that asks to be trained.
constexpr double kTrainingUntil = 0.1;

// Shares of the time budget at which a phase must have ended; what one leaves unused the next has.
constexpr double kDearSizesUntil = 0.5;
constexpr double kCurvesUntil = 0.75;
constexpr double kBandwidthUntil = 0.85;

// What an application does between two calls: some of the driver's code and data leave the processor's caches. Small
// allocations on an H100 take 1.3 times as long after it as in a loop of their own, and 2 to 4 times as long in frames;
// a walk of 32 MiB comes nearer, and leaves time for a quarter of the samples.
class OtherWork {
public:
    OtherWork() : words_(kBytes / sizeof(std::uint64_t)) {}

    void run() {
        for (std::uint64_t& word : words_) ++word;
    }

private:
    static constexpr std::size_t kBytes = 16u << 20;

    std::vector<std::uint64_t> words_;
};

// One (memory type, size) and its samples.
struct Slot {
    std::uint64_t size_bytes = 0;
    std::optional<model::ImageDescription> image;  // that has the memory alone; empty: memory for anything
    std::vector<std::uint64_t> allocate_ns;
    std::vector<std::uint64_t> touch_ns;
    std::vector<std::uint64_t> free_ns;
    std::vector<std::uint64_t> total_ns;  // of a whole sample
    std::uint64_t first_ns = 0;           // the same of one that is not kept
    bool refused = false;

    // What another sample will take: one that was disturbed says nothing of it.
    [[nodiscard]] std::uint64_t typical_ns() const { return total_ns.empty() ? first_ns : spread(total_ns).median; }
    // Without what disturbed them.
    [[nodiscard]] std::uint64_t spent_ns() const { return total_ns.size() * typical_ns(); }
};

std::vector<double> lives_ns(const Slot& slot) {
    std::vector<double> lives;
    for (std::size_t i = 0; i < slot.allocate_ns.size(); ++i)
        lives.push_back(static_cast<double>(slot.allocate_ns[i] + slot.free_ns[i]));
    return lives;
}

// A memory type, for anything or for one image alone.
struct Type {
    MemoryTypeIndex index;
    bool dedicated = false;
    std::vector<Slot> slots;  // ascending in size
    std::vector<double> copy_rounds_ns;
    std::string lack;  // of what the heap's budget leaves, for which larger sizes were not tried; empty: none
    model::MemoryCostCurve curve;
};

// What one allocation of each judged size took, by round.
std::vector<double> judged_rounds(const Type& type) {
    std::vector<double> rounds;
    const std::size_t sizes = std::min(kJudgedSizes, type.slots.size());
    for (std::size_t position = 0; position < sizes; ++position) {
        const Slot& slot = type.slots[position];
        if (position == 0) rounds.resize(slot.allocate_ns.size());
        if (slot.refused) break;
        rounds.resize(std::min(rounds.size(), slot.allocate_ns.size()));
        for (std::size_t i = 0; i < rounds.size(); ++i)
            rounds[i] += static_cast<double>(slot.allocate_ns[i] + slot.touch_ns[i] + slot.free_ns[i]);
    }
    return rounds;
}

class CostRun {
public:
    CostRun(device::Device& device, const MemoryCostOptions& options)
        : device_(device),
          options_(options),
          clock_(options.clock != nullptr ? *options.clock : steady_),
          start_ns_(clock_.now_ns()) {}

    Result<std::vector<model::MemoryCostCurve>> run() {
        HEAPWRIGHT_TRY(choose_types());
        HEAPWRIGHT_ASSIGN(const auto session, train());
        const LoadMeter meter;
        HEAPWRIGHT_TRY(measure_curves());
        const std::optional<MachineShares> load = meter.shares();
        HEAPWRIGHT_TRY(measure_bandwidths());
        HEAPWRIGHT_TRY(count());
        std::vector<model::MemoryCostCurve> curves;
        for (Type& type : types_) {
            finish(type, session);
            if (type.dedicated) {
                const auto same =
                    std::ranges::find(curves, type.curve.memory_type, &model::MemoryCostCurve::memory_type);
                same->dedicated_image_points = std::move(type.curve.points);
                same->dedicated_image_fit = type.curve.allocate_fit;
                same->dedicated_image_refused = std::move(type.curve.refused);
                std::ranges::move(type.curve.left_out, std::back_inserter(same->left_out));
                continue;
            }
            // Samples of all types alternate, so that one answer holds for each.
            if (load && !type.curve.points.empty())
                type.curve.load = {.others_share = load->others, .waiting_share = load->waiting};
            curves.push_back(std::move(type.curve));
        }
        return curves;
    }

private:
    [[nodiscard]] std::uint64_t deadline_ns(double share) const {
        return start_ns_ + static_cast<std::uint64_t>(share * static_cast<double>(options_.time_budget_ns));
    }

    [[nodiscard]] std::uint64_t limit_bytes(const model::MemoryType& type) const {
        return is_host_visible(type) ? std::min(options_.memory_limit_bytes, options_.host_visible_limit_bytes)
                                     : options_.memory_limit_bytes;
    }

    void progress(std::string_view stage, double share) const {
        if (options_.progress) options_.progress(stage, share);
    }

    // An error that leaves the rest to be measured; nothing else ends the run.
    Status tolerate(std::string_view part, Error error) const {
        if (error.code == ErrorCode::kDeviceLost || error.code == ErrorCode::kInterrupted)
            return fail(std::move(error));
        if (options_.on_failure && is_driver_failure(error)) options_.on_failure(part, error);
        return {};
    }

    Status choose_types() {
        const model::DeviceReport& facts = device_.facts();
        HEAPWRIGHT_ASSIGN(const std::vector<model::HeapBudget> budgets, device_.memory().budgets());
        const std::uint64_t largest = std::min(options_.largest_bytes, contract::largest_allocation_bytes(facts));
        for (std::uint32_t i = 0; i < facts.memory_types.size(); ++i) {
            const model::MemoryType& entry = facts.memory_types[i];
            if (!is_measurable(entry) || entry.heap_index >= budgets.size()) continue;
            const model::HeapBudget& budget = budgets[entry.heap_index];
            const std::uint64_t left = contract::usable_budget(facts.heaps[entry.heap_index].size_bytes,
                                                               budget.budget_bytes, budget.usage_bytes);
            const std::uint64_t limit = std::min({largest, left, limit_bytes(entry)});
            Type type{.index = {i}, .slots = {}, .curve = {.memory_type = i}};
            for (const std::uint64_t size : kSizes) {
                if (size <= limit)
                    type.slots.push_back({.size_bytes = size});
                else if (size <= largest)
                    leave_out(type, size, beyond(limit));
            }
            types_.push_back(std::move(type));
            if ((entry.property_flags & model::memory_property::kDeviceLocal) != 0)
                HEAPWRIGHT_TRY(choose_images({i}, limit));
        }
        // After what is for anything, which they stand beside.
        std::ranges::stable_partition(types_, [](const Type& type) { return !type.dedicated; });
        return {};
    }

    static std::string beyond(std::uint64_t limit) {
        return fmt::format("beyond the {} that may be taken", byte_text(limit));
    }

    static void leave_out(Type& type, std::uint64_t size, std::string reason) {
        type.curve.left_out.push_back(
            {.size_bytes = size, .dedicated_image = type.dedicated, .reason = std::move(reason)});
    }

    // Square render targets of the sizes, as the device has them.
    Status choose_images(MemoryTypeIndex memory_type, std::uint64_t limit) {
        constexpr std::uint64_t kBytesPerTexel = 4;
        // D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION; of Vulkan's devices every one has so many texels a side.
        const std::uint64_t least = device_.facts().identity.api == model::Api::kD3d12 ? 16384 : 4096;
        const std::uint64_t widest = device_.facts().limit("maxImageDimension2D").value_or(least);
        Type type{.index = memory_type, .dedicated = true, .slots = {}, .curve = {.memory_type = memory_type.value}};
        for (const std::uint64_t size : kSizes) {
            const auto side = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(size / kBytesPerTexel)));
            if (side > widest) break;
            const model::ImageDescription image{
                .usage = model::image_usage::kColorAttachment | model::image_usage::kSampled,
                .width = side,
                .height = side};
            const auto asked = device_.resources().requirements(image);
            if (!asked) HEAPWRIGHT_TRY(tolerate("memory of images", asked.error()));
            if (!asked || (asked->memory_type_bits >> memory_type.value & 1u) == 0) break;
            if (asked->size_bytes > limit) {
                leave_out(type, asked->size_bytes, beyond(limit));
                break;
            }
            type.slots.push_back({.size_bytes = asked->size_bytes, .image = image});
        }
        if (!type.slots.empty()) types_.push_back(std::move(type));
        return {};
    }

    Result<device::MeasurementSession> train() {
        const device::TrainingWork work{.run = [this]() -> Status {
                                            HEAPWRIGHT_TRY(check_interrupted());
                                            for (Type& type : types_) {
                                                if (!type.slots.empty()) HEAPWRIGHT_TRY(sample(type, 0, false));
                                            }
                                            return {};
                                        },
                                        .drain = [this] { return device_.submitter().wait_idle(); }};
        const std::uint64_t limit_ns = deadline_ns(kTrainingUntil) - start_ns_;
        return device::MeasurementSession::begin(device_.background_processing(), work,
                                                 {.commit_timeout_ns = limit_ns, .time_limit_ns = limit_ns});
    }

    Status measure_curves() {
        const std::uint64_t curves_start_ns = clock_.now_ns();
        std::size_t slot_count = 0;
        for (Type& type : types_) {
            slot_count += type.slots.size();
            // The first allocation pays for what a driver sets up once.
            if (!type.slots.empty()) HEAPWRIGHT_TRY(sample(type, 0, false));
        }
        if (slot_count == 0) return {};
        // First one sample of every slot, then each within an equal share of the time, then a few more of the dear
        // ones; the rest is for what has not settled.
        const std::uint64_t until_ns = deadline_ns(kCurvesUntil);
        const std::uint64_t share_ns = (until_ns - start_ns_) / slot_count;
        HEAPWRIGHT_TRY(measure_rounds({.samples = 1, .until_ns = until_ns}));
        HEAPWRIGHT_TRY(measure_rounds({.share_ns = share_ns, .samples = options_.samples, .until_ns = until_ns}));
        HEAPWRIGHT_TRY(measure_rounds(
            {.samples = std::min(options_.samples, kDearSamples), .until_ns = deadline_ns(kDearSizesUntil)}));
        const std::uint64_t now_ns = clock_.now_ns();
        return settle(std::min(now_ns + (now_ns - curves_start_ns), deadline_ns(kCurvesUntil)));
    }

    // More rounds while a size has not settled: whole ones, of every size that the rounds so far all had. A sample that
    // follows other sizes than the samples before it would cost something else.
    Status settle(std::uint64_t until_ns) {
        std::vector<std::pair<Type*, std::size_t>> round;
        for (std::size_t position = 0; position < kSizes.size(); ++position) {
            for (Type& type : types_) {
                if (position < type.slots.size() && type.slots[position].allocate_ns.size() >= options_.samples)
                    round.emplace_back(&type, position);
            }
        }
        const auto unsettled = [](const auto& in_round) {
            const Slot& slot = in_round.first->slots[in_round.second];
            return !slot.refused && device::may_still_settle(lives_ns(slot));
        };
        for (std::uint32_t taken = options_.samples;
             taken < device::kMaxSamples && std::ranges::any_of(round, unsettled); ++taken) {
            std::uint64_t predicted_ns = 0;
            for (const auto& [type, position] : round) {
                const Slot& slot = type->slots[position];
                if (!slot.refused) predicted_ns += slot.typical_ns();
            }
            if (clock_.now_ns() + predicted_ns > until_ns) break;
            for (const auto& [type, position] : round) {
                if (type->slots[position].refused) continue;
                HEAPWRIGHT_TRY(check_interrupted());
                HEAPWRIGHT_TRY(sample(*type, position, true));
            }
        }
        return {};
    }

    struct Rounds {
        std::uint64_t share_ns = ~0ull;  // that one slot may use
        std::uint32_t samples = 0;       // that one slot may have
        std::uint64_t until_ns = 0;
    };

    Status measure_rounds(const Rounds& rounds) {
        for (std::uint32_t round = 0; round < rounds.samples; ++round) {
            progress("memory cost", static_cast<double>(round) / rounds.samples);
            bool sampled = false;
            for (std::size_t position = 0; position < kSizes.size(); ++position) {
                for (Type& type : types_) {
                    if (position >= type.slots.size() || !affordable(type, position, rounds)) continue;
                    HEAPWRIGHT_TRY(check_interrupted());
                    HEAPWRIGHT_TRY(sample(type, position, true));
                    sampled = true;
                }
            }
            if (!sampled) break;
        }
        return {};
    }

    [[nodiscard]] bool affordable(const Type& type, std::size_t position, const Rounds& rounds) {
        const Slot& slot = type.slots[position];
        if (slot.refused || slot.allocate_ns.size() >= rounds.samples) return false;
        std::uint64_t predicted_ns = slot.typical_ns();
        if (slot.allocate_ns.empty() && position > 0) {
            const Slot& smaller = type.slots[position - 1];
            if (smaller.allocate_ns.empty()) return false;
            predicted_ns = kSizeRatio * smaller.typical_ns();
            if (predicted_ns > options_.time_budget_ns / kShareOfSample) return false;
        }
        if (slot.spent_ns() + predicted_ns > rounds.share_ns) return false;
        return clock_.now_ns() + predicted_ns <= rounds.until_ns;
    }

    Status sample(Type& type, std::size_t position, bool keep) {
        Slot& slot = type.slots[position];
        if (options_.clock == nullptr) other_work_.run();
        const auto taken = slot.image ? sample_dedicated_cost(device_, clock_, type.index, *slot.image)
                                      : sample_cost(device_, clock_, type.index, slot.size_bytes);
        if (!taken) {
            const Error judged = judge_allocation(device_, type.index, slot.size_bytes, taken.error());
            HEAPWRIGHT_TRY(tolerate("allocations", judged));
            if (judged.code == ErrorCode::kOverBudget)
                type.lack = to_string(judged);
            else if (!type.curve.refused)
                type.curve.refused = {.size_bytes = slot.size_bytes, .reason = to_string(taken.error())};
            for (std::size_t larger = position; larger < type.slots.size(); ++larger) type.slots[larger].refused = true;
            return {};
        }
        if (!keep) {
            slot.first_ns = taken->total_ns;
            return {};
        }
        slot.total_ns.push_back(taken->total_ns);
        slot.allocate_ns.push_back(taken->allocate_ns);
        slot.touch_ns.push_back(taken->touch_ns);
        slot.free_ns.push_back(taken->free_ns);
        return {};
    }

    Status measure_bandwidths() {
        const model::DeviceReport& facts = device_.facts();
        std::vector<Type*> visible;
        for (Type& type : types_) {
            const model::MemoryType& entry = facts.memory_types[type.index.value];
            if (!is_host_visible(entry) || type.dedicated || type.slots.empty() || type.slots.front().refused) continue;
            if (limit_bytes(entry) >= options_.bandwidth_bytes) visible.push_back(&type);
        }
        std::vector<std::byte> host(visible.empty() ? 0 : options_.bandwidth_bytes);
        const std::uint64_t end_ns = deadline_ns(kBandwidthUntil);
        for (std::size_t i = 0; i < visible.size(); ++i) {
            HEAPWRIGHT_TRY(check_interrupted());
            progress("host bandwidth", static_cast<double>(i) / static_cast<double>(visible.size()));
            const std::uint64_t now = clock_.now_ns();
            const std::uint64_t share_ns = now < end_ns ? (end_ns - now) / (visible.size() - i) : 0;
            const auto measured =
                measure_host_bandwidth(device_, clock_, visible[i]->index, host,
                                       {.samples = options_.samples,
                                        .deadline_ns = now + share_ns,
                                        .settling_ns = (now - start_ns_) / kCopiesShare / visible.size()});
            if (measured) {
                if (*measured) {
                    visible[i]->curve.host_bandwidth = (*measured)->figures;
                    visible[i]->copy_rounds_ns = (*measured)->rounds_ns;
                }
            } else {
                HEAPWRIGHT_TRY(tolerate("host copies", judge_allocation(device_, visible[i]->index,
                                                                        options_.bandwidth_bytes, measured.error())));
            }
        }
        return {};
    }

    // The conformance floor for every memory type; beyond it the first type of every heap, as far as time allows.
    Status count() {
        const model::DeviceReport& facts = device_.facts();
        std::vector<bool> counted(facts.heaps.size(), false);
        const std::uint64_t end_ns = deadline_ns(1.0);
        const auto types = static_cast<std::size_t>(std::ranges::count(types_, false, &Type::dedicated));
        for (std::size_t i = 0; i < types; ++i) {
            progress("allocation count", static_cast<double>(i) / static_cast<double>(types));
            Type& type = types_[i];
            if (type.slots.empty()) continue;
            const model::MemoryType& entry = facts.memory_types[type.index.value];
            const bool first_of_heap = !counted[entry.heap_index];
            counted[entry.heap_index] = true;
            const std::uint64_t now = clock_.now_ns();
            const std::uint64_t share_ns = now < end_ns ? (end_ns - now) / (types - i) : 0;
            auto counted_now = count_allocations(
                device_, clock_, type.index,
                {.allocations = first_of_heap ? options_.counted_allocations : kConformanceAllocations,
                 .bytes = limit_bytes(entry),
                 .deadline_ns = now + share_ns,
                 .on_failure = options_.on_failure});
            if (counted_now) {
                type.curve.allocation_count = std::move(*counted_now);
            } else {
                HEAPWRIGHT_TRY(tolerate("the count of allocations", std::move(counted_now.error())));
            }
        }
        return {};
    }

    // One answer for the curve: a bandwidth that did not settle is no settled measurement either.
    static model::MeasurementSteadiness judge(const Type& type, const device::MeasurementSession& session) {
        const std::vector<double> rounds = judged_rounds(type);
        std::vector<device::MeasuredSeries> series{{.name = "allocations", .samples = rounds}};
        if (!type.copy_rounds_ns.empty()) series.push_back({.name = "host copies", .samples = type.copy_rounds_ns});
        return session.judge_together(series);
    }

    static void finish(Type& type, const device::MeasurementSession& session) {
        std::vector<CostPoint> allocate;
        std::vector<CostPoint> touch;
        const auto point_of = [](const Slot& slot, const Spread& taken) {
            const bool tells = slot.allocate_ns.size() >= kSamplesOfSpread;
            return CostPoint{.size_bytes = slot.size_bytes,
                             .cost_ns = taken.median,
                             .least_ns = tells ? taken.min : 0,
                             .late_ns = tells ? taken.p90 : 0};
        };
        for (const Slot& slot : type.slots) {
            if (slot.allocate_ns.empty()) {
                if (!slot.refused || !type.lack.empty())
                    leave_out(type, slot.size_bytes, slot.refused ? type.lack : std::string(model::kTimeWasUp));
                continue;
            }
            SplitSamples allocations = split_outliers(slot.allocate_ns);
            SplitSamples touches = split_outliers(slot.touch_ns);
            SplitSamples frees = split_outliers(slot.free_ns);
            const Spread allocated = spread(std::move(allocations.kept));
            const Spread touched = spread(std::move(touches.kept));
            const Spread freed = spread(std::move(frees.kept));
            type.curve.points.push_back({.size_bytes = slot.size_bytes,
                                         .samples = static_cast<std::uint32_t>(slot.allocate_ns.size()),
                                         .steadiness = device::judge_by_measurements(lives_ns(slot), "").answer,
                                         .allocate_ns = allocated.median,
                                         .allocate_min_ns = allocated.min,
                                         .allocate_p90_ns = allocated.p90,
                                         .allocate_worst_ns = allocated.worst,
                                         .touch_ns = touched.median,
                                         .touch_min_ns = touched.min,
                                         .touch_p90_ns = touched.p90,
                                         .touch_worst_ns = touched.worst,
                                         .free_ns = freed.median,
                                         .free_min_ns = freed.min,
                                         .free_p90_ns = freed.p90,
                                         .free_worst_ns = freed.worst,
                                         .allocate_outliers_ns = std::move(allocations.outliers),
                                         .touch_outliers_ns = std::move(touches.outliers),
                                         .free_outliers_ns = std::move(frees.outliers)});
            allocate.push_back(point_of(slot, allocated));
            touch.push_back(point_of(slot, touched));
        }
        type.curve.allocate_fit = fit_cost(allocate);
        type.curve.touch_fit = fit_cost(touch);
        // Of memory dedicated to an image each size alone says whether it had settled.
        if (!allocate.empty() && !type.dedicated) type.curve.steadiness = judge(type, session);
    }

    device::Device& device_;
    const MemoryCostOptions& options_;
    SteadyClock steady_;
    Clock& clock_;
    OtherWork other_work_;
    std::uint64_t start_ns_;
    std::vector<Type> types_;
};

}  // namespace

Result<std::vector<model::MemoryCostCurve>> measure_memory_cost(device::Device& device,
                                                                const MemoryCostOptions& options) {
    return CostRun(device, options).run();
}

}  // namespace heapwright::probe
