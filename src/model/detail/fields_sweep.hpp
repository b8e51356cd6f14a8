// Fields of the sweep's tables and of the observations made from them.
#pragma once

#include "model/detail/fields_common.hpp"

namespace heapwright::model::detail {

inline constexpr std::size_t kMaxRequirementClasses = 65'535;

template <>
struct Fields<RequirementClass> {
    using S = RequirementClass;
    static constexpr std::string_view kName = "requirement_class";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{})
                       .says("What the offset in memory must be a multiple of"),
                   field("memory_type_bits", &S::memory_type_bits, kPositiveCodec)
                       .says("Memory types that may hold the resource: bit i stands for memory type i"),
                   field("dedicated", &S::dedicated)
                       .says("Whether the driver prefers or requires an allocation for the resource alone: "
                             "VkMemoryDedicatedRequirements")};
};

template <>
struct Fields<ImageGrid> {
    using S = ImageGrid;
    static constexpr std::string_view kName = "image_grid";
    static constexpr auto list =
        std::tuple{field("widths", &S::widths, ItemsCodec<UintCodec>{.item = kPositiveCodec})
                       .says("In texels; the points are each width with every height, width by width"),
                   field("heights", &S::heights, ItemsCodec<UintCodec>{.item = kPositiveCodec})
                       .says("In texels, the same for each width"),
                   field("extra", &S::extra, ItemsCodec<TupleCodec<UintCodec, 2>>{.item = kExtentCodec})
                       .says("Width and height in texels of single points, which come after all of widths and heights: "
                             "[1920, 1080]")};
};

template <>
struct Fields<SweepTable> {
    static constexpr std::string_view kName = "sweep_table";
    static constexpr auto list = std::tuple{
        field("size_bytes", &SweepTable::size_bytes)
            .says("Of each point of the grid, in its order; 0: beyond the case's limit, or refused by the driver"),
        field("requirement", &SweepTable::requirement, RunsCodec{})
            .says("Of each point the index into requirements, as runs [index, points]; without meaning where the size "
                  "is 0")};
};

template <>
struct Fields<ImageCase> {
    using S = ImageCase;
    static constexpr std::string_view kName = "image_case";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("format", &S::format).says("VkFormat without VK_FORMAT_"),
                   field("tiling", &S::tiling).says("How texels lie in memory: VkImageTiling"),
                   field("dimension", &S::dimension).says("VkImageType: 2d or 3d"),
                   field("usage", &S::usage, kImageUsageCodec).says("VkImageUsageFlagBits without prefix and _BIT"),
                   field("full_mips", &S::full_mips)
                       .says("The image has its full mip chain at every point; else one level, or mip_levels"),
                   field("array_layers", &S::array_layers, kPositiveCodec).says("Number of array layers; a cube has 6"),
                   field("samples", &S::samples, kSamplesCodec).says("Samples per texel; 1: no multisampling"),
                   field("table", &S::table)
                       .says("Index into tables of the answers, which equal cases share; absent: not supported"),
                   field("not_supported", &S::not_supported, Presence::kOptional)
                       .says("Why there is no table; absent: there is one"),
                   field("depth", &S::depth, kPositiveCodec)
                       .says("Slices of a 3D image; absent: the smaller of width and height, and 1 of a 2D image"),
                   field("mip_levels", &S::mip_levels, kMipLevelsCodec)
                       .says("Mip levels, at most; absent: one, or with full_mips the full chain"),
                   field("flags", &S::flags, kImageCreationCodec, Presence::kOptional)
                       .says("VkImageCreateFlagBits without prefix and _BIT; absent: none")};
};

template <>
struct Fields<ImagePoint> {
    using S = ImagePoint;
    static constexpr std::string_view kName = "image_point";
    static constexpr auto list =
        std::tuple{field("description", &S::description)
                       .says("The image that was asked about, outside the grid, because a workload has it"),
                   field("requirements", &S::requirements).says("What the driver asks for it; absent: not supported"),
                   field("not_supported", &S::not_supported, Presence::kOptional)
                       .says("Why there are no requirements; absent: there are")};
};

template <>
struct Fields<OddAnswer> {
    using S = OddAnswer;
    static constexpr std::string_view kName = "odd_answer";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes).says("As the driver answered; 0 is an odd answer"),
                   field("alignment_bytes", &S::alignment_bytes)
                       .says("As the driver answered; what is no power of two is an odd answer"),
                   field("memory_type_bits", &S::memory_type_bits)
                       .says("As the driver answered; 0 or a memory type that does not exist is an odd answer"),
                   field("dedicated", &S::dedicated).says("As the driver answered: VkMemoryDedicatedRequirements")};
};

template <>
struct Fields<OddImage> {
    using S = OddImage;
    static constexpr std::string_view kName = "odd_image";
    static constexpr auto list =
        std::tuple{field("description", &S::description).says("The first image that was answered in this way"),
                   field("answer", &S::answer).says("What the driver said of it, which the specification forbids"),
                   field("count", &S::count, WideCodec{.min = 1}).says("Answers of this kind in the whole sweep")};
};

template <>
struct Fields<OddBuffer> {
    using S = OddBuffer;
    static constexpr std::string_view kName = "odd_buffer";
    static constexpr auto list =
        std::tuple{field("description", &S::description).says("The first buffer that was answered in this way"),
                   field("answer", &S::answer).says("What the driver said of it, which the specification forbids"),
                   field("count", &S::count, WideCodec{.min = 1}).says("Answers of this kind in the whole sweep")};
};

template <>
struct Fields<ImageSweep> {
    using S = ImageSweep;
    static constexpr std::string_view kName = "image_sweep";
    static constexpr auto list = std::tuple{
        field("grid", &S::grid).says("The widths and heights that every case was asked about"),
        field("requirements", &S::requirements,
              ItemsCodec<RecordCodec<RequirementClass>>{.max_items = kMaxRequirementClasses})
            .says("The distinct answers beside sizes, which the tables refer to by index"),
        field("tables", &S::tables)
            .says("The answers of one case or of several equal ones, point by point of the grid"),
        field("cases", &S::cases)
            .says("Every combination of format, tiling, usage, shape and samples that was asked about"),
        field("points", &S::points).says("Single images outside the grid that a workload asked for; empty: none"),
        field("odd_answers", &S::odd_answers, Presence::kOptional)
            .says("Answers that the specification forbids, the first of each kind; absent: none")};
};

template <>
struct Fields<BufferCase> {
    using S = BufferCase;
    static constexpr std::string_view kName = "buffer_case";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("usage", &S::usage, kBufferUsageCodec).says("VkBufferUsageFlagBits without prefix and _BIT"),
                   field("table", &S::table)
                       .says("Index into tables of the answers, which equal cases share; absent: not supported"),
                   field("not_supported", &S::not_supported, Presence::kOptional)
                       .says("Why there is no table; absent: there is one")};
};

template <>
struct Fields<BufferPoint> {
    using S = BufferPoint;
    static constexpr std::string_view kName = "buffer_point";
    static constexpr auto list =
        std::tuple{field("description", &S::description)
                       .says("The buffer that was asked about, outside the grid, because a workload has it"),
                   field("requirements", &S::requirements).says("What the driver asks for it; absent: not supported"),
                   field("not_supported", &S::not_supported, Presence::kOptional)
                       .says("Why there are no requirements; absent: there are")};
};

template <>
struct Fields<BufferSweep> {
    using S = BufferSweep;
    static constexpr std::string_view kName = "buffer_sweep";
    static constexpr auto list = std::tuple{
        field("sizes", &S::sizes, ItemsCodec<WideCodec>{.item = {.min = 1}})
            .says("The grid: sizes in bytes, ascending, that every case was asked about"),
        field("requirements", &S::requirements,
              ItemsCodec<RecordCodec<RequirementClass>>{.max_items = kMaxRequirementClasses})
            .says("The distinct answers beside sizes, which the tables refer to by index"),
        field("tables", &S::tables).says("The answers of one case or of several equal ones, size by size"),
        field("cases", &S::cases).says("Every combination of usages that was asked about"),
        field("points", &S::points).says("Single buffers outside the grid that a workload asked for; empty: none"),
        field("odd_answers", &S::odd_answers, Presence::kOptional)
            .says("Answers that the specification forbids, the first of each kind; absent: none")};
};

template <>
struct Fields<AlignmentStep> {
    using S = AlignmentStep;
    static constexpr std::string_view kName = "alignment_step";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("threshold", &S::threshold)
            .says("From here on the alignment is this step's, until the next one: in texels, texels squared or bytes, "
                  "by condition"),
        field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{}).says("The alignment from the threshold on")};
};

template <>
struct Fields<AlignmentRule> {
    using S = AlignmentRule;
    static constexpr std::string_view kName = "alignment_rule";
    static constexpr auto list = std::tuple{
        field("condition", &S::condition)
            .says("What is compared with the thresholds: a side or both in texels, the area, or the driver's own size "
                  "in bytes"),
        field("below_alignment_bytes", &S::below_alignment_bytes, PowerOfTwoCodec{})
            .says("The alignment below the first step"),
        field("steps", &S::steps).says("By ascending threshold; empty: one alignment for all points"),
        field("found_on_points", &S::found_on_points).says("Points of the table by which the rule was found"),
        field("held_out_points", &S::held_out_points)
            .says("Further points of the table, all of which the rule predicted")};
};

template <>
struct Fields<Overhead> {
    using S = Overhead;
    static constexpr std::string_view kName = "overhead";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("smallest", &S::smallest)
            .says("The driver's size over the packed texels' size, at the point where that is least; 1: no padding"),
        field("median", &S::median).says("The middle one of these ratios over all points"),
        field("largest", &S::largest).says("The largest of these ratios"),
        field("largest_at", &S::largest_at).says("Width and height in texels of the point with the largest ratio")};
};

template <>
struct Fields<EqualCost> {
    using S = EqualCost;
    static constexpr std::string_view kName = "equal_cost";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("along_width", &S::along_width).says("Whether it is the width that makes no difference; else the height"),
        field("from", &S::from).says("In texels, the smallest side of the run"),
        field("to", &S::to)
            .says("In texels, the largest side of the run: every side between takes as many bytes as this one")};
};

template <>
struct Fields<ImageObservation> {
    using S = ImageObservation;
    static constexpr std::string_view kName = "image_observation";
    static constexpr auto list =
        std::tuple{field("table", &S::table).says("Index into the tables of image_sweep"),
                   field("alignments", &S::alignments, ItemsCodec<PowerOfTwoCodec>{})
                       .says("Distinct alignments of the table in bytes, ascending"),
                   field("smallest_size_bytes", &S::smallest_size_bytes)
                       .says("The smallest size in the table; 0: the table has no answers"),
                   field("sizes_are_powers_of_two", &S::sizes_are_powers_of_two)
                       .says("Whether the size is a power of two wherever both sides are"),
                   field("alignment_rule", &S::alignment_rule)
                       .says("What the alignment follows from; absent: no rule predicts all points"),
                   field("equal_cost", &S::equal_cost)
                       .says("Runs of sides that take the same bytes, whatever the other side; empty: none"),
                   field("overhead", &S::overhead).says("Sizes against the packed texels: how much the driver pads"),
                   field("statement", &S::statement).says("All of this in words")};
};

template <>
struct Fields<BufferObservation> {
    using S = BufferObservation;
    static constexpr std::string_view kName = "buffer_observation";
    static constexpr auto list =
        std::tuple{field("table", &S::table).says("Index into the tables of buffer_sweep"),
                   field("alignments", &S::alignments, ItemsCodec<PowerOfTwoCodec>{})
                       .says("Distinct alignments of the table in bytes, ascending"),
                   field("minimum_size_bytes", &S::minimum_size_bytes)
                       .says("The smallest size that the driver gives; 0: the table has no answers"),
                   field("rounding_bytes", &S::rounding_bytes, WideCodec{.min = 1})
                       .says("The power of two to which every size is rounded up; absent: no such rule holds"),
                   field("exact_from_bytes", &S::exact_from_bytes, WideCodec{.min = 1})
                       .says("From this request on every size is the request itself; absent: no such size shows"),
                   field("statement", &S::statement).says("All of this in words")};
};

template <>
struct Fields<Observations> {
    using S = Observations;
    static constexpr std::string_view kName = "observations";
    static constexpr auto list =
        std::tuple{field("images", &S::images).says("One entry for each table of image_sweep"),
                   field("buffers", &S::buffers).says("One entry for each table of buffer_sweep"),
                   field("buffer_usage_changes_size", &S::buffer_usage_changes_size)
                       .says("Whether two buffers of one size and different usages differ in their size in memory"),
                   field("buffer_usage_changes_alignment", &S::buffer_usage_changes_alignment)
                       .says("Whether they differ in alignment"),
                   field("buffer_usage_changes_memory_types", &S::buffer_usage_changes_memory_types)
                       .says("Whether they differ in the memory types that may hold them"),
                   field("statements", &S::statements).says("About the device as a whole, in words")};
};

}  // namespace heapwright::model::detail
