// The words that every writer of comparisons uses for the same things. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"

namespace heapwright::render {

// "new.json (Linux 6.1.0 x86_64)".
[[nodiscard]] std::string document_title(const model::ComparedDocument& document);
// "llvmpipe (LLVM 15.0.6, 256 bits) [vulkan]".
[[nodiscard]] std::string device_title(const model::DeviceComparison& device);
// "Mesa 22.3.6 -> Mesa 25.0.7", or one version where both are equal.
[[nodiscard]] std::string driver_title(const model::DeviceComparison& device);

// One difference of whichever sort, ready to be listed.
struct ListedChange {
    model::ChangeStatus status = model::ChangeStatus::kChanged;
    std::string section;  // "limits", "image_sweep"
    std::string path;
    std::string statement;   // "/limits/.../maxPushConstantsSize: 128 to 256"
    std::string reason;      // why it has this status, where something says so; the statement holds it too
    bool violation = false;  // the driver breaks a clause of the specification that it kept before
};

// New violations of the specification first, then worst first; sweeps before single fields of the same status.
[[nodiscard]] std::vector<ListedChange> listed_changes(const model::DeviceComparison& device);

// The same with one entry for all extensions that are missing, and one for all that are new.
[[nodiscard]] std::vector<ListedChange> grouped_changes(const model::DeviceComparison& device);

// How many differences have each status.
using StatusCounts = std::map<model::ChangeStatus, std::uint64_t>;
// In the order of texts and columns.
inline constexpr model::ChangeStatus kCountedStatuses[] = {
    model::ChangeStatus::kRegressed, model::ChangeStatus::kMissing, model::ChangeStatus::kChanged,
    model::ChangeStatus::kImproved,  model::ChangeStatus::kNew,     model::ChangeStatus::kInconclusive,
    model::ChangeStatus::kExpected};

[[nodiscard]] StatusCounts counts_of(const model::DeviceComparison& device);
// "2 regressed, 1 changed, 3 expected", "same", "same, 1 inconclusive".
[[nodiscard]] std::string counts_text(StatusCounts counts);

// "allowed.toml:12", "--fail-on".
[[nodiscard]] std::string place_of(const model::AllowListNote& note);

// "1.2 KB" of text at most: cut at a character's border with "...".
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most_bytes);

// The rules of a comparison as SARIF: what sort of difference one is, by where it stands in a document and never by its
// values or by what became of it. Code scanning knows an alert by its rule, so an id is never given another meaning.
// Pure and thread-safe.

struct ComparisonRule {
    std::string_view id;     // "HW-LIMIT"
    std::string_view name;   // "Limit"
    std::string_view brief;  // one sentence
    std::string_view full;   // what it means to an allocator
};

// In an order that only grows at its end.
[[nodiscard]] std::span<const ComparisonRule> comparison_rules();

// Index of the rule of a difference's path: "/limits/VkPhysicalDeviceLimits/maxPushConstantsSize". A path of none of
// the known sections has HW-OTHER.
[[nodiscard]] std::size_t rule_of_path(std::string_view path);

// Of the notes on the allow-list, on bounds and on probes that did nothing.
[[nodiscard]] std::size_t rule_of_notes();

}  // namespace heapwright::render
