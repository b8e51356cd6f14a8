// Where a sweep puts the driver's answers: requirement classes stored once each, equal tables shared. Storing an answer
// costs a comparison with the last one. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::sweep {

class RequirementClasses {
public:
    [[nodiscard]] std::uint16_t index_of(const model::MemoryRequirements& answer) {
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
    [[nodiscard]] std::uint16_t search(const model::MemoryRequirements& answer);

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
