#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>

#include "core/file.hpp"
#include "core/path.hpp"
#include "core/system.hpp"

using namespace heapwright;

TEST_CASE("an environment variable is there, empty or not set") {
    setenv("HEAPWRIGHT_TEST_VARIABLE", "größe-漢字", 1);
    CHECK(environment_variable("HEAPWRIGHT_TEST_VARIABLE") == "größe-漢字");
    setenv("HEAPWRIGHT_TEST_VARIABLE", "", 1);
    CHECK(environment_variable("HEAPWRIGHT_TEST_VARIABLE") == "");
    unsetenv("HEAPWRIGHT_TEST_VARIABLE");
    CHECK_FALSE(environment_variable("HEAPWRIGHT_TEST_VARIABLE"));
}

TEST_CASE("the program's arguments keep their letters and their order") {
    const char* const given[] = {"heapwright", "probe", "-o", "größe/漢字.json"};
    CHECK(program_arguments(4, given) == std::vector<std::string>{"heapwright", "probe", "-o", "größe/漢字.json"});
}

TEST_CASE("a path given as text is that text again, and a file of that name is written and read") {
    const std::string text = (std::filesystem::temp_directory_path() / "heapwright-größe-漢字.json").string();
    CHECK(path_text(path_of(text)) == text);
    REQUIRE(write_file_atomically(text, "one"));
    CHECK(read_file(text).value() == "one");
    CHECK(read_file(path_of(text)).value() == "one");
    std::filesystem::remove(path_of(text));
    const auto missing = read_file(text);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().where == text);
}
