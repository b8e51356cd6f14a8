#include "compare/device_pairing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "compare/documents.hpp"
#include "compare/field_difference.hpp"
#include "compare/glob.hpp"
#include "core/hash.hpp"
#include "heapwright/model/flags.hpp"
#include "model/names.hpp"

namespace heapwright::compare {

namespace {

using model::DeviceIdentity;

enum class Agreement : std::uint8_t { kEqual, kUnknown, kDiffers };

Agreement uuid_agreement(const DeviceIdentity& one, const DeviceIdentity& other) {
    if (one.device_uuid.empty() || other.device_uuid.empty()) return Agreement::kUnknown;
    return one.device_uuid == other.device_uuid ? Agreement::kEqual : Agreement::kDiffers;
}

Agreement pci_agreement(const DeviceIdentity& one, const DeviceIdentity& other) {
    if (!one.pci || !other.pci) return Agreement::kUnknown;
    return *one.pci == *other.pci ? Agreement::kEqual : Agreement::kDiffers;
}

// The less, the more surely the two are one device behind one driver.
struct Distance {
    Agreement uuid = Agreement::kUnknown;
    Agreement pci = Agreement::kUnknown;
    std::uint64_t version = 0;
    bool other_info = false;
    bool other_name = false;

    friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance distance(const DeviceIdentity& one, const DeviceIdentity& other) {
    const auto [less, more] = std::minmax(one.driver_version, other.driver_version);
    return {.uuid = uuid_agreement(one, other),
            .pci = pci_agreement(one, other),
            .version = std::uint64_t{more} - less,
            .other_info = one.driver_info != other.driver_info,
            .other_name = one.name != other.name};
}

bool same_driver(const DeviceIdentity& one, const DeviceIdentity& other) {
    return one.driver_version == other.driver_version && one.driver_info == other.driver_info;
}

// One device, as far as the two say.
bool same_device(const DeviceIdentity& one, const DeviceIdentity& other) {
    const Agreement uuid = uuid_agreement(one, other);
    const Agreement pci = pci_agreement(one, other);
    if (uuid == Agreement::kEqual || pci == Agreement::kEqual) return true;
    // A software driver's UUID changes with its version, and there is one such device.
    if (one.type == model::DeviceType::kCpu && other.type == model::DeviceType::kCpu) return true;
    return uuid == Agreement::kUnknown && pci == Agreement::kUnknown && one.name == other.name;
}

struct Candidate {
    Distance distance;
    std::size_t one = 0;
    std::size_t two = 0;
};

}  // namespace

Pairing pair_devices(std::span<const DeviceIdentity> baseline, std::span<const DeviceIdentity> other) {
    std::vector<Candidate> candidates;
    std::multimap<std::string, std::size_t> by_key;
    for (std::size_t two = 0; two < other.size(); ++two) by_key.emplace(device_key(other[two]), two);
    for (std::size_t one = 0; one < baseline.size(); ++one) {
        const auto [first, last] = by_key.equal_range(device_key(baseline[one]));
        for (auto at = first; at != last; ++at)
            candidates.push_back({distance(baseline[one], other[at->second]), one, at->second});
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::distance);
    std::vector<bool> paired(baseline.size());
    std::vector<bool> found(other.size());
    Pairing pairing;
    for (const Candidate& candidate : candidates) {
        if (paired[candidate.one] || found[candidate.two]) continue;
        paired[candidate.one] = true;
        found[candidate.two] = true;
        pairing.pairs.emplace_back(candidate.one, candidate.two);
    }
    std::ranges::sort(pairing.pairs);
    for (std::size_t one = 0; one < baseline.size(); ++one) {
        const bool other_version = std::ranges::any_of(pairing.pairs, [&](const auto& pair) {
            const DeviceIdentity& compared = baseline[pair.first];
            return device_key(compared) == device_key(baseline[one]) && same_device(compared, baseline[one]) &&
                   !same_driver(compared, baseline[one]);
        });
        if (!paired[one] && !other_version) pairing.missing.push_back(one);
    }
    for (std::size_t two = 0; two < other.size(); ++two) {
        if (!found[two]) pairing.added.push_back(two);
    }
    return pairing;
}

namespace {

// Limits that an allocator obeys.
constexpr std::array<std::string_view, 12> kLimits{
    "bufferImageGranularity", "nonCoherentAtomSize",     "maxMemoryAllocationCount",
    "maxBufferSize",          "minMemoryMapAlignment",   "min*Alignment",
    "optimalBufferCopy*",     "ResourceHeapTier",        "UMA",
    "CacheCoherentUMA",       "D3D12_DESCRIPTOR_HEAP_*", "maxSamplerAllocationCount"};

class Text {
public:
    Text& operator<<(std::string_view text) {
        text_ += text;
        text_ += ' ';
        return *this;
    }
    Text& operator<<(std::uint64_t number) {
        std::array<char, 20> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

template <class Sweep>
std::vector<std::string> table_hashes(const Sweep& sweep) {
    std::vector<std::string> hashes;
    for (const model::SweepTable& table : sweep.tables) {
        Text text;
        for (std::size_t index = 0; index < table.size_bytes.size(); ++index) {
            text << table.size_bytes[index];
            const auto answer = answer_at(sweep.requirements, table, index);
            if (!answer) continue;
            text << answer->alignment_bytes << answer->memory_type_bits
                 << static_cast<std::uint64_t>(answer->dedicated);
        }
        hashes.push_back(hash_hex(text.text()));
    }
    return hashes;
}

template <class Sweep>
void add_cases(const Sweep& sweep, std::vector<CaseFingerprint>& result) {
    const auto hashes = table_hashes(sweep);
    for (const auto& entry : sweep.cases)
        result.push_back({.path = case_path(entry), .fingerprint = entry.table ? hashes[*entry.table] : ""});
}

void add_facts(const std::vector<model::Fact>& facts, Text& text) {
    for (const model::Fact& fact : facts) {
        const bool matters =
            std::ranges::any_of(kLimits, [&](std::string_view pattern) { return matches_text(pattern, fact.name); });
        if (matters) text << fact.name << fact.value;
    }
}

}  // namespace

std::vector<CaseFingerprint> case_fingerprints(const model::DeviceReport& device) {
    std::vector<CaseFingerprint> result;
    add_cases(device.image_sweep, result);
    add_cases(device.buffer_sweep, result);
    return result;
}

std::string fingerprint(const model::DeviceReport& device) {
    Text text;
    text << static_cast<std::uint64_t>(device.identity.api);
    const MemoryLayout layout = layout_of(device);
    for (const std::string& heap : layout.heaps) text << heap;
    for (const std::string& type : layout.types) text << type;
    add_facts(device.limits, text);
    add_facts(device.features, text);

    std::uint64_t largest = 0;
    for (const model::MemoryHeap& heap : device.heaps) largest = std::max(largest, heap.size_bytes);
    const auto limit = device.limit("maxMemoryAllocationSize");
    if (limit && *limit < largest / 2) text << "maxMemoryAllocationSize" << *limit;

    const model::ImageGrid& grid = device.image_sweep.grid;
    for (const std::uint32_t width : grid.widths) text << width;
    for (const std::uint32_t height : grid.heights) text << height;
    for (const auto& extent : grid.extra) text << extent[0] << extent[1];
    for (const std::uint64_t size : device.buffer_sweep.sizes) text << size;
    for (const CaseFingerprint& entry : case_fingerprints(device)) text << entry.path << entry.fingerprint;
    return hash_hex(text.text());
}

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
