#include "model/printable.hpp"

#include <functional>
#include <utility>

#include "core/text.hpp"
#include "model/claim_words.hpp"
#include "model/detail/fields_comparison.hpp"
#include "model/detail/fields_policy.hpp"
#include "model/detail/fields_report.hpp"
#include "model/detail/fields_validation.hpp"
#include "model/detail/fields_what_if.hpp"

namespace heapwright::model {
namespace {

template <class T>
concept HasFields = requires {
    detail::Fields<T>::list;
};

void make_printable(std::string& text) {
    text = heapwright::printable(text);
}

void make_printable(Fact& fact) {
    make_printable(fact.group);
    make_printable(fact.name);
}

void make_printable(Figure& figure) {
    if (auto* text = std::get_if<std::string>(&figure.value)) make_printable(*text);
}
void make_printable(Statement& statement) {
    std::vector<Claim> claims = statement.claims();
    for (Claim& claim : claims) {
        for (Figure& figure : ClaimParts::figures(claim)) make_printable(figure);
    }
    statement = Statement(std::move(claims));
}

template <class T>
void make_printable(T& value) {
    if constexpr (detail::IsOptional<T>::value) {
        if (value) make_printable(*value);
    } else if constexpr (detail::IsVector<T>::value || detail::IsArray<T>::value) {
        if constexpr (!std::is_arithmetic_v<typename T::value_type> && !std::is_enum_v<typename T::value_type>) {
            for (auto& item : value) make_printable(item);
        }
    } else if constexpr (detail::IsDecided<T>::value) {
        make_printable(value.value);
        make_printable(value.why.reason);
        make_printable(value.why.inputs);
        make_printable(value.why.alternatives);
    } else if constexpr (HasFields<T>) {
        std::apply([&](const auto&... entry) { (make_printable(std::invoke(entry.member, value)), ...); },
                   detail::Fields<T>::list);
    } else {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, PromiseName>,
                      "a member of a document whose texts nobody sees");
    }
}

template <class T>
T made_printable(T document) {
    make_printable(document);
    return document;
}

}  // namespace

DeviceIdentity printable(DeviceIdentity identity) {
    return made_printable(std::move(identity));
}
ProbeFailure printable(ProbeFailure failure) {
    return made_printable(std::move(failure));
}
Report printable(Report report) {
    return made_printable(std::move(report));
}
Policy printable(Policy policy) {
    return made_printable(std::move(policy));
}
Validation printable(Validation validation) {
    return made_printable(std::move(validation));
}
Comparison printable(Comparison comparison) {
    return made_printable(std::move(comparison));
}
WhatIf printable(WhatIf what_if) {
    return made_printable(std::move(what_if));
}

}  // namespace heapwright::model
