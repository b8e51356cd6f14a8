// A Vulkan driver that never comes back from being loaded.
#include <unistd.h>

namespace {

[[gnu::constructor]] void hang() {
    for (;;) pause();
}

}  // namespace
