// usage: make_reports COUNT FOLDER [NDJSON_FILE]
// Writes COUNT varied reports (varied_reports.hpp) into FOLDER, every tenth as a line of NDJSON_FILE where one is
// given, and one broken file, FOLDER/broken.json. For measuring heapwright compare --cluster.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "compare/device_pairing.hpp"
#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"
#include "varied_reports.hpp"

int main(int argc, char** argv) {
    using namespace heapwright;
    std::uint64_t count = 0;
    if (argc < 3 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), count).ec != std::errc{}) {
        std::fprintf(stderr, "usage: make_reports COUNT FOLDER [NDJSON_FILE]\n");
        return 2;
    }
    const auto real = test::real_reports(test::source_path());
    if (!real) {
        std::fprintf(stderr, "make_reports: %s\n", to_string(real.error()).c_str());
        return 1;
    }
    const std::filesystem::path folder = argv[2];
    std::filesystem::create_directories(folder);
    std::ofstream lines;
    if (argc > 3) lines.open(argv[3], std::ios::binary);
    std::set<std::string> behaviours;
    std::uint64_t bytes = 0;
    for (std::uint64_t index = 0; index < count; ++index) {
        const test::VariedReport varied = test::vary(*real, index);
        for (const model::DeviceReport& device : varied.report.devices) behaviours.insert(compare::fingerprint(device));
        std::string text = model::write(varied.report);
        if (lines.is_open() && index % 10 == 0) {
            text = nlohmann::ordered_json::parse(text).dump() + "\n";
            lines << text;
        } else {
            std::ofstream(folder / ("report-" + std::to_string(index) + ".json"), std::ios::binary) << text;
        }
        bytes += text.size();
    }
    std::ofstream(folder / "broken.json", std::ios::binary) << "{\"$schema\": \"urn:heapwright:schema:report:1\",";
    std::printf("%llu reports of %zu real ones, %llu bytes, %zu behaviours\n", static_cast<unsigned long long>(count),
                real->size(), static_cast<unsigned long long>(bytes), behaviours.size());
    return 0;
}
