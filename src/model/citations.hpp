// What a policy's decisions cite of the report that it was made from, so that a reader of the policy alone knows the
// memory types and budgets behind it. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heapwright/model/policy.hpp"

namespace heapwright::model {

struct CitedMemoryType {
    std::optional<std::uint32_t> heap;
    std::optional<std::string> property_flags;  // "DEVICE_LOCAL|HOST_VISIBLE"

    [[nodiscard]] std::optional<bool> has(std::string_view flag) const {
        if (!property_flags) return std::nullopt;
        return property_flags->find(flag) != std::string::npos;
    }
};

// Empty members: no use of memory ranks this type.
[[nodiscard]] CitedMemoryType cited_memory_type(const DevicePolicy& device, std::uint32_t memory_type);

// The bytes that a heap's usable bytes were computed from: the smaller of its size and its budget.
[[nodiscard]] std::uint64_t cited_base_bytes(const HeapPolicy& heap);

}  // namespace heapwright::model
