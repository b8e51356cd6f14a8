#include "inputs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "import/import.hpp"
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
    return imported_text(input_text(name));
}

model::Report imported_text(std::string_view text) {
    auto report = imports::import_report(text, "in");
    if (!report) FAIL(to_string(report.error()));
    const auto again = model::read_report(model::write(*report), "in");
    if (!again) FAIL(to_string(again.error()));
    return std::move(*report);
}

bool is_absent(const model::DeviceReport& device, std::string_view pointer) {
    return std::find(device.absent.begin(), device.absent.end(), pointer) != device.absent.end();
}

bool has_finding(const model::DeviceReport& device, std::string_view id) {
    return std::ranges::find(device.findings, id, &model::Finding::id) != device.findings.end();
}

std::string statement_of(const model::DeviceReport& device, std::string_view id) {
    const auto found = std::ranges::find(device.findings, id, &model::Finding::id);
    return found == device.findings.end() ? std::string() : found->statement;
}

}  // namespace heapwright::test
