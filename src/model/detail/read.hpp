// Text to values, by walking Fields<T>: every key known and present, every type and range as the codec says. Stops at
// the first fault, whose place it names as a JSON pointer.
#pragma once

#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <variant>

#include "core/text.hpp"
#include "model/detail/check.hpp"
#include "model/detail/codec.hpp"
#include "model/detail/document_id.hpp"
#include "model/detail/json_tape.hpp"
#include "model/format_word.hpp"
#include "model/names.hpp"

namespace heapwright::model::detail {

class ReadContext {
public:
    ReadContext(const JsonTape& tape, std::string_view source)
        : tape_(tape), source_(source), spare_bytes_(tape.spare_bytes()) {}

    [[nodiscard]] const JsonTape& tape() const { return tape_; }
    [[nodiscard]] const Node& node(std::uint32_t index) const { return tape_.node(index); }

    void enter(std::string_view key) { path_.emplace_back(key); }
    void enter(std::size_t index) { path_.emplace_back(index); }
    void leave() { path_.pop_back(); }

    // Always false, so that a reader can return it.
    bool fail(std::string message, std::optional<std::uint64_t> value = {}, std::optional<std::uint64_t> limit = {},
              ErrorCode code = ErrorCode::kSchemaViolation);
    bool wrong_type(const Node& node, std::string_view expected);

    // Before `count` values of `bytes_each` are stored: a document may take memory by its size alone.
    bool charge(std::uint64_t count, std::uint64_t bytes_each);

    [[nodiscard]] Error take_error() { return std::move(*error_); }

private:
    const JsonTape& tape_;
    std::string_view source_;
    std::uint64_t spare_bytes_;
    std::vector<std::variant<std::string_view, std::size_t>> path_;
    std::optional<Error> error_;
};

// "SOURCE: POINTER", or the source alone at the root.
[[nodiscard]] std::string place(std::string_view source, std::string_view pointer);

// An integer in [min, max].
bool read_integer(ReadContext& context, const Node& node, std::uint64_t min, std::uint64_t max, std::uint64_t& value);
bool read_wide(ReadContext& context, const Node& node, std::uint64_t min, std::uint64_t max, std::uint64_t& value);
bool read_flags(ReadContext& context, std::uint32_t index, std::span<const FlagName> names, Flags& flags);
// What a text that is no name is answered with ("; the nearest is ...").
template <class E>
[[nodiscard]] std::string nearest_hint(std::string_view text, std::span<const std::string_view> names) {
    if constexpr (std::same_as<E, Format>) return nearest_format_hint(text);
    return nearest_word_hint(text, names);
}

using NearestHint = std::string (*)(std::string_view text, std::span<const std::string_view> names);
bool read_name(ReadContext& context, const Node& node, std::span<const std::string_view> names, NearestHint nearest,
               std::size_t& position);
bool read_object_start(ReadContext& context, std::uint32_t index);
// The node under `key` in the object at `index`; looks first at `hint`, where a document in our own order has it.
std::optional<std::uint32_t> find_key(const JsonTape& tape, std::uint32_t object, std::string_view key,
                                      std::uint32_t hint);
// Of the document whose object is at `index`: the whole text, or a member of it.
bool check_document_id(ReadContext& context, std::uint32_t index, DocumentKind expected);

bool read_value(ReadContext& context, const BoolCodec&, std::uint32_t index, bool& value);
bool read_value(ReadContext& context, const PowerOfTwoCodec& codec, std::uint32_t index, std::uint64_t& value);
bool read_value(ReadContext& context, const PowerOfTwoCodec& codec, std::uint32_t index, std::uint32_t& value);
bool read_value(ReadContext& context, const WideCodec& codec, std::uint32_t index, std::uint64_t& value);
bool read_value(ReadContext& context, const SignedCodec&, std::uint32_t index, std::int64_t& value);
bool read_value(ReadContext& context, const RealCodec& codec, std::uint32_t index, double& value);
bool read_value(ReadContext& context, const TextCodec& codec, std::uint32_t index, std::string& value);
bool read_value(ReadContext& context, const PatternCodec& codec, std::uint32_t index, std::string& value);
bool read_value(ReadContext& context, const PromiseNameCodec&, std::uint32_t index, PromiseName& name);
bool read_value(ReadContext& context, const FlagsCodec& codec, std::uint32_t index, Flags& value);
bool read_value(ReadContext& context, const FactsCodec& codec, std::uint32_t index, std::vector<Fact>& facts);
bool read_value(ReadContext& context, const RunsCodec&, std::uint32_t index, std::vector<std::uint16_t>& values);
bool read_value(ReadContext& context, const ToolCodec&, std::uint32_t index, std::string& version);
bool read_value(ReadContext& context, const FigureCodec&, std::uint32_t index, Figure& figure);
bool read_value(ReadContext& context, const StatementCodec&, std::uint32_t index, Statement& statement);

template <class T>
bool read_record(ReadContext& context, std::uint32_t index, T& value);

template <std::unsigned_integral T>
bool read_value(ReadContext& context, const UintCodec& codec, std::uint32_t index, T& value) {
    std::uint64_t wide = 0;
    if (!read_integer(context, context.node(index), codec.min, codec.max, wide)) return false;
    value = static_cast<T>(wide);
    return true;
}

template <class E>
bool read_value(ReadContext& context, const NameCodec<E>&, std::uint32_t index, E& value) {
    std::size_t position = 0;
    if (!read_name(context, context.node(index), names_of<E>(), nearest_hint<E>, position)) return false;
    value = static_cast<E>(position);
    return true;
}

template <class T>
bool read_value(ReadContext& context, const RecordCodec<T>&, std::uint32_t index, T& value) {
    return read_record(context, index, value);
}

template <class C, std::size_t N, class T>
bool read_value(ReadContext& context, const TupleCodec<C, N>& codec, std::uint32_t index, std::array<T, N>& values) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kArray) return context.wrong_type(node, "an array");
    if (node.child_count != N) return context.fail("array has another length", node.child_count, N);
    std::uint32_t child = index + 1;
    for (std::size_t i = 0; i < N; ++i, child = context.node(child).next) {
        context.enter(i);
        if (!read_value(context, codec.item, child, values[i])) return false;
        context.leave();
    }
    return true;
}

template <class C, class T>
bool read_value(ReadContext& context, const ItemsCodec<C>& codec, std::uint32_t index, std::vector<T>& values) {
    const Node& node = context.node(index);
    if (node.kind != NodeKind::kArray) return context.wrong_type(node, "an array");
    if (node.child_count < codec.min_items) return context.fail("too few items", node.child_count, codec.min_items);
    if (node.child_count > codec.max_items) return context.fail("too many items", node.child_count, codec.max_items);
    if (!context.charge(node.child_count, sizeof(T))) return false;
    values.clear();
    values.reserve(node.child_count);
    std::uint32_t child = index + 1;
    for (std::size_t i = 0; i < node.child_count; ++i, child = context.node(child).next) {
        context.enter(i);
        if (!read_value(context, codec.item, child, values.emplace_back())) return false;
        context.leave();
    }
    return true;
}

// Finds the keys of one object, counts those that were asked for, and names one that nobody asked for.
class KeyReader {
public:
    KeyReader(ReadContext& context, std::uint32_t object) : context_(context), object_(object), hint_(object + 1) {}

    // Reads `key` with `read`, a callable (node index) -> bool.
    template <class Read>
    bool read(std::string_view key, Presence presence, Read&& read) {
        const auto index = find_key(context_.tape(), object_, key, hint_);
        if (!index) return presence != Presence::kRequired || missing(key);
        ++known_;
        hint_ = context_.node(*index).next;
        context_.enter(key);
        if (!read(*index)) return false;
        context_.leave();
        return true;
    }

    bool finish(std::span<const std::string_view> keys);

private:
    bool missing(std::string_view key);

    ReadContext& context_;
    std::uint32_t object_;
    std::uint32_t hint_;
    std::uint64_t known_ = 0;
};

inline constexpr std::array<std::string_view, 4> kDecidedKeys{"value", "reason", "inputs", "alternatives"};

template <class C, class T>
bool read_value(ReadContext& context, const DecidedCodec<C>& codec, std::uint32_t index, Decided<T>& decided) {
    if (!read_object_start(context, index)) return false;
    KeyReader keys(context, index);
    const auto with = [&](auto item_codec, auto& target) {
        return [&context, item_codec, &target](std::uint32_t child) {
            return read_value(context, item_codec, child, target);
        };
    };
    constexpr Presence kRequired = Presence::kRequired;
    return keys.read("value", kRequired, with(codec.value, decided.value)) &&
           keys.read("reason", kRequired, with(StatementCodec{}, decided.why.reason)) &&
           keys.read("inputs", kRequired, with(ItemsCodec<RecordCodec<DecisionInput>>{}, decided.why.inputs)) &&
           keys.read("alternatives", kRequired,
                     with(ItemsCodec<RecordCodec<Alternative>>{}, decided.why.alternatives)) &&
           keys.finish(kDecidedKeys);
}

template <class F, class M>
bool read_field(ReadContext& context, KeyReader& keys, const F& entry, M& member) {
    return keys.read(entry.key, entry.presence, [&](std::uint32_t index) {
        if constexpr (IsOptional<M>::value) {
            return read_value(context, entry.codec, index, member.emplace());
        } else {
            if (!read_value(context, entry.codec, index, member)) return false;
            if constexpr (requires { member.empty(); } && !std::same_as<M, Statement>) {
                if (entry.presence == Presence::kOptional && member.empty()) {
                    return context.fail("empty; leave the key out instead");
                }
            }
            return true;
        }
    });
}

template <class T>
inline constexpr auto kKeys = std::apply(
    [](const auto&... entry) {
        if constexpr (kIsDocument<T>) {
            return std::array<std::string_view, sizeof...(entry) + 2>{entry.key..., "$schema", "schema_version"};
        } else {
            return std::array<std::string_view, sizeof...(entry)>{entry.key...};
        }
    },
    Fields<T>::list);

template <class T>
bool read_record(ReadContext& context, std::uint32_t index, T& value) {
    if (!read_object_start(context, index)) return false;
    KeyReader keys(context, index);
    if constexpr (kIsDocument<T>) {
        if (!check_document_id(context, index, Fields<T>::kKind)) return false;
        const auto accept = [](std::uint32_t) { return true; };
        if (!keys.read("$schema", Presence::kRequired, accept)) return false;
        if (!keys.read("schema_version", Presence::kRequired, accept)) return false;
    }
    const bool complete = std::apply(
        [&](const auto&... entry) {
            return (read_field(context, keys, entry, std::invoke(entry.member, value)) && ...);
        },
        Fields<T>::list);
    return complete && keys.finish(kKeys<T>);
}

template <class T>
Result<T> read_shape(std::string_view text, std::string_view source) {
    HEAPWRIGHT_ASSIGN(const JsonTape tape, JsonTape::parse(text, source, std::same_as<T, Workload>));
    ReadContext context(tape, source);
    T document;
    if (!read_record(context, 0, document)) return heapwright::fail(context.take_error());
    return document;
}

}  // namespace heapwright::model::detail
