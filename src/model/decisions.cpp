#include "heapwright/model/decisions.hpp"

#include <fmt/format.h>

#include <functional>
#include <tuple>
#include <utility>

#include "heapwright/model/detail/fields_policy.hpp"
#include "heapwright/model/detail/write.hpp"

namespace heapwright::model {
namespace {

class DecisionWalk {
public:
    template <class T>
    void record(const std::string& path, const T& value) {
        std::apply([&](const auto&... entry) { (field(path, entry, std::invoke(entry.member, value)), ...); },
                   detail::Fields<T>::list);
    }
    [[nodiscard]] std::vector<ListedDecision> take() { return std::move(found_); }

private:
    template <class F, class M>
    void field(const std::string& path, const F& entry, const M& member) {
        const std::string here = fmt::format("{}/{}", path, entry.key);
        if constexpr (detail::IsOptional<M>::value) {
            if (member) visit(here, entry.codec, *member);
        } else {
            visit(here, entry.codec, member);
        }
    }

    template <class C, class T>
    void visit(const std::string&, const C&, const T&) {}  // no decision, and holds none

    template <class C, class T>
    void visit(const std::string& path, const detail::DecidedCodec<C>& codec, const Decided<T>& decided) {
        detail::WriteContext context;
        detail::write_value(context, codec.value, decided.value);
        std::string text = context.text.take();
        while (!text.empty() && text.back() == '\n') text.pop_back();
        if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
        found_.push_back({.path = path, .value = std::move(text), .why = &decided.why});
    }

    template <class T>
    void visit(const std::string& path, const detail::RecordCodec<T>&, const T& value) {
        record(path, value);
    }

    template <class R, class T>
    void visit(const std::string& path, const detail::ItemsCodec<detail::RecordCodec<R>>&,
               const std::vector<T>& values) {
        for (std::size_t index = 0; index < values.size(); ++index)
            record(fmt::format("{}/{}", path, index), values[index]);
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
