#include "workload/finding_list.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::workload {

void FindingList::add(std::string_view what, std::string_view where) {
    const auto known = places_.find(what);
    if (known != places_.end()) {
        ++kinds_[known->second].count;
        return;
    }
    if (kinds_.size() == kMostKinds) {
        ++left_out_;
        return;
    }
    places_.emplace(std::string(what), kinds_.size());
    kinds_.push_back({.what = std::string(what), .first = std::string(where), .count = 1});
}

std::vector<std::string> FindingList::take() {
    std::vector<std::string> sentences;
    for (const Kind& kind : kinds_) {
        sentences.push_back(kind.count == 1
                                ? fmt::format("{} ({})", kind.what, kind.first)
                                : fmt::format("{} ({} times, first {})", kind.what, kind.count, kind.first));
    }
    if (left_out_ > 0) sentences.push_back(fmt::format("{} more are left out", counted(left_out_, "finding")));
    return sentences;
}

}  // namespace heapwright::workload
