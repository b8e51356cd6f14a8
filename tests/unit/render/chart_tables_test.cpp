#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "example.hpp"
#include "render/chart_tables.hpp"
#include "render/device_list.hpp"

using namespace heapwright;
using namespace heapwright::render;

namespace {

const CsvTable& table(const std::vector<CsvTable>& tables, std::string_view name) {
    const auto found =
        std::find_if(tables.begin(), tables.end(), [&](const CsvTable& each) { return each.name == name; });
    INFO(name);
    REQUIRE(found != tables.end());
    return *found;
}

model::DeviceIdentity identity(std::string name, std::string driver_id, std::string driver_info) {
    model::DeviceIdentity result;
    result.name = std::move(name);
    result.driver_id = std::move(driver_id);
    result.driver_name = "driver";
    result.driver_info = std::move(driver_info);
    return result;
}

std::string label(const model::DeviceIdentity& device) {
    model::Report report;
    report.devices.emplace_back().identity = device;
    const std::vector<ReportDocument> documents = {{.file = "a", .document = report}};
    return list_devices(documents).front().label;
}

}  // namespace

TEST_CASE("CSV quotes what needs it and takes no text for a formula") {
    const CsvTable cells{.name = "a",
                         .columns = {"text", "number", "nothing"},
                         .rows = {{std::string("a,b"), std::uint64_t{18446744073709551615u}, CsvCell()},
                                  {std::string("say \"x\"\n"), 0.5, CsvCell()},
                                  {std::string("=1+1"), 2.0, std::string("-1")}}};
    CHECK(csv_text(cells) ==
          "text,number,nothing\n\"a,b\",18446744073709551615,\n\"say \"\"x\"\"\\n\",0.5,\n'=1+1,2,'-1\n");
}

TEST_CASE("A device's label names its model and its driver's version") {
    CHECK(label(identity("AMD Radeon RX 5700 XT (RADV NAVI10)", "MESA_RADV", "Mesa 25.0.7-2~bpo12+1")) ==
          "RX 5700 XT · RADV 25.0.7");
    CHECK(label(identity("Intel(R) HD Graphics 630 (KBL GT2)", "INTEL_OPEN_SOURCE_MESA", "Mesa 22.3.6")) ==
          "HD Graphics 630 · ANV 22.3.6");
    CHECK(label(identity("NVIDIA H100 80GB HBM3", "NVIDIA_PROPRIETARY", "580.159.04")) ==
          "H100 80GB HBM3 · NVIDIA 580.159.04");
    CHECK(label(identity("AMD (R)", "", "")) == "AMD (R) · driver");
    model::DeviceIdentity layered = identity("NVIDIA H100 80GB HBM3", "VKD3D", "580.159.04");
    layered.driver_name = "libvkd3d-utils.so.1.1.0 over NVIDIA";
    layered.api = model::Api::kD3d12;
    CHECK(label(layered) == "H100 80GB HBM3 · vkd3d over NVIDIA 580.159.04 · D3D12");
}

TEST_CASE("Devices that would read the same are numbered, and documents find their device") {
    const model::Report report = model::example::report();
    const std::vector<ReportDocument> documents = {{.file = "policy", .document = model::example::policy()},
                                                   {.file = "a", .document = report},
                                                   {.file = "b", .document = report}};
    const std::vector<ListedDevice> devices = list_devices(documents);
    REQUIRE(devices.size() >= 2 * report.devices.size());
    for (const ListedDevice& a : devices) {
        CHECK(std::count_if(devices.begin(), devices.end(),
                            [&](const ListedDevice& b) { return a.label == b.label; }) == 1);
    }
    std::size_t policies = 0;
    for (const ListedDevice& device : devices) policies += device.policies.size();
    CHECK(policies == model::example::policy().devices.size());
}

TEST_CASE("Chart tables hold the sweep's values, also in the memory article's raw form") {
    model::Report report;
    model::DeviceReport& device = report.devices.emplace_back();
    device.identity = identity("One", "", "1.0");
    device.image_sweep.grid = {.widths = {64, 128}, .heights = {16, 8192}, .extra = {{100, 100}}};
    device.image_sweep.requirements = {{.alignment_bytes = 4096, .memory_type_bits = 1},
                                       {.alignment_bytes = 65536, .memory_type_bits = 1}};
    device.image_sweep.tables = {{.size_bytes = {8216, 5000, 20504, 0, 7}, .requirement = {0, 0, 1, 0, 0}}};
    model::ImageCase image;
    image.usage = model::image_usage::kTransferDst | model::image_usage::kSampled;
    image.table = 0;
    device.image_sweep.cases = {image};
    device.buffer_sweep.sizes = {1, 100};
    device.buffer_sweep.requirements = {{.alignment_bytes = 16, .memory_type_bits = 1}};
    device.buffer_sweep.tables = {{.size_bytes = {16, 112}, .requirement = {0, 0}}};
    device.buffer_sweep.cases = {{.usage = model::buffer_usage::kStorage, .table = 0, .not_supported = {}}};
    const std::vector<ReportDocument> documents = {{.file = "a", .document = report}};
    const std::vector<CsvTable> tables = chart_tables(documents);

    CHECK(csv_text(table(tables, "raw-images-0")) == "size,alignment,storage\n64x16,4096,8216\n128x16,65536,20504\n");
    CHECK(csv_text(table(tables, "image-storage")) ==
          "device,width,height,texel_bytes,size_bytes\nOne · driver 1.0,64,16,4096,8216\n"
          "One · driver 1.0,128,16,8192,20504\n");
    CHECK(csv_text(table(tables, "heat-overhead-0")) ==
          "width,height,overhead\n64,16,2.005859375\n128,16,2.5029296875\n");
    CHECK(table(tables, "image-requirements").rows.size() == 4);
    CHECK(csv_text(table(tables, "raw-buffers-0")) == "size,alignment,storage\n1,16,16\n100,16,112\n");
    CHECK(csv_text(table(tables, "buffer-rounding")) == "device,request_bytes,added_bytes\nOne · driver 1.0,1,15\n");
}

TEST_CASE("Chart tables hold what was measured of the engines, and what they did in a scenario") {
    const std::vector<ReportDocument> documents = {{.file = "report.json", .document = model::example::report()},
                                                   {.file = "run.json", .document = model::example::validation()}};
    const std::vector<CsvTable> tables = chart_tables(documents);
    CHECK(csv_text(table(tables, "engine-overlap-0")) ==
          "first,first_work,second,second_work,samples,first_alone_ns,second_alone_ns,serial_ns,concurrent_ns,"
          "concurrent_p90_ns,gained,clock,settled\n"
          "graphics,compute,copy,copy,16,20000,20000,20000,20000,25000,-0.125,device,no\n");
    CHECK(csv_text(table(tables, "engine-copies-0")) ==
          "engine,direction,bytes_each,samples,median_ns,min_ns,p90_ns,bytes_per_s,clock,settled\n"
          "copy,download,67108864,8,20000,18000,25000,25000000000,device,no\n");
    CHECK(csv_text(table(tables, "copy-curves-upload-0")) ==
          "engine,means,mapped,bytes,in_a_row,samples,median_ns,min_ns,p90_ns,bytes_per_s,clock,settled\n"
          "copy,shader,yes,65536,16,5,20000,18000,25000,3276800000,device,no\n"
          "copy,shader,yes,262144,4,3,20000,18000,25000,13107200000,device,no\n");
    CHECK(csv_text(table(tables, "engine-signals-0")) ==
          "from,to,through_host,samples,median_ns,min_ns,p90_ns,clock,settled\ncopy,host,no,32,20000,18000,25000,"
          "device,no\n");
    CHECK(csv_text(table(tables, "engine-pipelines-0")) ==
          "pipeline,cpu_latency,engine_latency,samples,frame_ns,min_ns,p90_ns,clock,settled\n"
          "compute-graphics,2,1,64,20000,18000,25000,device,no\n");
    CHECK(csv_text(table(tables, "creations-0")) ==
          "object,memory_priority,threads,samples,pairs_per_s,least_pairs_per_s,most_pairs_per_s,settled\n"
          "image,off,1,5,1329000,1200000,1400000,no\nimage,off,16,5,2100,2000,2200,yes\n"
          "buffer,on,1,5,1329000,1200000,1400000,no\n");
    CHECK(csv_text(table(tables, "engines-0-0-0")) ==
          "engine,name,begin_ns,end_ns,clock\ncopy,upload 0,100,2000,device\n");
    CHECK(csv_text(table(tables, "waits-0-0-0")) ==
          "wait,role,shown_by\ngraphics waits for copied 1,necessary,\"copy writes ring 0, graphics reads it\"\n");
}

TEST_CASE("Every table's rows are as wide as its head, for documents that hold everything") {
    const std::vector<ReportDocument> documents = {{.file = "report.json", .document = model::example::report()},
                                                   {.file = "policy.json", .document = model::example::policy()},
                                                   {.file = "run.json", .document = model::example::validation()},
                                                   {.file = "what-if.json", .document = model::example::what_if()}};
    const std::vector<CsvTable> tables = chart_tables(documents);
    CHECK(tables.size() > 10);
    for (const CsvTable& each : tables) {
        INFO(each.name);
        CHECK(std::all_of(each.rows.begin(), each.rows.end(),
                          [&](const auto& row) { return row.size() == each.columns.size(); }));
        CHECK(std::count_if(tables.begin(), tables.end(), [&](const CsvTable& b) { return b.name == each.name; }) == 1);
    }
}
