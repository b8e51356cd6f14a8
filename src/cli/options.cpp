#include "cli/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.hpp"
#include "cli/output.hpp"
#include "core/file.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "workload/read.hpp"

namespace heapwright::cli {

void add_device_options(CLI::App& command, isolate::DeviceChoice& choice) {
    command.add_option("-d,--device", choice.selectors,
                       "Only this device: its index, a part of its name, its UUID, or vendor:device (repeatable)");
    command.add_option("--icd", choice.icd_files, "Only the Vulkan driver of this ICD manifest (repeatable)");
    command
        .add_option("--memory-limit", choice.limits.memory_limit_bytes,
                    "Most device memory to take, as 512MiB (default: the budget, and a quarter of the free RAM where "
                    "device memory is RAM)")
        ->transform(byte_count())
        ->type_name("SIZE");
    command
        .add_option_function<double>(
            "--time-limit",
            [&choice](double seconds) { choice.limits.time_limit_ns = static_cast<std::uint64_t>(seconds * 1e9); },
            fmt::format("Most seconds to spend on one device (default: {})",
                        choice.limits.time_limit_ns / 1'000'000'000))
        ->check(seconds())
        ->type_name("SECONDS");
}

void add_api_option(CLI::App& command, isolate::ApiChoice& apis) {
    using isolate::ApiChoice;
    static const std::map<std::string, ApiChoice> kChoices{
        {"vulkan", ApiChoice::kVulkan}, {"d3d12", ApiChoice::kD3d12}, {"all", ApiChoice::kAll}};
    command
        .add_option_function<std::string>(
            "--api", [&apis](const std::string& name) { apis = kChoices.at(name); },
            "Devices of this API: vulkan, d3d12 or all")
        ->transform(CLI::Validator(
            [](std::string& name) {
                name = CLI::detail::to_lower(name);
                return kChoices.contains(name) ? std::string()
                                               : fmt::format("no API '{}'; there are vulkan, d3d12 and all", name);
            },
            ""))
        ->type_name("NAME")
        ->default_str(apis == ApiChoice::kVulkan ? "vulkan" : "all");
}

void add_output_options(CLI::App& command, OutputOptions& options, bool takes_many) {
    const std::string what = "Write to this file instead of standard output";
    command.add_option("-o,--output", options.file, takes_many ? what + "; of several inputs into this folder" : what)
        ->check(takes_many ? writable_file_or_folder() : writable_file());
    command.add_flag("-q,--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_workload_option(CLI::App& command, std::string& workload) {
    std::string known;
    for (const auto name : workload::preset_names()) known += (known.empty() ? "" : ", ") + std::string(name);
    command
        .add_option(
            "-w,--workload", workload,
            "A preset (" + known +
                "), NAME@50% for a preset with half the resources, or a file: a workload, a trace, a dump of VMA or "
                "D3D12MA, a recording of VMA; - is standard input")
        ->default_str(workload.empty() ? fmt::format("{}, with as many resources as the device holds", kDefaultWorkload)
                                       : workload);
}

Result<model::Workload> load_workload(const std::string& name_or_file, const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const ProgramInput input, load_program(name_or_file, output));
    return input.workload();
}

namespace {

template <class Number>
std::optional<Number> number(const std::string& text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return value;
}

// CLI11 takes an empty text for "valid".
CLI::Validator validator(std::function<std::string(std::string&)> check) {
    return {std::move(check), ""};
}

}  // namespace

CLI::Validator whole_number() {
    return validator([](std::string& text) {
        const auto value = number<std::uint64_t>(text);
        if (!value) return fmt::format("'{}' is no whole number from 0 to {}", text, ~0ull);
        text = std::to_string(*value);
        return std::string();
    });
}

CLI::Validator number_between(double least, double most) {
    return validator([least, most](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value >= least && *value <= most
                   ? std::string()
                   : fmt::format("'{}' is no number from {:g} to {:g}", text, least, most);
    });
}

CLI::Validator seconds() {
    static constexpr double kYear = 365.0 * 24 * 60 * 60;
    return validator([](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value > 0 && *value <= kYear
                   ? std::string()
                   : fmt::format("'{}' is no number of seconds above 0 and up to {:.0f}", text, kYear);
    });
}

CLI::Validator byte_count() {
    return validator([](std::string& text) {
        const auto bytes = parse_byte_count(text);
        if (!bytes) return bytes.error().message;
        if (*bytes == 0) return fmt::format("'{}' is below the least size, 1 byte", text);
        text = std::to_string(*bytes);
        return std::string();
    });
}

namespace {

// Empty: the file could be written, or is standard output.
std::string objection_to_writing(const std::string& text) {
    const Status writable = text == "-" ? Status() : check_writable(text);
    return writable ? std::string() : to_string(writable.error());
}

}  // namespace

CLI::Validator writable_file() {
    return validator(objection_to_writing);
}

CLI::Validator writable_file_or_folder() {
    return validator(
        [](const std::string& text) { return is_folder(path_of(text)) ? std::string() : objection_to_writing(text); });
}

void refuse_empty_values(CLI::App& program) {
    for (CLI::Option* option : program.get_options([](const CLI::Option*) { return true; })) {
        if (option->get_items_expected_max() == 0) continue;
        option->check(validator([](const std::string& text) { return text.empty() ? "is empty" : std::string(); }));
    }
    for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        refuse_empty_values(*command);
    }
}

}  // namespace heapwright::cli
