#include "heapwright/model/citations.hpp"

#include <algorithm>
#include <charconv>

namespace heapwright::model {
namespace {

template <class T>
std::optional<T> number(const std::string& text) {
    T value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return value;
}

}  // namespace

CitedMemoryType cited_memory_type(const DevicePolicy& device, std::uint32_t memory_type) {
    CitedMemoryType cited;
    const std::string place = "/memory_types/" + std::to_string(memory_type) + "/";
    for (const MemoryUsePolicy& use : device.memory_uses) {
        for (const DecisionInput& input : use.memory_types.why.inputs) {
            const auto at = input.path.find(place);
            if (input.document != DocumentKind::kReport || at == std::string::npos) continue;
            const std::string_view member = std::string_view(input.path).substr(at + place.size());
            if (member == "heap_index") cited.heap = number<std::uint32_t>(input.value);
            if (member == "property_flags") cited.property_flags = input.value;
        }
    }
    return cited;
}

std::uint64_t cited_base_bytes(const HeapPolicy& heap) {
    for (const DecisionInput& input : heap.usable_bytes.why.inputs) {
        if (input.path.find("/heap_budgets/") == std::string::npos) continue;
        if (const auto budget = number<std::uint64_t>(input.value)) return std::min(*budget, heap.size_bytes);
    }
    return heap.size_bytes;
}

}  // namespace heapwright::model
