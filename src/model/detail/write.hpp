// Values to text, by walking Fields<T>.
#pragma once

#include <fmt/format.h>

#include <functional>

#include "model/detail/codec.hpp"
#include "model/detail/document_id.hpp"
#include "model/detail/text_writer.hpp"
#include "model/names.hpp"

namespace heapwright::model::detail {

struct WriteContext {
    TextWriter text;
    bool with_volatile = true;
    bool with_reasons = true;         // without, a decision is its value
    std::size_t grid_row_length = 0;  // of the sweep that is being written; a table has one grid row a line
};

void write_flags(TextWriter& text, Flags flags, std::span<const FlagName> names);
void write_facts(TextWriter& text, const std::vector<Fact>& facts);
void write_runs(TextWriter& text, const std::vector<std::uint16_t>& values);
void write_wide(TextWriter& text, std::uint64_t value);

template <class T>
void write_record(WriteContext& context, const T& value);

inline void write_value(WriteContext& context, const BoolCodec&, bool value) {
    context.text.boolean(value);
}
inline void write_value(WriteContext& context, const UintCodec&, std::uint64_t value) {
    context.text.number(value);
}
inline void write_value(WriteContext& context, const PowerOfTwoCodec&, std::uint64_t value) {
    context.text.number(value);
}
inline void write_value(WriteContext& context, const WideCodec&, std::uint64_t value) {
    write_wide(context.text, value);
}
inline void write_value(WriteContext& context, const SignedCodec&, std::int64_t value) {
    context.text.signed_number(value);
}
inline void write_value(WriteContext& context, const RealCodec&, double value) {
    context.text.real(value);
}
inline void write_value(WriteContext& context, const TextCodec&, const std::string& value) {
    context.text.string(value);
}
inline void write_value(WriteContext& context, const PatternCodec&, const std::string& value) {
    context.text.string(value);
}
inline void write_value(WriteContext& context, const PromiseNameCodec&, const PromiseName& name) {
    context.text.string(text_of(name));
}
inline void write_value(WriteContext& context, const FlagsCodec& codec, Flags value) {
    write_flags(context.text, value, codec.names());
}
inline void write_value(WriteContext& context, const FactsCodec&, const std::vector<Fact>& value) {
    write_facts(context.text, value);
}
inline void write_value(WriteContext& context, const RunsCodec&, const std::vector<std::uint16_t>& value) {
    write_runs(context.text, value);
}
void write_value(WriteContext& context, const ToolCodec& codec, const std::string& version);
void write_value(WriteContext& context, const FigureCodec& codec, const Figure& figure);
void write_value(WriteContext& context, const StatementCodec& codec, const Statement& statement);

template <class E>
void write_value(WriteContext& context, const NameCodec<E>&, E value) {
    context.text.string(name_of(value));
}

template <class T>
void write_value(WriteContext& context, const RecordCodec<T>&, const T& value) {
    write_record(context, value);
}

template <class C>
inline constexpr bool kIsShort = false;
template <>
inline constexpr bool kIsShort<UintCodec> = true;
template <>
inline constexpr bool kIsShort<WideCodec> = true;
template <>
inline constexpr bool kIsShort<PowerOfTwoCodec> = true;
template <class E>
inline constexpr bool kIsShort<NameCodec<E>> = true;
template <class C, std::size_t N>
inline constexpr bool kIsShort<TupleCodec<C, N>> = true;

template <class C, std::size_t N, class T>
void write_value(WriteContext& context, const TupleCodec<C, N>& codec, const std::array<T, N>& values) {
    context.text.begin_array(true);
    for (const T& value : values) write_value(context, codec.item, value);
    context.text.end_array();
}

template <class C, class T>
void write_value(WriteContext& context, const ItemsCodec<C>& codec, const std::vector<T>& values) {
    if constexpr (kIsShort<C>) {
        context.text.begin_rows(std::same_as<C, WideCodec> ? context.grid_row_length : 0);
    } else {
        context.text.begin_array();
    }
    for (const T& value : values) write_value(context, codec.item, value);
    if constexpr (kIsShort<C>) {
        context.text.end_rows();
    } else {
        context.text.end_array();
    }
}

template <class C, class T>
void write_value(WriteContext& context, const DecidedCodec<C>& codec, const Decided<T>& decided) {
    context.text.begin_object();
    context.text.key("value");
    write_value(context, codec.value, decided.value);
    if (context.with_reasons) {
        context.text.key("reason");
        write_value(context, StatementCodec{}, decided.why.reason);
        context.text.key("inputs");
        write_value(context, ItemsCodec<RecordCodec<DecisionInput>>{}, decided.why.inputs);
        context.text.key("alternatives");
        write_value(context, ItemsCodec<RecordCodec<Alternative>>{}, decided.why.alternatives);
    }
    context.text.end_object();
}

template <class F, class M>
void write_field(WriteContext& context, const F& entry, const M& member) {
    if (entry.is_volatile && !context.with_volatile) return;
    if constexpr (IsOptional<M>::value) {
        if (!member) return;
        context.text.key(entry.key);
        write_value(context, entry.codec, *member);
    } else {
        if constexpr (requires { member.empty(); }) {
            if (entry.presence == Presence::kOptional && member.empty()) return;
        }
        if constexpr (std::is_arithmetic_v<M> || std::is_enum_v<M>) {
            if (entry.presence == Presence::kOptional && member == M{}) return;
        }
        context.text.key(entry.key);
        write_value(context, entry.codec, member);
    }
}

template <class T>
void write_record(WriteContext& context, const T& value) {
    context.text.begin_object(kIsInline<T>);
    if constexpr (kIsDocument<T>) {
        context.text.key("$schema");
        context.text.string(document_id(Fields<T>::kKind));
        context.text.key("schema_version");
        context.text.number(schema_version(Fields<T>::kKind));
    }
    if constexpr (std::same_as<T, ImageSweep>) context.grid_row_length = value.grid.heights.size();
    std::apply([&](const auto&... entry) { (write_field(context, entry, std::invoke(entry.member, value)), ...); },
               Fields<T>::list);
    if constexpr (std::same_as<T, ImageSweep>) context.grid_row_length = 0;
    context.text.end_object();
}

template <class T>
std::string write_document(const T& document, bool with_volatile, bool with_reasons = true) {
    WriteContext context{.text = {}, .with_volatile = with_volatile, .with_reasons = with_reasons};
    write_record(context, document);
    return context.text.take();
}

}  // namespace heapwright::model::detail
