// Where a test finds what is committed and what is built, wherever it is started: absolute paths of the checkout and of
// the build folder that the test belongs to. Whether anything is there is not asked. They are compiled into this one
// library and no test, so that a compiler cache serves the tests of every checkout.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::test {

// `below` the top of the source tree, as "reports/x.json".
[[nodiscard]] std::string source_path(std::string_view below = {});

// `below` the build folder, as "heapwright", the program.
[[nodiscard]] std::string build_path(std::string_view below = {});

}  // namespace heapwright::test
