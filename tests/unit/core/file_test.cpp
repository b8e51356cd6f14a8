#include <catch2/catch_test_macros.hpp>

#include <filesystem>

#include "heapwright/core/file.hpp"

using namespace heapwright;

TEST_CASE("a file is written whole or not at all") {
    const auto folder = std::filesystem::temp_directory_path() / "heapwright-file-test";
    std::filesystem::create_directories(folder);
    const auto path = folder / "document.json";

    REQUIRE(write_file_atomically(path, "one"));
    REQUIRE(write_file_atomically(path, "two"));
    CHECK(read_file(path).value() == "two");
    CHECK(read_file(path, 2).error().code == ErrorCode::kOutOfRange);

    const auto missing = write_file_atomically(folder / "absent" / "document.json", "three");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kIoError);
    CHECK(read_file(folder).error().message == "is a folder, not a file");

    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
    CHECK(entries == 1);
    std::filesystem::remove_all(folder);
}
