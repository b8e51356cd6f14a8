// Where a sweep puts the driver's answers. Those that keep what every answer is guaranteed to keep go into tables:
// requirement classes stored once each, equal tables shared; storing one costs a comparison with the last one. Of those
// that do not, the first odd one of each kind is kept, with the number of its like; a kind is which guarantees an
// answer breaks. Not thread-safe. Source: Vulkan specification, VkMemoryRequirements: alignment is a power of two,
// memoryTypeBits holds at least one bit and none beyond the memory types that exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::probe {

// Alignments above this are no driver's; a report does not hold them.
inline constexpr std::uint64_t kLargestAlignment = 1ull << 40;

class KnownMemoryTypes {
public:
    explicit KnownMemoryTypes(std::size_t count)
        : bits_(count >= 32 ? ~0u : (1u << static_cast<std::uint32_t>(count)) - 1u) {}

    // A refusal (a default value) is sound too: nothing was answered.
    [[nodiscard]] bool is_sound(const model::MemoryRequirements& answer) const {
        // Asked once for each answer of a sweep: a population count is a library call where the processor is old.
        const bool is_power =
            answer.alignment_bytes != 0 && (answer.alignment_bytes & (answer.alignment_bytes - 1)) == 0;
        if (is_power && answer.alignment_bytes <= kLargestAlignment && answer.size_bytes != 0 &&
            answer.memory_type_bits != 0 && (answer.memory_type_bits & ~bits_) == 0) {
            return true;
        }
        return answer.size_bytes == 0 && answer.alignment_bytes == model::MemoryRequirements{}.alignment_bytes &&
               answer.memory_type_bits == 0;
    }

    // What of an odd answer can be used: one that only names types that do not exist beside real ones keeps the real
    // ones; of any other, nothing.
    [[nodiscard]] model::MemoryRequirements usable_part(model::MemoryRequirements answer) const {
        answer.memory_type_bits &= bits_;
        return is_sound(answer) ? answer : model::MemoryRequirements{};
    }

    // One bit for each guarantee that the answer breaks.
    [[nodiscard]] std::uint32_t kind_of(const model::MemoryRequirements& answer) const {
        return (answer.size_bytes == 0 ? 1u : 0u) | (is_power_of_two(answer.alignment_bytes) ? 0u : 2u) |
               (answer.alignment_bytes > kLargestAlignment ? 4u : 0u) | (answer.memory_type_bits == 0 ? 8u : 0u) |
               ((answer.memory_type_bits & ~bits_) != 0 ? 16u : 0u);
    }

private:
    std::uint32_t bits_;
};

// One for images, one for buffers: Odd is model::OddImage or model::OddBuffer.
template <class Odd>
class OddAnswers {
public:
    explicit OddAnswers(std::size_t memory_type_count) : known_(memory_type_count) {}

    [[nodiscard]] bool is_sound(const model::MemoryRequirements& answer) const { return known_.is_sound(answer); }

    // Keeps an answer that is not sound, and returns what of it can be used.
    [[nodiscard]] model::MemoryRequirements take(const model::MemoryRequirements& answer,
                                                 const decltype(Odd::description)& asked) {
        const auto [entry, is_new] = by_kind_.try_emplace(known_.kind_of(answer), odd_.size());
        if (is_new) {
            odd_.push_back({.description = asked, .answer = {answer}, .count = 1});
        } else {
            ++odd_[entry->second].count;
        }
        ++taken_;
        return known_.usable_part(answer);
    }

    // How many were taken so far.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }

    [[nodiscard]] std::vector<Odd> take_all() { return std::exchange(odd_, {}); }

private:
    KnownMemoryTypes known_;
    std::map<std::uint32_t, std::size_t> by_kind_;
    std::vector<Odd> odd_;
    std::uint64_t taken_ = 0;
};

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

}  // namespace heapwright::probe
