// Runs every file of the corpus through the entry that its folder is named after, without a fuzzer.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "entries.hpp"
#include "heapwright/core/file.hpp"

using namespace heapwright;

namespace {

using Entry = void (*)(std::string_view);

const std::map<std::string, Entry>& entries() {
    static const std::map<std::string, Entry> kEntries{{"import_d3d12info", fuzz::import_d3d12info},
                                                       {"import_gpuinfo", fuzz::import_gpuinfo},
                                                       {"import_profiles", fuzz::import_profiles},
                                                       {"import_vulkaninfo", fuzz::import_vulkaninfo},
                                                       {"read_policy", fuzz::read_policy},
                                                       {"read_report", fuzz::read_report},
                                                       {"read_trace", fuzz::read_trace},
                                                       {"read_validation", fuzz::read_validation},
                                                       {"read_workload", fuzz::read_workload}};
    return kEntries;
}

std::string names() {
    std::string list;
    for (const auto& [name, entry] : entries()) list += (list.empty() ? "" : ",") + name;
    return list;
}

}  // namespace

TEST_CASE("each fuzzer has an entry here") {
    CHECK(names() == HEAPWRIGHT_FUZZ_ENTRIES);
}

TEST_CASE("every file of the corpus is handled") {
    const std::filesystem::path corpus = HEAPWRIGHT_SOURCE_DIR "/tests/fuzz/corpus";
    for (const auto& [name, entry] : entries()) {
        std::vector<std::filesystem::path> files;
        for (const auto& file : std::filesystem::directory_iterator(corpus / name)) files.push_back(file.path());
        std::sort(files.begin(), files.end());
        INFO(name);
        CHECK(files.size() >= 5);
        for (const auto& file : files) {
            const auto bytes = read_file(file);
            REQUIRE(bytes);
            CHECK(bytes->size() <= 64 << 10);
            entry(*bytes);
        }
    }
}
