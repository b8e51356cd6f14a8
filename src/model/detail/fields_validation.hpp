// Fields of the validation.
#pragma once

#include "heapwright/model/detail/fields_report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<ValidationFinding> {
    using S = ValidationFinding;
    static constexpr std::string_view kName = "validation_finding";
    static constexpr auto list = std::tuple{field("fault", &S::fault), field("step", &S::step),
                                            field("resource", &S::resource), field("statement", &S::statement)};
};

template <>
struct Fields<ScenarioCounts> {
    using S = ScenarioCounts;
    static constexpr std::string_view kName = "scenario_counts";
    static constexpr auto list = std::tuple{field("operations", &S::operations),
                                            field("failures", &S::failures),
                                            field("peak_images", &S::peak_images),
                                            field("peak_buffers", &S::peak_buffers),
                                            field("verified_resources", &S::verified_resources),
                                            field("verified_bytes", &S::verified_bytes),
                                            field("dedicated_allocations", &S::dedicated_allocations),
                                            field("device_allocations", &S::device_allocations),
                                            field("device_allocation_calls", &S::device_allocation_calls)};
};

template <>
struct Fields<ScenarioMemory> {
    using S = ScenarioMemory;
    static constexpr std::string_view kName = "scenario_memory";
    static constexpr auto list = std::tuple{
        field("peak_used_bytes", &S::peak_used_bytes), field("peak_reserved_bytes", &S::peak_reserved_bytes),
        field("mean_waste", &S::mean_waste), field("mean_fragmentation", &S::mean_fragmentation, RealCodec{.max = 1})};
};

template <>
struct Fields<LatencyFigures> {
    using S = LatencyFigures;
    static constexpr std::string_view kName = "latency_figures";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("samples", &S::samples), field("p50_ns", &S::p50_ns), field("p99_ns", &S::p99_ns),
                   field("p999_ns", &S::p999_ns), field("worst_ns", &S::worst_ns)};
};

template <>
struct Fields<ScenarioVolatile> {
    using S = ScenarioVolatile;
    static constexpr std::string_view kName = "scenario_volatile";
    static constexpr auto list =
        std::tuple{field("allocate", &S::allocate), field("free", &S::free), field("create", &S::create),
                   field("worst_frame_ns", &S::worst_frame_ns), field("total_ns", &S::total_ns)};
};

template <>
struct Fields<ScenarioResult> {
    using S = ScenarioResult;
    static constexpr std::string_view kName = "scenario_result";
    static constexpr auto list = std::tuple{
        field("name", &S::name, TextCodec{.min_length = 1}),
        field("seed", &S::seed),
        field("verdict", &S::verdict),
        field("reason", &S::reason),
        field("counts", &S::counts),
        field("memory", &S::memory),
        field("findings", &S::findings, ItemsCodec<RecordCodec<ValidationFinding>>{.max_items = kMaxFindings}),
        field("findings_total", &S::findings_total),
        volatile_field(&S::run)};
};

template <>
struct Fields<DeviceValidation> {
    using S = DeviceValidation;
    static constexpr std::string_view kName = "device_validation";
    static constexpr auto list = std::tuple{field("identity", &S::identity),
                                            field("replayed", &S::replayed),
                                            field("interpolated_requirements", &S::interpolated_requirements),
                                            field("validation_layers", &S::validation_layers),
                                            field("memory_limit_bytes", &S::memory_limit_bytes),
                                            field("scenarios", &S::scenarios),
                                            field("baselines", &S::baselines),
                                            field("verdict", &S::verdict),
                                            field("reason", &S::reason)};
};

template <>
struct Fields<Validation> {
    using S = Validation;
    static constexpr std::string_view kName = "validation";
    static constexpr DocumentKind kKind = DocumentKind::kValidation;
    static constexpr auto list =
        std::tuple{tool_field<S>(), sources_field<S>(), field("devices", &S::devices), volatile_field(&S::run)};
};

}  // namespace heapwright::model::detail
