// Reports of well-known GPUs that come with the program, so that advice takes no device: reports/known. Each says
// where it is from. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::import {

enum class Basis : std::uint8_t {
    kProbed,    // probed on the hardware, costs of memory included
    kPlayed,    // the real driver's own answers for a GPU that is not there: no costs
    kReported,  // another tool's file, imported: heaps, memory types, limits; neither requirements nor costs
};

struct KnownDevice {
    std::string gpu;                // "AMD Radeon RX 7900 XTX"
    std::string driver;             // what tells it from the others of this GPU: "Windows", "RADV, Linux"
    std::vector<std::string> also;  // other names that people use for it
    std::string device_name;        // the driver's own
    model::Api api = model::Api::kVulkan;
    Basis basis = Basis::kReported;
    std::string caveat;  // what of the report is not the real device's; empty: nothing
    std::string source;  // "vulkan.gpuinfo.org, report 38870"
    std::string driver_version;
    std::string date;     // of the data: "2025-06-05", or "by 2025-05-12"
    std::string licence;  // with the attribution that it asks for
    std::string file;     // in reports/known, without ".json.gz"
};

// "AMD Radeon RX 7900 XTX (Windows)".
[[nodiscard]] std::string title_of(const KnownDevice& device);

// "probed", "played", "reported".
[[nodiscard]] std::string_view basis_name(Basis basis);

// In the order of the list: of one GPU's reports the first is the one that its name alone means.
[[nodiscard]] std::span<const KnownDevice> known_devices();

struct Found {
    const KnownDevice* device = nullptr;
    std::vector<const KnownDevice*> others;  // of the same GPU, which the name means as well
    bool is_whole = false;                   // the name is a whole one, with or without the maker's
};

// The device whose GPU, driver and other names hold every word of the name, in any order and case, with or without
// spaces: "rtx4090", "7900 xtx windows", "Steam Deck". A name that is a whole one means that alone.
// Errors: kInvalidArgument with the GPUs that it may mean, or the nearest.
[[nodiscard]] Result<Found> find_known(std::string_view name);

// Its report, with one device. Errors: as model::read_report().
[[nodiscard]] Result<std::string> report_text_of(const KnownDevice& device);
[[nodiscard]] Result<model::Report> report_of(const KnownDevice& device);

// The files of reports/known as they are in the program. Constant, so thread-safe.

struct EmbeddedReport {
    std::string_view name;  // of the file, without ".json.gz"
    std::string_view gzip;
};

[[nodiscard]] std::string_view embedded_list();
[[nodiscard]] std::span<const EmbeddedReport> embedded_reports();

}  // namespace heapwright::import
