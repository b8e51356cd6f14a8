#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>

#include "heapwright/core/breadcrumb.hpp"

using namespace heapwright;

TEST_CASE("a breadcrumb can be read from the page it was left on") {
    static std::array<char, kPageBytes> page{};
    set_breadcrumb_page(page.data());
    leave_breadcrumb("vkCreateImage", "R8G8B8A8_UNORM 128x128");
    CHECK(read_breadcrumb(page.data()) == "vkCreateImage: R8G8B8A8_UNORM 128x128");
    leave_breadcrumb("vkEnumeratePhysicalDevices");
    CHECK(read_breadcrumb(page.data()) == "vkEnumeratePhysicalDevices");
    leave_breadcrumb(std::string(2000, 'a'), std::string(2000, 'b'));
    CHECK(read_breadcrumb(page.data()).size() < kBreadcrumbBytes);
    leave_breadcrumb("vkCreateImage", std::string(2000, 'b'));
    CHECK(read_breadcrumb(page.data()).size() == kBreadcrumbBytes - 1);
}
