// SQLite with this project's errors: a connection, prepared statements and a transaction that rolls back unless it is
// committed. Internal to the store. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace heapwright::compare {

class Statement {
public:
    Statement(sqlite3* database, sqlite3_stmt* statement, const std::string& file)
        : database_(database), statement_(statement), file_(&file) {}
    Statement(Statement&& other) noexcept;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    // Parameters from 1 on.
    Statement& bind(int index, std::string_view text);
    Statement& bind(int index, std::uint64_t number);
    Statement& bind_null(int index);

    // True: a row is there. False: done.
    [[nodiscard]] Result<bool> step();
    // For a statement without rows; may be bound and run again.
    [[nodiscard]] Status run();

    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::uint64_t number(int column) const;

private:
    sqlite3* database_;
    sqlite3_stmt* statement_;
    const std::string* file_;
};

class Database {
public:
    [[nodiscard]] static Result<Database> open(const std::string& file, bool create);
    Database(Database&& other) noexcept;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    [[nodiscard]] Status execute(const std::string& sql);
    [[nodiscard]] Result<Statement> prepare(std::string_view sql);
    [[nodiscard]] Result<std::uint64_t> number(std::string_view sql);
    [[nodiscard]] std::uint64_t last_row() const;
    [[nodiscard]] const std::string& file() const { return *file_; }

private:
    Database(sqlite3* database, std::string file)
        : database_(database), file_(std::make_unique<std::string>(std::move(file))) {}

    sqlite3* database_;
    std::unique_ptr<std::string> file_;  // statements point to it
};

class Transaction {
public:
    explicit Transaction(Database& database) : database_(database) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    [[nodiscard]] Status begin();
    [[nodiscard]] Status commit();

private:
    Database& database_;
    bool open_ = false;
};

}  // namespace heapwright::compare
