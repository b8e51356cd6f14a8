// What the page answers before anybody scrolls, for one device: can this policy be trusted, what is gained, what is
// wrong with the driver, and what to do next. Every figure is one of the documents' own; what they lack is said. Pure
// and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "render/device_list.hpp"

namespace heapwright::render {

enum class Standing : std::uint8_t { kGood, kDoubtful, kBad, kPlain };

struct KeyFigure {
    std::string name;    // "Waste"
    std::string note;    // "lower is better"; empty: nothing is to be said of it
    std::string value;   // "11.4%", with its unit; empty: the documents do not say
    std::string beside;  // what it is to be compared with, or why there is no value
    Standing standing = Standing::kPlain;
};

struct NextStep {
    std::string text;
    std::string command;  // empty: none
};

struct FirstScreen {
    Standing standing = Standing::kPlain;
    std::string verdict;  // "Validated", "Not validated"
    std::string cause;    // one line
    std::vector<KeyFigure> figures;
    std::string workload;                                     // of the policy; empty: there is none
    std::vector<std::pair<std::string, std::string>> policy;  // what it says above all: name "buffers; type 2", value
    Standing driver_standing = Standing::kPlain;
    std::string driver;               // "2 answers break the specification"
    std::vector<std::string> faults;  // the worst ones, at most three
    std::vector<NextStep> next;
};

// Of two reports without their comparison, the command that makes it; nothing for other documents.
[[nodiscard]] std::optional<NextStep> compare_step(std::span<const ReportDocument> documents);

[[nodiscard]] FirstScreen first_screen(std::span<const ReportDocument> documents, const ListedDevice& device);

}  // namespace heapwright::render
