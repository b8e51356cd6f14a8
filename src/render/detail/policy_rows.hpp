// What the screens and the table of policies tell alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "render/detail/screen.hpp"

namespace heapwright::render::detail {

// A line each of drivers and devices that failed, at most `most` of them; `lead` begins each: "not validated: ".
void tell_failures(std::string_view lead, std::span<const model::ProbeFailure> failures, std::size_t most,
                   Screen& screen);

[[nodiscard]] std::uint64_t findings_of(const model::DeviceReport& report, model::FindingSeverity severity);

// By all scenarios, byte by byte.
[[nodiscard]] std::uint64_t bytes_checked(const model::DeviceValidation& device);

inline constexpr std::string_view kAssumedSizes = "sizes and alignments";

// kAssumedSizes, "the costs of device memory"; empty: nothing is assumed.
[[nodiscard]] std::vector<std::string> assumed_parts(const model::Statement& assumed);

// The verdict's reason without what is left out by plan, which stands on a line of its own.
[[nodiscard]] std::string_view reason_beside_plan(const model::DeviceValidation& device);

// "1 (device, host)".
[[nodiscard]] std::string memory_type_text(const model::DevicePolicy& device, std::uint32_t memory_type);

// "images and buffers": what goes into a bucket.
[[nodiscard]] std::string contents_text(const model::BucketPolicy& bucket);

// "memory type 1 (device), aligned to 1 KiB".
[[nodiscard]] std::string place_text(const model::DevicePolicy& device, const model::BucketPolicy& bucket);

// The part of a frame that a bucket's chunks may take, as the policy states it; nothing: it states none.
[[nodiscard]] std::optional<double> bucket_frame_ns(const model::DevicePolicy& device);

// "32 MiB", "4 MiB to 32 MiB" of chunks that grow.
[[nodiscard]] std::string chunk_sizes_text(const model::BucketPolicy& bucket);

// Of a preset at a percentage, which whoever states no workload gets where the whole does not fit.
void tell_workload(const model::Policy& policy, Screen& screen);

// Those that the workload fills, the fullest first.
[[nodiscard]] std::vector<const model::BucketPolicy*> used_buckets(const model::DevicePolicy& device);

// At most so many buckets, those that hold most first, and the size above which memory is its own.
void tell_policy_rows(const model::DevicePolicy& device, std::size_t buckets, Screen& screen);

}  // namespace heapwright::render::detail
