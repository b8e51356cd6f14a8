// A workload document as somebody wrote it, to one that every part of the program takes: its shape (model/json.hpp),
// what the stream can play (check_workload(), stream.hpp) and what a device may create (creation_rules.hpp). Pure and
// thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// Errors: those of the three checks, at `source` and a JSON pointer.
[[nodiscard]] Result<model::Workload> read_checked_workload(std::string_view text, std::string_view source);

// The workloads that come with the program: the documents of policies/presets, compiled in.
// Pure and thread-safe.

// general-engine first, which is the default; the others sorted by name.
[[nodiscard]] std::vector<std::string_view> preset_names();

// The document as it stands in policies/presets. Errors: kInvalidArgument naming the known ones.
[[nodiscard]] Result<std::string_view> preset_text(std::string_view name);

// NAME@P% is the preset at_percent(). Errors: as above; kInvalidArgument for a P that is no whole number from 1 to 100.
[[nodiscard]] Result<model::Workload> preset(std::string_view name);

// Every count at so many hundredths, rounded down, at least one; resources keep their sizes. Named NAME@P% below 100.
[[nodiscard]] model::Workload at_percent(model::Workload workload, std::uint32_t percent);

}  // namespace heapwright::workload
