#include "varied_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compare/device_pairing.hpp"
#include "core/file.hpp"
#include "core/random.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::test {
namespace {

// What drivers have changed between versions, one at a time.
std::string change_behaviour(model::DeviceReport& device, std::uint64_t which) {
    switch (which) {
        case 0:
            for (model::Fact& limit : device.limits) {
                if (limit.name != "bufferImageGranularity") continue;
                limit.value *= 2;
                return "+granularity";
            }
            return "";
        case 1:
            if (device.image_sweep.requirements.empty()) return "";
            for (model::RequirementClass& requirement : device.image_sweep.requirements)
                requirement.alignment_bytes = std::max<std::uint64_t>(requirement.alignment_bytes, 8192);
            return "+alignment";
        case 2:
            if (device.buffer_sweep.tables.empty()) return "";
            for (model::SweepTable& table : device.buffer_sweep.tables) {
                for (std::uint64_t& size : table.size_bytes) size = size == 0 ? 0 : (size + 1023) / 1024 * 1024;
            }
            return "+buffers";
        default:
            if (device.memory_types.empty()) return "";
            device.memory_types.front().property_flags ^= model::memory_property::kRdmaCapableNv;
            return "+memory type";
    }
}

void vary_machine(model::Report& report, Random& random, std::uint64_t index) {
    report.run.created_utc =
        fmt::format("2026-{:02}-{:02}T{:02}:00:00Z", 1 + random.below(12), 1 + random.below(28), random.below(24));
    for (model::DeviceReport& device : report.devices) {
        // What firmware and other drivers leave of a heap.
        const std::uint64_t per_mille = 900 + random.below(101);
        for (model::MemoryHeap& heap : device.heaps)
            heap.size_bytes = std::max<std::uint64_t>(4096, heap.size_bytes / 1000 * per_mille / 4096 * 4096);
        for (std::size_t heap = 0; heap < device.run.heap_budgets.size(); ++heap)
            device.run.heap_budgets[heap].budget_bytes = device.heaps[heap].size_bytes / 100 * (50 + random.below(45));
        device.identity.name += fmt::format(" #{}", index % 50);
        if (device.identity.pci) device.identity.pci->bus = static_cast<std::uint32_t>(random.below(32));
        device.run.timing.total_ns = 1'000'000 + random.below(100'000'000);
    }
}

}  // namespace

Result<std::vector<model::Report>> real_reports(const std::string& source_folder) {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"/reports", "/tests/golden/import"}) {
        for (const auto& entry : std::filesystem::directory_iterator(source_folder + folder)) {
            if (entry.path().extension() == ".json") files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<model::Report> reports;
    for (const std::filesystem::path& file : files) {
        HEAPWRIGHT_ASSIGN(const std::string text, read_file(file));
        const auto kind = model::document_kind(text, file.string());
        if (!kind || *kind != model::DocumentKind::kReport) continue;
        HEAPWRIGHT_ASSIGN(model::Report report, model::read_report(text, file.string()));
        reports.push_back(std::move(report));
    }
    return reports;
}

VariedReport vary(const std::vector<model::Report>& real, std::uint64_t index) {
    Random random(index + 1);
    const std::uint64_t source = random.below(real.size());
    VariedReport varied{.report = real[source], .behaviour = compare::fingerprint(real[source].devices.front())};
    vary_machine(varied.report, random, index);
    // A version of the driver; from the third on it behaves otherwise, for every other source.
    const std::uint64_t version = random.below(5);
    const bool changed = version >= 3 && source % 2 == 0;
    // One machine in two thousand behaves as no other of its kind.
    const bool odd = random.below(2000) == 0;
    for (model::DeviceReport& device : varied.report.devices) {
        device.identity.driver_info += fmt::format(" build {}", version);
        device.identity.driver_version += static_cast<std::uint32_t>(version);
        if (changed) varied.behaviour += change_behaviour(device, source / 2 % 4);
        if (odd) varied.behaviour += change_behaviour(device, 3);
    }
    return varied;
}

}  // namespace heapwright::test
