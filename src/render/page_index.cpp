#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "heapwright/model/flags.hpp"
#include "render/detail/page_data.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/device_list.hpp"
#include "render/first_screen.hpp"

namespace heapwright::render::detail {
namespace {

struct VendorName {
    std::uint32_t id;
    std::string_view name;
};
// PCI vendors, and VkVendorId from 0x10000 on.
constexpr VendorName kVendorNames[] = {
    {0x1002, "AMD"},       {0x1010, "Imagination"}, {0x106b, "Apple"},        {0x10de, "NVIDIA"}, {0x13b5, "Arm"},
    {0x1414, "Microsoft"}, {0x144d, "Samsung"},     {0x14e4, "Broadcom"},     {0x1ae0, "Google"}, {0x5143, "Qualcomm"},
    {0x8086, "Intel"},     {0x10001, "Vivante"},    {0x10002, "VeriSilicon"}, {0x10005, "Mesa"},  {0x10006, "PoCL"},
};

std::string vendor_text(std::uint32_t id) {
    const auto* known = std::ranges::find(kVendorNames, id, &VendorName::id);
    return known != std::end(kVendorNames) ? std::string(known->name) : fmt::format("0x{:04x}", id);
}

std::string_view kind_text(model::DeviceType type) {
    switch (type) {
        case model::DeviceType::kOther: break;
        case model::DeviceType::kIntegratedGpu: return "integrated";
        case model::DeviceType::kDiscreteGpu: return "discrete";
        case model::DeviceType::kVirtualGpu: return "virtual";
        case model::DeviceType::kCpu: return "CPU";
    }
    return "other";
}

PageJson by_number(double number, std::string text) {
    return PageJson::array({number, std::move(text)});
}

// "25.0.7" behind "22.3.6", "580.9" before "580.159": by its first three parts.
PageJson by_version(const std::string& version) {
    if (version.empty()) return nullptr;
    double order = 0;
    std::size_t at = 0;
    for (int part = 0; part < 3; ++part) {
        double number = 0;
        for (; at < version.size() && version[at] >= '0' && version[at] <= '9'; ++at)
            number = number * 10 + (version[at] - '0');
        order = order * 100000 + std::min(number, 99999.0);
        if (at < version.size() && version[at] == '.') ++at;
    }
    return by_number(order, version);
}

PageJson memory_cell(const model::DeviceReport* report) {
    if (report == nullptr) return nullptr;
    std::uint64_t local = 0;
    for (const model::MemoryHeap& heap : report->heaps) {
        if ((heap.flags & model::memory_heap::kDeviceLocal) != 0) local = std::max(local, heap.size_bytes);
    }
    if (local == 0) return nullptr;
    return by_number(static_cast<double>(local), byte_text(local));
}

PageJson findings_cell(const model::DeviceReport* report) {
    if (report == nullptr) return nullptr;
    const std::uint64_t violations = findings_of(*report, model::FindingSeverity::kViolation);
    const std::uint64_t warnings = findings_of(*report, model::FindingSeverity::kWarning);
    if (violations + warnings == 0) {
        const bool asked = report->origin == model::ReportOrigin::kProbe;
        return asked ? by_number(0, "none") : by_number(-1, "not asked");
    }
    std::string text;
    if (violations != 0) text = fmt::format("{} wrong", violations);
    if (warnings != 0) text += fmt::format("{}{} doubtful", text.empty() ? "" : ", ", warnings);
    return by_number(static_cast<double>(violations) * 1000 + static_cast<double>(warnings), text);
}

PageJson figure_cell(const FirstScreen& screen, std::string_view name) {
    const auto found = std::ranges::find(screen.figures, name, &KeyFigure::name);
    if (found == screen.figures.end() || !found->value.ends_with('%')) return nullptr;
    return by_number(std::stod(found->value), found->value);
}

}  // namespace

PageJson index_json(std::span<const ReportDocument> documents) {
    const bool has_policies = std::ranges::any_of(documents, [](const ReportDocument& each) {
        return std::holds_alternative<model::Policy>(each.document) ||
               std::holds_alternative<model::Validation>(each.document);
    });
    PageJson rows = PageJson::array();
    for (const ListedDevice& device : list_devices(documents)) {
        const auto [driver, version] = driver_words(device.identity);
        const bool d3d12 = device.identity.api == model::Api::kD3d12;
        PageJson row{device.identity.name,
                     vendor_text(device.identity.vendor_id),
                     driver,
                     by_version(version),
                     d3d12 ? "Direct3D 12" : "Vulkan",
                     kind_text(device.identity.type),
                     memory_cell(report_of(documents, device)),
                     findings_cell(report_of(documents, device))};
        if (has_policies) {
            const FirstScreen screen = first_screen(documents, device);
            row.push_back(screen.verdict);
            row.push_back(figure_cell(screen, "Waste"));
        }
        rows.push_back(std::move(row));
    }
    struct Column {
        std::string_view id;
        std::string_view name;
        bool is_number;
    };
    constexpr Column kColumns[] = {{"name", "Device", false},
                                   {"vendor", "Vendor", false},
                                   {"driver", "Driver", false},
                                   {"version", "Version", true},
                                   {"api", "API", false},
                                   {"kind", "Kind", false},
                                   {"memory", "Device memory", true},
                                   {"findings", "Wrong answers", true},
                                   {"verdict", "Policy", false},
                                   {"waste", "Waste", true}};
    constexpr std::size_t kOfPolicies = 2;  // the last ones
    PageJson columns = PageJson::array();
    for (const Column& column : std::span(kColumns).first(std::size(kColumns) - (has_policies ? 0 : kOfPolicies)))
        columns.push_back({{"id", column.id}, {"name", column.name}, {"number", column.is_number}});
    return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

}  // namespace heapwright::render::detail
