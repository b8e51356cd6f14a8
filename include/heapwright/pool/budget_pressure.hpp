// What happens where others take so much of a heap that the device's current budget leaves no room for a request,
// though the policy's own limits do (VK_EXT_memory_budget, QueryVideoMemoryInfo). Plain values; sizes in bytes.
#pragma once

#include <cstdint>

namespace heapwright::pool {

// In every case a smaller chunk is tried before another memory type.
enum class OnBudgetPressure : std::uint8_t {
    kEvict,  // the heap's prepared and empty chunks go back first; what still has no room goes to the next memory type
    kSpill,  // nothing goes back, which costs a frame time: the request goes to the next memory type
    kFail,   // as kEvict, but the request fails with kOverBudget: nothing lies in slower memory without being asked
};

struct BudgetPressure {
    std::uint32_t heap = 0;
    std::uint64_t budget_bytes = 0;  // the device's, less what is left to others; 0: it cannot say any more
    std::uint64_t usage_bytes = 0;   // this process's
    std::uint64_t wanted_bytes = 0;  // of the request that has no room; 0: none, the usage alone is above the budget
};

}  // namespace heapwright::pool
