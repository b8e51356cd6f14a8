// What the benchmarks on a report take: "REPORT [NUMBER...]". Whatever is wrong ends the program with exit code 2.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::bench {

template <class T>
T require(Result<T> result) {
    if (result) return std::move(*result);
    fmt::print(stderr, "{}\n", to_string(result.error()));
    std::exit(2);
}

struct Arguments {
    model::Report report;
    std::vector<std::uint64_t> numbers;  // as many as there are defaults; the first, a count of seeds, at least 1
};

inline Arguments read_arguments(int argc, char** argv, std::string_view usage, std::vector<std::uint64_t> defaults) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    bool good = !words.empty() && words.size() <= 1 + defaults.size();
    for (std::size_t i = 1; good && i < words.size(); ++i) {
        const auto [end, error] = std::from_chars(words[i].begin(), words[i].end(), defaults[i - 1]);
        good = error == std::errc{} && end == words[i].end();
    }
    if (!good || defaults.front() == 0) {
        fmt::print(stderr, "usage: {}\n", usage);
        std::exit(2);
    }
    return {.report = require(model::read_report(require(read_file(words.front())), words.front())),
            .numbers = std::move(defaults)};
}

}  // namespace heapwright::bench
