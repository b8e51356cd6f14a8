// What a program that was built with an older header relies on, beside the committed list abi.txt. A function may be
// added to it; a structure grows at its end alone; all else is a new HEAPWRIGHT_POOL_ABI.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/file.hpp"
#include "heapwright/pool.h"
#include "test_paths.hpp"

namespace heapwright::test {
namespace {

std::set<std::string> lines_of(const std::string& text) {
    std::set<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.insert(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

TEST_CASE("the C interface has the functions and structure sizes of the committed list") {
    const auto header = read_file(test::source_path("include/heapwright/pool.h"));
    const auto committed = read_file(test::source_path("tests/unit/vulkan/abi.txt"));
    REQUIRE(header);
    REQUIRE(committed);
    std::set<std::string> found;
    const std::string code = std::regex_replace(*header, std::regex(R"(/\*([^*]|\*[^/])*\*/)"), "");
    const std::regex function(R"(\b(heapwright_pool_[a-z_]+)\()");
    for (std::sregex_iterator at(code.begin(), code.end(), function), end; at != end; ++at) {
        found.insert("function " + (*at)[1].str());
    }
#define HEAPWRIGHT_SIZE(name) found.insert(fmt::format("struct " #name " {}", sizeof(name)))
    HEAPWRIGHT_SIZE(heapwright_pool_message);
    HEAPWRIGHT_SIZE(heapwright_pool_device);
    HEAPWRIGHT_SIZE(heapwright_pool_options);
    HEAPWRIGHT_SIZE(heapwright_pool_allocation_options);
    HEAPWRIGHT_SIZE(heapwright_pool_allocation_info);
    HEAPWRIGHT_SIZE(heapwright_pool_use);
    HEAPWRIGHT_SIZE(heapwright_pool_answer);
    HEAPWRIGHT_SIZE(heapwright_pool_figures);
    HEAPWRIGHT_SIZE(heapwright_pool_heap);
    HEAPWRIGHT_SIZE(heapwright_pool_bucket);
#undef HEAPWRIGHT_SIZE
    found.insert(fmt::format("abi {}", HEAPWRIGHT_POOL_ABI));
    CHECK(found == lines_of(*committed));
}

}  // namespace
}  // namespace heapwright::test
