// The built page (src/page/dist/page.html), embedded by the build. Lives as long as the program.
#pragma once

#include <string_view>

namespace heapwright::render::detail {

[[nodiscard]] std::string_view page();

}  // namespace heapwright::render::detail
