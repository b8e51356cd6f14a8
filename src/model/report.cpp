#include "heapwright/model/report.hpp"

#include <algorithm>
#include <string_view>

namespace heapwright::model {
namespace {

std::optional<std::uint64_t> find_fact(const std::vector<Fact>& facts, std::string_view name) {
    const auto fact =
        std::find_if(facts.begin(), facts.end(), [name](const Fact& entry) { return entry.name == name; });
    if (fact == facts.end()) return std::nullopt;
    return fact->value;
}

}  // namespace

std::optional<std::uint64_t> DeviceReport::limit(std::string_view name) const {
    return find_fact(limits, name);
}

bool DeviceReport::feature(std::string_view name) const {
    return find_fact(features, name).value_or(0) != 0;
}

}  // namespace heapwright::model
