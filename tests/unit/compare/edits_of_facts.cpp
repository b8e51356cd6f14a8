#include <algorithm>
#include <utility>

#include "edits.hpp"

namespace heapwright::test {
namespace {

using model::DeviceReport;
using model::Fact;
using model::Report;

template <class List>
void rotate(List& list) {
    if (list.size() > 1) std::rotate(list.begin(), list.begin() + 1, list.end());
}

using EditOfFact = std::function<void(std::uint64_t&)>;

EditOfFact times(std::uint64_t factor) {
    return [factor](std::uint64_t& value) { value *= factor; };
}
EditOfFact divided(std::uint64_t divisor) {
    return [divisor](std::uint64_t& value) { value /= divisor; };
}
EditOfFact set_to(std::uint64_t wanted) {
    return [wanted](std::uint64_t& value) { value = wanted; };
}

// What is worse when it is edited so, and better the other way round.
Edit<Report> worse(std::vector<Fact> DeviceReport::*facts, const char* fact, EditOfFact edit) {
    const auto apply = [facts, fact, edit = std::move(edit)](Report& report) {
        for (Fact& each : first(report).*facts) {
            if (each.name == fact) edit(each.value);
        }
    };
    return {fact, apply, true, false};
}

Edit<Report> worse_limit(const char* fact, EditOfFact edit) {
    return worse(&DeviceReport::limits, fact, std::move(edit));
}

Edit<Report> better_limit(const char* fact, EditOfFact edit) {
    Edit<Report> other_way = worse_limit(fact, std::move(edit));
    std::swap(other_way.fails, other_way.back_fails);
    return other_way;
}

// Any difference fails, since neither value is the better one.
Edit<Report> other_limit(const char* fact, EditOfFact edit) {
    Edit<Report> neither = worse_limit(fact, std::move(edit));
    neither.back_fails = true;
    return neither;
}

void swap_heaps(DeviceReport& device) {
    if (device.heaps.size() < 2) return;
    std::ranges::reverse(device.heaps);
    const auto last = static_cast<std::uint32_t>(device.heaps.size() - 1);
    for (model::MemoryType& type : device.memory_types) type.heap_index = last - type.heap_index;
}

model::SparseImage sparse_image(std::uint32_t extent) {
    model::SparseImage image;
    image.description.format = model::Format::kR8Unorm;
    image.description.width = image.description.height = extent;
    image.requirements = {.size_bytes = 1 << 20, .alignment_bytes = 1 << 16, .memory_type_bits = 1};
    image.aspects = {{.aspects = 1, .image_granularity = {256, 256, 1}, .mip_tail_size_bytes = 1 << 16}};
    return image;
}

template <class Element>
std::function<void(Report&)> pop(std::vector<Element> DeviceReport::*list) {
    return [list](Report& report) {
        if (!(first(report).*list).empty()) (first(report).*list).pop_back();
    };
}

template <class Element>
std::function<void(Report&)> of_last(std::vector<Element> DeviceReport::*list, std::function<void(Element&)> edit) {
    return [list, edit = std::move(edit)](Report& report) {
        if (!(first(report).*list).empty()) edit((first(report).*list).back());
    };
}

std::function<void(Report&)> of_identity(std::function<void(model::DeviceIdentity&)> edit) {
    return [edit = std::move(edit)](Report& report) { edit(first(report).identity); };
}

void add(std::vector<Edit<Report>>& table, std::vector<Edit<Report>> more) {
    std::ranges::move(more, std::back_inserter(table));
}

// The host decides most of it.
std::vector<Edit<Report>> of_identities() {
    using Identity = model::DeviceIdentity;
    return {
        {"nothing", [](Report&) {}},
        {"name", of_identity([](Identity& i) { i.name += "x"; })},
        {"driver info", of_identity([](Identity& i) { i.driver_info += "x"; })},
        {"driver version", of_identity([](Identity& i) { ++i.driver_version; })},
        {"device UUID", of_identity([](Identity& i) { i.device_uuid = std::string(32, 'a'); })},
        {"driver UUID", of_identity([](Identity& i) { i.driver_uuid = std::string(32, 'a'); })},
        {"LUID", of_identity([](Identity& i) { i.luid = std::string(16, 'a'); })},
        {"PCI address", of_identity([](Identity& i) { i.pci = model::PciAddress{.bus = 77}; })},
        {"API version", of_identity([](Identity& i) { i.api_version = "1.0.3"; }), true, false},
        {"conformance version", of_identity([](Identity& i) {
             if (!i.conformance_version.empty()) i.conformance_version = "1.0.0.0";
         }),
         true, false},
        {"device type", of_identity([](Identity& i) { i.type = model::DeviceType::kVirtualGpu; }), true, true},
        {"driver's name", of_identity([](Identity& i) { i.driver_name += "x"; }), true, true},
        {"driver's id", of_identity([](Identity& i) { i.driver_id = "ZZZ"; }), true, true},
        {"device id", of_identity([](Identity& i) { ++i.device_id; }), true, true},
        {"device gone", [](Report& r) { r.devices.erase(r.devices.begin()); }, true, false},
        {"device twice, on another bus",
         [](Report& r) {
             r.devices.push_back(first(r));
             r.devices.back().identity.device_uuid = std::string(32, 'b');
             r.devices.back().identity.pci = model::PciAddress{.bus = 78};
         },
         false, true},
        {"origin", [](Report& r) { first(r).origin = model::ReportOrigin::kImport; }},
    };
}

std::vector<Edit<Report>> of_memory() {
    using model::MemoryType;
    return {
        {"heap size", [](Report& r) { first(r).heaps.at(0).size_bytes /= 4; }},
        {"heap's flag gone", [](Report& r) { first(r).heaps.at(0).flags = 0; }, true, true},
        {"heaps swapped, with their types", [](Report& r) { swap_heaps(first(r)); }},
        {"heap new", [](Report& r) { first(r).heaps.push_back({.size_bytes = 1 << 28, .flags = 2}); }, false, true},
        {"memory type gone", pop(&DeviceReport::memory_types), true, false},
        {"memory type of other flags",
         of_last<MemoryType>(&DeviceReport::memory_types,
                             [](MemoryType& t) {
                                 if (t.d3d12_heap_type == model::D3d12HeapType::kNone) t.property_flags ^= 0x40;
                             }),
         true, true},
        {"memory type of another heap",
         [](Report& r) {
             const auto heaps = static_cast<std::uint32_t>(first(r).heaps.size());
             first(r).memory_types.back().heap_index = (first(r).memory_types.back().heap_index + 1) % heaps;
         },
         true, true},
        {"memory type of fewer classes",
         of_last<MemoryType>(&DeviceReport::memory_types, [](MemoryType& t) { t.resource_classes.clear(); }), true,
         true},
    };
}

// Each kind of limit in the direction that its specification gives it.
std::vector<Edit<Report>> of_limits() {
    return {
        {"limit gone", [](Report& r) { first(r).limits.erase(first(r).limits.begin()); }, true, false},
        {"limits reordered", [](Report& r) { rotate(first(r).limits); }},
        worse_limit("maxImageDimension2D", divided(2)),
        worse_limit("maxMemoryAllocationCount", divided(2)),
        worse_limit("maxMemoryAllocationSize", divided(2)),
        worse_limit("maxBufferSize", divided(2)),
        worse_limit("bufferImageGranularity", times(2)),
        worse_limit("nonCoherentAtomSize", times(2)),
        worse_limit("minUniformBufferOffsetAlignment", times(2)),
        worse_limit("optimalBufferCopyOffsetAlignment", times(2)),
        worse_limit("minMemoryMapAlignment", divided(2)),
        worse_limit("sparseAddressSpaceSize", divided(2)),
        worse_limit("discreteQueuePriorities", divided(2)),
        worse_limit("framebufferColorSampleCounts", set_to(1)),
        worse_limit("residencyStandard2DBlockShape", set_to(0)),
        worse_limit("residencyAlignedMipSize", set_to(1)),
        worse_limit("robustUniformBufferAccessSizeAlignment", times(2)),
        worse_limit("uniformTexelBufferOffsetAlignmentBytes", times(2)),
        // True when one texel suffices as alignment.
        better_limit("uniformTexelBufferOffsetSingleTexelAlignment", set_to(1)),
        worse_limit("storageTexelBufferOffsetSingleTexelAlignment", set_to(0)),
        worse_limit("samplerDescriptorSize", times(2)),
        worse_limit("descriptorBufferOffsetAlignment", times(2)),
        worse_limit("descriptorBufferAddressSpaceSize", divided(2)),
        worse_limit("combinedImageSamplerDescriptorSingleArray", set_to(0)),
        worse_limit("bufferlessPushDescriptors", set_to(0)),
        worse_limit("minImportedHostPointerAlignment", times(2)),
        worse_limit("shaderGroupHandleAlignment", times(2)),
        other_limit("shaderGroupHandleSize", times(2)),
        worse_limit("shaderGroupBaseAlignment", times(2)),
        worse_limit("maxPrimitiveCount", divided(2)),
        better_limit("identicalMemoryTypeRequirements", set_to(1)),
        worse_limit("robustBufferAccessUpdateAfterBind", set_to(0)),
        worse_limit("blockTexelViewCompatibleMultipleLayers", set_to(0)),
        // The most descriptors that one combined image sampler takes of a pool.
        worse_limit("maxCombinedImageSamplerDescriptorCount", times(2)),
        other_limit("nonStrictWideLinesUseParallelogram", [](std::uint64_t& value) { value ^= 1; }),
        // Direct3D 12.
        worse_limit("ResourceHeapTier", set_to(0)),
        better_limit("TiledResourcesTier", set_to(4)),
        worse_limit("MaxGPUVirtualAddressBitsPerResource", divided(2)),
        worse_limit("Support1", [](std::uint64_t& bits) { bits &= bits - 1; }),
        worse_limit("HighestShaderModel", set_to(0x10)),
        worse_limit("HighestVersion", set_to(0)),
        worse_limit("D3D12_DESCRIPTOR_HEAP_TYPE_RTV",
                    [](std::uint64_t& value) {
                        if (value < 4096) value *= 2;  // the increment; a heap's capacity is larger
                    }),
        worse_limit("D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
                    [](std::uint64_t& value) {
                        if (value >= 4096) value /= 2;
                    }),
        other_limit("WaveLaneCountMin", set_to(77)),
    };
}

std::vector<Edit<Report>> of_features() {
    const auto feature = [](const char* name) { return worse(&DeviceReport::features, name, set_to(0)); };
    return {
        {"feature gone", pop(&DeviceReport::features), true, false},
        {"features reordered", [](Report& r) { rotate(first(r).features); }},
        feature("robustBufferAccess"),
        feature("sparseBinding"),
        feature("bufferDeviceAddress"),
        feature("timelineSemaphore"),
        feature("TypedUAVLoadAdditionalFormats"),
        feature("MSAA64KBAlignedTextureSupported"),
        // Not a capability but what the device is.
        {"UMA",
         [](Report& r) {
             for (Fact& fact : first(r).features) {
                 if (fact.name == "UMA") fact.value ^= 1;
             }
         },
         true, true},
    };
}

std::vector<Edit<Report>> of_extensions() {
    using model::Extension;
    using model::TextFact;
    const auto extension = [](const char* name) {
        return [name](Report& r) { first(r).extensions.push_back({.name = name, .spec_version = 1}); };
    };
    return {
        {"extension new", extension("VK_ZZZ_a"), false, true},
        {"extension of the host's", extension("VK_KHR_video_decode_zzz")},
        {"extension of a lower version",
         of_last<Extension>(&DeviceReport::extensions, [](Extension& e) { e.spec_version = 0; }), true, false},
        {"extensions reordered", [](Report& r) { rotate(first(r).extensions); }},
        {"text fact new",
         [](Report& r) { first(r).texts.push_back({.group = "ZGroup", .name = "zName", .value = "1"}); }, false, true},
        {"text fact changed", of_last<TextFact>(&DeviceReport::texts, [](TextFact& t) { t.value += "1"; }), true, true},
        {"text facts reordered", [](Report& r) { rotate(first(r).texts); }},
        {"unreported new at the front",
         [](Report& r) {
             first(r).unreported.insert(first(r).unreported.begin(), {.name = "VkZzz", .reason = "not there"});
         },
         true, false},
        {"unreported reordered", [](Report& r) { rotate(first(r).unreported); }},
        {"unreported for another reason",
         [](Report& r) {
             for (auto& fact : first(r).unreported) fact.reason += "!";
         }},
        {"layered API gone", pop(&DeviceReport::layered_apis), true, false},
        {"layered API of another name",
         of_last<model::LayeredApi>(&DeviceReport::layered_apis, [](model::LayeredApi& api) { api.name += "x"; }), true,
         true},
    };
}

std::vector<Edit<Report>> of_queues() {
    using model::QueueFamily;
    const auto last = [](std::function<void(QueueFamily&)> edit) {
        return of_last<QueueFamily>(&DeviceReport::queue_families, std::move(edit));
    };
    return {
        {"queue family gone", pop(&DeviceReport::queue_families), true, false},
        {"queue family of more queues", last([](QueueFamily& q) { ++q.queue_count; }), false, true},
        {"queue family without sparse binding",
         [](Report& r) {
             for (QueueFamily& family : first(r).queue_families) family.flags &= ~model::Flags{8};
         },
         true, false},
        {"queue family of more timestamp bits", last([](QueueFamily& q) { ++q.timestamp_valid_bits; }), false, true},
        {"queue family that copies tiles of eight texels", last([](QueueFamily& q) {
             q.min_image_transfer_granularity = {8, 8, 8};
         }),
         true, false},
        {"queue family that copies whole mip levels alone", last([](QueueFamily& q) {
             q.min_image_transfer_granularity = {0, 0, 0};
         }),
         true, false},
    };
}

std::vector<Edit<Report>> of_findings() {
    using model::Finding;
    using model::FindingSeverity;
    const auto finding = [](const char* id, FindingSeverity severity) {
        return [id, severity](Report& r) {
            first(r).findings.push_back({.id = id, .severity = severity, .statement = "a statement"});
        };
    };
    return {
        {"violation", finding("zz", FindingSeverity::kViolation), true, false},
        {"warning", finding("zz", FindingSeverity::kWarning), true, false},
        {"note", finding("zz", FindingSeverity::kNote), false, true},
        {"measurement failed", finding("memory-cost-not-measured", FindingSeverity::kNote), true, false},
        {"a note that becomes a violation",
         [](Report& r) {
             for (Finding& each : first(r).findings) each.severity = FindingSeverity::kViolation;
         },
         true, false},
        {"a finding in other words",
         [](Report& r) {
             for (Finding& each : first(r).findings) each.statement += "!";
         }},
        {"findings reordered", [](Report& r) { rotate(first(r).findings); }},
        {"observations", [](Report& r) { first(r).observations = {}; }},
        {"no probe's reason to lack a part",
         [](Report& r) {
             first(r).absent = {"/image_sweep", "/features"};
             first(r).image_sweep = {};
             first(r).features.clear();
         },
         true, false},
    };
}

std::vector<Edit<Report>> of_sparse() {
    using model::ImageCompression;
    using model::SparseBuffer;
    using model::SparseImage;
    const auto sparse = [](std::function<void(SparseImage&)> edit) {
        return [edit = std::move(edit)](Report& r) {
            if (!first(r).sparse_images.empty()) edit(first(r).sparse_images.back());
        };
    };
    return {
        {"sparse image new", [](Report& r) { first(r).sparse_images.push_back(sparse_image(778)); }, false, true},
        {"sparse image gone", pop(&DeviceReport::sparse_images), true, false},
        {"sparse image of a larger granularity",
         sparse([](SparseImage& image) { image.requirements.alignment_bytes *= 2; }), true, false},
        {"sparse image of more bytes", sparse([](SparseImage& image) { image.requirements.size_bytes *= 2; }), true,
         false},
        {"sparse image of fewer memory types",
         sparse([](SparseImage& image) { image.requirements.memory_type_bits = 0; }), true, false},
        {"sparse image of other blocks",
         sparse([](SparseImage& image) { image.aspects.at(0).image_granularity[0] *= 2; }), true, true},
        {"sparse image of a larger mip tail",
         sparse([](SparseImage& image) { image.aspects.at(0).mip_tail_size_bytes *= 2; }), true, false},
        {"sparse images reordered", [](Report& r) { rotate(first(r).sparse_images); }},
        {"sparse buffer gone", pop(&DeviceReport::sparse_buffers), true, false},
        {"sparse buffer of a larger granularity",
         of_last<SparseBuffer>(&DeviceReport::sparse_buffers,
                               [](SparseBuffer& buffer) { buffer.requirements.alignment_bytes *= 2; }),
         true, false},
        {"compression gone", pop(&DeviceReport::image_compression), true, false},
        {"compression of fewer fixed rates",
         of_last<ImageCompression>(&DeviceReport::image_compression,
                                   [](ImageCompression& image) { image.fixed_rate_flags &= 1; }),
         true, false},
        {"compression by another default",
         of_last<ImageCompression>(&DeviceReport::image_compression,
                                   [](ImageCompression& image) { image.default_flags ^= 2; }),
         true, true},
    };
}

}  // namespace

void add_rare_facts(DeviceReport& device) {
    device.sparse_images.push_back(sparse_image(777));
    device.sparse_buffers.push_back(
        {.description = {.size_bytes = 777}, .requirements = {.size_bytes = 1 << 16, .alignment_bytes = 1 << 16}});
    device.image_compression.push_back(
        {.format = model::Format::kR8Unorm, .usage = 1, .default_flags = 1, .fixed_rate_flags = 3});
    device.texts.push_back({.group = "Group", .name = "name", .value = "1"});
    device.layered_apis.push_back({.api = "VULKAN", .vendor_id = 1, .device_id = 1, .name = "below"});
}

std::vector<Edit<Report>> edits_of_facts() {
    std::vector<Edit<Report>> table;
    for (auto* part : {of_identities, of_memory, of_limits, of_features, of_extensions, of_queues, of_findings})
        add(table, part());
    add(table, of_sparse());
    return table;
}

}  // namespace heapwright::test
