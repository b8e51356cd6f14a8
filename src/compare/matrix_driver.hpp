// The drivers of a matrix as a list says them (scripts/drivers --json): how each is reached, and what it is there for.
// A driver that the machine lacks stands in the list, too, with the reason, so that the table shows what was not run.
// Pure and thread-safe.
// Beside it: which drivers a run of the matrix takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::compare {

enum class DriverApi : std::uint8_t { kVulkan, kD3d12, kAll };  // what its probe is asked for

struct EnvironmentEntry {
    std::string name;
    std::optional<std::string> value;  // empty: the variable is taken away
};

struct MatrixDriver {
    std::string id;      // "radv-navi10-22.3.6": also the name of its report's file
    std::string family;  // "radv": what --only picks by
    DriverApi api = DriverApi::kVulkan;
    std::optional<std::string> icd;             // a Vulkan driver's manifest
    std::optional<std::string> gpu;             // a played GPU's name: what --gpus picks by
    std::vector<EnvironmentEntry> environment;  // beside the variables that name the manifest, and after them
    std::vector<std::string> command;           // runs in place of this program; empty: this program
    bool timing = true;                         // whether work runs there, so that costs can be measured
    std::string purpose;                        // what the driver shows that no other does, for people
    std::optional<std::string> absent;          // why it is not there
};

// Errors: kParseError and kSchemaViolation with the place in `text`, which `source` names: a key that is unknown or
// missing, an id that names no file or that stands there twice.
[[nodiscard]] Result<std::vector<MatrixDriver>> read_drivers(std::string_view text, std::string_view source);

// The variables that its process gets: the Vulkan loader's, which name the manifest (VK_DRIVER_FILES, and
// VK_ICD_FILENAMES for loaders before 1.3.207), then its own.
[[nodiscard]] std::vector<EnvironmentEntry> environment_of(const MatrixDriver& driver);

// What the driver's process is told to do: a probe whose report goes to standard output.
[[nodiscard]] std::vector<std::string> probe_arguments(const MatrixDriver& driver);

// Which drivers of a list a matrix runs. Pure and thread-safe.

struct DriverSelection {
    std::vector<std::string> families;  // empty: every one
    std::vector<std::string> gpus;      // of the played GPUs these alone; empty: every one
};

// In the list's order. A driver that plays no GPU is not asked for one. Errors: kInvalidArgument for a family or a GPU
// that the list lacks, naming those that it has.
[[nodiscard]] Result<std::vector<MatrixDriver>> choose_drivers(const std::vector<MatrixDriver>& drivers,
                                                               const DriverSelection& selection);

}  // namespace heapwright::compare
