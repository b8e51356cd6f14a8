#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "model/selection.hpp"

using namespace heapwright;
using namespace heapwright::model;

namespace {

std::vector<DeviceIdentity> two_devices() {
    DeviceIdentity first;
    first.name = "NVIDIA H100 80GB HBM3";
    first.vendor_id = 0x10de;
    first.device_id = 0x2330;
    first.device_uuid = "00112233445566778899aabbccddeeff";
    DeviceIdentity second;
    second.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
    second.vendor_id = 0x10005;
    return {first, second};
}

std::vector<std::size_t> selected(std::vector<std::string> selectors) {
    return select_devices(selectors, two_devices()).value();
}

}  // namespace

TEST_CASE("a device is selected by index, name part, UUID or vendor:device") {
    using Indexes = std::vector<std::size_t>;
    CHECK(selected({}) == Indexes{0, 1});
    CHECK(selected({"1"}) == Indexes{1});
    CHECK(selected({"h100"}) == Indexes{0});
    CHECK(selected({"LLVMPIPE"}) == Indexes{1});
    CHECK(selected({"00112233-4455-6677-8899-aabbccddeeff"}) == Indexes{0});
    CHECK(selected({"10de:2330"}) == Indexes{0});
    CHECK(selected({"0x10de:0x2330"}) == Indexes{0});
    CHECK(selected({"1", "h100"}) == Indexes{0, 1});
}

TEST_CASE("the best device is a discrete GPU, then integrated, virtual, other, software, and of equals the first") {
    const std::vector<DeviceType> worst_first{DeviceType::kCpu, DeviceType::kOther, DeviceType::kVirtualGpu,
                                              DeviceType::kIntegratedGpu, DeviceType::kDiscreteGpu};
    std::vector<DeviceIdentity> devices;
    for (const DeviceType type : worst_first) {
        for (int copies = 0; copies < 2; ++copies) devices.emplace_back().type = type;
        CHECK(best_device(devices).value() == devices.size() - 2);
    }
    std::reverse(devices.begin(), devices.end());
    CHECK(best_device(devices).value() == 0);
    CHECK(best_device({}).error().code == ErrorCode::kNoDevice);
}

TEST_CASE("a selector that matches nothing is an error that lists what there is") {
    const std::vector<std::string> selectors{"0", "radeon"};
    const auto result = select_devices(selectors, two_devices());
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kInvalidArgument);
    CHECK(to_string(result.error()) ==
          "--device: no device matches 'radeon'; devices: 0 = NVIDIA H100 80GB HBM3, 1 = llvmpipe (LLVM 15.0.6, 256 "
          "bits)");
    CHECK(select_devices({}, {}).error().code == ErrorCode::kNoDevice);
}
