#include "compare/connection.hpp"

#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "compare/store.hpp"

namespace heapwright::compare {

namespace {

constexpr int kBusyTimeoutMs = 10'000;

tl::unexpected<Error> sqlite_error(sqlite3* database, const std::string& file, int code) {
    std::string message;
    switch (code & 0xff) {
        case SQLITE_NOTADB: message = "is no heapwright store: the file is not an SQLite database"; break;
        case SQLITE_CORRUPT:
            message = fmt::format("the store is damaged ({}); restore it from a copy, or add its reports to a new one",
                                  sqlite3_errmsg(database));
            break;
        case SQLITE_CANTOPEN: message = "cannot be opened"; break;
        case SQLITE_READONLY: message = "cannot be written"; break;
        case SQLITE_BUSY: message = "another process holds the store; try again"; break;
        case SQLITE_FULL: message = "the disk is full; nothing of this report was added"; break;
        default: message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    }
    return fail({.code = ErrorCode::kIoError, .message = std::move(message), .where = file, .native_code = code});
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)), file_(other.file_) {}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

// A failed binding leaves NULL behind, which the schema refuses where it matters; step() reports what went wrong.
Statement& Statement::bind(int index, std::string_view text) {
    sqlite3_bind_text64(statement_, index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind(int index, std::uint64_t number) {
    sqlite3_bind_int64(statement_, index, static_cast<sqlite3_int64>(number));
    return *this;
}

Statement& Statement::bind_null(int index) {
    sqlite3_bind_null(statement_, index);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return sqlite_error(database_, *file_, code);
}

Status Statement::run() {
    HEAPWRIGHT_TRY(step());
    sqlite3_reset(statement_);
    return {};
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::uint64_t Statement::number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

Result<Database> Database::open(const std::string& file, bool create) {
    sqlite3* handle = nullptr;
    const int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(handle, file);
    if (code != SQLITE_OK) return sqlite_error(handle, file, code);
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, kBusyTimeoutMs);
    return database;
}

Database::Database(Database&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), file_(std::move(other.file_)) {}

Database::~Database() {
    sqlite3_close(database_);
}

Status Database::execute(const std::string& sql) {
    const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return sqlite_error(database_, *file_, code);
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK) return sqlite_error(database_, *file_, code);
    return Statement(database_, statement, *file_);
}

Result<std::uint64_t> Database::number(std::string_view sql) {
    HEAPWRIGHT_ASSIGN(Statement statement, prepare(sql));
    HEAPWRIGHT_ASSIGN(const bool row, statement.step());
    return row ? statement.number(0) : 0;
}

std::uint64_t Database::last_row() const {
    return static_cast<std::uint64_t>(sqlite3_last_insert_rowid(database_));
}

Transaction::~Transaction() {
    if (open_) (void)database_.execute("ROLLBACK");
}

Status Transaction::begin() {
    HEAPWRIGHT_TRY(database_.execute("BEGIN IMMEDIATE"));
    open_ = true;
    return {};
}

Status Transaction::commit() {
    HEAPWRIGHT_TRY(database_.execute("COMMIT"));
    open_ = false;
    return {};
}

std::string_view schema_sql() {
    return R"sql(
CREATE TABLE report (
    id           INTEGER PRIMARY KEY,
    stable_hash  TEXT NOT NULL UNIQUE,  -- XXH3-128 of the document without its volatile sections
    file         TEXT NOT NULL,         -- where it was read from
    created_utc  TEXT NOT NULL,         -- when it was probed, ISO 8601; may be empty
    tool_version TEXT NOT NULL,
    added_utc    TEXT NOT NULL,
    document     TEXT NOT NULL          -- the whole JSON document
);
CREATE TABLE device (
    id             INTEGER PRIMARY KEY,
    report_id      INTEGER NOT NULL REFERENCES report(id),
    position       INTEGER NOT NULL,  -- in the report's devices
    fingerprint    TEXT NOT NULL,     -- allocation behaviour; equal for equal behaviour
    api            TEXT NOT NULL,
    type           TEXT NOT NULL,
    name           TEXT NOT NULL,
    vendor_id      INTEGER NOT NULL,
    device_id      INTEGER NOT NULL,
    driver_id      TEXT NOT NULL,
    driver_name    TEXT NOT NULL,
    driver_info    TEXT NOT NULL,
    driver_version INTEGER NOT NULL,
    UNIQUE (report_id, position)
);
CREATE TABLE heap (
    device_id  INTEGER NOT NULL REFERENCES device(id),
    position   INTEGER NOT NULL,
    role       TEXT NOT NULL,     -- "device_local", "host"
    size_bytes INTEGER NOT NULL,  -- 64 bits; above 2^63 - 1 negative
    flags      INTEGER NOT NULL,
    PRIMARY KEY (device_id, position)
) WITHOUT ROWID;
CREATE TABLE memory_type (
    device_id      INTEGER NOT NULL REFERENCES device(id),
    position       INTEGER NOT NULL,
    name           TEXT NOT NULL,  -- "DEVICE_LOCAL|HOST_VISIBLE@device_local"
    heap           INTEGER NOT NULL,
    property_flags INTEGER NOT NULL,
    PRIMARY KEY (device_id, position)
) WITHOUT ROWID;
CREATE TABLE sweep_group (
    device_id   INTEGER NOT NULL REFERENCES device(id),
    fingerprint TEXT NOT NULL,     -- of the answers at every size
    cases       INTEGER NOT NULL,  -- how many cases are answered so
    PRIMARY KEY (device_id, fingerprint)
) WITHOUT ROWID;
CREATE TABLE sweep_case (
    device_id   INTEGER NOT NULL REFERENCES device(id),
    path        TEXT NOT NULL,  -- "/image_sweep/R8G8B8A8_UNORM/optimal/2d/SAMPLED/one_mip/layers_1/samples_1"
    fingerprint TEXT,           -- a sweep_group's; NULL: not supported
    PRIMARY KEY (device_id, path)
) WITHOUT ROWID;
CREATE INDEX device_fingerprint ON device (fingerprint);
CREATE INDEX device_name ON device (name);
CREATE INDEX device_driver ON device (driver_id, driver_version);
CREATE INDEX memory_type_name ON memory_type (name);
)sql";
}

}  // namespace heapwright::compare
