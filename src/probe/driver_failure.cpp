#include "probe/driver_failure.hpp"

#include <utility>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/text.hpp"

namespace heapwright::probe {
namespace {

// Of what is left no driver promises more than this part in one piece. Chosen.
constexpr std::uint64_t kShareInOnePiece = 4;

}  // namespace

bool is_driver_failure(const Error& error) {
    switch (error.code) {
        case ErrorCode::kInterrupted:
        case ErrorCode::kOverBudget:
        case ErrorCode::kRefused: return false;
        // Ours, unless a call gave it.
        case ErrorCode::kExhausted: return error.native_code.has_value();
        // A device is made of extensions and features that it lists.
        case ErrorCode::kNotSupported: return error.native_code.has_value() && error.where == "vkCreateDevice";
        default: return true;
    }
}

Error judge_allocation(device::Device& device, MemoryTypeIndex memory_type, std::uint64_t size_bytes, Error error) {
    if (error.code != ErrorCode::kOutOfDeviceMemory && error.code != ErrorCode::kOutOfHostMemory) return error;
    const model::DeviceReport& facts = device.facts();
    const std::uint32_t heap = facts.memory_types[memory_type.value].heap_index;
    const auto budgets = device.memory().budgets();
    if (!budgets || heap >= budgets->size()) return error;
    const model::HeapBudget& budget = (*budgets)[heap];
    const std::uint64_t left =
        contract::usable_budget(facts.heaps[heap].size_bytes, budget.budget_bytes, budget.usage_bytes);
    if (size_bytes > left / kShareInOnePiece) {
        error.code = ErrorCode::kOverBudget;
        error.message = fmt::format("the heap's budget leaves {} ({})", byte_text(left), error.message);
    }
    return error;
}

}  // namespace heapwright::probe
