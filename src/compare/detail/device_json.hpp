// One device's entry of a document as a JSON tree for comparison: arrays of records become objects, keyed by what each
// record is, and indexes of heaps become their roles.
#pragma once

#include <nlohmann/json.hpp>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::compare::detail {

using Tree = nlohmann::ordered_json;

[[nodiscard]] Tree tree_of(const model::DeviceReport& device);  // without sweeps, observations and volatile
[[nodiscard]] Tree tree_of(const model::DevicePolicy& device);
[[nodiscard]] Tree tree_of(const model::DeviceValidation& device);

// What makes an entry of a list the one that it is: the members that name it, never its position.
[[nodiscard]] std::string record_key(const Tree& record);

// Of a reason, a warning or a note: its words are its value, and its id is its key.
[[nodiscard]] bool is_claim(const Tree& value);

// "DEVICE_LOCAL, HOST_VISIBLE", "4096", "vulkan"; a record in short.
[[nodiscard]] std::string text_of(const Tree& value);

// Also of the text form of integers that JSON readers would round.
[[nodiscard]] std::optional<double> number_of(const Tree& value);
[[nodiscard]] std::optional<std::uint64_t> bits_of(const Tree& value);

}  // namespace heapwright::compare::detail
