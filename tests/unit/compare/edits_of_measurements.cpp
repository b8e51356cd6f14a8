#include <algorithm>
#include <array>
#include <utility>

#include "edits.hpp"

namespace heapwright::test {
namespace {

using model::DeviceReport;
using model::EngineMeasurements;
using model::MeasuredTime;
using model::MemoryCostCurve;
using model::MemoryCostPoint;
using model::Report;

using Points = std::vector<MemoryCostPoint> MemoryCostCurve::*;

MeasuredTime spread(std::uint64_t ns) {
    return {.ns = ns, .min_ns = ns * 9 / 10, .p90_ns = ns * 11 / 10};
}

void scale(MeasuredTime& time, std::uint64_t factor) {
    time.ns *= factor;
    time.min_ns *= factor;
    time.p90_ns *= factor;
}

std::function<void(Report&)> of_curves(std::function<void(MemoryCostCurve&)> edit) {
    return [edit = std::move(edit)](Report& r) {
        for (MemoryCostCurve& curve : first(r).run.memory_cost) edit(curve);
    };
}

std::function<void(Report&)> of_curve(std::function<void(MemoryCostCurve&)> edit) {
    return [edit = std::move(edit)](Report& r) { edit(first(r).run.memory_cost.at(0)); };
}

std::function<void(Report&)> of_points(Points points, std::function<void(MemoryCostPoint&)> edit) {
    return of_curves([points, edit = std::move(edit)](MemoryCostCurve& curve) {
        for (MemoryCostPoint& point : curve.*points) edit(point);
    });
}

std::function<void(Report&)> of_engines(std::function<void(EngineMeasurements&)> edit) {
    return [edit = std::move(edit)](Report& r) { edit(*first(r).run.engines); };
}

std::function<void(Report&)> of_creations(std::function<void(model::CreationMeasurements&)> edit) {
    return [edit = std::move(edit)](Report& r) { edit(*first(r).run.creations); };
}

void slower(model::CreationPoint& point, std::uint64_t factor) {
    point.pairs_per_s /= factor;
    point.least_pairs_per_s /= factor;
    point.most_pairs_per_s /= factor;
}

constexpr std::array kAllocateTimes{&MemoryCostPoint::allocate_ns, &MemoryCostPoint::allocate_min_ns,
                                    &MemoryCostPoint::allocate_p90_ns, &MemoryCostPoint::allocate_worst_ns};

void allocate_times(MemoryCostPoint& point, std::uint64_t factor) {
    for (std::uint64_t MemoryCostPoint::*cost : kAllocateTimes) point.*cost *= factor;
}
void allocate_a_little_longer(MemoryCostPoint& point) {
    for (std::uint64_t MemoryCostPoint::*cost : kAllocateTimes) point.*cost = point.*cost * 17 / 10;
}
void touch_times(MemoryCostPoint& point, std::uint64_t factor) {
    for (std::uint64_t MemoryCostPoint::*cost : {&MemoryCostPoint::touch_ns, &MemoryCostPoint::touch_min_ns,
                                                 &MemoryCostPoint::touch_p90_ns, &MemoryCostPoint::touch_worst_ns})
        point.*cost *= factor;
}
void free_times(MemoryCostPoint& point, std::uint64_t factor) {
    for (std::uint64_t MemoryCostPoint::*cost : {&MemoryCostPoint::free_ns, &MemoryCostPoint::free_min_ns,
                                                 &MemoryCostPoint::free_p90_ns, &MemoryCostPoint::free_worst_ns})
        point.*cost *= factor;
}

using Times = void (*)(MemoryCostPoint&, std::uint64_t);

std::function<void(Report&)> six_times(Points points, Times times) {
    return of_points(points, [times](MemoryCostPoint& point) { times(point, 6); });
}

void did_not_settle(model::MeasurementSteadiness& steadiness) {
    steadiness.answer = model::Steadiness::kDidNotSettle;
}

void refuse(std::vector<MemoryCostPoint>& points, std::optional<model::RefusedAllocation>& refused) {
    refused = model::RefusedAllocation{.size_bytes = points.front().size_bytes, .reason = "vkAllocateMemory: -2"};
    points.clear();
}

void erase_first(std::vector<MemoryCostPoint>& points) {
    points.erase(points.begin());
}

// The six larger ones of seven.
void keep_smallest(std::vector<MemoryCostPoint>& points) {
    points.resize(1);
}

}  // namespace

void add_measurements(DeviceReport& device) {
    device.run.memory_cost.clear();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        MemoryCostCurve curve{.memory_type = type};
        for (std::uint64_t size = 1 << 14; size <= 1 << 26; size *= 4) {
            curve.points.push_back({.size_bytes = size,
                                    .samples = 16,
                                    .steadiness = model::Steadiness::kSteady,
                                    .allocate_ns = 100'000,
                                    .allocate_min_ns = 90'000,
                                    .allocate_p90_ns = 110'000,
                                    .allocate_worst_ns = 120'000,
                                    .touch_ns = 50'000,
                                    .touch_min_ns = 40'000,
                                    .touch_p90_ns = 55'000,
                                    .touch_worst_ns = 60'000,
                                    .free_ns = 20'000,
                                    .free_min_ns = 19'000,
                                    .free_p90_ns = 21'000,
                                    .free_worst_ns = 22'000});
        }
        curve.dedicated_image_points = curve.points;
        curve.dedicated_image_refused = {.size_bytes = 1ull << 40,
                                         .reason = "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY"};
        curve.allocate_fit = model::MemoryCostFit{.fixed_ns = 100'000};
        curve.host_bandwidth = model::HostBandwidth{
            .bytes_each = 4096, .samples = 8, .write_bytes_per_s = 1'000'000, .read_bytes_per_s = 1'000'000};
        curve.allocation_count = model::AllocationCount{.reached = 4096, .bytes_each = 4096, .stopped_by = "bound"};
        curve.steadiness = model::MeasurementSteadiness{.answer = model::Steadiness::kSteady};
        curve.load = model::MachineLoad{.others_share = 0.01, .waiting_share = 0};
        device.run.memory_cost.push_back(std::move(curve));
    }
    EngineMeasurements engines;
    engines.steadiness.answer = model::Steadiness::kSteady;
    engines.load = model::MachineLoad{.others_share = 0.01};
    engines.engines = {{.name = "graphics", .kind = "graphics", .priority = "normal"},
                       {.name = "copy", .kind = "copy", .dedicated = true, .priority = "high"}};
    engines.overlaps = {{.first = "graphics",
                         .second = "copy",
                         .first_work = "draw",
                         .second_work = "copy",
                         .samples = 10,
                         .first_alone = spread(1'000'000),
                         .second_alone = spread(1'000'000),
                         .serial = spread(2'000'000),
                         .concurrent = spread(1'100'000),
                         .gained = 0.9}};
    for (const auto direction :
         {model::CopyDirection::kUpload, model::CopyDirection::kDownload, model::CopyDirection::kOnDevice}) {
        engines.copies.push_back({.engine = "copy",
                                  .direction = direction,
                                  .bytes_each = 8 << 20,
                                  .samples = 10,
                                  .time = spread(1'000'000),
                                  .bytes_per_s = 8'388'608'000});
    }
    for (const auto means : {model::CopyMeans::kCommand, model::CopyMeans::kShader}) {
        model::CopyCurve curve{.engine = "graphics", .direction = model::CopyDirection::kOnDevice, .means = means};
        for (const std::uint64_t bytes : {1ull << 16, 1ull << 18, 1ull << 20})
            curve.points.push_back(
                {.bytes = bytes, .in_a_row = 4, .samples = 5, .time = spread(1'000'000), .bytes_per_s = bytes * 1000});
        engines.copy_curves.push_back(std::move(curve));
    }
    engines.signal_latencies = {{.from = "graphics", .to = "copy", .samples = 10, .time = spread(50'000)},
                                {.from = "host", .to = "copy", .samples = 10, .time = spread(50'000)}};
    for (const char* name : {"compute-graphics", "copy-graphics"}) {
        model::PipelineMeasurement pipeline{.name = name, .best_cpu_latency = 2, .best_engine_latency = 1};
        for (const std::uint32_t cpu_latency : {1u, 2u, 3u}) {
            for (const std::uint32_t engine_latency : {1u, 2u, 3u})
                pipeline.points.push_back({.cpu_latency = cpu_latency,
                                           .engine_latency = engine_latency,
                                           .samples = 10,
                                           .frame = spread(1'000'000)});
        }
        engines.pipelines.push_back(std::move(pipeline));
    }
    engines.skipped = {"overlap of draw with compute: the device has no compute engine"};
    device.run.engines = std::move(engines);
    model::CreationMeasurements creations{.processors = 16, .curves = {}};
    creations.load = model::MachineLoad{.others_share = 0.01};
    for (const auto object : {model::CreatedObject::kImage, model::CreatedObject::kBuffer}) {
        creations.curves.push_back({.object = object, .description = "made up", .points = {}});
        for (const std::uint32_t threads : {1u, 4u, 16u})
            creations.curves.back().points.push_back({.threads = threads,
                                                      .samples = 5,
                                                      .pairs_per_s = 1'000'000,
                                                      .least_pairs_per_s = 900'000,
                                                      .most_pairs_per_s = 1'100'000});
    }
    device.run.creations = std::move(creations);
    device.run.heap_budgets.assign(device.heaps.size(), {.budget_bytes = 1 << 20, .usage_bytes = 0});
}

std::vector<Edit<Report>> edits_of_costs() {
    constexpr Points kPoints = &MemoryCostCurve::points;
    constexpr Points kOfImages = &MemoryCostCurve::dedicated_image_points;
    return {
        // What is gone.
        {"costs gone", [](Report& r) { first(r).run.memory_cost.clear(); }, true, false},
        {"a type's costs gone", [](Report& r) { first(r).run.memory_cost.pop_back(); }, true, false},
        {"a size gone", of_curve([](auto& curve) { erase_first(curve.points); }), true, false},
        {"six of seven sizes gone", of_curve([](auto& curve) { keep_smallest(curve.points); }), true, false},
        {"the largest size gone", of_curve([](auto& curve) { curve.points.pop_back(); }), true, false},
        {"no time for the largest size", of_curve([](auto& curve) {
             curve.left_out = {{.size_bytes = curve.points.back().size_bytes, .reason = "the time was up"}};
             curve.points.pop_back();
         })},
        {"no time for the largest size, and another gone", of_curve([](auto& curve) {
             curve.left_out = {{.size_bytes = curve.points.back().size_bytes, .reason = "the time was up"}};
             curve.points.resize(curve.points.size() - 2);
         }),
         true, false},
        {"no time for an image's largest size", of_curve([](auto& curve) {
             auto& points = curve.dedicated_image_points;
             curve.left_out = {
                 {.size_bytes = points.back().size_bytes, .dedicated_image = true, .reason = "the time was up"}};
             points.pop_back();
         })},
        {"a larger size new", of_curve([](auto& curve) {
             curve.points.push_back(curve.points.back());
             curve.points.back().size_bytes *= 4;
         }),
         false, true},
        {"touching gone", of_curve([](auto& curve) {
             for (auto& point : curve.points) point.touch_worst_ns = point.touch_p90_ns = 0;
         }),
         true, false},
        {"dedicated costs gone", of_curve([](auto& curve) { curve.dedicated_image_points.clear(); }), true, false},
        {"a dedicated size gone", of_curve([](auto& curve) { erase_first(curve.dedicated_image_points); }), true,
         false},
        {"host's copies of more than was left", of_curve([](auto& curve) {
             curve.left_out = {
                 {.size_bytes = curve.host_bandwidth->bytes_each, .reason = "the heap's budget leaves 1 KiB"}};
             curve.host_bandwidth.reset();
         })},
        {"no time for costs",
         [](Report& r) {
             first(r).run.memory_cost.clear();
             first(r).findings.push_back({.id = model::kCostOutOfTime});
         }},
        {"host's copies gone", of_curve([](auto& curve) { curve.host_bandwidth.reset(); }), true, false},
        {"count gone", of_curve([](auto& curve) { curve.allocation_count.reset(); }), true, false},
        {"fit gone", of_curve([](auto& curve) { curve.allocate_fit.reset(); })},
        {"costs reordered",
         [](Report& r) {
             auto& costs = first(r).run.memory_cost;
             std::ranges::rotate(costs, costs.begin() + (costs.size() > 1 ? 1 : 0));
         }},
        {"budgets gone", [](Report& r) { first(r).run.heap_budgets.clear(); }, true, false},
        {"budgets changed", [](Report& r) { first(r).run.heap_budgets.at(0).usage_bytes = 7; }},
        {"timing", [](Report& r) { first(r).run.timing.total_ns += 5; }},
        {"device index", [](Report& r) { ++first(r).run.device_index; }},
        // What was refused.
        {"what an image is refused with",
         of_curve([](auto& curve) { curve.dedicated_image_refused->reason = "vkAllocateMemory: VK_ERROR_UNKNOWN"; })},
        {"an allocation refused", of_curve([](auto& curve) { refuse(curve.points, curve.refused); }), true, false},
        {"an image's own memory refused",
         of_curve([](auto& curve) { refuse(curve.dedicated_image_points, curve.dedicated_image_refused); }), true,
         false},
        {"a smaller allocation refused", of_curve([](auto& curve) {
             curve.refused = model::RefusedAllocation{.size_bytes = 1 << 20, .reason = "vkAllocateMemory: -2"};
             std::erase_if(curve.points, [](const auto& point) { return point.size_bytes >= 1 << 20; });
         }),
         true, false},
        {"a larger allocation refused than any that was tried", of_curve([](auto& curve) {
             curve.refused = model::RefusedAllocation{.size_bytes = 1ull << 30, .reason = "vkAllocateMemory: -2"};
         })},
        {"few allocations", of_curve([](auto& curve) {
             curve.allocation_count->reached = 10;
             curve.allocation_count->limit_hit = true;
         }),
         true, false},
        {"few allocations, where no limit was hit",
         of_curve([](auto& curve) { curve.allocation_count->reached = 10; })},
        {"allocations counted at another size", of_curve([](auto& curve) { curve.allocation_count->bytes_each *= 2; })},
        // What is dearer.
        {"allocating six times", six_times(kPoints, allocate_times), true, false},
        {"touching six times", six_times(kPoints, touch_times), true, false},
        {"freeing six times", six_times(kPoints, free_times), true, false},
        {"allocating six times, one type", of_curve([](auto& curve) {
             for (auto& point : curve.points) allocate_times(point, 6);
         }),
         true, false},
        {"allocating six times, small sizes",
         of_points(kPoints,
                   [](auto& point) {
                       if (point.size_bytes <= 1 << 20) allocate_times(point, 6);
                   }),
         true, false},
        {"allocating six times, large sizes",
         of_points(kPoints,
                   [](auto& point) {
                       if (point.size_bytes > 1 << 20) allocate_times(point, 6);
                   }),
         true, false},
        {"an image's own memory six times", six_times(kOfImages, allocate_times), true, false},
        {"freeing an image's own memory six times", six_times(kOfImages, free_times), true, false},
        {"one call in eight a hundred times", of_points(kPoints,
                                                        [](auto& point) {
                                                            point.allocate_p90_ns *= 100;
                                                            point.allocate_worst_ns *= 100;
                                                        })},
        {"quickest calls twice as quick", of_points(kPoints, [](auto& point) { point.allocate_min_ns /= 2; })},
        {"outliers", of_points(kPoints, [](auto& point) { point.allocate_outliers_ns = {50'000'000}; })},
        {"host's writes a hundredth", of_curve([](auto& curve) { curve.host_bandwidth->write_bytes_per_s /= 100; }),
         true, false},
        {"host's reads a hundredth", of_curve([](auto& curve) { curve.host_bandwidth->read_bytes_per_s /= 100; }), true,
         false},
        // What excuses a difference.
        {"allocating six times beside a busy core", of_curves([](auto& curve) {
             for (auto& point : curve.points) allocate_times(point, 6);
             curve.load->others_share = 0.5;
         })},
        {"allocating one size ten times", of_curve([](auto& curve) { allocate_times(curve.points.back(), 10); }), true,
         false},
        {"touching an image's smallest size ten times",
         of_curve([](auto& curve) { touch_times(curve.dedicated_image_points.front(), 10); }), true, false},
        {"allocating one size ten times, the others of its range a little longer", of_curve([](auto& curve) {
             for (auto& point : curve.points) allocate_a_little_longer(point);
             allocate_times(curve.points.back(), 10);
         }),
         true, false},
        {"allocating one size three times", of_curve([](auto& curve) { allocate_times(curve.points.back(), 3); })},
        {"allocating one size ten times, which had not settled", of_curve([](auto& curve) {
             allocate_times(curve.points.back(), 10);
             curve.points.back().steadiness = model::Steadiness::kDidNotSettle;
         })},
        {"allocating six times where nothing settled", of_curves([](auto& curve) {
             for (auto& point : curve.points) {
                 allocate_times(point, 6);
                 point.steadiness = model::Steadiness::kDidNotSettle;
             }
             did_not_settle(*curve.steadiness);
         })},
        {"allocating six times, while one size had not settled", of_curves([](auto& curve) {
             for (auto& point : curve.points) allocate_times(point, 6);
             curve.points.front().steadiness = model::Steadiness::kDidNotSettle;
             did_not_settle(*curve.steadiness);
         }),
         true, false},
        {"an image's own memory six times, while the other had not settled", of_curves([](auto& curve) {
             for (auto& point : curve.dedicated_image_points) allocate_times(point, 6);
             for (auto& point : curve.points) point.steadiness = model::Steadiness::kDidNotSettle;
             did_not_settle(*curve.steadiness);
         }),
         true, false},
        {"host's writes a hundredth, while no cost had settled", of_curves([](auto& curve) {
             curve.host_bandwidth->write_bytes_per_s /= 100;
             did_not_settle(*curve.steadiness);
         }),
         true, false},
        {"nothing settled", of_curves([](auto& curve) { did_not_settle(*curve.steadiness); })},
    };
}

std::vector<Edit<Report>> edits_of_engines() {
    return {
        {"engines gone", [](Report& r) { first(r).run.engines.reset(); }, true, false},
        {"an engine gone", of_engines([](auto& e) { e.engines.pop_back(); }), true, false},
        {"an engine no longer dedicated", of_engines([](auto& e) { e.engines.back().dedicated = false; }), true, false},
        {"an engine of another kind", of_engines([](auto& e) { e.engines.back().kind = "compute"; }), true, true},
        {"an engine of a lower priority", of_engines([](auto& e) { e.engines.back().priority = "normal"; }), true,
         false},
        {"an engine's priority without effect", of_engines([](auto& e) { e.engines.back().priority_note = "none"; }),
         true, false},
        {"copies gone", of_engines([](auto& e) { e.copies.clear(); }), true, false},
        {"one direction of copies gone", of_engines([](auto& e) { e.copies.pop_back(); }), true, false},
        {"copies a hundredth", of_engines([](auto& e) {
             for (auto& copy : e.copies) {
                 copy.bytes_per_s /= 100;
                 scale(copy.time, 100);
             }
         }),
         true, false},
        {"one direction of copies a hundredth", of_engines([](auto& e) {
             e.copies.back().bytes_per_s /= 100;
             scale(e.copies.back().time, 100);
         }),
         true, false},
        {"copies of another size", of_engines([](auto& e) {
             for (auto& copy : e.copies) {
                 copy.bytes_each *= 100;
                 scale(copy.time, 100);
             }
         })},
        {"copies a hundredth beside a busy core", of_engines([](auto& e) {
             e.load = model::MachineLoad{.others_share = 0.5};
             for (auto& copy : e.copies) scale(copy.time, 100);
         })},
        {"copies a little slower", of_engines([](auto& e) {
             for (auto& copy : e.copies) {
                 copy.bytes_per_s = copy.bytes_per_s * 8 / 10;
                 copy.time = spread(1'250'000);
             }
         })},
        {"copy curves gone", of_engines([](auto& e) { e.copy_curves.clear(); }), true, false},
        {"one copy curve gone", of_engines([](auto& e) { e.copy_curves.pop_back(); }), true, false},
        {"a size of a copy curve failed", of_engines([](auto& e) {
             e.copy_curves.back().points.pop_back();
             e.copy_curves.back().left_out = {{.bytes = 1 << 20, .reason = "vkQueueSubmit: device lost"}};
         }),
         true, false},
        {"a size of a copy curve that time left out", of_engines([](auto& e) {
             e.copy_curves.back().points.pop_back();
             e.copy_curves.back().left_out = {{.bytes = 1 << 20, .reason = std::string(model::kLongerThanItsShare)}};
         })},
        {"a copy curve that memory left out", of_engines([](auto& e) {
             e.copy_curves.back().points.clear();
             e.copy_curves.back().left_out = {
                 {.bytes = 1 << 16, .reason = std::string(model::kNoRoomForCopies) + ": 4 KiB for each side"}};
         })},
        {"copies by shader at half the rate", of_engines([](auto& e) {
             for (auto& point : e.copy_curves.back().points) scale(point.time, 2);
         }),
         true, false},
        {"copies by shader at half the rate beside a busy core", of_engines([](auto& e) {
             e.load = model::MachineLoad{.others_share = 0.5};
             for (auto& point : e.copy_curves.back().points) scale(point.time, 2);
         })},
        {"one size of copies by shader at half the rate",
         of_engines([](auto& e) { scale(e.copy_curves.back().points.back().time, 2); })},
        {"copies by shader a hundredth", of_engines([](auto& e) {
             for (auto& point : e.copy_curves.back().points) scale(point.time, 100);
         }),
         true, false},
        {"overlaps gone", of_engines([](auto& e) { e.overlaps.clear(); }), true, false},
        {"no overlap any more", of_engines([](auto& e) {
             e.overlaps.back().gained = 0;
             e.overlaps.back().concurrent = spread(2'000'000);
         }),
         true, false},
        {"no overlap any more, disturbed", of_engines([](auto& e) {
             e.overlaps.back().gained = 0;
             e.overlaps.back().concurrent = spread(2'000'000);
             e.overlaps.back().disturbed = "another process used the device";
         })},
        {"no overlap any more, by samples that vary", of_engines([](auto& e) {
             e.overlaps.back().gained = 0;
             e.overlaps.back().concurrent = {.ns = 2'000'000, .min_ns = 900'000, .p90_ns = 2'200'000};
         })},
        {"overlap of a little less", of_engines([](auto& e) { e.overlaps.back().gained = 0.85; })},
        {"work on an engine a hundred times", of_engines([](auto& e) {
             for (auto& overlap : e.overlaps) {
                 for (auto* time : {&overlap.first_alone, &overlap.second_alone, &overlap.serial, &overlap.concurrent})
                     scale(*time, 100);
             }
         }),
         true, false},
        {"latencies gone", of_engines([](auto& e) { e.signal_latencies.clear(); }), true, false},
        {"one latency gone", of_engines([](auto& e) { e.signal_latencies.pop_back(); }), true, false},
        {"latencies a thousand times", of_engines([](auto& e) {
             for (auto& latency : e.signal_latencies) scale(latency.time, 1000);
         }),
         true, false},
        {"one latency a thousand times", of_engines([](auto& e) { scale(e.signal_latencies.back().time, 1000); }), true,
         false},
        {"pipelines gone", of_engines([](auto& e) { e.pipelines.clear(); }), true, false},
        {"one pipeline gone", of_engines([](auto& e) { e.pipelines.pop_back(); }), true, false},
        {"one setting of a pipeline gone", of_engines([](auto& e) { e.pipelines.back().points.pop_back(); }), true,
         false},
        {"a pipeline's frames a hundred times", of_engines([](auto& e) {
             for (auto& point : e.pipelines.back().points) scale(point.frame, 100);
         }),
         true, false},
        {"a pipeline that needs a longer ring", of_engines([](auto& e) {
             e.pipelines.back().best_engine_latency = 3;
             for (auto& point : e.pipelines.back().points) {
                 if (point.engine_latency < 3) scale(point.frame, 2);
             }
         }),
         true, false},
        {"a pipeline that needs a longer ring, of which no sample was taken",
         of_engines([](auto& e) { e.pipelines.back().best_engine_latency = 9; })},
        {"a pipeline that needs more frames ahead", of_engines([](auto& e) {
             e.pipelines.back().best_cpu_latency = 3;
             for (auto& point : e.pipelines.back().points) {
                 if (point.cpu_latency < 3) scale(point.frame, 2);
             }
         }),
         true, false},
        {"a pipeline that seems to need more frames ahead, all of which take as long",
         of_engines([](auto& e) { e.pipelines.back().best_cpu_latency = 3; })},
        {"a pipeline that needs a longer ring, not settled", of_engines([](auto& e) {
             e.pipelines.back().best_engine_latency = 3;
             e.pipelines.back().unsettled = "the frames vary";
         })},
        {"copies failed", of_engines([](auto& e) { e.skipped.push_back("copies: vkQueueSubmit: device lost"); }), true,
         false},
        {"pipelines out of time", of_engines([](auto& e) {
             e.pipelines.clear();
             e.skipped.push_back("9 of 9 settings of the pipeline compute-graphics: the time was up");
             e.skipped.push_back("4 of 4 settings of the pipeline copy-graphics: the time was up");
         })},
        {"two settings of a pipeline out of time", of_engines([](auto& e) {
             e.pipelines.back().points.resize(1);
             e.skipped.push_back("2 of 3 settings of the pipeline copy-graphics: the time was up");
         })},
        {"a signal whose moments a busy host did not see", of_engines([](auto& e) {
             const auto gone = e.signal_latencies.back();
             e.signal_latencies.pop_back();
             e.skipped.push_back("signal from " + gone.from + " to " + gone.to + ": the host was away at most samples");
         })},
        {"no time for engines",
         [](Report& r) {
             first(r).run.engines.reset();
             first(r).findings.push_back({.id = model::kEnginesOutOfTime});
         }},
        {"a signal whose word never showed", of_engines([](auto& e) {
             const auto gone = e.signal_latencies.back();
             e.signal_latencies.pop_back();
             e.skipped.push_back("signal from " + gone.from + " to " + gone.to +
                                 ": the host did not see the engine's word in its memory in time");
         }),
         true, false},
        {"pipelines gone where nothing had settled", of_engines([](auto& e) {
             e.pipelines.clear();
             did_not_settle(e.steadiness);
         }),
         true, false},
        {"copies a hundredth where nothing had settled", of_engines([](auto& e) {
             did_not_settle(e.steadiness);
             for (auto& copy : e.copies) scale(copy.time, 100);
         })},
        {"creations gone", [](Report& r) { first(r).run.creations.reset(); }, true, false},
        {"creations of one object gone", of_creations([](auto& c) { c.curves.pop_back(); }), true, false},
        {"no time for creations",
         [](Report& r) {
             first(r).run.creations.reset();
             first(r).findings.push_back({.id = model::kCreationsOutOfTime});
         }},
        {"no time for the creations of one object", of_creations([](auto& c) {
             c.curves.pop_back();
             c.skipped.push_back("buffer by 1 thread: the time was up");
         })},
        {"creations by sixteen threads a hundredth", of_creations([](auto& c) { slower(c.curves[0].points[2], 100); }),
         true, false},
        {"creations a tenth slower", of_creations([](auto& c) {
             for (auto& point : c.curves[0].points) point.pairs_per_s = point.pairs_per_s * 9 / 10;
         })},
        {"creations a hundredth on a machine of other processors", of_creations([](auto& c) {
             c.processors = 2;
             for (auto& curve : c.curves) {
                 for (auto& point : curve.points) slower(point, 100);
             }
         })},
        {"creations a hundredth on a machine that was busy", of_creations([](auto& c) {
             c.load->others_share = 0.9;
             for (auto& curve : c.curves) {
                 for (auto& point : curve.points) slower(point, 100);
             }
         })},
        {"creations' time", of_creations([](auto& c) { c.total_ns += 5; })},
        {"engines' time", of_engines([](auto& e) { e.total_ns += 5; })},
    };
}

}  // namespace heapwright::test
