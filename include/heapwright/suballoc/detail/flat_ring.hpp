// A queue in one flat array of a power of two places, which doubles when full. For the queues of the hot path, where
// std::deque's blocks cost more than the objects. Owns its elements; references are void after push(). Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace heapwright::suballoc::detail {

template <class T>
class FlatRing {
    static_assert(std::is_nothrow_move_constructible_v<T>, "growth moves the elements and cannot go back");

public:
    FlatRing() = default;
    FlatRing(FlatRing&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)),
          capacity_(std::exchange(other.capacity_, 0)),
          begin_(std::exchange(other.begin_, 0)),
          end_(std::exchange(other.end_, 0)) {}
    FlatRing& operator=(FlatRing&& other) noexcept {
        FlatRing moved(std::move(other));
        std::swap(places_, moved.places_);
        std::swap(capacity_, moved.capacity_);
        std::swap(begin_, moved.begin_);
        std::swap(end_, moved.end_);
        return *this;
    }
    FlatRing(const FlatRing&) = delete;
    FlatRing& operator=(const FlatRing&) = delete;
    ~FlatRing() {
        clear();
        if (places_ != nullptr) std::allocator<T>().deallocate(places_, capacity_);
    }

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] bool empty() const { return begin_ == end_; }
    [[nodiscard]] T& front() { return *place(begin_); }
    [[nodiscard]] const T& front() const { return *place(begin_); }
    [[nodiscard]] T& back() { return *place(end_ - 1); }
    [[nodiscard]] const T& back() const { return *place(end_ - 1); }
    // The i-th from the front.
    [[nodiscard]] T& operator[](std::size_t i) { return *place(begin_ + i); }
    [[nodiscard]] const T& operator[](std::size_t i) const { return *place(begin_ + i); }

    void push(T value) {
        if (size() == capacity_) [[unlikely]]
            grow(capacity_ == 0 ? 16 : capacity_ * 2);
        std::construct_at(place(end_), std::move(value));
        ++end_;
    }
    void pop() {
        std::destroy_at(place(begin_));
        ++begin_;
    }
    void clear() {
        while (!empty()) pop();
    }
    void reserve(std::size_t count) {
        if (count <= capacity_) [[likely]]
            return;
        std::size_t places = 16;
        while (places < count) places *= 2;
        grow(places);
    }

private:
    [[nodiscard]] T* place(std::uint64_t position) const {
        return places_ + (position & (static_cast<std::uint64_t>(capacity_) - 1));
    }

    void grow(std::size_t places) {
        T* grown = std::allocator<T>().allocate(places);
        std::size_t count = 0;
        for (; !empty(); pop()) std::construct_at(grown + count++, std::move(front()));
        if (places_ != nullptr) std::allocator<T>().deallocate(places_, capacity_);
        places_ = grown;
        capacity_ = places;
        begin_ = 0;
        end_ = count;
    }

    T* places_ = nullptr;
    std::size_t capacity_ = 0;
    std::uint64_t begin_ = 0;  // positions only grow; 2^64 pushes do not happen
    std::uint64_t end_ = 0;
};

}  // namespace heapwright::suballoc::detail
