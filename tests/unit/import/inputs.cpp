#include "inputs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "heapwright/core/file.hpp"
#include "heapwright/import/import.hpp"
#include "test_paths.hpp"

namespace heapwright::test {

const std::vector<std::string>& input_names() {
    static const std::vector<std::string> kNames{
        "amd-780m-igpu-radv.38776.json",     "amd-rx7900xtx-radv.38813.json",
        "amd-rx7900xtx-win-prop.38837.json", "apple-m1-moltenvk.38819.json",
        "arc-a770+warp.2024-01-07.json",     "arm-mali-g715.38609.json",
        "intel-b580-anv.38827.json",         "intel-tgl-uhd-anv.38768.json",
        "nvidia-a6000-nvk.38568.json",       "nvidia-h100-580.159.04.profiles.json",
        "nvidia-h100-580.159.04.txt",        "nvidia-rtx4090-win.38870.json",
        "qualcomm-adreno650.38859.json",     "rtx4090.2025-06-05.json"};
    return kNames;
}

namespace {

std::string text_in(std::string_view folder, std::string_view name) {
    const std::string path = test::source_path("tests/golden/import/") + std::string(folder) + std::string(name);
    const auto text = read_file(path);
    INFO(path);
    REQUIRE(text);
    return *text;
}

}  // namespace

std::string input_text(std::string_view name) {
    return text_in("input/", name);
}

std::string case_text(std::string_view name) {
    return text_in("cases/", name);
}

model::Report imported(std::string_view name) {
    auto report = imports::import_report(input_text(name), name);
    if (!report) FAIL(to_string(report.error()));
    return std::move(*report);
}

bool is_absent(const model::DeviceReport& device, std::string_view pointer) {
    return std::find(device.absent.begin(), device.absent.end(), pointer) != device.absent.end();
}

bool has_finding(const model::DeviceReport& device, std::string_view id) {
    return std::any_of(device.findings.begin(), device.findings.end(),
                       [id](const model::Finding& finding) { return finding.id == id; });
}

}  // namespace heapwright::test
