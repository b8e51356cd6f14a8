// How one value stands in a document: a codec says its JSON type and its bounds, a Field binds a key to a member and a
// codec, and Fields<T> lists the fields of a struct in document order. The writer (write.hpp), the reader (read.hpp)
// and the schema (schema.hpp) all walk Fields<T>, so that they cannot disagree.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "heapwright/model/flags.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::model::detail {

// The largest integer that every JSON reader holds exactly (a double has 53 bits). Larger 64-bit values, such as a
// limit of 0xffffffffffffffff, stand in documents as a string of 16 hexadecimal digits.
inline constexpr std::uint64_t kMaxPlainInteger = (1ull << 53) - 1;
inline constexpr std::uint64_t kMaxAlignment = 1ull << 40;

// Bounds of run-length encoded indices. The total keeps a short text from asking for much memory.
inline constexpr std::uint64_t kMaxRunValue = 65'535;
inline constexpr std::uint64_t kMaxRunLength = 65'536;
inline constexpr std::uint64_t kMaxRunTotal = 1ull << 20;

// --- codecs -------------------------------------------------------------------------------------------------------

struct BoolCodec {};

// An integer of at most 32 bits.
struct UintCodec {
    std::uint64_t min = 0;
    std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
};

// 64 bits: a number up to kMaxPlainInteger, "0x" and 16 digits above.
struct WideCodec {
    std::uint64_t min = 0;
};

struct PowerOfTwoCodec {
    std::uint64_t max = kMaxAlignment;
};

struct SignedCodec {};

struct RealCodec {
    double min = 0;
    double max = std::numeric_limits<double>::max();
};

struct TextCodec {
    std::size_t min_length = 0;
};

// A text of a fixed form; empty is allowed and means unknown.
struct PatternCodec {
    std::string_view pattern;  // of the schema
    bool (*matches)(std::string_view);
    std::string_view form;  // of the message
};

// The names of E, in the order of its values.
template <class E>
struct NameCodec {};

struct FlagsCodec {
    std::string_view definition;  // name in the schema
    std::span<const FlagName> (*names)();
};

// PromiseName as a text: the kind's name, and of a heap's also "/" and the heap.
struct PromiseNameCodec {};

template <class C>
struct ItemsCodec {
    C item{};
    std::size_t min_items = 0;
    std::size_t max_items = std::numeric_limits<std::size_t>::max();
};

template <class C, std::size_t N>
struct TupleCodec {
    C item{};
};

template <class T>
struct RecordCodec {};

template <class C>
struct DecidedCodec {
    C value{};
};

// Facts as { group: { name: value } }, both in their own order.
struct FactsCodec {
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

// Small integers as runs: [[value, count], ...].
struct RunsCodec {};

struct ToolCodec {};

// A text as a string, a number as a number (kMaxPlainInteger at most), others by their unit: {"bytes": 65536}.
struct FigureCodec {};

struct FigureUnit {
    Unit unit;
    std::string_view key;
};
inline constexpr std::array<FigureUnit, 5> kFigureUnits{{{Unit::kCount, "count"},
                                                         {Unit::kBytes, "bytes"},
                                                         {Unit::kNanoseconds, "nanoseconds"},
                                                         {Unit::kShare, "share"},
                                                         {Unit::kBytesPerSecond, "bytes_per_second"}}};
inline constexpr RealCodec kAnyReal{.min = std::numeric_limits<double>::lowest()};  // a gain may be a loss
inline constexpr std::array<std::string_view, 3> kClaimKeys{"id", "text", "figures"};

// Claims as [{"id", "text", "figures"}]; "text" is for people, and is read where no claim has this id and as many
// figures. A string is read as well: what stood here before there were claims.
struct StatementCodec {};

// The unit of a member's number, which is the end of its name.
constexpr Unit unit_of(std::string_view key) {
    if (key.ends_with("bytes")) return Unit::kBytes;
    if (key.ends_with("_ns")) return Unit::kNanoseconds;
    if (key.ends_with("share") || key.ends_with("waste")) return Unit::kShare;
    return Unit::kCount;
}

// --- fields -------------------------------------------------------------------------------------------------------

enum class Presence : std::uint8_t {
    kRequired,
    kOptional,   // written unless empty; never written, nor accepted, as an empty value
    kDefaulted,  // always written; a document that leaves it out has the default (documents written by hand)
};

template <class T>
struct Unwrapped {
    using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
    using Type = T;
};

template <class Projection, class C>
struct Field {
    std::string_view key;
    Projection member;
    C codec;
    Presence presence = Presence::kRequired;
    bool is_volatile = false;
    std::string_view description{};  // of the schema

    [[nodiscard]] constexpr Field says(std::string_view text) const {
        Field described = *this;
        described.description = text;
        return described;
    }
};

// Specialised for every struct: kName, optionally kInline (one line a record), and list. Of a document also kKind and
// kPurpose, a sentence of the schema.
template <class T>
struct Fields;

template <class T>
inline constexpr bool kIsInline = requires {
    Fields<T>::kInline;
};
// Members that may be left out have the struct's own values; the schema then states them.
template <class T>
inline constexpr bool kStatesDefaults = requires {
    Fields<T>::kStatesDefaults;
};
template <class T>
inline constexpr bool kIsDocument = requires {
    Fields<T>::kKind;
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsDecided : std::false_type {};
template <class T>
struct IsDecided<Decided<T>> : std::true_type {};

template <class T>
constexpr auto default_codec() {
    if constexpr (std::same_as<T, bool>) {
        return BoolCodec{};
    } else if constexpr (std::same_as<T, std::uint64_t>) {
        return WideCodec{};
    } else if constexpr (std::unsigned_integral<T>) {
        return UintCodec{.max = std::numeric_limits<T>::max()};
    } else if constexpr (std::signed_integral<T>) {
        return SignedCodec{};
    } else if constexpr (std::same_as<T, double>) {
        return RealCodec{};
    } else if constexpr (std::same_as<T, std::string>) {
        return TextCodec{};
    } else if constexpr (std::same_as<T, Figure>) {
        return FigureCodec{};
    } else if constexpr (std::same_as<T, Statement>) {
        return StatementCodec{};
    } else if constexpr (std::is_enum_v<T>) {
        return NameCodec<T>{};
    } else if constexpr (IsOptional<T>::value) {
        return default_codec<typename T::value_type>();
    } else if constexpr (IsVector<T>::value) {
        return ItemsCodec<decltype(default_codec<typename T::value_type>())>{
            .item = default_codec<typename T::value_type>()};
    } else if constexpr (IsArray<T>::value) {
        return TupleCodec<decltype(default_codec<typename T::value_type>()), std::tuple_size_v<T>>{
            .item = default_codec<typename T::value_type>()};
    } else if constexpr (IsDecided<T>::value) {
        return DecidedCodec<decltype(default_codec<decltype(T::value)>())>{.value =
                                                                               default_codec<decltype(T::value)>()};
    } else {
        return RecordCodec<T>{};
    }
}

template <class M>
constexpr Presence default_presence() {
    return IsOptional<M>::value ? Presence::kOptional : Presence::kRequired;
}

template <class S, class M>
constexpr auto field(std::string_view key, M S::*member) {
    return Field<M S::*, decltype(default_codec<M>())>{key, member, default_codec<M>(), default_presence<M>()};
}

template <class S, class M, class C>
requires(!std::same_as<C, Presence>) constexpr auto field(std::string_view key, M S::*member, C codec) {
    return Field<M S::*, C>{key, member, codec, default_presence<M>()};
}

template <class S, class M, class C>
constexpr auto field(std::string_view key, M S::*member, C codec, Presence presence) {
    return Field<M S::*, C>{key, member, codec, presence};
}

template <class S, class M>
constexpr auto field(std::string_view key, M S::*member, Presence presence) {
    return Field<M S::*, decltype(default_codec<M>())>{key, member, default_codec<M>(), presence};
}

// The section named "volatile".
template <class S, class M>
constexpr auto volatile_field(M S::*member) {
    return Field<M S::*, decltype(default_codec<M>())>{"volatile", member, default_codec<M>(), Presence::kRequired,
                                                       true};
}

// Whether Fields<T> lists every member of the plain struct T, in the order of its members: T can be made of as many
// values as there are rows, and not of one more.
template <class T, class... Members>
constexpr bool is_made_of(std::type_identity<std::tuple<Members...>>) {
    return requires {
        T{Members{}...};
    }
    &&!requires {
        T{Members{}..., {}};
    };
}
template <class T>
inline constexpr bool kHasRowForEveryMember = [] {
    const auto members = []<class... Row>(const std::tuple<Row...>&) {
        return std::type_identity<
            std::tuple<std::remove_cvref_t<std::invoke_result_t<decltype(Row::member), T&>>...>>{};
    };
    return is_made_of<T>(decltype(members(Fields<T>::list)){});
}();

}  // namespace heapwright::model::detail
