// Where a sweep puts the driver's answers: requirement classes stored once each, equal tables shared. Storing an answer
// costs a comparison with the last one. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::sweep {

// What a driver asks for one resource. size_bytes 0: it refused such a resource.
struct RequirementAnswer {
    std::uint64_t size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
    std::uint32_t memory_type_bits = 0;
    model::Dedicated dedicated = model::Dedicated::kNone;
};

[[nodiscard]] constexpr model::MemoryRequirements requirements_of(const RequirementAnswer& answer) {
    return {.size_bytes = answer.size_bytes,
            .alignment_bytes = answer.alignment_bytes,
            .memory_type_bits = answer.memory_type_bits,
            .dedicated = answer.dedicated};
}

class RequirementClasses {
public:
    [[nodiscard]] std::uint16_t index_of(const RequirementAnswer& answer) {
        if (answer.alignment_bytes == last_.alignment_bytes && answer.memory_type_bits == last_.memory_type_bits &&
            answer.dedicated == last_.dedicated && !classes_.empty()) {
            return last_index_;
        }
        return search(answer);
    }

    // kExhausted when the answers had more classes than a report can hold.
    [[nodiscard]] Status check() const;
    [[nodiscard]] std::vector<model::RequirementClass> take() { return std::move(classes_); }

private:
    [[nodiscard]] std::uint16_t search(const RequirementAnswer& answer);

    std::vector<model::RequirementClass> classes_;
    model::RequirementClass last_;
    std::uint16_t last_index_ = 0;
    bool overflown_ = false;
};

class TableStore {
public:
    // The index of an equal table that is stored already, else of this one.
    [[nodiscard]] std::uint32_t add(const model::SweepTable& table);
    [[nodiscard]] std::vector<model::SweepTable> take() { return std::move(tables_); }

private:
    std::vector<model::SweepTable> tables_;
    std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

// A table of `points` entries, all of them refused.
[[nodiscard]] model::SweepTable empty_table(std::size_t points);

[[nodiscard]] bool holds_an_answer(const model::SweepTable& table);

}  // namespace heapwright::sweep
