#include "compare/connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

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

}  // namespace heapwright::compare
