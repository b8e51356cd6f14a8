// What a device's heaps and memory types are called when two reports are compared: by what they are, never by their
// position. Equal ones are numbered in order.
//   heap: its role, "device_local", "host", "device_local_2" for the second largest of a kind
//   memory type: "DEVICE_LOCAL|HOST_VISIBLE@device_local", "...@device_local#2" for the second of a kind;
//   Direct3D 12: "upload+linear@host"
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::compare {

struct MemoryLayout {
    std::vector<std::string> heaps;  // in the report's order
    std::vector<std::string> types;

    [[nodiscard]] std::optional<std::uint32_t> find_type(const std::string& key) const;
};

[[nodiscard]] MemoryLayout layout_of(const model::DeviceReport& device);

// Memory type bits of one layout in the order of another; bits of types that the other lacks are left out.
class TypeTranslation {
public:
    TypeTranslation(const MemoryLayout& from, const MemoryLayout& to);

    [[nodiscard]] std::uint32_t bits(std::uint32_t from_bits) const;
    [[nodiscard]] std::uint32_t common_bits() const { return common_bits_; }  // in the order of `to`
    [[nodiscard]] std::optional<std::uint32_t> type(std::uint32_t from_type) const;
    [[nodiscard]] bool is_identity() const { return is_identity_; }

private:
    std::vector<std::optional<std::uint32_t>> types_;
    std::uint32_t common_bits_ = 0;
    bool is_identity_ = true;
};

}  // namespace heapwright::compare
