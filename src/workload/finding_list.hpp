// What was odd in a file, by kind: how often, and where first. So findings are few however large the file is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heapwright::workload {

class FindingList {
public:
    // `what` is a sentence of its own. `where` is the place: "line 12", "/DefaultPools/Type 0".
    void add(std::string_view what, std::string_view where);

    // "WHAT (WHERE)", or "WHAT (3 times, first WHERE)", in the order in which the kinds came.
    [[nodiscard]] std::vector<std::string> take();

private:
    struct Kind {
        std::string what;
        std::string first;
        std::uint64_t count = 0;
    };
    // Sentences with figures in them are many kinds; a reader wants the first few.
    static constexpr std::size_t kMostKinds = 32;

    std::vector<Kind> kinds_;
    std::map<std::string, std::size_t, std::less<>> places_;
    std::uint64_t left_out_ = 0;
};

}  // namespace heapwright::workload
