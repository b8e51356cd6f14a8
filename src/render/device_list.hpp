// The devices of some documents, each once, under a name short enough for a chart: "RX 5700 XT · RADV 25.0.7".
// Every device of a report is one of its own; policies and validations go to the first of the same device and driver.
// Labels are distinct. Points into the documents, which must outlive it. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "render/report_document.hpp"

namespace heapwright::render {

// Where a device's part stands: documents[document], its devices[device].
struct DevicePlace {
    std::size_t document = 0;
    std::size_t device = 0;
};

template <class Document>
[[nodiscard]] const Document& document_at(std::span<const ReportDocument> documents, const DevicePlace& place) {
    return std::get<Document>(documents[place.document].document);
}

struct ListedDevice {
    model::DeviceIdentity identity;
    std::string label;
    std::vector<DevicePlace> reports;  // at most one
    std::vector<DevicePlace> policies;
    std::vector<DevicePlace> validations;
};

// The driver and its version in short: "RADV" and "25.0.7"; the version is empty where the driver tells none.
struct DriverWords {
    std::string name;
    std::string version;
};
[[nodiscard]] DriverWords driver_words(const model::DeviceIdentity& identity);

[[nodiscard]] std::vector<ListedDevice> list_devices(std::span<const ReportDocument> documents);

// Null: none of the documents is a report of it.
[[nodiscard]] const model::DeviceReport* report_of(std::span<const ReportDocument> documents,
                                                   const ListedDevice& device);

}  // namespace heapwright::render
