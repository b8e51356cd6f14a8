#include "compare/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "compare/case_path.hpp"
#include "compare/glob.hpp"
#include "compare/memory_layout.hpp"
#include "core/hash.hpp"

namespace heapwright::compare {
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

}  // namespace heapwright::compare
