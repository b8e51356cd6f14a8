#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "import/known_devices.hpp"
#include "isolate/driver_stages.hpp"
#include "model/printable.hpp"
#include "model/selection.hpp"

namespace heapwright::cli {
namespace {

std::string_view api_name(model::Api api) {
    return api == model::Api::kVulkan ? "vulkan" : "d3d12";
}

std::string_view type_name(model::DeviceType type) {
    switch (type) {
        case model::DeviceType::kOther: return "other";
        case model::DeviceType::kIntegratedGpu: return "integrated_gpu";
        case model::DeviceType::kDiscreteGpu: return "discrete_gpu";
        case model::DeviceType::kVirtualGpu: return "virtual_gpu";
        case model::DeviceType::kCpu: return "cpu";
    }
    return "other";
}

std::string as_json(const isolate::Enumeration& found) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (std::size_t index = 0; index < found.devices.size(); ++index) {
        const model::DeviceIdentity& device = found.devices[index];
        devices.push_back({{"index", index},
                           {"api", api_name(device.api)},
                           {"name", device.name},
                           {"type", type_name(device.type)},
                           {"selector", fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id)},
                           {"device_uuid", device.device_uuid},
                           {"driver_name", device.driver_name},
                           {"driver_info", device.driver_info},
                           {"api_version", device.api_version}});
    }
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const model::ProbeFailure& failure : found.failures) {
        failures.push_back({{"driver", failure.driver},
                            {"api", api_name(failure.api)},
                            {"last_call", failure.last_call},
                            {"reason", failure.reason}});
    }
    const nlohmann::ordered_json document{{"devices", devices}, {"failures", failures}};
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_text(const isolate::Enumeration& found) {
    std::string text;
    for (std::size_t index = 0; index < found.devices.size(); ++index) {
        const model::DeviceIdentity device = model::printable(found.devices[index]);
        text += fmt::format("{:>2}  {:6}  {:04x}:{:04x}  {} ({} {}, API {})\n", index, api_name(device.api),
                            device.vendor_id, device.device_id, device.name, device.driver_name, device.driver_info,
                            device.api_version);
    }
    for (const model::ProbeFailure& raw : found.failures) {
        const model::ProbeFailure failure = model::printable(raw);
        text += fmt::format(" -  {:6}  {}: {} (last call: {})\n", api_name(failure.api), failure.driver, failure.reason,
                            failure.last_call.empty() ? "none" : failure.last_call);
    }
    return text;
}

std::string known_as_json() {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const import::KnownDevice& device : import::known_devices()) {
        devices.push_back({{"gpu", device.gpu},
                           {"driver", device.driver},
                           {"also", device.also},
                           {"api", api_name(device.api)},
                           {"basis", import::basis_name(device.basis)},
                           {"caveat", device.caveat},
                           {"source", device.source},
                           {"driver_version", device.driver_version},
                           {"date", device.date},
                           {"licence", device.licence}});
    }
    return nlohmann::ordered_json{{"known_devices", devices}}.dump(2) + "\n";
}

// `all`: also the other names, the versions and what is not the real device's.
std::string known_as_text(bool all) {
    std::string text;
    std::vector<std::string> licences;
    for (const import::KnownDevice& device : import::known_devices()) {
        text += fmt::format("{:<30} {:<27} {:<9} {} ({})\n", device.gpu, device.driver,
                            import::basis_name(device.basis), device.source, device.date);
        if (std::ranges::find(licences, device.licence) == licences.end()) licences.push_back(device.licence);
        if (!all) continue;
        if (!device.also.empty()) text += fmt::format("    also {}\n", fmt::join(device.also, ", "));
        text += fmt::format("    driver {}; {}{}{}\n", device.driver_version, device.licence,
                            device.caveat.empty() ? "" : "; ", device.caveat);
    }
    text +=
        "probed: on the hardware, with costs. played: the driver's own answers for a GPU that is not there; costs are\n"
        "assumed. reported: heaps, memory types and limits from a database; sizes and costs are assumed.\n";
    text += fmt::format("Licences: {}.\nUse: heapwright advise --gpu \"{}\"\n", fmt::join(licences, "; "),
                        import::known_devices().front().gpu);
    return text;
}

struct DevicesOptions {
    isolate::DeviceChoice choice;
    OutputOptions output;
    bool best = false;
    bool known = false;
};

ExitCode list_known(const OutputOptions& output) {
    const auto written = give({.document = known_as_json,
                               .screen = [](const render::ScreenStyle&) { return known_as_text(false); },
                               .all = [] { return known_as_text(true); }},
                              output);
    return written ? ExitCode::kGood : report_error(written.error());
}

ExitCode run(const DevicesOptions& options) {
    if (options.known) return list_known(options.output);
    const auto found = isolate::enumerate_devices(options.choice);
    if (!found) return report_error(found.error());
    if (options.best) {
        const auto best = model::best_device(found->devices);
        if (!best) return report_error(best.error());
        const auto written = write_output(fmt::format("{}\n", *best), options.output.file);
        return written ? ExitCode::kGood : report_error(written.error());
    }
    const auto written = give(
        {.document = [&] { return as_json(*found); },
         .screen =
             [&](const render::ScreenStyle& style) { return render::overview(found->devices, found->failures, style); },
         .all = [&] { return as_text(*found); }},
        options.output);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_devices_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("devices", "Lists the devices and how to select each");
    auto options = std::make_shared<DevicesOptions>();
    add_api_option(*command, options->choice.apis);
    command->add_option("--icd", options->choice.icd_files, "Only the Vulkan driver of this ICD manifest (repeatable)");
    add_output_options(*command, options->output);
    add_answer_options(*command, options->output);
    command
        ->add_flag("--best", options->best,
                   "Only the index of the best device: a discrete GPU before an integrated one, before a virtual one, "
                   "before any other, before software")
        ->excludes(command->get_option("--text"));
    command
        ->add_flag("--known", options->known,
                   "Instead the GPUs whose reports come with the program, for 'advise --gpu', and where each is from")
        ->excludes(command->get_option("--best"))
        ->excludes(command->get_option("--api"))
        ->excludes(command->get_option("--icd"));
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
