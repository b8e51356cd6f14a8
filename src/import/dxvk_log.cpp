#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "import/detail/formats.hpp"
#include "import/detail/number_limits.hpp"
#include "import/detail/text_tree.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"

namespace heapwright::imports::detail {
namespace {

constexpr std::string_view kInfo = "info:";
constexpr std::string_view kHeap = "Memory Heap[";
constexpr std::string_view kType = "Memory Type[";
constexpr std::string_view kFound = "Found device";

struct LogLine {
    std::size_t number = 0;
    std::size_t indent = 0;  // behind "info:"
    std::string_view name;
    std::string_view value;
    bool heads = false;  // ends with a colon
};

// Takes lines off `text` up to the next of DXVK's; `number` counts all.
std::optional<LogLine> next_line(std::string_view& text, std::size_t& number) {
    while (!text.empty()) {
        const std::string_view whole = take_line(text);
        const std::string_view line = whole.substr(quotation_of(whole).size());
        ++number;
        if (!line.starts_with(kInfo)) continue;
        const std::string_view rest = line.substr(kInfo.size());
        const std::string_view content = trimmed(rest);
        if (content.empty()) continue;
        // A device's name may hold a colon of its own.
        const bool heads = content.ends_with(':');
        const std::size_t mark = heads ? content.size() - 1 : content.find(": ");
        LogLine entry{.number = number, .indent = rest.find_first_not_of(" \t"), .name = content, .heads = heads};
        if (mark != std::string_view::npos) {
            entry.name = trimmed(content.substr(0, mark));
            entry.value = trimmed(content.substr(mark + 1));
        }
        return entry;
    }
    return std::nullopt;
}

// The number in "Memory Heap[1]".
std::optional<std::uint64_t> index_in(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix) || !name.ends_with(']')) return std::nullopt;
    return parse_number(name.substr(prefix.size(), name.size() - prefix.size() - 1));
}

struct Type {
    std::uint32_t heap_index = 0;
    model::Flags flags = 0;
};

struct LoggedDevice {
    model::DeviceReport report;
    std::map<std::uint64_t, Type> types;
    std::size_t line = 0;
};

void state_unstated_identity(model::DeviceReport& report) {
    add_absent_identity(report, {"type", "vendor_id", "device_id", "driver_version", "luid"});
}

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {}

    Status take(const LogLine& line) {
        if (line.indent <= heading_.indent || heading_.name.empty()) {
            HEAPWRIGHT_TRY(finish());
            heading_ = line.heads ? line : LogLine{};
            if (line.name == kFound) found(line.value);
            return {};
        }
        if (line.name == "Driver") driver_ = line.value;
        if (line.name == "Vulkan") vulkan_ = line.value;
        if (line.name.starts_with(kHeap)) return begin_heap(line);
        if (!device_) return {};
        if (line.name == "Size") return read_size(line);
        if (line.name == "Flags") return read_flags(line);
        return line.name.starts_with(kType) ? read_type(line) : Status{};
    }

    Result<std::vector<model::DeviceReport>> devices() {
        HEAPWRIGHT_TRY(finish());
        if (!devices_.empty()) return std::move(devices_);
        if (!named_.empty()) return std::move(named_);
        return fail(ErrorCode::kParseError,
                    "a log of DXVK that names no device; `vulkaninfo > vulkaninfo.txt` writes what can be imported",
                    std::string(source_));
    }

private:
    [[nodiscard]] tl::unexpected<Error> error(const LogLine& line, std::string message) const {
        return fail(ErrorCode::kParseError, std::move(message), fmt::format("{}:{}", source_, line.number));
    }

    Status begin_heap(const LogLine& line) {
        if (!device_) {
            device_.emplace();
            device_->line = heading_.number;
            device_->report.identity.name = heading_.name;
            device_->report.identity.driver_info = driver_;
            device_->report.identity.api_version = vulkan_;
        }
        auto& heaps = device_->report.heaps;
        if (index_in(line.name, kHeap) != heaps.size()) {
            return error(line, fmt::format("expected {}{}], found {}", kHeap, heaps.size(), line.name));
        }
        heaps.emplace_back();
        return check_memory(device_->report, fmt::format("{}:{}", source_, line.number));
    }

    Status read_size(const LogLine& line) {
        constexpr std::string_view kUnit = " MiB";
        constexpr std::uint64_t kMost = kMax64 >> 20;
        const auto size = line.value.ends_with(kUnit)
                              ? parse_number(line.value.substr(0, line.value.size() - kUnit.size()))
                              : std::nullopt;
        if (!size || *size > kMost) return error(line, fmt::format("no size in MiB: {}", quoted_start(line.value)));
        device_->report.heaps.back().size_bytes = *size << 20;
        return {};
    }

    Status read_flags(const LogLine& line) {
        const auto flags = parse_number(line.value);
        if (!flags || *flags > kMax32) return error(line, fmt::format("no flags: {}", quoted_start(line.value)));
        device_->report.heaps.back().flags = static_cast<model::Flags>(*flags);
        return {};
    }

    Status read_type(const LogLine& line) {
        constexpr std::uint64_t kMostTypes = 32;
        const auto index = index_in(line.name, kType);
        const auto flags = parse_number(line.value.substr(std::min(line.value.find("0x"), line.value.size())));
        if (!index || *index >= kMostTypes || !flags || *flags > kMax32) {
            return error(line, fmt::format("no memory type: {}", quoted_start(line.name)));
        }
        device_->types[*index] = {.heap_index = static_cast<std::uint32_t>(device_->report.heaps.size() - 1),
                                  .flags = static_cast<model::Flags>(*flags)};
        return {};
    }

    // "Found device: NAME (DRIVER)".
    void found(std::string_view value) {
        const std::size_t driver = value.rfind(" (");
        model::DeviceReport report;
        report.identity.name = trimmed(value.substr(0, driver));
        if (driver != std::string_view::npos && value.ends_with(')')) {
            report.identity.driver_info = trimmed(value.substr(driver + 2, value.size() - driver - 3));
        }
        if (!report.identity.name.empty()) keep(named_, std::move(report));
    }

    Status finish() {
        driver_ = {};
        vulkan_ = {};
        if (!device_) return {};
        LoggedDevice device = std::move(*device_);
        device_.reset();
        model::DeviceReport& report = device.report;
        if (report.identity.name.empty()) return {};
        report.findings.push_back({.id = "rounded-heap-sizes",
                                   .severity = model::FindingSeverity::kNote,
                                   .statement = "DXVK logs whole mebibytes: each heap may have up to 1 MiB more",
                                   .clause = {},
                                   .evidence = {"/heaps"}});
        add_types(device);
        keep(devices_, std::move(report));
        return {};
    }

    // A memory type is named by its place, so types with gaps between them are no list of types.
    void add_types(LoggedDevice& device) const {
        model::DeviceReport& report = device.report;
        const bool whole = !device.types.empty() && device.types.rbegin()->first + 1 == device.types.size();
        if (whole) {
            for (const auto& [index, type] : device.types) {
                report.memory_types.push_back({.heap_index = type.heap_index, .property_flags = type.flags});
            }
        } else if (!device.types.empty()) {
            report.findings.push_back(
                {.id = "incomplete-memory-types",
                 .severity = model::FindingSeverity::kWarning,
                 .statement = fmt::format("the log of the device at line {} lists {} of its memory types 0 to {}; "
                                          "the memory types are left out",
                                          device.line, device.types.size(), device.types.rbegin()->first),
                 .clause = {},
                 .evidence = {"/memory_types"}});
        }
    }

    static void keep(std::vector<model::DeviceReport>& devices, model::DeviceReport report) {
        // More than a machine has, and few enough for the memory that a text may take.
        constexpr std::size_t kMostDevices = 256;
        const auto same = [&report](const model::DeviceReport& other) {
            return other.identity == report.identity && same_memory(other, report);
        };
        if (devices.size() == kMostDevices || std::any_of(devices.begin(), devices.end(), same)) return;
        state_unstated_identity(report);
        devices.push_back(std::move(report));
    }

    static bool same_memory(const model::DeviceReport& a, const model::DeviceReport& b) {
        const auto same_heap = [](const model::MemoryHeap& x, const model::MemoryHeap& y) {
            return x.size_bytes == y.size_bytes && x.flags == y.flags;
        };
        const auto same_type = [](const model::MemoryType& x, const model::MemoryType& y) {
            return x.heap_index == y.heap_index && x.property_flags == y.property_flags;
        };
        return std::equal(a.heaps.begin(), a.heaps.end(), b.heaps.begin(), b.heaps.end(), same_heap) &&
               std::equal(a.memory_types.begin(), a.memory_types.end(), b.memory_types.begin(), b.memory_types.end(),
                          same_type);
    }

    std::string_view source_;
    LogLine heading_;
    std::string_view driver_;
    std::string_view vulkan_;
    std::optional<LoggedDevice> device_;
    std::vector<model::DeviceReport> devices_;
    std::vector<model::DeviceReport> named_;
};

}  // namespace

bool is_dxvk_log(std::string_view text) {
    std::size_t number = 0;
    while (const auto line = next_line(text, number)) {
        if (line->name.starts_with(kHeap) || line->name == kFound || line->name == "DXVK") return true;
    }
    return false;
}

Result<std::vector<model::DeviceReport>> import_dxvk_log(std::string_view text, std::string_view source) {
    Reader reader(source);
    std::size_t number = 0;
    while (const auto line = next_line(text, number)) HEAPWRIGHT_TRY(reader.take(*line));
    return reader.devices();
}

}  // namespace heapwright::imports::detail
