// Runs one piece of work on several threads at once and gives the first error that any of them met.
#pragma once

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::validate {

// record(thread number) on `count` threads; all of them have ended when it returns.
template <class Record>
[[nodiscard]] Status on_threads(std::uint32_t count, Record&& record) {
    std::vector<Status> results(count);
    {
        std::vector<std::jthread> threads;
        threads.reserve(count);
        for (std::uint32_t thread = 0; thread < count; ++thread)
            threads.emplace_back([&, thread] { results[thread] = record(thread); });
    }
    for (Status& result : results) HEAPWRIGHT_TRY(std::move(result));
    return {};
}

}  // namespace heapwright::validate
