#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "compare/documents.hpp"
#include "compare/store.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

struct AddOptions {
    std::string database;
    std::vector<std::string> paths;
    bool quiet = false;
};

struct QueryOptions {
    std::string database;
    compare::StoreQuery query;
    std::string document;
    OutputOptions output;
};

// A report that cannot be read is named and skipped; a store that cannot be written ends the command.
Result<std::uint64_t> add_all(const AddOptions& options) {
    HEAPWRIGHT_ASSIGN(compare::ReportSource source, compare::ReportSource::open(options.paths));
    HEAPWRIGHT_ASSIGN(compare::Store store, compare::Store::open(options.database, compare::OpenMode::kCreate));
    std::uint64_t added = 0;
    std::uint64_t known = 0;
    std::uint64_t skipped = 0;
    while (auto sourced = source.next()) {
        HEAPWRIGHT_TRY(check_interrupted());
        const auto report = sourced->text ? model::read_report(*sourced->text, sourced->name)
                                          : Result<model::Report>(tl::unexpected<Error>(sourced->text.error()));
        if (!report) {
            print_error(report.error());
            ++skipped;
            continue;
        }
        HEAPWRIGHT_ASSIGN(const bool is_new, store.add(*report, *sourced->text, sourced->name));
        ++(is_new ? added : known);
    }
    print_note(fmt::format("{} added, {} there already, {} skipped", counted(added, "report"), known, skipped),
               {.quiet = options.quiet});
    return skipped;
}

ExitCode run_add(const AddOptions& options) {
    const auto skipped = add_all(options);
    if (!skipped) return report_error(skipped.error());
    return *skipped == 0 ? ExitCode::kGood : ExitCode::kUsage;
}

std::string text_of(const std::vector<compare::StoredDevice>& devices, const compare::StoreCounts& counts, bool more) {
    std::string text;
    for (const compare::StoredDevice& device : devices) {
        text += fmt::format(
            "{} {} [{}] {} {} {}: heap of {} bytes, {}, {}; report {} "
            "device {} ({})\n",
            device.fingerprint.substr(0, 12), printable(device.name), device.api, device.vendor_device,
            printable(device.driver_id), printable(device.driver_info), device.heap_bytes,
            counted(device.memory_types, "memory type"), counted(device.sweep_groups, "distinct sweep answer"),
            device.report_hash.substr(0, 12), device.position, printable(device.file));
    }
    return text + fmt::format("{} shown{}; the store holds {} of {} with {}\n", counted(devices.size(), "device"),
                              more ? ", and there are more: --limit raises their number" : "",
                              counted(counts.devices, "device"), counted(counts.reports, "report"),
                              counted(counts.fingerprints, "behaviour"));
}

// A line a device, as many as one screen shows; -v has the rest and all columns.
std::string screen_of(const std::vector<compare::StoredDevice>& devices, const compare::StoreCounts& counts) {
    constexpr std::size_t kDevices = 18;
    constexpr std::size_t kName = 44;
    std::string text;
    for (std::size_t index = 0; index < std::min(devices.size(), kDevices); ++index) {
        const compare::StoredDevice& device = devices[index];
        text += fmt::format("{:<12} {:<{}.{}} {:<6} {:<11.11} {}\n", device.fingerprint.substr(0, 12),
                            printable(device.name), kName, kName, device.api, device.vendor_device,
                            byte_text(device.heap_bytes));
    }
    if (devices.size() > kDevices) text += fmt::format("and {} more (-v)\n", devices.size() - kDevices);
    return text + fmt::format("The store holds {} of {} with {}.\n", counted(counts.devices, "device"),
                              counted(counts.reports, "report"), counted(counts.fingerprints, "behaviour"));
}

std::string json_of(const std::vector<compare::StoredDevice>& devices, const compare::StoreCounts& counts, bool more) {
    nlohmann::ordered_json document;
    document["more"] = more;
    document["reports"] = counts.reports;
    document["stored_devices"] = counts.devices;
    document["behaviours"] = counts.fingerprints;
    document["devices"] = nlohmann::ordered_json::array();
    for (const compare::StoredDevice& device : devices) {
        document["devices"].push_back({{"fingerprint", device.fingerprint},
                                       {"api", device.api},
                                       {"name", device.name},
                                       {"vendor_device", device.vendor_device},
                                       {"driver_id", device.driver_id},
                                       {"driver_info", device.driver_info},
                                       {"heap_bytes", device.heap_bytes},
                                       {"memory_types", device.memory_types},
                                       {"sweep_groups", device.sweep_groups},
                                       {"report_hash", device.report_hash},
                                       {"position", device.position},
                                       {"file", device.file},
                                       {"created_utc", device.created_utc}});
    }
    return document.dump(2) + "\n";
}

Result<std::string> query(const QueryOptions& options) {
    HEAPWRIGHT_ASSIGN(compare::Store store, compare::Store::open(options.database, compare::OpenMode::kReadOnly));
    if (!options.document.empty()) return store.document(options.document);
    // One more than is shown says whether there are more.
    compare::StoreQuery wider = options.query;
    if (wider.limit < std::numeric_limits<decltype(wider.limit)>::max()) ++wider.limit;
    HEAPWRIGHT_ASSIGN(auto devices, store.query(wider));
    const bool more = devices.size() > options.query.limit;
    if (more) devices.resize(options.query.limit);
    HEAPWRIGHT_ASSIGN(const compare::StoreCounts counts, store.counts());
    if (options.output.json) return json_of(devices, counts, more);
    const bool narrow = options.output.file.empty() && standard_output_is_terminal() && !options.output.verbose;
    return printable_lines(narrow ? screen_of(devices, counts) : text_of(devices, counts, more));
}

ExitCode run_query(const QueryOptions& options) {
    const auto text = query(options);
    if (!text) return report_error(text.error());
    const auto written = write_output(*text, options.output.file);
    return written ? ExitCode::kGood : report_error(written.error());
}

void add_add_command(CLI::App& parent, ExitCode& exit_code) {
    CLI::App* command = parent.add_subcommand("add", "Adds reports; one that is there already is not added twice");
    auto options = std::make_shared<AddOptions>();
    command->add_option("DB", options->database, "The store, made when it does not exist")->required();
    command->add_option("PATHS", options->paths, "Reports, folders of reports, NDJSON files")->required();
    command->add_flag("-q,--quiet", options->quiet, "No summary on standard error");
    command->callback([options, &exit_code] { exit_code = run_add(*options); });
}

void add_query_command(CLI::App& parent, ExitCode& exit_code) {
    CLI::App* command = parent.add_subcommand("query", "Finds devices by behaviour, name, driver or memory type");
    auto options = std::make_shared<QueryOptions>();
    command->add_option("DB", options->database, "The store")->required();
    command->add_option("--fingerprint", options->query.fingerprint, "The beginning of a behaviour's fingerprint");
    command->add_option("-d,--device", options->query.device, "A part of the device's name, or vendor:device");
    command->add_option("--driver", options->query.driver, "A part of the driver's id, name or version");
    command->add_option("--memory-type", options->query.memory_type, "A part of a memory type, as HOST_CACHED");
    command->add_option("--case", options->query.case_path, "A part of a supported sweep case, as /BC7_UNORM_BLOCK/");
    command->add_option("--limit", options->query.limit, "Most devices to list")
        ->transform(whole_number())
        ->capture_default_str();
    command->add_option("--document", options->document, "Print the report whose hash begins so instead");
    add_output_options(*command, options->output);
    add_answer_options(*command, options->output);
    command->callback([options, &exit_code] { exit_code = run_query(*options); });
}

}  // namespace

void add_store_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("store", "Keeps reports in an SQLite file for repeated questions");
    command->require_subcommand(1);
    command->footer(
        "Exit codes: 0 good, 2 wrong usage, a damaged store, or a report that could not be read (the others "
        "are added), 4 interrupted.");
    add_add_command(*command, exit_code);
    add_query_command(*command, exit_code);
}

}  // namespace heapwright::cli
