// Which queue family owns the bytes of an exclusive resource of a replay device, as a driver's validation layer would
// know it. Images count as a whole.
// Not thread-safe: guarded by the device's lock.
// Source: Vulkan specification, VkSharingMode, queue family ownership transfer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/submitter.hpp"

namespace heapwright::replay {

class ReplayOwnership {
public:
    // What is wrong with it; empty: nothing. Whatever it is, afterwards the bytes are as if it were right.
    [[nodiscard]] std::optional<std::string> use(QueueFamilyIndex family, std::uint64_t begin, std::uint64_t end);
    [[nodiscard]] std::optional<std::string> release(QueueFamilyIndex family,
                                                     const device::OwnershipTransfer& transfer);
    [[nodiscard]] std::optional<std::string> acquire(QueueFamilyIndex family,
                                                     const device::OwnershipTransfer& transfer);

    // Ranges that were released and not acquired.
    [[nodiscard]] bool is_under_way() const;

private:
    struct Part {
        std::uint64_t begin = 0;
        std::optional<QueueFamilyIndex> owner;
        std::optional<device::OwnershipTransfer> released;
    };

    // Those of [begin, end) exactly.
    [[nodiscard]] std::vector<Part*> parts(std::uint64_t begin, std::uint64_t end);
    void cut(std::uint64_t at);

    std::vector<Part> parts_{1};  // ascending; each up to where the next one begins
};

}  // namespace heapwright::replay
