#include "probe/engine_measurements.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/interrupt.hpp"
#include "core/machine_load.hpp"
#include "core/units.hpp"
#include "device/measurement_session.hpp"
#include "probe/copy_curves.hpp"
#include "probe/engine_phases.hpp"

namespace heapwright::probe {
namespace {

constexpr LoadSizes kOrdinarySizes{.host_bytes = 8 * kMiB,
                                   .host_span_bytes = 8 * kMiB,
                                   .host_back_bytes = 8 * kMiB,
                                   .device_bytes = 8 * kMiB,
                                   .device_span_bytes = 8 * kMiB,
                                   .uploaded_span_bytes = 8 * kMiB};
// Where the device copies the ordinary size in no time: more than the caches of such devices hold, and as much as they
// copy within a load.
constexpr LoadSizes kLargeSizes{.host_bytes = 8 * kMiB,
                                .host_span_bytes = 128 * kMiB,
                                .host_back_bytes = 128 * kMiB,
                                .device_bytes = 64 * kMiB,
                                .device_span_bytes = 512 * kMiB,
                                .uploaded_span_bytes = 128 * kMiB};
constexpr std::uint64_t kMostLoadBytes = kGiB;
constexpr std::uint64_t kOtherBytes = 4 * kMiB;  // what the smaller resources take at most, with alignment
constexpr std::uint64_t kSizeGranule = 64 * 1024;

// Shares of the time at which a phase must have ended; what one leaves unused the next has.
constexpr double kSettleUntil = 0.1;
constexpr double kCopiesUntil = 0.35;
constexpr double kOverlapsUntil = 0.7;
constexpr double kSignalsUntil = 0.75;
constexpr double kLast = 4;                 // for first runs of the pipelines' settings, which slow waits hold up
constexpr std::uint64_t kLastOfCurves = 5;  // times their budget: memory and first runs are beside it
constexpr double kWarmShare = 0.05;
constexpr std::uint64_t kWakeNs = 10'000'000;  // that a device may take to wake up

std::string_view priority_name(device::EnginePriority priority) {
    switch (priority) {
        case device::EnginePriority::kLow: return "low";
        case device::EnginePriority::kNormal: return "normal";
        case device::EnginePriority::kHigh: return "high";
    }
    return {};
}

std::vector<model::EngineDescription> describe(const EngineBench& bench) {
    std::vector<model::EngineDescription> described;
    for (const device::EngineInfo& engine : bench.engines()) {
        const std::string& no_timestamps = bench.no_timestamps(described.size());
        described.push_back({.name = engine.name,
                             .kind = std::string(kind_name(engine.kind)),
                             .queue_family = engine.queue_family.value,
                             .queue = engine.queue,
                             .dedicated = engine.dedicated,
                             .priority = std::string(priority_name(engine.priority)),
                             .priority_note = engine.priority_note,
                             .no_timestamps = no_timestamps.empty() ? std::nullopt : std::optional(no_timestamps)});
    }
    return described;
}

// The buffers of the loads, with room for the rest: each as long as a copy, and then longer as far as the limit goes.
LoadSizes sizes_within(std::uint64_t limit_bytes, const LoadSizes& wanted) {
    const std::uint64_t left = limit_bytes > kOtherBytes ? limit_bytes - kOtherBytes : 0;
    const std::uint64_t most = std::max(left / 5 / kSizeGranule * kSizeGranule, kSizeGranule);
    LoadSizes sizes{.host_bytes = std::min(wanted.host_bytes, most),
                    .device_bytes = std::min(wanted.device_bytes, most)};
    const std::uint64_t others = 2 * (sizes.host_bytes + sizes.device_bytes);
    const std::uint64_t span = std::min(wanted.host_span_bytes, left > others ? left - others : 0);
    sizes.host_span_bytes = std::max(span / sizes.host_bytes, std::uint64_t{1}) * sizes.host_bytes;
    // What is left lengthens the ways of downloads, of uploads and of copies on the device.
    std::uint64_t used = others + sizes.host_span_bytes;
    const auto lengthened = [&](std::uint64_t bytes, std::uint64_t wanted_bytes) {
        const std::uint64_t room = (left > used ? left - used : 0) / bytes * bytes;
        const std::uint64_t longer = std::max(std::min(bytes + room, wanted_bytes) / bytes * bytes, bytes);
        used += longer - bytes;
        return longer;
    };
    sizes.host_back_bytes = lengthened(sizes.host_bytes, wanted.host_back_bytes);
    sizes.uploaded_span_bytes = lengthened(sizes.host_bytes, wanted.uploaded_span_bytes);
    sizes.device_span_bytes = lengthened(sizes.device_bytes, wanted.device_span_bytes);
    return sizes;
}

class EngineRun {
public:
    EngineRun(device::Device& device, const EngineMeasurementOptions& options)
        : device_(device),
          options_(options),
          clock_(options.clock != nullptr ? *options.clock : steady_),
          start_ns_(clock_.now_ns()),
          time_budget_ns_(options.time_budget_ns),
          curve_budget_ns_(options.curve_time_budget_ns),
          load_limit_bytes_(std::min(options.memory_limit_bytes, kMostLoadBytes)) {}

    Result<model::EngineMeasurements> run() {
        HEAPWRIGHT_ASSIGN(EngineBench bench, EngineBench::create(device_, clock_));
        HEAPWRIGHT_ASSIGN(const LoadSizes sizes, choose_sizes(bench));
        EngineScratch scratch(device_, load_limit_bytes_);
        HEAPWRIGHT_ASSIGN(EngineLoads loads, EngineLoads::create(device_, scratch, sizes));
        HEAPWRIGHT_TRY(loads.check_that_work_runs(bench, scratch));
        HEAPWRIGHT_TRY(loads.write_all(bench));
        HEAPWRIGHT_TRY(
            bench.check_timestamps([&](std::uint64_t copies) { return loads.of(LoadKind::kUpload, copies); }));
        measured_from_ns_ = clock_.now_ns();
        HEAPWRIGHT_TRY(make_reference(bench, loads));
        const device::TrainingWork work{.run = [&] { return sample_reference(bench, nullptr); },
                                        .drain = [&] { return device_.submitter().wait_idle(); }};
        HEAPWRIGHT_ASSIGN(auto session, device::MeasurementSession::begin(device_.background_processing(), work));
        const LoadMeter meter;
        HEAPWRIGHT_TRY(settle(bench));
        HEAPWRIGHT_TRY(measure(bench, loads, scratch, sizes));
        result_.engines = describe(bench);  // an engine may have lost its timestamps
        if (const auto load = meter.shares())
            result_.load = {.others_share = load->others, .waiting_share = load->waiting};
        result_.steadiness = session.judge(references_);
        HEAPWRIGHT_TRY(session.end());
        result_.total_ns = clock_.now_ns() - start_ns_;
        return std::move(result_);
    }

private:
    [[nodiscard]] std::uint64_t deadline_ns(double share) const {
        return measured_from_ns_ + static_cast<std::uint64_t>(share * static_cast<double>(time_budget_ns_));
    }

    // A copy that ends in no time measures the submission.
    Result<LoadSizes> choose_sizes(EngineBench& bench) {
        const LoadSizes ordinary = sizes_within(load_limit_bytes_, kOrdinarySizes);
        EngineScratch scratch(device_, load_limit_bytes_);
        const ScratchUse use = ScratchUse::kDevice;
        HEAPWRIGHT_ASSIGN(const ScratchBuffer from,
                          scratch.buffer(use, ordinary.device_bytes, model::buffer_usage::kTransferSrc));
        HEAPWRIGHT_ASSIGN(const ScratchBuffer to,
                          scratch.buffer(use, ordinary.device_bytes, model::buffer_usage::kTransferDst));
        const EngineWork copy{
            .engine = 0,
            .work = {device::CopyBuffer{
                .source = from.resource, .destination = to.resource, .size_bytes = ordinary.device_bytes}}};
        // The first find the device asleep, and any one may find the host busy. The best of ever more runs would make a
        // quick device of any.
        std::array<std::uint64_t, 4> last_ns{};
        std::uint64_t taken_ns = ~0ull;
        const auto is_quick = [&] { return taken_ns * 10 < options_.load_ns; };
        const std::uint64_t begun_ns = clock_.now_ns();
        for (std::size_t i = 0; i < last_ns.size() || (!is_quick() && clock_.now_ns() - begun_ns < kWakeNs); ++i) {
            HEAPWRIGHT_ASSIGN(const RunTime taken, bench.time_alone(copy));
            last_ns[i % last_ns.size()] = *taken.host_ns;  // no timestamps are believed yet
            if (i + 1 >= last_ns.size()) taken_ns = std::ranges::min(last_ns);
        }
        if (taken_ns * 4 >= options_.load_ns) return ordinary;
        if (is_quick()) {
            time_budget_ns_ *= kQuickTimes;
            curve_budget_ns_ *= kQuickCurveTimes;
        }
        return sizes_within(load_limit_bytes_, kLargeSizes);
    }

    Status make_reference(EngineBench& bench, EngineLoads& loads) {
        HEAPWRIGHT_ASSIGN(const std::uint64_t amount,
                          loads.amount_for(bench, 0, LoadKind::kCopyOnDevice, options_.load_ns));
        HEAPWRIGHT_ASSIGN(reference_.work, loads.of(LoadKind::kCopyOnDevice, amount));
        return {};
    }

    Status sample_reference(EngineBench& bench, std::vector<double>* samples) {
        HEAPWRIGHT_TRY(check_interrupted());
        HEAPWRIGHT_ASSIGN(const RunTime taken, bench.time_alone(reference_));
        if (samples != nullptr) samples->push_back(static_cast<double>(taken.ns()));
        return {};
    }

    Status settle(EngineBench& bench) {
        while (device::judge_steadiness(references_).answer == device::Steadiness::kMeasureMore &&
               clock_.now_ns() < deadline_ns(kSettleUntil)) {
            HEAPWRIGHT_TRY(sample_reference(bench, &references_));
        }
        return {};
    }

    Status measure(EngineBench& bench, EngineLoads& loads, EngineScratch& scratch, const LoadSizes& sizes) {
        struct Phase {
            const char* name;
            double until;
            Status (*run)(const EnginePhase&);
        };
        constexpr std::array kPhases{
            Phase{"copies", kCopiesUntil, measure_copies}, Phase{"overlaps", kOverlapsUntil, measure_overlaps},
            Phase{"signals", kSignalsUntil, measure_signal_latencies}, Phase{"pipelines", 1.0, measure_pipelines}};
        const bool draws = device_.facts().identity.api == model::Api::kVulkan;
        if (!draws) {
            result_.skipped.emplace_back(
                "draws: on Direct3D 12 clears of a render target stand for them beside other work, and copies into the "
                "render target in the pipelines");
        }
        EnginePhase phase{.bench = bench,
                          .loads = loads,
                          .scratch = scratch,
                          .draw = draws ? LoadKind::kDraw : LoadKind::kClear,
                          .load_ns = options_.load_ns,
                          .samples = options_.samples,
                          .warm_ns = static_cast<std::uint64_t>(kWarmShare * static_cast<double>(time_budget_ns_)),
                          .deadline_ns = 0,
                          .last_ns = deadline_ns(kLast),
                          .sample_reference = [&] { return sample_reference(bench, &references_); },
                          .on_failure = options_.on_failure,
                          .result = result_};
        for (const Phase& each : kPhases) {
            if (options_.progress) options_.progress("engines", each.until);
            phase.deadline_ns = deadline_ns(each.until);
            HEAPWRIGHT_TRY(phase.tolerate(each.name, each.run(phase)));
        }
        // Nothing of the loads is run any more: their memory is the curves'.
        scratch.clear();
        const std::uint64_t now_ns = clock_.now_ns();
        const std::uint64_t taken_ns = now_ns - start_ns_;
        const std::uint64_t left_ns = options_.time_limit_ns - std::min(options_.time_limit_ns, taken_ns);
        phase.deadline_ns = now_ns + std::min(curve_budget_ns_, left_ns);
        phase.last_ns = now_ns + std::min(kLastOfCurves * curve_budget_ns_, left_ns);
        const CopyCurveBounds bounds{.memory_limit_bytes = options_.memory_limit_bytes,
                                     .host_limit_bytes = options_.host_limit_bytes,
                                     .walked_bytes = sizes.device_bytes};
        constexpr const char* kCurves = "copies by size";
        const Status done = measure_copy_curves(device_, phase, bounds);
        if (done || done.error().code != ErrorCode::kTimeLimit) return phase.tolerate(kCurves, done);
        // Work that does not end: what was measured before it stands.
        result_.skipped.push_back(fmt::format("{}: {}", kCurves, to_string(done.error())));
        return {};
    }

    device::Device& device_;
    const EngineMeasurementOptions& options_;
    SteadyClock steady_;
    Clock& clock_;
    std::uint64_t start_ns_;
    std::uint64_t time_budget_ns_;
    std::uint64_t curve_budget_ns_;
    std::uint64_t load_limit_bytes_;
    std::uint64_t measured_from_ns_ = 0;  // with the loads in place
    model::EngineMeasurements result_;
    EngineWork reference_;
    std::vector<double> references_;
};

}  // namespace

Status EnginePhase::in_rounds(const std::function<Status()>& round) const {
    for (std::uint32_t i = 0; i < samples && (i < least_rounds || bench.now_ns() < deadline_ns); ++i) {
        HEAPWRIGHT_TRY(sample_reference());
        HEAPWRIGHT_TRY(round());
    }
    return {};
}

Status EnginePhase::tell(std::string_view what, const Error& error) const {
    const bool ends_all = error.code == ErrorCode::kDeviceLost || error.code == ErrorCode::kInterrupted ||
                          error.code == ErrorCode::kTimeLimit;
    if (ends_all) return fail(error);
    if (on_failure && is_driver_failure(error)) on_failure(what, error);
    return {};
}

Status EnginePhase::tolerate(std::string_view what, Status status) const {
    if (status) return {};
    HEAPWRIGHT_TRY(tell(what, status.error()));
    result.skipped.push_back(fmt::format("{}: {}", what, to_string(status.error())));
    return {};
}

Result<model::EngineMeasurements> measure_engines(device::Device& device, const EngineMeasurementOptions& options) {
    return EngineRun(device, options).run();
}

}  // namespace heapwright::probe
