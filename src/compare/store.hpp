// Reports kept for repeated questions, in one SQLite file. Its schema (user_version 1) is the text of schema_sql():
//   report       one row a document: its stable hash, where it came from, its whole text
//   device       one row a device of a report, with its allocation-behaviour fingerprint
//   heap, memory_type  of a device, with the names that comparisons use
//   sweep_group  the distinct answers of a device's sweeps: a hash and how many cases share it
//   sweep_case   which case is answered how; no fingerprint: not supported
//
// Guarantees: every report is added in a transaction of its own, so that it is there whole or not at all, also after a
// crash (synchronous = FULL); a document that is there already is not added twice; nothing is ever overwritten or
// deleted. A file that is no store, is damaged, or is of a later version is refused with a message that says so, and
// left as it is.
// Ownership: a Store owns its connection; not thread-safe. Several processes may use one file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::compare {

enum class OpenMode : std::uint8_t { kReadOnly, kCreate };

struct StoreQuery {
    std::string fingerprint;  // its beginning; empty: any
    std::string device;       // a part of the name, in any case, or "10de:2330"
    std::string driver;       // a part of the driver's id, name or version text
    std::string memory_type;  // a part of the memory type's name: "DEVICE_LOCAL|HOST_VISIBLE"
    std::string case_path;    // a part of a sweep case's path that the device supports
    std::uint64_t limit = 1000;
};

struct StoredDevice {
    std::string report_hash;
    std::string file;
    std::string created_utc;
    std::uint32_t position = 0;
    std::string fingerprint;
    std::string api;
    std::string name;
    std::string vendor_device;  // "10de:2330"
    std::string driver_id;
    std::string driver_info;
    std::uint64_t heap_bytes = 0;  // the largest device-local heap
    std::uint64_t memory_types = 0;
    std::uint64_t sweep_groups = 0;
};

struct StoreCounts {
    std::uint64_t reports = 0;
    std::uint64_t devices = 0;
    std::uint64_t fingerprints = 0;
};

[[nodiscard]] std::string_view schema_sql();

class Store {
public:
    // Errors: kIoError with the file and SQLite's reason; kUnsupportedVersion for a later schema.
    [[nodiscard]] static Result<Store> open(const std::string& file, OpenMode mode);

    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // True: added. False: the same document (by its stable hash) is there already.
    [[nodiscard]] Result<bool> add(const model::Report& report, std::string_view text, std::string_view file);

    [[nodiscard]] Result<std::vector<StoredDevice>> query(const StoreQuery& query);
    [[nodiscard]] Result<StoreCounts> counts();

    // The text of a report. Errors: kInvalidArgument when no hash, or more than one, begins so.
    [[nodiscard]] Result<std::string> document(const std::string& hash);

private:
    class Connection;
    explicit Store(std::unique_ptr<Connection> connection);

    std::unique_ptr<Connection> connection_;
};

}  // namespace heapwright::compare
