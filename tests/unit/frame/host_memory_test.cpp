// What takes no host memory, which a destructor could not report the lack of.
#include <vector>

#include "../suballoc/host_allocations.hpp"
#include "frame/cpu_descriptor_heap.hpp"
#include "frame/gpu_descriptor_heap.hpp"
#include "render_scene.hpp"

namespace host_memory_test {

using namespace heapwright;

TEST_CASE("the end of a descriptor allocation takes no host memory, however many there are") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    device::DescriptorHeapSource& source = *device->descriptors();
    frame::FrameClock clock;
    frame::CPUDescriptorHeap views(source, clock, device::DescriptorHeapKind::kCbvSrvUav, 64);
    const auto tables = frame::GPUDescriptorHeap::create(
        source, clock, {.capacity = 2048, .dynamic_capacity = 256, .dynamic_chunk = 64});
    REQUIRE(tables);
    for (const std::size_t count : {1u, 17u, 300u}) {
        INFO(count);
        std::vector<frame::DescriptorHeapAllocation> live;
        live.reserve(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            live.push_back(views.allocate().value());
            live.push_back((*tables)->allocate(1 + static_cast<std::uint32_t>(i % 3)).value());
        }
        const std::uint64_t before = test::host_allocations();
        for (frame::DescriptorHeapAllocation& allocation : live) {
            allocation.reset();
            clock.advance();  // each waits for a frame of its own
        }
        CHECK(test::host_allocations() == before);
        views.release_completed(TimelineValue{~0ull});
        (*tables)->release_completed(TimelineValue{~0ull});
    }
}

}  // namespace host_memory_test
