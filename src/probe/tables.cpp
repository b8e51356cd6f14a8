#include "probe/tables.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace heapwright::probe {
namespace {

template <class Value>
std::size_t hash_bytes(const std::vector<Value>& values) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    return std::hash<std::string_view>{}(std::string_view(bytes, values.size() * sizeof(Value)));
}

}  // namespace

Status RequirementClasses::check() const {
    if (!overflown_) return {};
    return fail({.code = ErrorCode::kExhausted,
                 .message = "the driver's answers have more combinations of alignment, memory types and dedicated "
                            "allocation than a report holds",
                 .where = "sweep",
                 .limit = std::numeric_limits<std::uint16_t>::max()});
}

std::uint16_t RequirementClasses::search(const model::MemoryRequirements& answer) {
    const model::RequirementClass wanted{.alignment_bytes = answer.alignment_bytes,
                                         .memory_type_bits = answer.memory_type_bits,
                                         .dedicated = answer.dedicated};
    const auto found = std::find(classes_.begin(), classes_.end(), wanted);
    const auto index = static_cast<std::size_t>(found - classes_.begin());
    if (found == classes_.end()) {
        if (index >= std::numeric_limits<std::uint16_t>::max()) {
            overflown_ = true;
            return 0;
        }
        classes_.push_back(wanted);
    }
    last_ = wanted;
    last_index_ = static_cast<std::uint16_t>(index);
    return last_index_;
}

std::uint32_t TableStore::add(const model::SweepTable& table) {
    const std::size_t hash = hash_bytes(table.size_bytes) ^ (hash_bytes(table.requirement) << 1);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
        if (tables_[entry->second] == table) return entry->second;
    }
    const auto index = static_cast<std::uint32_t>(tables_.size());
    tables_.push_back(table);
    by_hash_.emplace(hash, index);
    return index;
}

model::SweepTable empty_table(std::size_t points) {
    return {.size_bytes = std::vector<std::uint64_t>(points), .requirement = std::vector<std::uint16_t>(points)};
}

bool holds_an_answer(const model::SweepTable& table) {
    return std::any_of(table.size_bytes.begin(), table.size_bytes.end(), [](std::uint64_t size) { return size != 0; });
}

}  // namespace heapwright::probe
