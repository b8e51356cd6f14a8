#include "import/detail/formats.hpp"
#include "import/detail/number_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "import/detail/text_tree.hpp"
#include "import/detail/vulkaninfo_mark.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"

namespace heapwright::imports::detail {
namespace {

bool is_gpu_heading(const TextLine& line) {
    return line.indent == 0 && line.value.empty() && is_gpu_name(line.name);
}

// Words of a value: "1.4.312 (4211000)" has two.
std::vector<std::string_view> words(std::string_view value) {
    std::vector<std::string_view> list;
    constexpr std::string_view kBetween = " ():,\t";
    for (std::size_t at = value.find_first_not_of(kBetween); at != std::string_view::npos;) {
        const std::size_t end = value.find_first_of(kBetween, at);
        list.push_back(value.substr(at, end - at));
        at = end == std::string_view::npos ? end : value.find_first_not_of(kBetween, end);
    }
    return list;
}

std::optional<std::uint64_t> first_number(std::string_view value) {
    const auto list = words(value);
    return list.empty() ? std::nullopt : parse_number(list.front());
}

std::string line_text(const TextLine& line) {
    return fmt::format("line {}", line.number);
}

// One GPU's part of the text.
class Section {
public:
    Section(TextLines lines, std::string_view source) : lines_(lines), source_(source) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].value.empty() && lines[i].name.starts_with("Vk")) structures_.push_back(i);
        }
    }

    [[nodiscard]] TextLines lines() const { return lines_; }

    // The headings of structures, as indices into lines().
    [[nodiscard]] std::span<const std::size_t> structures() const { return structures_; }

    // The lines of the structure of this name.
    [[nodiscard]] TextLines structure(std::string_view name) const {
        for (const std::size_t index : structures_) {
            if (lines_[index].name == name) return below(lines_, index);
        }
        return {};
    }

    [[nodiscard]] std::string place(const TextLine& line) const { return fmt::format("{}:{}", source_, line.number); }

    [[nodiscard]] tl::unexpected<Error> error(const TextLine& line, std::string message,
                                              std::optional<std::uint64_t> value = {},
                                              std::optional<std::uint64_t> limit = {}) const {
        return fail({.code = ErrorCode::kParseError,
                     .message = std::move(message),
                     .where = place(line),
                     .value = value,
                     .limit = limit});
    }

    // The first number of "name = ..." among `lines`.
    [[nodiscard]] Result<std::uint64_t> require_number(const TextLine& heading, TextLines lines, std::string_view name,
                                                       std::uint64_t limit) const {
        const auto index = find_direct(lines, name);
        if (!index) return error(heading, fmt::format("{} has no {}", heading.name, name));
        const auto value = first_number(lines[*index].value);
        if (!value) return error(lines[*index], fmt::format("{} is no number: \"{}\"", name, lines[*index].value));
        if (*value > limit) return error(lines[*index], fmt::format("{} is too large", name), *value, limit);
        return *value;
    }

private:
    TextLines lines_;
    std::string_view source_;
    std::vector<std::size_t> structures_;
};

std::string_view text_of(TextLines lines, std::string_view name) {
    const auto index = find_direct(lines, name);
    return index ? lines[*index].value : std::string_view{};
}

// The word of a value that is a plain number, as in "580.159.4.256 (2435301632)".
std::uint32_t plain_number(std::string_view value) {
    for (const std::string_view word : words(value)) {
        const auto number = parse_number(word);
        if (number && *number <= kMax32) return static_cast<std::uint32_t>(*number);
    }
    return 0;
}

std::string dotted_version(std::string_view value) {
    for (const std::string_view word : words(value)) {
        if (std::count(word.begin(), word.end(), '.') == 2) return std::string(word);
    }
    return {};
}

std::string conformance_of(TextLines lines) {
    const auto index = find_direct(lines, "conformanceVersion");
    if (!index) return {};
    if (!lines[*index].value.empty()) return conformance_text(lines[*index].value);
    const TextLines parts = below(lines, *index);
    std::array<std::uint64_t, 4> version{};
    constexpr std::array<std::string_view, 4> kParts{"major", "minor", "subminor", "patch"};
    for (std::size_t i = 0; i < kParts.size(); ++i) version[i] = first_number(text_of(parts, kParts[i])).value_or(0);
    return conformance_text(fmt::format("{}.{}.{}.{}", version[0], version[1], version[2], version[3]));
}

// The first structure of the list that holds the member; the heading's own lines (--summary) come last.
TextLines holder(const Section& gpu, std::initializer_list<std::string_view> structures, std::string_view member) {
    for (const std::string_view name : structures) {
        const TextLines lines = gpu.structure(name);
        if (find_direct(lines, member)) return lines;
    }
    return gpu.lines();
}

void read_pci(const Section& gpu, model::DeviceIdentity& identity) {
    const TextLines lines = gpu.structure("VkPhysicalDevicePCIBusInfoPropertiesEXT");
    const auto part = [lines](std::string_view name) { return first_number(text_of(lines, name)); };
    const auto domain = part("pciDomain");
    const auto bus = part("pciBus");
    const auto device = part("pciDevice");
    const auto function = part("pciFunction");
    if (!domain || !bus || !device || !function) return;
    if (*domain > kMax32 || *bus > kMax32 || *device > kMax32 || *function > kMax32) return;
    identity.pci = model::PciAddress{.domain = static_cast<std::uint32_t>(*domain),
                                     .bus = static_cast<std::uint32_t>(*bus),
                                     .device = static_cast<std::uint32_t>(*device),
                                     .function = static_cast<std::uint32_t>(*function)};
}

Status read_identity(const TextLine& heading, const Section& gpu, model::DeviceReport& device) {
    model::DeviceIdentity& identity = device.identity;
    const TextLines core = holder(gpu, {"VkPhysicalDeviceProperties"}, "deviceName");
    identity.name = text_of(core, "deviceName");
    if (identity.name.empty()) return gpu.error(heading, fmt::format("{} has no deviceName", heading.name));
    HEAPWRIGHT_ASSIGN(const std::uint64_t vendor, gpu.require_number(heading, core, "vendorID", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t device_id, gpu.require_number(heading, core, "deviceID", kMax32));
    identity.vendor_id = static_cast<std::uint32_t>(vendor);
    identity.device_id = static_cast<std::uint32_t>(device_id);
    identity.type = vulkan_device_type(text_of(core, "deviceType"));
    identity.driver_version = plain_number(text_of(core, "driverVersion"));
    identity.api_version = dotted_version(text_of(core, "apiVersion"));

    const TextLines driver = holder(gpu,
                                    {"VkPhysicalDeviceDriverProperties", "VkPhysicalDeviceDriverPropertiesKHR",
                                     "VkPhysicalDeviceVulkan12Properties"},
                                    "driverID");
    identity.driver_id = vulkan_driver_id(text_of(driver, "driverID"));
    identity.driver_name = text_of(driver, "driverName");
    identity.driver_info = text_of(driver, "driverInfo");
    identity.conformance_version = conformance_of(driver);

    const TextLines ids = holder(
        gpu, {"VkPhysicalDeviceIDProperties", "VkPhysicalDeviceIDPropertiesKHR", "VkPhysicalDeviceVulkan11Properties"},
        "deviceUUID");
    identity.device_uuid = parse_hexadecimal(text_of(ids, "deviceUUID"), 16).value_or("");
    identity.driver_uuid = parse_hexadecimal(text_of(ids, "driverUUID"), 16).value_or("");
    const std::string_view luid_valid = text_of(ids, "deviceLUIDValid");
    if (luid_valid.empty()) device.absent.emplace_back("/identity/luid");
    if (luid_valid == "true") identity.luid = parse_hexadecimal(text_of(ids, "deviceLUID"), 8).value_or("");
    read_pci(gpu, identity);
    return {};
}

Status read_extensions(const Section& gpu, model::DeviceReport& device) {
    const TextLines lines = gpu.lines();
    // "Device Extensions: count = 3", before 2019 without the colon.
    const auto heading = std::find_if(lines.begin(), lines.end(),
                                      [](const TextLine& line) { return line.name.starts_with("Device Extensions"); });
    if (heading == lines.end()) return {};
    for (const TextLine& line : below(lines, static_cast<std::size_t>(heading - lines.begin()))) {
        constexpr std::string_view kRevision = "extension revision";
        if (!line.value.starts_with(kRevision)) continue;
        const auto version = first_number(line.value.substr(kRevision.size()));
        if (!version || *version > kMax32 || line.name.empty()) {
            add_unreadable_extension(device, gpu.place(line),
                                     fmt::format("{} with {}", quoted_start(line.name), quoted_start(line.value)));
            continue;
        }
        device.extensions.push_back(
            {.name = std::string(line.name), .spec_version = static_cast<std::uint32_t>(*version)});
    }
    return {};
}

// Calls visit(heading, lines below) for each "list[0]", "list[1]", ...; they must be numbered in order and as many as
// "list: count = N" says, before 2019 "old_count = N", or the text was cut.
template <class Visit>
Status for_each_entry(const Section& gpu, std::string_view list, std::string_view old_count, Visit&& visit) {
    const TextLines lines = gpu.lines();
    const std::string prefix = fmt::format("{}[", list);
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].name.starts_with(prefix)) continue;
        if (lines[i].name != fmt::format("{}{}]", prefix, count)) {
            return gpu.error(lines[i], fmt::format("expected {}{}], found {}", prefix, count, lines[i].name));
        }
        ++count;
        HEAPWRIGHT_TRY(visit(lines[i], below(lines, i)));
    }
    auto stated = find_line(lines, list);
    if (!stated) stated = find_line(lines, old_count);
    if (!stated) return {};
    const auto list_words = words(lines[*stated].value);
    const auto number = list_words.empty() ? std::nullopt : parse_number(list_words.back());
    if (!number || *number == count) return {};
    return gpu.error(lines[*stated], fmt::format("{} holds another number of entries", list), count, *number);
}

model::Flags heap_flags(TextLines heap, model::DeviceReport& device) {
    const auto line = find_direct(heap, "flags");
    model::Flags flags = 0;
    if (!line) return flags;
    for (const TextLine& entry : below(heap, *line)) {
        if (entry.name == "None") continue;
        if (const auto flag = parse_flag(entry.name, "MEMORY_HEAP_", model::memory_heap_names())) {
            flags |= *flag;
        } else {
            add_unreadable_value(device, fmt::format("/heaps/{}/flags", device.heaps.size()), line_text(entry));
        }
    }
    return flags;
}

Status read_heaps(const Section& gpu, model::DeviceReport& device) {
    std::size_t with_budget = 0;
    HEAPWRIGHT_TRY(
        for_each_entry(gpu, "memoryHeaps", "memoryHeapCount", [&](const TextLine& heading, TextLines heap) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint64_t size, gpu.require_number(heading, heap, "size", kMax64));
            const model::Flags flags = heap_flags(heap, device);
            const auto budget = first_number(text_of(heap, "budget"));
            const auto usage = first_number(text_of(heap, "usage"));
            if (budget && usage) ++with_budget;
            device.heaps.push_back({.size_bytes = size, .flags = flags});
            device.run.heap_budgets.push_back({.budget_bytes = budget.value_or(0), .usage_bytes = usage.value_or(0)});
            return {};
        }));
    // vulkaninfo prints zeros where the device has no VK_EXT_memory_budget.
    const bool all_zero = std::all_of(device.run.heap_budgets.begin(), device.run.heap_budgets.end(),
                                      [](const model::HeapBudget& entry) { return entry.budget_bytes == 0; });
    if (with_budget != device.heaps.size() || all_zero) device.run.heap_budgets.clear();
    return {};
}

Status read_memory(const Section& gpu, model::DeviceReport& device) {
    HEAPWRIGHT_TRY(read_heaps(gpu, device));
    HEAPWRIGHT_TRY(
        for_each_entry(gpu, "memoryTypes", "memoryTypeCount", [&](const TextLine& heading, TextLines type) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint64_t heap, gpu.require_number(heading, type, "heapIndex", kMax32));
            HEAPWRIGHT_ASSIGN(const std::uint64_t flags, gpu.require_number(heading, type, "propertyFlags", kMax32));
            device.memory_types.push_back(
                {.heap_index = static_cast<std::uint32_t>(heap), .property_flags = static_cast<model::Flags>(flags)});
            return {};
        }));
    const auto line = find_line(gpu.lines(), "VkPhysicalDeviceMemoryProperties");
    return check_memory(device, gpu.place(gpu.lines()[line.value_or(0)]));
}

// `list` is "queueProperties", before 2019 "VkQueueFamilyProperties".
Status read_queue_families(const Section& gpu, std::string_view list, model::DeviceReport& device) {
    return for_each_entry(gpu, list, {}, [&](const TextLine& heading, TextLines family) -> Status {
        model::QueueFamily entry;
        HEAPWRIGHT_ASSIGN(const std::uint64_t count, gpu.require_number(heading, family, "queueCount", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t bits, gpu.require_number(heading, family, "timestampValidBits", 64));
        entry.queue_count = static_cast<std::uint32_t>(count);
        entry.timestamp_valid_bits = static_cast<std::uint32_t>(bits);
        for (const std::string_view name : words(text_of(family, "queueFlags"))) {
            if (name == "|" || name == "None") continue;
            const std::string_view today = name == "SPARSE" ? "SPARSE_BINDING" : name;
            if (const auto flag = parse_flag(today, "QUEUE_", model::queue_flag_names())) {
                entry.flags |= *flag;
            } else {
                add_unreadable_value(device, fmt::format("/queue_families/{}/flags", device.queue_families.size()),
                                     line_text(heading));
            }
        }
        const auto sides = words(text_of(family, "minImageTransferGranularity"));
        if (sides.size() != 3) return gpu.error(heading, "minImageTransferGranularity is not (width,height,depth)");
        for (std::size_t i = 0; i < 3; ++i) {
            const auto side = parse_number(sides[i]);
            if (!side || *side > kMax32) return gpu.error(heading, "minImageTransferGranularity is no extent");
            entry.min_image_transfer_granularity[i] = static_cast<std::uint32_t>(*side);
        }
        device.queue_families.push_back(entry);
        return {};
    });
}

// The value of a member: a number, or the sample count bits below it.
std::optional<FoundValue> read_member(TextLines structure, std::string_view member) {
    const auto index = find_direct(structure, member);
    if (!index) return std::nullopt;
    const TextLine& line = structure[*index];
    FoundValue found{.value = first_number(line.value), .where = line_text(line)};
    const TextLines items = below(structure, *index);
    if (items.empty() || found.value) return found;
    std::uint64_t bits = 0;
    for (const TextLine& item : items) {
        const auto bit = parse_sample_count(item.name);
        if (!bit && item.name != "None") return found;
        bits |= bit.value_or(0);
    }
    found.value = bits;
    return found;
}

std::optional<FoundValue> find_member(const Section& gpu, const FactStructure& structure, std::string_view member,
                                      std::string_view core_kind) {
    if (auto found = read_member(gpu.structure(structure.name), member)) return found;
    const TextLines lines = gpu.lines();
    for (const std::size_t index : gpu.structures()) {
        if (!names_structure(lines[index].name, structure)) continue;
        if (auto found = read_member(below(lines, index), member)) return found;
    }
    for (const std::string_view minor : {"14", "13", "12", "11"}) {
        const TextLines core = gpu.structure(fmt::format("VkPhysicalDeviceVulkan{}{}", minor, core_kind));
        if (auto found = read_member(core, member)) return found;
    }
    return std::nullopt;
}

// All but the identity.
Status read_facts(const Section& gpu, model::DeviceReport& device) {
    HEAPWRIGHT_TRY(read_extensions(gpu, device));
    HEAPWRIGHT_TRY(read_memory(gpu, device));
    for (const std::string_view list : {"queueProperties", "VkQueueFamilyProperties"}) {
        HEAPWRIGHT_TRY(read_queue_families(gpu, list, device));
    }
    const auto finder = [&gpu](std::string_view core_kind) {
        return [&gpu, core_kind](const FactStructure& structure, std::string_view member) {
            return find_member(gpu, structure, member, core_kind);
        };
    };
    collect_limits(finder("Properties"), device);
    collect_features(finder("Features"), device);
    return {};
}

Result<model::DeviceReport> import_gpu(const TextLine& heading, const Section& gpu) {
    model::DeviceReport device;
    HEAPWRIGHT_TRY(read_identity(heading, gpu, device));
    HEAPWRIGHT_TRY(read_facts(gpu, device));
    return device;
}

// Sections that somebody copied out, such as the memory's, without the heading of their GPU.
Result<model::DeviceReport> import_sections(const Section& part, std::string_view source) {
    constexpr std::string_view kWhole = "`vulkaninfo > vulkaninfo.txt` writes the whole";
    model::DeviceReport device;
    if (find_direct(part.structure("VkPhysicalDeviceProperties"), "deviceName")) {
        HEAPWRIGHT_TRY(read_identity(part.lines().front(), part, device));
    } else {
        device.identity.name = "unnamed device";
        add_absent_identity(device, {"name", "type", "vendor_id", "device_id", "driver_version", "luid"});
    }
    HEAPWRIGHT_TRY(read_facts(part, device));
    if (device.heaps.empty() && device.memory_types.empty() && device.limits.empty() && device.features.empty()) {
        return fail(ErrorCode::kParseError,
                    fmt::format("headings of vulkaninfo's text and nothing below them; {}", kWhole),
                    std::string(source));
    }
    device.findings.push_back({.id = "part-of-vulkaninfo",
                               .severity = model::FindingSeverity::kWarning,
                               .statement = fmt::format("the file holds a part of vulkaninfo's text; {}", kWhole),
                               .clause = {},
                               .evidence = {}});
    return device;
}

}  // namespace

Result<std::vector<model::DeviceReport>> import_vulkaninfo(std::string_view text, std::string_view source) {
    // vulkaninfo prints less than a mebibyte; a line takes as much memory as many of its bytes.
    constexpr std::uint64_t kMostTextBytes = 8ull << 20;
    if (text.size() > kMostTextBytes) {
        return fail({.code = ErrorCode::kParseError,
                     .message = "larger than what vulkaninfo prints",
                     .where = std::string(source),
                     .value = text.size(),
                     .limit = kMostTextBytes});
    }
    const VulkaninfoMark mark = find_vulkaninfo_mark(text);
    std::string unquoted;
    const std::vector<TextLine> lines = read_lines(without_quotation(text, quotation_of(mark.line), unquoted));
    if (mark.kind == VulkaninfoMark::Kind::kSection) {
        std::vector<model::DeviceReport> devices;
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_sections(Section(lines, source), source));
        devices.push_back(std::move(device));
        return devices;
    }
    std::vector<std::size_t> headings;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (is_gpu_heading(lines[i])) headings.push_back(i);
    }
    if (headings.empty()) {
        return fail(ErrorCode::kParseError, "vulkaninfo text without a \"GPU0\" heading: it lists no device",
                    std::string(source));
    }
    std::vector<model::DeviceReport> devices;
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const std::size_t end = i + 1 < headings.size() ? headings[i + 1] : lines.size();
        const TextLines own = TextLines(lines).subspan(headings[i] + 1, end - headings[i] - 1);
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_gpu(lines[headings[i]], Section(own, source)));
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace heapwright::imports::detail
