// Every place of the sources that reads a clock: either what it takes is a measurement, and then it is taken within a
// session, or it is none, and the table says what it is. A new one must find its line here.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "test_paths.hpp"

namespace {

enum class Taken { kInASession, kForALimit, kForATrace, kForTheTotal, kTheClock };

struct Reader {
    std::string_view file;
    Taken taken;
    std::string_view entry;  // of measurements: the source that begins the session around them
};

constexpr std::string_view kCosts = "probe/memory_cost.cpp";
constexpr std::string_view kEngines = "probe/engine_measurements.cpp";
constexpr std::string_view kCreations = "probe/creation_rates.cpp";
constexpr std::string_view kScenarios = "validate/measured_run.cpp";
constexpr std::string_view kWhatIf = "whatif/what_if.cpp";

constexpr Reader kReaders[] = {
    {"device/background_processor.cpp", Taken::kForATrace, {}},
    {"device/measurement_session.cpp", Taken::kForALimit, {}},  // the session's own
    {"cli/batch.cpp", Taken::kForALimit, {}},                   // how often what is done is written down
    {"cli/output.cpp", Taken::kForTheTotal, {}},                // the time left beside the progress
    {"core/clock.hpp", Taken::kTheClock, {}},
    {"core/machine_load.cpp", Taken::kForTheTotal, {}},  // what the share of others is told of
    {"d3d12/timeline.cpp", Taken::kForALimit, {}},
    {"probe/run_sweep.hpp", Taken::kForTheTotal, {}},  // and a limit
    {"engines/device_run.cpp", Taken::kInASession, kScenarios},
    {"engines/device_run_submit.cpp", Taken::kInASession, kScenarios},
    {"engines/work_size.cpp", Taken::kForALimit, {}},  // how much work is long enough
    {"isolate/child_process_posix.cpp", Taken::kForALimit, {}},
    {"isolate/child_process_windows.cpp", Taken::kForALimit, {}},
    {"isolate/command_posix.cpp", Taken::kForALimit, {}},
    {"isolate/command_windows.cpp", Taken::kForALimit, {}},
    {"isolate/detail/sign_of_life.hpp", Taken::kForALimit, {}},
    {"isolate/worker.cpp", Taken::kForALimit, {}},
    {"probe/allocation_count.cpp", Taken::kForALimit, {}},
    {"probe/copy_curves.cpp", Taken::kInASession, kEngines},
    {"probe/cost_fit.cpp", Taken::kInASession, kCosts},
    {"probe/creation_rates.cpp", Taken::kInASession, kCreations},
    {"probe/engine_bench.cpp", Taken::kInASession, kEngines},
    {"probe/engine_bench.hpp", Taken::kInASession, kEngines},
    {"probe/engine_measurements.cpp", Taken::kInASession, kEngines},
    {"probe/engine_overlaps.cpp", Taken::kInASession, kEngines},
    {"probe/engine_pipelines.cpp", Taken::kInASession, kEngines},
    {"probe/engine_signals.cpp", Taken::kInASession, kEngines},
    {"probe/host_bandwidth.cpp", Taken::kInASession, kCosts},
    {"probe/memory_cost.cpp", Taken::kInASession, kCosts},
    {"policy/counted_memory.cpp", Taken::kInASession, kWhatIf},  // where a device's memory stands behind it
    {"frame/upload_heap.cpp", Taken::kInASession, kScenarios},   // how long a ring made the host wait
    {"validate/baselines.cpp", Taken::kForALimit, {}},           // of all baselines together
    {"validate/binding_scene.cpp", Taken::kInASession, kScenarios},
    {"validate/call_meter.cpp", Taken::kInASession, kScenarios},
    {"validate/defragmentation.cpp", Taken::kInASession, kScenarios},
    {"validate/frame_background.cpp", Taken::kInASession, kScenarios},
    {"validate/frame_meter.cpp", Taken::kInASession, kScenarios},
    {"validate/observed_device.cpp", Taken::kInASession, kScenarios},
    {"validate/operation_player.cpp", Taken::kInASession, kScenarios},
    {"validate/operation_result.cpp", Taken::kInASession, kScenarios},
    {"validate/played_again.cpp", Taken::kForALimit, {}},  // of all plays together
    {"validate/scenario.hpp", Taken::kTheClock, {}},
    {"validate/validate.cpp", Taken::kForALimit, {}},  // of all scenarios together
    {"vulkan/turns.hpp", Taken::kForALimit, {}},       // how many threads are let into an engine's driver
};

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::filesystem::path kSources = heapwright::test::source_path("src");

}  // namespace

TEST_CASE("Whatever reads a clock measures within a session or measures nothing") {
    std::set<std::string> readers;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSources)) {
        const std::string extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        const std::string text = read(entry.path());
        for (const char* clock :
             {"now_ns()", "steady_clock", "high_resolution_clock", "system_clock", "clock_gettime"}) {
            if (text.find(clock) != std::string::npos)
                readers.insert(std::filesystem::relative(entry.path(), kSources).generic_string());
        }
    }
    std::set<std::string> listed;
    for (const Reader& reader : kReaders) listed.insert(std::string(reader.file));
    for (const std::string& file : readers) {
        INFO(file << " reads a clock");
        CHECK(listed.count(file) == 1);
    }
    for (const std::string& file : listed) {
        INFO(file << " reads no clock any more");
        CHECK(readers.count(file) == 1);
    }
}

TEST_CASE("The sources that measurements name begin a session") {
    std::map<std::string_view, std::size_t> entries;
    for (const Reader& reader : kReaders) {
        INFO(reader.file);
        CHECK((reader.taken == Taken::kInASession) == !reader.entry.empty());
        if (!reader.entry.empty()) ++entries[reader.entry];
    }
    CHECK(entries.size() == 5);
    for (const auto& [entry, count] : entries) {
        INFO(entry);
        CHECK(read(kSources / entry).find("MeasurementSession::begin(") != std::string::npos);
    }
}
