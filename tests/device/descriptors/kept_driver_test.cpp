#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>

#include "../driver_library.hpp"
#include "backends.hpp"

namespace heapwright::test {
namespace {

bool is_loaded(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return false;
    dlclose(handle);
    return true;
}

TEST_CASE("a driver stays loaded when its last device is closed", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        const char* manifest = std::getenv(backend.name.c_str());
        REQUIRE(manifest != nullptr);
        for (int i = 0; i < 2; ++i) {
            REQUIRE(backend.open(std::nullopt, Layers::kOff));
            CHECK(is_loaded(library_of(manifest)));
        }
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

}  // namespace
}  // namespace heapwright::test
