// Fields of the what-if.
#pragma once

#include <limits>

#include "model/detail/fields_report.hpp"
#include "model/what_if.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<WhatIfCell> {
    using S = WhatIfCell;
    static constexpr std::string_view kName = "what_if_cell";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("column", &S::column).says("What was counted; less is better in every one"),
        field("value", &S::value).says("Bytes, nanoseconds, a share or a count, as the column's name says"),
        field("verdict", &S::verdict)
            .says("How it stands to the first row of its kind, as far as that can be told; first: nothing to "
                  "compare with"),
        field("least_difference", &S::least_difference, kAnyReal)
            .says("Of the value less that row's, with 99% confidence in all cells of the row together"),
        field("most_difference", &S::most_difference, kAnyReal).says("The other end of that interval"),
        field("is_best", &S::is_best).says("The column's least, or not told from it")};
};

template <>
struct Fields<WhatIfRow> {
    using S = WhatIfRow;
    static constexpr std::string_view kName = "what_if_row";
    static constexpr auto list = std::tuple{
        field("name", &S::name, TextCodec{.min_length = 1}).says("The way to allocate, as it was asked for"),
        field("how", &S::how).says("What decides, and from which source"),
        field("is_real", &S::is_real).says("Played on the device's own memory; else simulated"),
        field("not_played", &S::not_played, TextCodec{.min_length = 1}, Presence::kOptional)
            .says("Why there are no cells"),
        field("cells", &S::cells).says("By column, each once; a figure that the row does not have is left out")};
};

template <>
struct Fields<WhatIfInput> {
    using S = WhatIfInput;
    static constexpr std::string_view kName = "what_if_input";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1}).says("The file, or the preset"),
                   field("kind", &S::kind, TextCodec{.min_length = 1}).says("hints, trace, recording or dump"),
                   field("weight", &S::weight).says("What it counts for beside the other inputs"),
                   field("operations", &S::operations)
                       .says("Creations and destructions in it, with those that the device refuses"),
                   field("creations", &S::creations).says("Of them, creations"),
                   field("frames", &S::frames).says("Ends of frames among them")};
};

template <>
struct Fields<WhatIfPoint> {
    using S = WhatIfPoint;
    static constexpr std::string_view kName = "what_if_point";
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes).says("The setting's value"),
                   field("not_played", &S::not_played, TextCodec{.min_length = 1}, Presence::kOptional)
                       .says("Why there are no cells"),
                   field("cells", &S::cells).says("By column, each once")};
};

template <>
struct Fields<WhatIfCurve> {
    using S = WhatIfCurve;
    static constexpr std::string_view kName = "what_if_curve";
    static constexpr auto list =
        std::tuple{field("setting", &S::setting, TextCodec{.min_length = 1}).says("What was varied, such as chunk"),
                   field("of", &S::of, TextCodec{.min_length = 1}).says("The way to allocate whose setting it is"),
                   field("points", &S::points).says("By size, each once")};
};

template <>
struct Fields<WhatIf> {
    using S = WhatIf;
    static constexpr std::string_view kName = "what_if";
    static constexpr DocumentKind kKind = DocumentKind::kWhatIf;
    static constexpr std::string_view kPurpose =
        "What several ways to allocate would do to one program on one device; `heapwright what-if` writes it";
    static constexpr auto list = std::tuple{
        tool_field<S>(),
        sources_field<S>(),
        field("device", &S::device).says("Whose heaps, memory types and costs were played over"),
        field("inputs", &S::inputs).says("The program: what was played"),
        field("seeds", &S::seeds).says("Seeds that every simulated row played; 0: no input is drawn"),
        field("stretches", &S::stretches)
            .says("Stretches of a trace's frames that simulated differences are told by; 0: there are too "
                  "few, or there is no trace"),
        field("plays", &S::plays).says("Times that every row on the device's own memory was played; 0: there is none"),
        field("rows", &S::rows)
            .says("A row a way to allocate; the first is what the others are compared with. Rows on the "
                  "device's own memory are compared with the first of those"),
        field("curves", &S::curves).says("What a setting does, a point a size"),
        field("notes", &S::notes).says("What the input does not know, and what is assumed for it"),
        volatile_field(&S::run).says("What differs from run to run")};
};

}  // namespace heapwright::model::detail
