// Two captures of one device give one policy: what device memory cost an NVIDIA H100 in two captures of one hour, the
// first beside another program.
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <span>
#include <string>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "test_paths.hpp"
#include "workload/read.hpp"

namespace two_captures_test {

using namespace heapwright;

namespace {

struct CapturedCost {
    std::uint32_t memory_type;
    std::uint64_t size_bytes;
    std::uint64_t allocate_ns;
    std::uint64_t free_ns;
};

// clang-format off
constexpr CapturedCost kOne[] = {
    {0, 65536, 539537, 1027131},
    {0, 262144, 787979, 869437},
    {0, 1048576, 1062886, 1217425},
    {0, 4194304, 1976484, 1404380},
    {0, 16777216, 6361976, 2479353},
    {0, 67108864, 23595895, 6555243},
    {0, 268435456, 117219817, 34547678},
    {1, 65536, 139944, 87444},
    {1, 262144, 110067, 91179},
    {1, 1048576, 119895, 94626},
    {1, 4194304, 204774, 126852},
    {1, 16777216, 447257, 227729},
    {1, 67108864, 1627170, 738797},
    {1, 268435456, 5093656, 2951780},
    {1, 1073741824, 26653448, 28722656},
    {2, 65536, 464957, 796570},
    {2, 262144, 497717, 921431},
    {2, 1048576, 740491, 724679},
    {2, 4194304, 2098113, 1531425},
    {2, 16777216, 6010621, 2409578},
    {2, 67108864, 22779914, 8538356},
    {2, 268435456, 84844278, 27262540},
    {3, 65536, 110033, 442050},
    {3, 262144, 168180, 480339},
    {3, 1048576, 365004, 519083},
    {3, 4194304, 1145189, 884745},
    {3, 16777216, 4183964, 1388757},
    {3, 67108864, 17052663, 5299705},
    {3, 268435456, 63463176, 17142337},
    {4, 65536, 134588, 87742},
    {4, 262144, 134159, 105084},
    {4, 1048576, 144549, 120694},
    {4, 4194304, 192273, 166281},
    {4, 16777216, 510583, 392323},
    {4, 67108864, 1548197, 1317971},
    {4, 268435456, 5775922, 4226841},
    {4, 1073741824, 29490761, 26085374},
};

constexpr CapturedCost kOther[] = {
    {0, 65536, 280645, 826010},
    {0, 262144, 271656, 731579},
    {0, 1048576, 570294, 768269},
    {0, 4194304, 1682196, 1088413},
    {0, 16777216, 5809604, 2072865},
    {0, 67108864, 17824489, 4347265},
    {0, 268435456, 108432518, 25068336},
    {1, 65536, 140208, 89428},
    {1, 262144, 112806, 87221},
    {1, 1048576, 112898, 90904},
    {1, 4194304, 197250, 128910},
    {1, 16777216, 447219, 235160},
    {1, 67108864, 1392476, 673068},
    {1, 268435456, 5458030, 3128957},
    {1, 1073741824, 25187730, 24409949},
    {2, 65536, 186874, 511507},
    {2, 262144, 239895, 520083},
    {2, 1048576, 555866, 605575},
    {2, 4194304, 1736998, 1005531},
    {2, 16777216, 5717684, 2086208},
    {2, 67108864, 17770663, 5528097},
    {2, 268435456, 87540335, 27247878},
    {3, 65536, 103277, 440572},
    {3, 262144, 145210, 441920},
    {3, 1048576, 329016, 510605},
    {3, 4194304, 1179427, 787837},
    {3, 16777216, 4372204, 1445761},
    {3, 67108864, 15720088, 3399148},
    {3, 268435456, 64147219, 17398021},
    {4, 65536, 132881, 88805},
    {4, 262144, 136654, 91481},
    {4, 1048576, 148004, 108152},
    {4, 4194304, 212788, 165554},
    {4, 16777216, 411065, 351924},
    {4, 67108864, 1413351, 1066335},
    {4, 268435456, 6495525, 4504989},
    {4, 1073741824, 41939010, 18881324},
};
// clang-format on

void set_costs(model::DeviceReport& device, std::span<const CapturedCost> costs) {
    device.run.memory_cost.clear();
    for (const CapturedCost& cost : costs) {
        if (device.run.memory_cost.empty() || device.run.memory_cost.back().memory_type != cost.memory_type)
            device.run.memory_cost.push_back({.memory_type = cost.memory_type});
        device.run.memory_cost.back().points.push_back(
            {.size_bytes = cost.size_bytes, .samples = 16, .allocate_ns = cost.allocate_ns, .free_ns = cost.free_ns});
    }
}

using Chunks = std::map<std::string, std::uint64_t>;

Chunks chunks_of(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload, 0, {.with_expectations = false});
    REQUIRE(policy);
    Chunks chunks;
    for (const model::BucketPolicy& bucket : policy->buckets) chunks[bucket.id] = bucket.chunk_size_bytes.value;
    return chunks;
}

}  // namespace

TEST_CASE("two captures of one device give every bucket the same chunk size") {
    const std::string file = test::source_path("reports/nvidia-h100-580.159.04-vulkan.json");
    const auto report = model::read_report(read_file(file).value(), file);
    REQUIRE(report);
    const auto workload = workload::preset("general-engine");
    REQUIRE(workload);
    model::DeviceReport one = report->devices.front();
    model::DeviceReport other = one;
    set_costs(one, kOne);
    set_costs(other, kOther);
    CHECK(chunks_of(one, *workload) == chunks_of(other, *workload));
}

}  // namespace two_captures_test
