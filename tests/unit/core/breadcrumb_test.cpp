#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>
#include <thread>

#include "core/breadcrumb.hpp"

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

TEST_CASE("a call takes the breadcrumb's place, and stands beside an undertaking") {
    static std::array<char, kPageBytes> page{};
    set_breadcrumb_page(page.data());
    leave_breadcrumb("vkCreateImage", "R8G8B8A8_UNORM 128x128");
    leave_call("vkCreateImage");
    CHECK(read_breadcrumb(page.data()) == "vkCreateImage: R8G8B8A8_UNORM 128x128");
    leave_call("vkDestroyImage");
    CHECK(read_breadcrumb(page.data()) == "vkDestroyImage");
    leave_breadcrumb("measuring the engines");
    CHECK(read_breadcrumb(page.data()) == "measuring the engines");
    leave_call("vkQueueSubmit");
    CHECK(read_breadcrumb(page.data()) == "vkQueueSubmit: measuring the engines");
    leave_call(std::string(200, 'a'));
    CHECK(read_breadcrumb(page.data()) == std::string(kCallBytes - 1, 'a') + ": measuring the engines");
}

TEST_CASE("another thread's call stands apart until that thread ends") {
    static std::array<char, kPageBytes> page{};
    set_breadcrumb_page(page.data());
    leave_breadcrumb("vkQueueSubmit");
    for (int round = 0; round < 10; ++round) {
        std::thread([] {
            leave_call("vkWaitSemaphores");
            CHECK(read_other_calls(page.data()) == "vkWaitSemaphores");
        }).join();
        CHECK(read_other_calls(page.data()).empty());
    }
    CHECK(read_breadcrumb(page.data()) == "vkQueueSubmit");
}
