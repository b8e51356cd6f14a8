// A plain C++17 header: every value of the policy as inline constexpr, for an engine with an allocator of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "export/target.hpp"
#include "model/names.hpp"

namespace heapwright::exporting::cpp_header {
namespace {

constexpr Setting kValue{
    .key = "every policy value", .unit = "as its name says", .source = "the value of that name", .by_default = "none"};
constexpr std::array kSettings{kValue};

constexpr std::string_view kDeclarations = R"(enum class Suballocator { kTlsf, kFixedBlocks, kSlots, kLinear, kRing };
enum class ChunkChoice { kFullest, kTightest };

// reserve_share is what stays of the budget at run time for others, 0 where the policy names none.
struct Heap {
    std::uint32_t heap;
    std::uint64_t size_bytes;
    std::uint64_t usable_bytes;
    std::uint64_t parts;
    double reserve_share;
};

// heap: an index into kHeaps; property_flags: bits of VkMemoryPropertyFlagBits.
struct MemoryType {
    std::uint32_t heap;
    std::uint32_t property_flags;
};

// Memory types for one use, best first.
struct MemoryUse {
    std::string_view use;
    std::uint32_t type_count;
    std::uint32_t types[32];
};

// growth_first_bytes, growth_divisor, dedicated_threshold_bytes and chunks_ahead are 0 where the policy has none, and
// priority (of the memory, 0 to 1) is 0.5.
struct Bucket {
    std::string_view id;
    bool holds_linear;
    bool holds_optimal;
    bool holds_optimal_render_target;
    std::uint64_t alignment_bytes;
    std::uint32_t memory_type;
    std::uint64_t chunk_size_bytes;
    std::uint64_t growth_first_bytes;
    std::uint64_t growth_divisor;
    std::uint64_t dedicated_threshold_bytes;
    ChunkChoice chunk_choice;
    Suballocator suballocator;
    std::uint64_t granule_bytes;
    std::uint64_t chunks_ahead;
    double priority;
    std::uint64_t expected_bytes;
};

)";

constexpr std::string_view kEngineDeclaration = R"(// Which engine, by the report's name, does one kind of work.
struct EngineAssignment {
    std::string_view work;
    std::string_view engine;
};

)";

constexpr std::string_view kSplitDeclaration =
    R"(// Buffers of this hint that are made as so many of one size, part_bytes for the largest: in whole they pass a limit of
// the device.
struct Split {
    std::string_view hint;
    std::uint64_t whole_bytes;
    std::uint64_t parts;
    std::uint64_t part_bytes;
};

)";

constexpr std::string_view kMadeFor =
    R"(// Whether a device has the heaps and memory types that this file names by index; ask it before the others.
// For a device that has others: `heapwright run` there, then `heapwright export cpp` of its policy.
constexpr bool is_made_for(std::uint32_t heap_count, const MemoryType* types, std::uint32_t type_count) {
    if (heap_count != kHeapCount || type_count != kMemoryTypeCount) return false;
    for (std::uint32_t i = 0; i < type_count; ++i) {
        if (types[i].heap != kMemoryTypes[i].heap || types[i].property_flags != kMemoryTypes[i].property_flags)
            return false;
    }
    return true;
}

)";

// Direct3D 12 has no memory types: those of the policy are kinds of heaps that every device has.
constexpr std::string_view kMadeForAdapter =
    R"(// Whether an adapter (DXGI_ADAPTER_DESC) is of the kind that this file is made for.
// For another one: `heapwright run` there, then `heapwright export cpp` of its policy.
constexpr bool is_made_for(std::uint32_t vendor_id, std::uint32_t device_id) {
    return vendor_id == kVendorId && device_id == kDeviceId;
}

)";

std::string_view name_of(model::SuballocatorKind kind) {
    switch (kind) {
        case model::SuballocatorKind::kTlsf: return "kTlsf";
        case model::SuballocatorKind::kFixedBlocks: return "kFixedBlocks";
        case model::SuballocatorKind::kSlots: return "kSlots";
        case model::SuballocatorKind::kLinear: return "kLinear";
        case model::SuballocatorKind::kRing: return "kRing";
    }
    return "kTlsf";
}

// Of a descriptor heap, from the document's name for it.
std::string_view suballocator_named(std::string_view name) {
    const auto names = model::names_of<model::SuballocatorKind>();
    const auto found = std::ranges::find(names, name);
    return name_of(static_cast<model::SuballocatorKind>(found - names.begin()));
}

bool holds(const model::BucketPolicy& bucket, model::ResourceClass wanted) {
    for (const model::ResourceClass held : bucket.resource_classes) {
        if (held == wanted) return true;
    }
    return false;
}

std::string heap_text(const model::HeapPolicy& heap) {
    return fmt::format("    {{{}u, {}ull, {}ull, {}ull, {}}},\n", heap.heap, heap.size_bytes, heap.usable_bytes.value,
                       heap.parts.value, heap.reserve_share ? heap.reserve_share->value : 0.0);
}

std::string memory_type_text(const model::MemoryType& type) {
    return fmt::format("    {{{}u, {:#x}u}},\n", type.heap_index, type.property_flags);
}

std::string use_text(const model::MemoryUsePolicy& use) {
    std::string types;
    std::size_t count = 0;
    // Neither API has more than 32.
    for (const std::uint32_t type : use.memory_types.value) {
        if (count == 32) break;
        types += fmt::format("{}{}u", count++ == 0 ? "" : ", ", type);
    }
    const auto names = model::names_of<model::MemoryUse>();
    return fmt::format("    {{{}, {}u, {{{}}}}},\n", quoted(names[static_cast<std::size_t>(use.use)]), count, types);
}

std::string bucket_text(const model::BucketPolicy& bucket) {
    const std::uint64_t first = bucket.growth ? bucket.growth->first_chunk_bytes.value : 0;
    const std::uint64_t divisor = bucket.growth ? bucket.growth->divisor.value : 0;
    const std::uint64_t dedicated = bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value : 0;
    return fmt::format(
        "    {{{}, {}, {}, {}, {}ull, {}u, {}ull, {}ull, {}ull, {}ull,\n"
        "     ChunkChoice::{}, Suballocator::{}, {}ull, {}ull, {:.3f}, {}ull}},\n",
        quoted(bucket.id), holds(bucket, model::ResourceClass::kLinear), holds(bucket, model::ResourceClass::kOptimal),
        holds(bucket, model::ResourceClass::kOptimalRenderTarget), bucket.alignment_bytes, bucket.memory_type,
        bucket.chunk_size_bytes.value, first, divisor, dedicated,
        bucket.chunk_choice.value == model::ChunkChoice::kTightest ? "kTightest" : "kFullest",
        name_of(bucket.suballocator.value), bucket.granule_bytes.value,
        bucket.chunks_ahead ? bucket.chunks_ahead->value : 0, bucket.priority ? bucket.priority->value : 0.5,
        bucket.expected_bytes);
}

std::string split_text(const model::HintSplit& split) {
    return fmt::format("    {{{}, {}ull, {}ull, {}ull}},\n", quoted(split.hint), split.exceeded.size_bytes, split.parts,
                       split.part_bytes.value);
}

std::string engine_text(const model::EngineAssignment& assignment) {
    return fmt::format("    {{{}, {}}},\n", quoted(assignment.work), quoted(assignment.engine.value));
}

template <class Item, class Text>
std::string array_text(std::string_view type, std::string_view name, const std::vector<Item>& items, Text text) {
    // An array of no elements is no C++.
    if (items.empty()) return fmt::format("inline constexpr std::uint32_t k{}Count = 0;\n\n", name);
    std::string out = fmt::format("inline constexpr std::uint32_t k{}Count = {};\n", name, items.size());
    out += fmt::format("inline constexpr {} k{}s[k{}Count] = {{\n", type, name, name);
    for (const Item& item : items) out += text(item);
    return out + "};\n\n";
}

// "/descriptors/rtv_page" -> "kDescriptorsRtvPage".
std::string constant_name(std::string_view path) {
    std::string name = "k";
    bool upper = true;
    for (const char c : path) {
        const bool separator = c == '/' || c == '_';
        if (!separator) name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        upper = separator;
    }
    return name;
}

std::string constant_text(const PolicyValue& value) {
    const std::string name = constant_name(value.path);
    const bool is_text = value.text.starts_with('"');
    if (value.text == "true" || value.text == "false") {
        return fmt::format("inline constexpr bool {} = {};\n", name, value.text);
    }
    if (is_text && value.text.starts_with("\"0x")) {
        // Documents write integers above 2^53 - 1 so.
        return fmt::format("inline constexpr std::uint64_t {} = {}ull;\n", name,
                           value.text.substr(1, value.text.size() - 2));
    }
    if (value.path.ends_with("_suballocator")) {
        return fmt::format("inline constexpr Suballocator {} = Suballocator::{};\n", name,
                           suballocator_named(std::string_view(value.text).substr(1, value.text.size() - 2)));
    }
    if (is_text) return fmt::format("inline constexpr std::string_view {} = {};\n", name, value.text);
    if (value.text.find_first_of(".e") != std::string::npos) {
        return fmt::format("inline constexpr double {} = {};\n", name, value.text);
    }
    return fmt::format("inline constexpr std::uint64_t {} = {}ull;\n", name, value.text);
}

bool stands_in_an_array(const PolicyValue& value) {
    return value.pattern.starts_with("/heaps/") || value.pattern.starts_with("/buckets/") ||
           value.pattern.starts_with("/memory_uses/") || value.pattern.starts_with("/split/") ||
           value.pattern.starts_with("/engines/assignments/");
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string constants;
    for (const PolicyValue& value : policy_values(sheet.policy(), sheet.device_index())) {
        const bool in_array = stands_in_an_array(value);
        sheet.set_text(kValue, in_array ? "in the arrays" : constant_name(value.path), {value.path});
        if (!in_array) constants += constant_text(value);
    }
    std::string text = comment(head_of(target, sheet), "//");
    text += "#pragma once\n\n#include <cstdint>\n#include <string_view>\n\nnamespace heapwright_policy {\n\n";
    text += kDeclarations;
    if (device.engines) text += kEngineDeclaration;
    if (!device.split.empty()) text += kSplitDeclaration;
    text += fmt::format("inline constexpr std::string_view kDeviceName = {};\n", quoted(device.identity.name));
    text += fmt::format("inline constexpr std::uint32_t kVendorId = {:#06x};\n", device.identity.vendor_id);
    text += fmt::format("inline constexpr std::uint32_t kDeviceId = {:#06x};\n", device.identity.device_id);
    text += fmt::format("inline constexpr std::uint32_t kDriverVersion = {}u;\n\n", device.identity.driver_version);
    text += constants + "\n";
    text += array_text("Heap", "Heap", device.heaps, heap_text);
    text += array_text("MemoryUse", "MemoryUse", device.memory_uses, use_text);
    text += array_text("Bucket", "Bucket", device.buckets, bucket_text);
    text += array_text("MemoryType", "MemoryType", device.memory_types, memory_type_text);
    if (!device.split.empty()) text += array_text("Split", "Split", device.split, split_text);
    text += device.identity.api == model::Api::kVulkan ? kMadeFor : kMadeForAdapter;
    if (device.engines) {
        text += array_text("EngineAssignment", "EngineAssignment", device.engines->assignments, engine_text);
    }
    return text + "}  // namespace heapwright_policy\n";
}

}  // namespace

extern const Target kTarget{.summary = {.name = "cpp",
                                        .title = "C++ header",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "ISO C++17",
                                        .api = {}},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::cpp_header
