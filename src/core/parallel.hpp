// Runs a function for every index below a count on some threads, the caller's among them; returns when all have run.
// The function is called from several threads at once, once an index. It throws nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace heapwright {

template <class Function>
void for_each_index(std::size_t count, std::size_t threads, Function&& function) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t index = next++; index < count; index = next++) function(index);
    };
    std::vector<std::jthread> workers;
    for (std::size_t thread = 1; thread < threads; ++thread) workers.emplace_back(work);
    work();
}

}  // namespace heapwright
