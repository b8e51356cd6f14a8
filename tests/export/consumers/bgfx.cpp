// Compiled with the exported definitions.
#include <config.h>

#include "check.hpp"

int main() {
    CHECK((BGFX_CONFIG_CACHED_DEVICE_MEMORY_ALLOCATIONS_SIZE) > 0);
    CHECK((BGFX_CONFIG_MAX_STAGING_SCRATCH_BUFFER_SIZE) > 0);
    CHECK((BGFX_CONFIG_MAX_SCRATCH_STAGING_BUFFER_PER_FRAME_SIZE) > 0);
    std::printf("cached %d\n", BGFX_CONFIG_CACHED_DEVICE_MEMORY_ALLOCATIONS_SIZE);
}
