// Where a test finds what is committed and what is built. The paths are compiled into one small file, so that a
// compiler cache serves the tests of every checkout.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::test {

// `below` the top of the source tree, as "reports/x.json".
[[nodiscard]] std::string source_path(std::string_view below = {});

// `below` the build folder, as "heapwright", the program.
[[nodiscard]] std::string build_path(std::string_view below = {});

}  // namespace heapwright::test
