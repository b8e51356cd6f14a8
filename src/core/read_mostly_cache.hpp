// A bounded cache of plain words for many readers: a key of kKeyWords numbers, not all 0, to kValueWords numbers.
// Guarantees: find() returns the whole value that insert() stored for that very key, or nothing; it waits for nobody
// and writes nothing that is shared. insert() gives way to another writer of the same place, and replaces what is there
// when its set is full, so that what was inserted may be gone. Memory is fixed: kSets * kWays entries.
// Thread-safe. No errors.
// Source: the protocol is the seqlock of H.-J. Boehm, "Can seqlocks get along with programming language memory models?"
// (2012), with every word atomic.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace heapwright {

template <std::size_t kKeyWords, std::size_t kValueWords, std::size_t kSets = 1024>
class ReadMostlyCache {
public:
    static constexpr std::size_t kWays = 4;
    using Key = std::array<std::uint64_t, kKeyWords>;
    using Value = std::array<std::uint64_t, kValueWords>;

    [[nodiscard]] std::optional<Value> find(const Key& key) const {
        for (const Entry& entry : (*sets_)[set_of(key)].ways) {
            const std::uint32_t before = entry.version.load(std::memory_order_acquire);
            if (before % 2 != 0 || !has(entry, key)) continue;
            Value value;
            for (std::size_t i = 0; i < kValueWords; ++i)
                value[i] = entry.words[kKeyWords + i].load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            if (entry.version.load(std::memory_order_relaxed) == before) return value;
        }
        return std::nullopt;
    }

    void insert(const Key& key, const Value& value) {
        Set& set = (*sets_)[set_of(key)];
        for (Entry& entry : set.ways) {
            if (has(entry, key)) return write(entry, key, value);
        }
        write(set.ways[set.next.fetch_add(1, std::memory_order_relaxed) % kWays], key, value);
    }

private:
    struct Entry {
        std::atomic<std::uint32_t> version{0};  // odd: being written
        std::array<std::atomic<std::uint64_t>, kKeyWords + kValueWords> words{};
    };
    struct Set {
        std::array<Entry, kWays> ways;
        std::atomic<std::uint32_t> next{0};  // the way that is replaced
    };

    static std::size_t set_of(const Key& key) {
        std::uint64_t hash = 0;
        for (const std::uint64_t word : key) {
            hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash % kSets);
    }
    static bool has(const Entry& entry, const Key& key) {
        for (std::size_t i = 0; i < kKeyWords; ++i) {
            if (entry.words[i].load(std::memory_order_relaxed) != key[i]) return false;
        }
        return true;
    }
    static void write(Entry& entry, const Key& key, const Value& value) {
        std::uint32_t version = entry.version.load(std::memory_order_relaxed);
        if (version % 2 != 0 || !entry.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
            return;
        std::atomic_thread_fence(std::memory_order_release);
        for (std::size_t i = 0; i < kKeyWords; ++i) entry.words[i].store(key[i], std::memory_order_relaxed);
        for (std::size_t i = 0; i < kValueWords; ++i)
            entry.words[kKeyWords + i].store(value[i], std::memory_order_relaxed);
        entry.version.store(version + 2, std::memory_order_release);
    }

    std::unique_ptr<std::array<Set, kSets>> sets_ = std::make_unique<std::array<Set, kSets>>();
};

}  // namespace heapwright
