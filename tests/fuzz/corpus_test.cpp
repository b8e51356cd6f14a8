// Runs every file of the corpus through the entry that its folder is named after, without a fuzzer.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "entries.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

std::string names() {
    std::string list;
    for (const fuzz::Entry& entry : fuzz::entries()) list += (list.empty() ? "" : ",") + std::string(entry.name);
    return list;
}

}  // namespace

TEST_CASE("each fuzzer has an entry here") {
    CHECK(names() == HEAPWRIGHT_FUZZ_ENTRIES);
}

TEST_CASE("every file of the corpus is handled") {
    const std::filesystem::path corpus = test::source_path("tests/fuzz/corpus");
    for (const auto& [name, run] : fuzz::entries()) {
        std::vector<std::filesystem::path> files;
        for (const auto& file : std::filesystem::directory_iterator(corpus / name)) files.push_back(file.path());
        std::sort(files.begin(), files.end());
        INFO(name);
        CHECK(files.size() >= 5);
        for (const auto& file : files) {
            const auto bytes = read_file(file);
            REQUIRE(bytes);
            CHECK(bytes->size() <= 64 << 10);
            run(*bytes);
        }
    }
}
