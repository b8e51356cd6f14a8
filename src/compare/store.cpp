#include "compare/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compare/connection.hpp"
#include "compare/device_pairing.hpp"
#include "core/system.hpp"
#include "heapwright/model/json.hpp"
#include "model/names.hpp"

namespace heapwright::compare {
namespace {

constexpr std::uint64_t kApplicationId = 0x68775354;  // "hwST"
constexpr std::uint64_t kSchemaVersion = 1;
// A damaged page of a file up to this size is found before anything is added.
constexpr std::uint64_t kCheckedBytes = 256ull << 20;

Status create_schema(Database& database) {
    Transaction transaction(database);
    HEAPWRIGHT_TRY(transaction.begin());
    HEAPWRIGHT_ASSIGN(const std::uint64_t tables, database.number("SELECT count(*) FROM sqlite_master"));
    HEAPWRIGHT_ASSIGN(const std::uint64_t id, database.number("PRAGMA application_id"));
    if (id == kApplicationId) return transaction.commit();  // another process was faster
    if (tables != 0) {
        return fail(ErrorCode::kIoError, "is no heapwright store: an SQLite database of another program",
                    database.file());
    }
    HEAPWRIGHT_TRY(database.execute(std::string(schema_sql())));
    HEAPWRIGHT_TRY(database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kSchemaVersion)));
    return transaction.commit();
}

Status check_whole(Database& database) {
    std::error_code ignored;
    if (std::filesystem::file_size(database.file(), ignored) > kCheckedBytes) return {};
    HEAPWRIGHT_ASSIGN(Statement check, database.prepare("PRAGMA quick_check(1)"));
    HEAPWRIGHT_ASSIGN(const bool row, check.step());
    const std::string result = row ? check.text(0) : "no answer";
    if (result == "ok") return {};
    return fail(
        ErrorCode::kIoError,
        fmt::format("the store is damaged ({}); restore it from a copy, or add its reports to a new one", result),
        database.file());
}

// A part of a text for LIKE ... ESCAPE '\'.
std::string like_part(const std::string& part) {
    std::string pattern = "%";
    for (const char c : part) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

}  // namespace

class Store::Connection {
public:
    explicit Connection(Database opened) : database(std::move(opened)) {}

    Status add_device(std::uint64_t report, std::uint32_t position, const model::DeviceReport& device) {
        const model::DeviceIdentity& identity = device.identity;
        HEAPWRIGHT_ASSIGN(Statement insert,
                          database.prepare("INSERT INTO device (report_id, position, fingerprint, api, type, name, "
                                           "vendor_id, device_id, driver_id, driver_name, driver_info, driver_version) "
                                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        insert.bind(1, report).bind(2, position).bind(3, compare::fingerprint(device));
        insert.bind(4, name_of(identity.api)).bind(5, name_of(identity.type)).bind(6, identity.name);
        insert.bind(7, identity.vendor_id).bind(8, identity.device_id).bind(9, identity.driver_id);
        insert.bind(10, identity.driver_name).bind(11, identity.driver_info).bind(12, identity.driver_version);
        HEAPWRIGHT_TRY(insert.run());
        const std::uint64_t id = database.last_row();
        HEAPWRIGHT_TRY(add_memory(id, device));
        return add_sweeps(id, device);
    }

    Database database;

private:
    Status add_memory(std::uint64_t id, const model::DeviceReport& device) {
        const compare::MemoryLayout layout = compare::layout_of(device);
        HEAPWRIGHT_ASSIGN(Statement heap, database.prepare("INSERT INTO heap VALUES (?, ?, ?, ?, ?)"));
        for (std::size_t index = 0; index < device.heaps.size(); ++index) {
            heap.bind(1, id).bind(2, index).bind(3, layout.heaps[index]).bind(4, device.heaps[index].size_bytes);
            HEAPWRIGHT_TRY(heap.bind(5, device.heaps[index].flags).run());
        }
        HEAPWRIGHT_ASSIGN(Statement type, database.prepare("INSERT INTO memory_type VALUES (?, ?, ?, ?, ?)"));
        for (std::size_t index = 0; index < device.memory_types.size(); ++index) {
            const model::MemoryType& entry = device.memory_types[index];
            type.bind(1, id).bind(2, index).bind(3, layout.types[index]).bind(4, entry.heap_index);
            HEAPWRIGHT_TRY(type.bind(5, entry.property_flags).run());
        }
        return {};
    }

    Status add_sweeps(std::uint64_t id, const model::DeviceReport& device) {
        std::map<std::string, std::uint64_t> groups;
        HEAPWRIGHT_ASSIGN(Statement insert, database.prepare("INSERT OR IGNORE INTO sweep_case VALUES (?, ?, ?)"));
        for (const compare::CaseFingerprint& entry : compare::case_fingerprints(device)) {
            insert.bind(1, id).bind(2, entry.path);
            if (entry.fingerprint.empty()) {
                insert.bind_null(3);
            } else {
                insert.bind(3, entry.fingerprint);
                ++groups[entry.fingerprint];
            }
            HEAPWRIGHT_TRY(insert.run());
        }
        HEAPWRIGHT_ASSIGN(Statement group, database.prepare("INSERT INTO sweep_group VALUES (?, ?, ?)"));
        for (const auto& [fingerprint, cases] : groups)
            HEAPWRIGHT_TRY(group.bind(1, id).bind(2, fingerprint).bind(3, cases).run());
        return {};
    }
};

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::string& file, OpenMode mode) {
    std::error_code ignored;
    if (mode == OpenMode::kReadOnly && !std::filesystem::exists(file, ignored))
        return fail(ErrorCode::kIoError, "does not exist; 'heapwright store add' makes it", file);
    HEAPWRIGHT_ASSIGN(Database database, Database::open(file, mode == OpenMode::kCreate));
    HEAPWRIGHT_ASSIGN(std::uint64_t id, database.number("PRAGMA application_id"));
    if (id == 0 && mode == OpenMode::kCreate) {
        HEAPWRIGHT_TRY(create_schema(database));
        id = kApplicationId;
    }
    if (id != kApplicationId)
        return fail(ErrorCode::kIoError, "is no heapwright store: an SQLite database of another program", file);
    HEAPWRIGHT_ASSIGN(const std::uint64_t version, database.number("PRAGMA user_version"));
    if (version != kSchemaVersion) {
        return fail({.code = ErrorCode::kUnsupportedVersion,
                     .message = "the store has a schema that this version does not know",
                     .where = file,
                     .value = version,
                     .limit = kSchemaVersion});
    }
    HEAPWRIGHT_TRY(database.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL"));
    if (mode == OpenMode::kCreate) HEAPWRIGHT_TRY(check_whole(database));
    return Store(std::make_unique<Connection>(std::move(database)));
}

Result<bool> Store::add(const model::Report& report, std::string_view text, std::string_view file) {
    Database& database = connection_->database;
    Transaction transaction(database);
    HEAPWRIGHT_TRY(transaction.begin());
    const std::string hash = model::stable_hash(report);
    {
        HEAPWRIGHT_ASSIGN(Statement known, database.prepare("SELECT 1 FROM report WHERE stable_hash = ?"));
        HEAPWRIGHT_ASSIGN(const bool there, known.bind(1, hash).step());
        if (there) return false;
    }
    {
        HEAPWRIGHT_ASSIGN(Statement insert,
                          database.prepare("INSERT INTO report (stable_hash, file, created_utc, tool_version, "
                                           "added_utc, document) VALUES (?, ?, ?, ?, ?, ?)"));
        insert.bind(1, hash).bind(2, file).bind(3, report.run.created_utc).bind(4, report.header.tool_version);
        HEAPWRIGHT_TRY(insert.bind(5, utc_now()).bind(6, text).run());
    }
    const std::uint64_t id = database.last_row();
    for (std::uint32_t position = 0; position < report.devices.size(); ++position)
        HEAPWRIGHT_TRY(connection_->add_device(id, position, report.devices[position]));
    HEAPWRIGHT_TRY(transaction.commit());
    return true;
}

Result<std::vector<StoredDevice>> Store::query(const StoreQuery& query) {
    std::string sql =
        "SELECT r.stable_hash, r.file, r.created_utc, d.position, d.fingerprint, d.api, d.name, d.vendor_id, "
        "d.device_id, d.driver_id, d.driver_info, "
        "(SELECT max(size_bytes) FROM heap WHERE device_id = d.id AND (flags & 1) != 0), "
        "(SELECT count(*) FROM memory_type WHERE device_id = d.id), "
        "(SELECT count(*) FROM sweep_group WHERE device_id = d.id) "
        "FROM device d JOIN report r ON r.id = d.report_id WHERE 1";
    std::vector<std::string> texts;
    const auto where = [&](const std::string& value, std::string_view condition, std::size_t times = 1) {
        if (value.empty()) return;
        sql += " AND ";
        sql += condition;
        for (std::size_t time = 0; time < times; ++time) texts.push_back(like_part(value));
    };
    if (!query.fingerprint.empty()) {
        sql += " AND d.fingerprint LIKE ? ESCAPE '\\'";
        texts.push_back(like_part(query.fingerprint).substr(1));
    }
    where(query.device,
          "(d.name LIKE ? ESCAPE '\\' OR printf('%04x:%04x', d.vendor_id, d.device_id) LIKE ? ESCAPE '\\')", 2);
    where(query.driver,
          "(d.driver_id LIKE ? ESCAPE '\\' OR d.driver_name LIKE ? ESCAPE '\\' OR d.driver_info LIKE ? ESCAPE '\\')",
          3);
    where(query.memory_type, "EXISTS (SELECT 1 FROM memory_type WHERE device_id = d.id AND name LIKE ? ESCAPE '\\')");
    where(query.case_path,
          "EXISTS (SELECT 1 FROM sweep_case WHERE device_id = d.id AND fingerprint IS NOT NULL AND path LIKE ? ESCAPE "
          "'\\')");
    sql += " ORDER BY d.fingerprint, d.name, d.driver_id, d.driver_version, r.stable_hash, d.position LIMIT ?";
    HEAPWRIGHT_ASSIGN(Statement select, connection_->database.prepare(sql));
    int parameter = 0;
    for (const std::string& text : texts) select.bind(++parameter, text);
    select.bind(++parameter, query.limit);
    std::vector<StoredDevice> devices;
    for (;;) {
        HEAPWRIGHT_ASSIGN(const bool row, select.step());
        if (!row) return devices;
        devices.push_back({.report_hash = select.text(0),
                           .file = select.text(1),
                           .created_utc = select.text(2),
                           .position = static_cast<std::uint32_t>(select.number(3)),
                           .fingerprint = select.text(4),
                           .api = select.text(5),
                           .name = select.text(6),
                           .vendor_device = fmt::format("{:04x}:{:04x}", select.number(7), select.number(8)),
                           .driver_id = select.text(9),
                           .driver_info = select.text(10),
                           .heap_bytes = select.number(11),
                           .memory_types = select.number(12),
                           .sweep_groups = select.number(13)});
    }
}

Result<StoreCounts> Store::counts() {
    StoreCounts counts;
    Database& database = connection_->database;
    HEAPWRIGHT_ASSIGN(counts.reports, database.number("SELECT count(*) FROM report"));
    HEAPWRIGHT_ASSIGN(counts.devices, database.number("SELECT count(*) FROM device"));
    HEAPWRIGHT_ASSIGN(counts.fingerprints, database.number("SELECT count(DISTINCT fingerprint) FROM device"));
    return counts;
}

Result<std::string> Store::document(const std::string& hash) {
    HEAPWRIGHT_ASSIGN(Statement select, connection_->database.prepare(
                                            "SELECT document FROM report WHERE stable_hash LIKE ? ESCAPE '\\'"));
    select.bind(1, std::string_view(like_part(hash)).substr(1));
    HEAPWRIGHT_ASSIGN(const bool found, select.step());
    if (!found) return fail(ErrorCode::kInvalidArgument, fmt::format("no report's hash begins with \"{}\"", hash));
    std::string text = select.text(0);
    HEAPWRIGHT_ASSIGN(const bool another, select.step());
    if (another)
        return fail(ErrorCode::kInvalidArgument, fmt::format("several reports' hashes begin with \"{}\"", hash));
    return text;
}

}  // namespace heapwright::compare
