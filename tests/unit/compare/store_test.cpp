// The store: what is added is there whole, once, and survives; what is no store is refused and left alone.
#include "compare/store.hpp"

#include <sqlite3.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "committed.hpp"
#include "compare/device_pairing.hpp"
#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;
using compare::OpenMode;
using compare::Store;

namespace {

std::string fresh_file(const std::string& name) {
    const std::string file = test::build_path(name);
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(file + suffix);
    return file;
}

Store opened(const std::string& file, OpenMode mode) {
    auto store = Store::open(file, mode);
    if (!store) FAIL(to_string(store.error()));
    return std::move(*store);
}

bool add(Store& store, const std::string& name) {
    const model::Report report = committed_report(name);
    const auto added = store.add(report, model::write(report), name + ".json");
    if (!added) FAIL(to_string(added.error()));
    return *added;
}

std::size_t found(Store& store, const compare::StoreQuery& query) {
    const auto devices = store.query(query);
    if (!devices) FAIL(to_string(devices.error()));
    return devices->size();
}

void execute(const std::string& file, const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

}  // namespace

TEST_CASE("reports are found by behaviour, device, driver, memory type and case") {
    const std::string file = fresh_file("store-test.db");
    {
        Store store = opened(file, OpenMode::kCreate);
        CHECK(add(store, "radv-navi10-mesa-25.0.7"));
        CHECK(add(store, "radv-navi10-mesa-22.3.6"));
        CHECK(add(store, "anv-kbl-mesa-25.0.7"));
        CHECK_FALSE(add(store, "anv-kbl-mesa-25.0.7"));
    }
    Store store = opened(file, OpenMode::kReadOnly);
    const auto counts = store.counts();
    REQUIRE(counts.has_value());
    CHECK(counts->reports == 3);
    CHECK(counts->devices == 3);
    const model::Report radv = committed_report("radv-navi10-mesa-25.0.7");
    const std::string print = compare::fingerprint(radv.devices[0]);
    CHECK(found(store, {}) == 3);
    CHECK(found(store, {.fingerprint = print.substr(0, 10)}) == 1);
    CHECK(found(store, {.device = "navi10"}) == 2);
    CHECK(found(store, {.device = "8086:"}) == 1);
    CHECK(found(store, {.driver = "22.3.6"}) == 1);
    CHECK(found(store, {.device = "100%"}) == 0);
    CHECK(found(store, {.memory_type = "DEVICE_COHERENT_AMD"}) == 2);
    CHECK(found(store, {.case_path = "/BC7_UNORM_BLOCK/"}) == 3);
    CHECK(found(store, {.limit = 2}) == 2);
    const auto devices = store.query({.fingerprint = print});
    REQUIRE(devices->size() == 1);
    CHECK((*devices)[0].vendor_device == "1002:731f");
    CHECK((*devices)[0].memory_types == radv.devices[0].memory_types.size());
    const auto document = store.document((*devices)[0].report_hash.substr(0, 12));
    REQUIRE(document.has_value());
    CHECK(*document == model::write(radv));
    CHECK_FALSE(store.document("zz").has_value());
    CHECK_FALSE(store.document("").has_value());
}

TEST_CASE("a report that cannot be added whole is not added at all") {
    const std::string file = fresh_file("store-half.db");
    { Store store = opened(file, OpenMode::kCreate); }
    execute(file, "CREATE TRIGGER full BEFORE INSERT ON sweep_group BEGIN SELECT raise(ABORT, 'no room'); END");
    Store store = opened(file, OpenMode::kCreate);
    const model::Report report = committed_report("radv-navi10-mesa-25.0.7");
    const auto added = store.add(report, model::write(report), "radv.json");
    REQUIRE_FALSE(added.has_value());
    CHECK(added.error().message.find("no room") != std::string::npos);
    const auto counts = store.counts();
    REQUIRE(counts.has_value());
    CHECK(counts->reports == 0);
    CHECK(counts->devices == 0);
}

TEST_CASE("a file that is no store is refused and left as it is") {
    const std::string file = fresh_file("store-other.db");
    const auto message = [&](OpenMode mode) {
        const auto store = Store::open(file, mode);
        REQUIRE_FALSE(store.has_value());
        return to_string(store.error());
    };
    CHECK(message(OpenMode::kReadOnly).find("does not exist") != std::string::npos);
    REQUIRE(write_file_atomically(file,
                                  "this is a text of more than one hundred bytes, which is what SQLite reads of a "
                                  "file's beginning to tell whether it is one of its own"));
    const std::string before = *read_file(file);
    CHECK(message(OpenMode::kCreate).find("is no heapwright store") != std::string::npos);
    CHECK(message(OpenMode::kReadOnly).find(file) == 0);
    CHECK(*read_file(file) == before);

    std::filesystem::remove(file);
    execute(file, "CREATE TABLE other (id INTEGER)");
    CHECK(message(OpenMode::kCreate).find("database of another program") != std::string::npos);

    std::filesystem::remove(file);
    { Store store = opened(file, OpenMode::kCreate); }
    execute(file, "PRAGMA user_version = 2");
    CHECK(message(OpenMode::kReadOnly).find("does not know") != std::string::npos);
}

TEST_CASE("a damaged store is told and nothing is added to it") {
    const std::string file = fresh_file("store-damaged.db");
    {
        Store store = opened(file, OpenMode::kCreate);
        CHECK(add(store, "anv-kbl-mesa-25.0.7"));
    }
    std::string bytes = *read_file(file);
    // Everything behind the first page: the schema is there, the rows are not.
    for (std::size_t at = 8192; at < bytes.size(); ++at) bytes[at] = '\x5a';
    REQUIRE(write_file_atomically(file, bytes));
    const auto store = Store::open(file, OpenMode::kCreate);
    REQUIRE_FALSE(store.has_value());
    CHECK(to_string(store.error()).find("damaged") != std::string::npos);
    CHECK(*read_file(file) == bytes);
    auto reading = Store::open(file, OpenMode::kReadOnly);
    if (reading) {
        const auto devices = reading->query({});
        REQUIRE_FALSE(devices.has_value());
        CHECK(to_string(devices.error()).find("damaged") != std::string::npos);
    }
    REQUIRE(write_file_atomically(file, bytes.substr(0, 5000)));
    CHECK_FALSE(Store::open(file, OpenMode::kCreate).has_value());
}
