#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    const wgpu::DawnDeviceAllocatorControl control = heapwright_policy::allocator_control();
    CHECK(control.allocatorHeapBlockSize > 0);
    CHECK((control.allocatorHeapBlockSize & (control.allocatorHeapBlockSize - 1)) == 0);
    std::printf("blocks of %zu\n", control.allocatorHeapBlockSize);
}
