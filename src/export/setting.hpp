// A setting of an engine or allocator: its key, unit, range and rounding, the policy value that it comes from and what
// the engine does without it. Values go through apply(), which says what it changed. Pure and thread-safe.
// Beside it: which buckets and heaps a target with fewer settings takes, and every value that a policy decided.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::exporting {

enum class Rounding : std::uint8_t {
    kNone,
    kUp,              // to the next multiple
    kDown,            // to the multiple below
    kPowerOfTwoDown,  // to the power of two below
};

struct Setting {
    std::string_view key;
    std::string_view unit;        // "bytes", "MiB", "descriptors"; empty for names and flags
    std::string_view source;      // the policy value it comes from, in words
    std::string_view by_default;  // what stands without it
    std::uint64_t unit_size = 1;  // policy units in one of the setting's
    std::uint64_t least = 0;      // in the setting's unit
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    Rounding rounding = Rounding::kNone;
    std::uint64_t multiple = 1;  // in the setting's unit
};

struct Applied {
    std::uint64_t value = 0;           // in the setting's unit
    std::vector<std::string> changes;  // "rounded up to a multiple of 4 MiB", "held down to 256 MiB"
};

// Converts `policy_value` to the setting's unit, rounds it and holds it within the range. Converting rounds down where
// the rule is to round down, else up, so that what the policy asks for fits.
[[nodiscard]] Applied apply(const Setting& setting, std::uint64_t policy_value);

[[nodiscard]] std::string range_text(const Setting& setting);
[[nodiscard]] std::string rounding_text(const Setting& setting);

// Which of a policy's buckets, heaps and memory types a target with fewer settings takes, by one rule for all targets.
// Pure and thread-safe.

// The use that ranks the memory type best; of equal ones the first.
[[nodiscard]] model::MemoryUse use_of(const model::DevicePolicy& device, std::uint32_t memory_type);

// Buckets whose memory type serves device-only memory best, or any other use best. Indexes into device.buckets.
[[nodiscard]] std::vector<std::size_t> device_buckets(const model::DevicePolicy& device);
[[nodiscard]] std::vector<std::size_t> host_buckets(const model::DevicePolicy& device);

// Of these buckets the one that is expected to hold most; of equal ones the first. Empty: there is none.
[[nodiscard]] std::optional<std::size_t> fullest(const model::DevicePolicy& device,
                                                 const std::vector<std::size_t>& buckets);
[[nodiscard]] std::optional<std::size_t> fullest_with(const model::DevicePolicy& device,
                                                      const std::vector<std::size_t>& buckets,
                                                      model::ResourceClass resource_class);

// Of the memory type that is ranked first for the use; empty: there is none.
[[nodiscard]] std::optional<std::uint32_t> first_heap(const model::DevicePolicy& device, model::MemoryUse use);

// Whether the memory type has all of these memory_property bits; empty: the policy has no such type.
[[nodiscard]] std::optional<bool> has_properties(const model::DevicePolicy& device, std::uint32_t memory_type,
                                                 model::Flags properties);

// JSON pointer of a bucket's member below the device: "/buckets/2/granule_bytes".
[[nodiscard]] std::string bucket_path(std::size_t bucket, std::string_view member);

// Every value that a policy decided for one device, from the list of its decisions, so that none can be
// forgotten: what an exporter has not used is listed as not expressible. Pure and thread-safe.

struct PolicyValue {
    std::string path;     // JSON pointer below the device: "/buckets/0/chunk_size_bytes"
    std::string pattern;  // the same for every index: "/buckets/*/chunk_size_bytes"
    std::string label;    // what the index stands for: "optimal/65536/1", "upload", "draws"; empty without one
    std::string text;     // the value as JSON
    std::string shown;    // the value for people
    std::string reason;   // why the policy has it; empty for what a bucket is made of
};

// The decided values, and of each bucket its resource classes and expected bytes, in the document's order.
[[nodiscard]] std::vector<PolicyValue> policy_values(const model::Policy& policy, std::size_t device);

// "/buckets/0/chunk_size_bytes (optimal/65536/1)".
[[nodiscard]] std::string name_of(const PolicyValue& value);

}  // namespace heapwright::exporting
