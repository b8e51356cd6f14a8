#include "compare/memory_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "heapwright/model/flags.hpp"
#include "model/names.hpp"

namespace heapwright::compare {
namespace {

// The two lists are numbered with different marks, because a memory type's name ends with its heap's.
void number_repeats(std::vector<std::string>& keys, char mark) {
    std::map<std::string, int> seen;
    for (std::string& key : keys) {
        const int count = ++seen[key];
        if (count > 1) key += fmt::format("{}{}", mark, count);
    }
}

std::string heap_role(const model::MemoryHeap& heap) {
    const bool local = (heap.flags & model::memory_heap::kDeviceLocal) != 0;
    const model::Flags more = heap.flags & ~model::memory_heap::kDeviceLocal;
    std::string role = local ? "device_local" : "host";
    if (more != 0) role += '+' + model::flags_text(more, model::memory_heap_names());
    return role;
}

// The larger of one role come first.
std::vector<std::string> heap_names(const std::vector<model::MemoryHeap>& heaps) {
    std::vector<std::size_t> order(heaps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t heap) { return heaps[heap].size_bytes; });
    std::vector<std::string> ordered;
    for (const std::size_t heap : order) ordered.push_back(heap_role(heaps[heap]));
    number_repeats(ordered, '_');
    std::vector<std::string> names(heaps.size());
    for (std::size_t at = 0; at < order.size(); ++at) names[order[at]] = std::move(ordered[at]);
    return names;
}

}  // namespace

std::optional<std::uint32_t> MemoryLayout::find_type(const std::string& key) const {
    const auto found = std::ranges::find(types, key);
    if (found == types.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - types.begin());
}

MemoryLayout layout_of(const model::DeviceReport& device) {
    MemoryLayout layout;
    layout.heaps = heap_names(device.heaps);
    for (const model::MemoryType& type : device.memory_types) {
        std::string key;
        if (type.d3d12_heap_type != model::D3d12HeapType::kNone) {
            key = name_of(type.d3d12_heap_type);
            for (const model::ResourceClass resource : type.resource_classes)
                key += '+' + std::string(name_of(resource));
        } else {
            key = model::flags_text(type.property_flags, model::memory_property_names(), "NONE");
        }
        layout.types.push_back(
            key + '@' + (type.heap_index < layout.heaps.size() ? layout.heaps[type.heap_index] : std::string("none")));
    }
    number_repeats(layout.types, '#');
    return layout;
}

TypeTranslation::TypeTranslation(const MemoryLayout& from, const MemoryLayout& to) {
    for (std::uint32_t index = 0; index < from.types.size(); ++index) {
        types_.push_back(to.find_type(from.types[index]));
        if (types_.back()) common_bits_ |= std::uint32_t{1} << *types_.back();
        is_identity_ &= types_.back() == index;
    }
    is_identity_ &= from.types.size() == to.types.size();
}

std::uint32_t TypeTranslation::bits(std::uint32_t from_bits) const {
    if (is_identity_) return from_bits;
    std::uint32_t result = 0;
    for (std::uint32_t index = 0; index < types_.size(); ++index) {
        if ((from_bits >> index & 1) != 0 && types_[index]) result |= std::uint32_t{1} << *types_[index];
    }
    return result;
}

std::optional<std::uint32_t> TypeTranslation::type(std::uint32_t from_type) const {
    return from_type < types_.size() ? types_[from_type] : std::nullopt;
}

}  // namespace heapwright::compare
