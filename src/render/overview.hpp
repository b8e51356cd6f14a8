// What a command answers on one screen: the verdict, the figures that matter, what to do next. For one device at most
// kScreenLines lines of at most kScreenColumns columns, but for the command to run next, which is whole to be copied;
// each further device adds as many at most. Everything that is left out stands in the document, and in the words that
// the commands print with -v. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::render {

inline constexpr std::size_t kScreenLines = 24;  // the shell's prompt after the answer among them
inline constexpr std::size_t kScreenColumns = 100;

// What the place of the answer can show.
struct ScreenStyle {
    bool colour = false;   // ANSI escape sequences
    bool symbols = false;  // UTF-8 marks beside the words
};

// `next` is what the reader would call now, a command; empty: none.
[[nodiscard]] std::string overview(const model::Report& report, const ScreenStyle& style, std::string_view next = {});
[[nodiscard]] std::string overview(const model::Policy& policy, const ScreenStyle& style, std::string_view next = {});
[[nodiscard]] std::string overview(const model::Validation& validation, const ScreenStyle& style,
                                   std::string_view next = {});

// The main job's three answers in one: the validation's verdict and figures, then chunks and memory of the policy.
[[nodiscard]] std::string overview(const model::Report& report, const model::Policy& policy,
                                   const model::Validation& validation, const ScreenStyle& style,
                                   std::string_view next = {});

// A workload's hints, the largest first.
[[nodiscard]] std::string overview(const model::Workload& workload, const ScreenStyle& style);

// The devices that were found, a line each, and the drivers that failed.
[[nodiscard]] std::string overview(const std::vector<model::DeviceIdentity>& devices,
                                   const std::vector<model::ProbeFailure>& failures, const ScreenStyle& style);

}  // namespace heapwright::render
