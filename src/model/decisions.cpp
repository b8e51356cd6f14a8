#include "model/decisions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "heapwright/model/claim_text.hpp"
#include "model/detail/fields_policy.hpp"
#include "model/detail/write.hpp"

namespace heapwright::model {
namespace {

std::string words_of(std::string_view key) {
    for (const std::string_view unit : {"_bytes", "_ns"}) {
        if (key.ends_with(unit)) key.remove_suffix(unit.size());
    }
    std::string words(key);
    std::ranges::replace(words, '_', ' ');
    return words;
}

template <class T>
Figure figure_of(std::string_view key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return std::string(name_of(value));
    } else if constexpr (std::same_as<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::same_as<T, std::string>) {
        return value;
    } else if constexpr (detail::IsVector<T>::value) {
        return value.empty() ? std::string("none") : fmt::format("{}", fmt::join(value, ", "));
    } else if constexpr (std::same_as<T, double>) {
        const Unit unit = detail::unit_of(key);
        return unit == Unit::kCount ? number(value) : Figure(unit, value);
    } else if (detail::unit_of(key) == Unit::kNanoseconds) {
        return nanoseconds(static_cast<double>(value));
    } else {
        return {detail::unit_of(key), std::uint64_t{value}};
    }
}

struct DecisionPlace {
    std::string path;
    std::string pattern;
    std::string name;
    std::string label;
};

class DecisionWalk {
public:
    template <class T>
    void record(const DecisionPlace& place, const T& value) {
        std::apply([&](const auto&... entry) { (field(place, entry, std::invoke(entry.member, value)), ...); },
                   detail::Fields<T>::list);
    }
    [[nodiscard]] std::vector<ListedDecision> take() { return std::move(found_); }

private:
    template <class F, class M>
    void field(const DecisionPlace& outer, const F& entry, const M& member) {
        const DecisionPlace here{.path = fmt::format("{}/{}", outer.path, entry.key),
                                 .pattern = fmt::format("{}/{}", outer.pattern, entry.key),
                                 .name = outer.name + words_of(entry.key),
                                 .label = outer.label};
        if constexpr (detail::IsOptional<M>::value) {
            if (member) visit(here, entry, entry.codec, *member);
        } else {
            visit(here, entry, entry.codec, member);
        }
    }

    template <class F, class C, class T>
    void visit(const DecisionPlace&, const F&, const C&, const T&) {}  // no decision, and holds none

    template <class F, class C, class T>
    void visit(const DecisionPlace& here, const F& entry, const detail::DecidedCodec<C>& codec,
               const Decided<T>& decided) {
        detail::WriteContext context;
        detail::write_value(context, codec.value, decided.value);
        std::string text = context.text.take();
        while (!text.empty() && text.back() == '\n') text.pop_back();
        found_.push_back({.path = here.path,
                          .pattern = here.pattern,
                          .name = here.name,
                          .label = here.label,
                          .value = std::move(text),
                          .figure = figure_of(entry.key, decided.value),
                          .why = &decided.why});
    }

    template <class F, class T>
    void visit(const DecisionPlace& here, const F&, const detail::RecordCodec<T>&, const T& value) {
        DecisionPlace inner = here;
        inner.name += ' ';
        record(inner, value);
    }

    // A record of a list is called by its first member: heap 0, bucket optimal/65536/0.
    template <class F, class R, class T>
    void visit(const DecisionPlace& here, const F& entry, const detail::ItemsCodec<detail::RecordCodec<R>>&,
               const std::vector<T>& values) {
        std::string kind = words_of(entry.key);
        if (kind.ends_with('s')) kind.pop_back();
        for (std::size_t index = 0; index < values.size(); ++index) {
            const auto& first = std::invoke(std::get<0>(detail::Fields<T>::list).member, values[index]);
            DecisionPlace inner = here;
            inner.path += fmt::format("/{}", index);
            inner.pattern += "/*";
            if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(first)>>)
                inner.label = name_of(first);
            else if constexpr (std::same_as<std::remove_cvref_t<decltype(first)>, std::string>)
                inner.label = first;
            inner.name = fmt::format("{} {}: ", kind, text_of(figure_of("", first)));
            record(inner, values[index]);
        }
    }

    std::vector<ListedDecision> found_;
};

}  // namespace

std::vector<ListedDecision> list_decisions(const DevicePolicy& policy) {
    DecisionWalk walk;
    walk.record({}, policy);
    return walk.take();
}

}  // namespace heapwright::model
