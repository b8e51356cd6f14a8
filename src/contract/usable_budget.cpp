#include "contract/usable_budget.hpp"

#include <algorithm>
#include <cmath>

namespace heapwright::contract {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

// In millionths, so that the arithmetic on 64-bit sizes stays exact.
std::uint64_t share_in_millionths(double share) {
    if (!(share > 0)) return 0;
    return share >= 1 ? kMillion : static_cast<std::uint64_t>(std::llround(share * 1e6));
}

}  // namespace

std::optional<std::uint64_t> known_budget(std::uint64_t reported_bytes) {
    return reported_bytes == 0 ? std::nullopt : std::optional(reported_bytes);
}

std::optional<std::uint64_t> known_budget(const model::DeviceReport& device, std::size_t heap) {
    const auto& budgets = device.run.heap_budgets;
    return heap < budgets.size() ? known_budget(budgets[heap].budget_bytes) : std::nullopt;
}

std::uint64_t usable_budget(std::uint64_t heap_bytes, std::optional<std::uint64_t> budget_bytes,
                            std::uint64_t used_bytes) {
    const std::uint64_t budget = std::min(heap_bytes, known_budget(budget_bytes.value_or(0)).value_or(heap_bytes));
    return budget - std::min(budget, used_bytes);
}

std::uint64_t usable_budget(const model::DeviceReport& device, std::size_t heap) {
    if (heap >= device.heaps.size()) return 0;
    return usable_budget(device.heaps[heap].size_bytes, known_budget(device, heap));
}

std::uint64_t without_share(std::uint64_t bytes, double share) {
    const std::uint64_t millionths = share_in_millionths(share);
    return bytes - (bytes / kMillion * millionths + bytes % kMillion * millionths / kMillion);
}

}  // namespace heapwright::contract
