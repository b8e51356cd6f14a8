#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "engine.hpp"
#include "heapwright/pool.h"

extern "C" int heapwright_pool_c11_check(const heapwright_pool_device* device);

namespace heapwright::test {
namespace {

TEST_CASE("a C11 program uses the pool on its own device", "[device]") {
    Engine engine(GENERATE(from_range(kAdoptDrivers)));
    const vulkan::PoolDevice own = engine.device();
    heapwright_pool_device device{};
    device.struct_size = sizeof(device);
    device.api_version = own.api_version;
    device.instance = own.instance;
    device.physical_device = own.physical_device;
    device.device = own.device;
    device.get_instance_proc_addr = own.get_instance_proc_addr;
    device.get_device_proc_addr = own.get_device_proc_addr;
    device.created_with = own.created_with;
    CHECK(heapwright_pool_c11_check(&device) == 0);  // else the line that failed
    CHECK(call_counts().memories == 0);
    CHECK(call_counts().buffers == 0);
    CHECK(call_counts().images == 0);
    CHECK(engine.messages() == std::vector<std::string>{});
}

}  // namespace
}  // namespace heapwright::test
