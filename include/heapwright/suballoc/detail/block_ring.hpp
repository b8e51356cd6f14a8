// A queue in blocks of a fixed size: a push never moves what is there, so that none costs more than a new block. For
// queues that grow long; FlatRing is the shorter way for short ones. Owns its elements; references are void once their
// element is popped. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "heapwright/suballoc/detail/flat_ring.hpp"

namespace heapwright::suballoc::detail {

template <class T>
class BlockRing {
    static_assert(std::is_nothrow_move_constructible_v<T>, "a push cannot go back");

public:
    BlockRing() = default;
    BlockRing(BlockRing&& other) noexcept
        : blocks_(std::move(other.blocks_)),
          spares_(std::move(other.spares_)),
          begin_(std::exchange(other.begin_, 0)),
          size_(std::exchange(other.size_, 0)) {}
    BlockRing& operator=(BlockRing&& other) noexcept {
        BlockRing moved(std::move(other));
        std::swap(blocks_, moved.blocks_);
        std::swap(spares_, moved.spares_);
        std::swap(begin_, moved.begin_);
        std::swap(size_, moved.size_);
        return *this;
    }
    BlockRing(const BlockRing&) = delete;
    BlockRing& operator=(const BlockRing&) = delete;
    ~BlockRing() {
        while (!empty()) pop();
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T& front() { return *blocks_.front()->place(begin_); }

    // Where host memory runs out nothing has changed.
    void push(T value) {
        const std::size_t end = begin_ + size_;
        if (end == blocks_.size() * kBlock) [[unlikely]] {
            reserve_one();
            blocks_.push(std::move(spares_.back()));
            spares_.pop_back();
        }
        std::construct_at(blocks_.back()->place(end % kBlock), std::move(value));
        ++size_;
    }
    void pop() {
        std::destroy_at(blocks_.front()->place(begin_));
        --size_;
        if (++begin_ != kBlock) [[likely]]
            return;
        begin_ = 0;
        // There is place for it: provide() counts all blocks.
        spares_.push_back(std::move(blocks_.front()));
        blocks_.pop();
    }
    // The next push takes no host memory.
    void reserve_one() {
        if (begin_ + size_ == blocks_.size() * kBlock && spares_.empty()) [[unlikely]]
            provide(blocks_.size() + 1);
    }
    // So many in all without a further block, wherever the first one begins.
    void reserve(std::size_t count) { provide((count + kBlock - 1) / kBlock + 1); }

private:
    static constexpr std::size_t kBlockBytes = 8 * 1024;
    static constexpr std::size_t kBlock = std::bit_floor(std::max<std::size_t>(kBlockBytes / sizeof(T), 2));

    struct Block {
        alignas(T) std::byte bytes[kBlock * sizeof(T)];
        [[nodiscard]] T* place(std::size_t at) { return reinterpret_cast<T*>(bytes) + at; }
    };

    // So many blocks in all. They stay for what comes after.
    void provide(std::size_t blocks) {
        blocks_.reserve(blocks);
        if (spares_.capacity() < blocks) spares_.reserve(blocks * 2);
        while (blocks_.size() + spares_.size() < blocks) spares_.push_back(std::make_unique_for_overwrite<Block>());
    }

    FlatRing<std::unique_ptr<Block>> blocks_;  // oldest first
    std::vector<std::unique_ptr<Block>> spares_;
    std::size_t begin_ = 0;  // in the first block
    std::size_t size_ = 0;
};

}  // namespace heapwright::suballoc::detail
