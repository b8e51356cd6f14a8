// Fields of the sweep's tables and of the observations made from them.
#pragma once

#include "heapwright/model/detail/fields_common.hpp"

namespace heapwright::model::detail {

inline constexpr std::size_t kMaxRequirementClasses = 65'535;

template <>
struct Fields<RequirementClass> {
    using S = RequirementClass;
    static constexpr std::string_view kName = "requirement_class";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{}),
                   field("memory_type_bits", &S::memory_type_bits, kPositiveCodec), field("dedicated", &S::dedicated)};
};

template <>
struct Fields<ImageGrid> {
    using S = ImageGrid;
    static constexpr std::string_view kName = "image_grid";
    static constexpr auto list =
        std::tuple{field("widths", &S::widths, ItemsCodec<UintCodec>{.item = kPositiveCodec}),
                   field("heights", &S::heights, ItemsCodec<UintCodec>{.item = kPositiveCodec}),
                   field("extra", &S::extra, ItemsCodec<TupleCodec<UintCodec, 2>>{.item = kExtentCodec})};
};

template <>
struct Fields<SweepTable> {
    static constexpr std::string_view kName = "sweep_table";
    static constexpr auto list = std::tuple{field("size_bytes", &SweepTable::size_bytes),
                                            field("requirement", &SweepTable::requirement, RunsCodec{})};
};

template <>
struct Fields<ImageCase> {
    using S = ImageCase;
    static constexpr std::string_view kName = "image_case";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("format", &S::format),
                                            field("tiling", &S::tiling),
                                            field("dimension", &S::dimension),
                                            field("usage", &S::usage, kImageUsageCodec),
                                            field("full_mips", &S::full_mips),
                                            field("array_layers", &S::array_layers, kPositiveCodec),
                                            field("samples", &S::samples, kSamplesCodec),
                                            field("table", &S::table),
                                            field("not_supported", &S::not_supported, Presence::kOptional),
                                            field("depth", &S::depth, kPositiveCodec),
                                            field("mip_levels", &S::mip_levels, kMipLevelsCodec),
                                            field("flags", &S::flags, kImageCreationCodec, Presence::kOptional)};
};

template <>
struct Fields<ImagePoint> {
    using S = ImagePoint;
    static constexpr std::string_view kName = "image_point";
    static constexpr auto list =
        std::tuple{field("description", &S::description), field("requirements", &S::requirements),
                   field("not_supported", &S::not_supported, Presence::kOptional)};
};

template <>
struct Fields<OddAnswer> {
    using S = OddAnswer;
    static constexpr std::string_view kName = "odd_answer";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes), field("alignment_bytes", &S::alignment_bytes),
                   field("memory_type_bits", &S::memory_type_bits), field("dedicated", &S::dedicated)};
};

template <>
struct Fields<OddImage> {
    using S = OddImage;
    static constexpr std::string_view kName = "odd_image";
    static constexpr auto list = std::tuple{field("description", &S::description), field("answer", &S::answer),
                                            field("count", &S::count, WideCodec{.min = 1})};
};

template <>
struct Fields<OddBuffer> {
    using S = OddBuffer;
    static constexpr std::string_view kName = "odd_buffer";
    static constexpr auto list = std::tuple{field("description", &S::description), field("answer", &S::answer),
                                            field("count", &S::count, WideCodec{.min = 1})};
};

template <>
struct Fields<ImageSweep> {
    using S = ImageSweep;
    static constexpr std::string_view kName = "image_sweep";
    static constexpr auto list =
        std::tuple{field("grid", &S::grid),
                   field("requirements", &S::requirements,
                         ItemsCodec<RecordCodec<RequirementClass>>{.max_items = kMaxRequirementClasses}),
                   field("tables", &S::tables),
                   field("cases", &S::cases),
                   field("points", &S::points),
                   field("odd_answers", &S::odd_answers, Presence::kOptional)};
};

template <>
struct Fields<BufferCase> {
    using S = BufferCase;
    static constexpr std::string_view kName = "buffer_case";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("usage", &S::usage, kBufferUsageCodec), field("table", &S::table),
                                            field("not_supported", &S::not_supported, Presence::kOptional)};
};

template <>
struct Fields<BufferPoint> {
    using S = BufferPoint;
    static constexpr std::string_view kName = "buffer_point";
    static constexpr auto list =
        std::tuple{field("description", &S::description), field("requirements", &S::requirements),
                   field("not_supported", &S::not_supported, Presence::kOptional)};
};

template <>
struct Fields<BufferSweep> {
    using S = BufferSweep;
    static constexpr std::string_view kName = "buffer_sweep";
    static constexpr auto list =
        std::tuple{field("sizes", &S::sizes, ItemsCodec<WideCodec>{.item = {.min = 1}}),
                   field("requirements", &S::requirements,
                         ItemsCodec<RecordCodec<RequirementClass>>{.max_items = kMaxRequirementClasses}),
                   field("tables", &S::tables),
                   field("cases", &S::cases),
                   field("points", &S::points),
                   field("odd_answers", &S::odd_answers, Presence::kOptional)};
};

template <>
struct Fields<AlignmentStep> {
    using S = AlignmentStep;
    static constexpr std::string_view kName = "alignment_step";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("threshold", &S::threshold), field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{})};
};

template <>
struct Fields<AlignmentRule> {
    using S = AlignmentRule;
    static constexpr std::string_view kName = "alignment_rule";
    static constexpr auto list = std::tuple{
        field("condition", &S::condition), field("below_alignment_bytes", &S::below_alignment_bytes, PowerOfTwoCodec{}),
        field("steps", &S::steps), field("found_on_points", &S::found_on_points),
        field("held_out_points", &S::held_out_points)};
};

template <>
struct Fields<Overhead> {
    using S = Overhead;
    static constexpr std::string_view kName = "overhead";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("smallest", &S::smallest), field("median", &S::median),
                                            field("largest", &S::largest), field("largest_at", &S::largest_at)};
};

template <>
struct Fields<EqualCost> {
    using S = EqualCost;
    static constexpr std::string_view kName = "equal_cost";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("along_width", &S::along_width), field("from", &S::from), field("to", &S::to)};
};

template <>
struct Fields<ImageObservation> {
    using S = ImageObservation;
    static constexpr std::string_view kName = "image_observation";
    static constexpr auto list = std::tuple{field("table", &S::table),
                                            field("alignments", &S::alignments, ItemsCodec<PowerOfTwoCodec>{}),
                                            field("smallest_size_bytes", &S::smallest_size_bytes),
                                            field("sizes_are_powers_of_two", &S::sizes_are_powers_of_two),
                                            field("alignment_rule", &S::alignment_rule),
                                            field("equal_cost", &S::equal_cost),
                                            field("overhead", &S::overhead),
                                            field("statement", &S::statement)};
};

template <>
struct Fields<BufferObservation> {
    using S = BufferObservation;
    static constexpr std::string_view kName = "buffer_observation";
    static constexpr auto list = std::tuple{field("table", &S::table),
                                            field("alignments", &S::alignments, ItemsCodec<PowerOfTwoCodec>{}),
                                            field("minimum_size_bytes", &S::minimum_size_bytes),
                                            field("rounding_bytes", &S::rounding_bytes, WideCodec{.min = 1}),
                                            field("exact_from_bytes", &S::exact_from_bytes, WideCodec{.min = 1}),
                                            field("statement", &S::statement)};
};

template <>
struct Fields<Observations> {
    using S = Observations;
    static constexpr std::string_view kName = "observations";
    static constexpr auto list =
        std::tuple{field("images", &S::images),
                   field("buffers", &S::buffers),
                   field("buffer_usage_changes_size", &S::buffer_usage_changes_size),
                   field("buffer_usage_changes_alignment", &S::buffer_usage_changes_alignment),
                   field("buffer_usage_changes_memory_types", &S::buffer_usage_changes_memory_types),
                   field("statements", &S::statements)};
};

}  // namespace heapwright::model::detail
