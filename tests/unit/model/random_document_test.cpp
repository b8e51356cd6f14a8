// Random documents, made by walking the same field tables: what is written reads back and is written the same again,
// and the schema's bounds hold for it.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "core/random.hpp"
#include "heapwright/model/json.hpp"
#include "model/claim_words.hpp"
#include "model/claims.hpp"
#include "model/detail/check.hpp"
#include "model/detail/fields_policy.hpp"
#include "model/detail/fields_validation.hpp"
#include "model/detail/write.hpp"

using namespace heapwright;
using namespace heapwright::model;
using namespace heapwright::model::detail;

namespace {

constexpr std::uint64_t kMaxItems = 4;

std::string random_text(Random& random, std::size_t min_length) {
    static constexpr std::array<std::string_view, 8> kPieces{"a", "Z", "\"", "\\", "\n", "\x01", "\xC3\xA9", "/~"};
    std::string text;
    for (std::uint64_t i = random.between(min_length, 6); i > 0; --i) text += kPieces[random.below(kPieces.size())];
    return text;
}

void fill(Random& random, const BoolCodec&, bool& value) {
    value = random.below(2) == 1;
}
void fill(Random& random, const RealCodec& codec, double& value) {
    value = codec.min + random.unit() * std::min(codec.max - codec.min, static_cast<double>(random.below(1000)));
}
void fill(Random& random, const SignedCodec&, std::int64_t& value) {
    value = static_cast<std::int64_t>(random.below(kMaxPlainInteger)) * (random.below(2) == 1 ? 1 : -1);
}
void fill(Random& random, const WideCodec& codec, std::uint64_t& value) {
    value = random.next() >> random.below(64);
    if (value < codec.min) value = codec.min;
}
void fill(Random& random, const TextCodec& codec, std::string& value) {
    value = random_text(random, codec.min_length);
}
void fill(Random& random, const PatternCodec& codec, std::string& value) {
    for (const std::string_view text :
         {"0123456789abcdef0123456789abcdef", "0123456789abcdef", "2026-11-21T14:00:00Z"}) {
        if (codec.matches(text)) value = text;
    }
    if (codec.matches("") && random.below(2) == 1) value.clear();
}
void fill(Random& random, const PromiseNameCodec&, PromiseName& name) {
    name = {.kind = static_cast<PromiseKind>(random.below(names_of<PromiseKind>().size()))};
    if (name.kind == PromiseKind::kPeakReservedBytes) name.heap = static_cast<std::uint32_t>(random.below(kMaxHeaps));
}
void fill(Random& random, const FlagsCodec&, Flags& value) {
    value = static_cast<Flags>(random.next() & random.next());
}
void fill(Random& random, const ToolCodec&, std::string& value) {
    value = random_text(random, 0);
}
void fill(Random& random, const FactsCodec& codec, std::vector<Fact>& facts) {
    for (std::uint64_t group = random.below(3); group > 0; --group) {
        for (std::uint64_t fact = random.between(1, 4); fact > 0; --fact) {
            const std::string suffix = std::to_string(fact);
            facts.push_back({.group = "Group" + std::to_string(group),
                             .name = random_text(random, 0) + suffix,
                             .value = codec.max == 1 ? random.below(2) : random.next() >> random.below(64)});
        }
    }
}
void fill(Random& random, const RunsCodec&, std::vector<std::uint16_t>& values) {
    for (std::uint64_t i = random.below(100); i > 0; --i) {
        values.push_back(static_cast<std::uint16_t>(random.below(3) * 32767));
    }
}
void fill(Random& random, const FigureCodec&, Figure& figure) {
    const auto whole = random.next() >> random.below(64);
    const double real = random.unit() * 1e9;
    switch (static_cast<Unit>(random.below(6))) {
        case Unit::kText: figure = random_text(random, 0); break;
        case Unit::kCount: figure = random.below(2) == 0 ? count(whole) : number(real); break;
        case Unit::kBytes: figure = bytes(whole); break;
        case Unit::kNanoseconds: figure = nanoseconds(real); break;
        case Unit::kShare: figure = share(random.below(2) == 0 ? real : -real); break;
        case Unit::kBytesPerSecond: figure = bytes_per_second(real); break;
    }
}
void fill(Random& random, const StatementCodec&, Statement& statement) {
    for (std::uint64_t i = random.below(4); i > 0; --i) {
        const auto words = words_of_claims();
        const std::size_t id = random.below(words.size() + 1);  // kText among them
        const auto slots = id == 0 ? 1 : std::ranges::count(words[id - 1], '{');
        std::vector<Figure> figures(static_cast<std::size_t>(slots));
        for (Figure& figure : figures) fill(random, FigureCodec{}, figure);
        if (id == 0) figures.front() = random_text(random, 0);
        statement.push_back(ClaimMaker::make(static_cast<ClaimId>(id), std::move(figures)));
    }
}
template <std::unsigned_integral T>
void fill(Random& random, const UintCodec& codec, T& value) {
    value = static_cast<T>(random.between(codec.min, codec.max));
}
template <std::unsigned_integral T>
void fill(Random& random, const PowerOfTwoCodec& codec, T& value) {
    value = static_cast<T>(1ull << random.below(static_cast<std::uint64_t>(std::bit_width(codec.max))));
}
template <class E>
void fill(Random& random, const NameCodec<E>&, E& value) {
    value = static_cast<E>(random.below(names_of<E>().size()));
}
template <class T>
void fill(Random& random, const RecordCodec<T>&, T& value);
template <class C, class T>
void fill(Random& random, const DecidedCodec<C>& codec, Decided<T>& value);
template <class C, std::size_t N, class T>
void fill(Random& random, const TupleCodec<C, N>& codec, std::array<T, N>& values) {
    for (T& value : values) fill(random, codec.item, value);
}
template <class C, class T>
void fill(Random& random, const ItemsCodec<C>& codec, std::vector<T>& values) {
    const std::uint64_t most = kIsShort<C> ? 60 : kMaxItems;
    values.resize(random.between(codec.min_items, std::min<std::uint64_t>(codec.max_items, most)));
    for (T& value : values) fill(random, codec.item, value);
}
template <class C, class T>
void fill(Random& random, const DecidedCodec<C>& codec, Decided<T>& value) {
    fill(random, codec.value, value.value);
    fill(random, StatementCodec{}, value.why.reason);
    fill(random, ItemsCodec<RecordCodec<DecisionInput>>{}, value.why.inputs);
    fill(random, ItemsCodec<RecordCodec<Alternative>>{}, value.why.alternatives);
}
template <class F, class M>
void fill_field(Random& random, const F& entry, M& member) {
    if constexpr (IsOptional<M>::value) {
        if (random.below(2) == 1) fill(random, entry.codec, member.emplace());
    } else {
        fill(random, entry.codec, member);
    }
}
template <class T>
void fill(Random& random, const RecordCodec<T>&, T& value) {
    std::apply([&](const auto&... entry) { (fill_field(random, entry, std::invoke(entry.member, value)), ...); },
               Fields<T>::list);
}

template <class T>
void round_trips(std::uint64_t seed) {
    Random random(seed);
    T document;
    fill(random, RecordCodec<T>{}, document);
    const std::string text = write(document);
    const auto back = read_shape<T>(text, "random");
    INFO("seed " << seed << ", " << Fields<T>::kName);
    if (!back) FAIL(to_string(back.error()));
    REQUIRE(write(*back) == text);
}

}  // namespace

TEST_CASE("Random documents round-trip byte for byte") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        round_trips<Report>(seed);
        round_trips<Workload>(seed);
        round_trips<Policy>(seed);
        round_trips<Validation>(seed);
    }
}
