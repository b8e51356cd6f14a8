#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "export/export.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/printable.hpp"

namespace heapwright::cli {
namespace {

struct ExportOptions {
    std::vector<std::string> policy_files;
    std::string target;
    std::optional<std::size_t> device;
    bool list = false;
    std::string account_file;  // empty: none
    OutputOptions output;
};

// Without a target all of them, else the settings of that one.
Result<std::string> list(const ExportOptions& options) {
    if (!options.target.empty()) return exporting::settings_table(options.target);
    // A screen has no room for the versions.
    const bool narrow = options.output.file.empty() && standard_output_is_terminal() && !options.output.verbose;
    std::string text;
    for (const exporting::TargetSummary& target : exporting::targets()) {
        const std::string_view api = !target.api                          ? "Vulkan, Direct3D 12"
                                     : *target.api == model::Api::kVulkan ? "Vulkan"
                                                                          : "Direct3D 12";
        if (narrow) {
            text += fmt::format("{:<16} {:<31} {:<27} {}\n", target.name, target.title, target.form, api);
            continue;
        }
        text += fmt::format("{:<16} {:<31} {:<27} {:<20} {}\n", target.name, target.title, target.form, api,
                            target.checked_against);
    }
    return text;
}

Result<std::size_t> chosen_device(const ExportOptions& options, const model::Policy& policy) {
    if (options.device) return *options.device;
    if (policy.devices.size() <= 1) return std::size_t{0};
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = "the policy holds several devices: choose one by its index",
                 .where = "--device",
                 .limit = policy.devices.size()});
}

std::string account_text(const exporting::Exported& exported) {
    std::string text;
    for (const std::string& line : exported.account) text += line + "\n";
    return text;
}

std::string as_json(const ExportOptions& options, const exporting::Exported& exported) {
    using Json = nlohmann::ordered_json;
    const Json document{{"target", options.target},
                        {"file", exported.text},
                        {"changes", exported.changes},
                        {"not_expressible", exported.not_expressible},
                        {"left_out", exported.left_out}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// One line on standard error; the account has the rest.
void say_what_changed(const ExportOptions& options, const exporting::Exported& exported) {
    if (options.output.verbose) {
        print_summary(account_text(exported), options.output);
        return;
    }
    if (exported.changes.empty() && exported.not_expressible.empty()) return;
    print_note(fmt::format("{}: {} clamped or rounded, {} not expressible{}", options.target,
                           counted(exported.changes.size(), "value"), counted(exported.not_expressible.size(), "value"),
                           options.account_file.empty() ? "; --account FILE lists them" : ""),
               options.output);
}

Result<std::string> export_file(const ExportOptions& options) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.policy_files.front()));
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    HEAPWRIGHT_ASSIGN(const std::size_t device, chosen_device(options, policy));
    HEAPWRIGHT_ASSIGN(exporting::Exported exported,
                      exporting::export_policy(model::printable(policy), device, options.target));
    if (!options.account_file.empty()) HEAPWRIGHT_TRY(write_output(account_text(exported), options.account_file));
    say_what_changed(options, exported);
    return options.output.json ? as_json(options, exported) : std::move(exported.text);
}

// A file for the chosen device, or for each that the target can configure.
Result<std::vector<BatchResult>> export_devices(const ExportOptions& options, const std::string& text,
                                                const std::string& name) {
    HEAPWRIGHT_ASSIGN(const model::Policy read, model::read_policy(text, name));
    const model::Policy policy = model::printable(read);
    std::vector<BatchResult> results;
    std::optional<Error> first;
    for (std::size_t device = options.device.value_or(0); device < policy.devices.size(); ++device) {
        auto exported = exporting::export_policy(policy, device, options.target);
        if (exported) {
            results.push_back({.text = std::move(exported->text)});
            if (policy.devices.size() > 1) results.back().device = device;
        } else if (!first) {
            first = std::move(exported.error());
        }
        if (options.device) break;
    }
    if (!results.empty()) return results;
    if (first) return fail(std::move(*first));
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = "the policy holds no device of this index",
                 .where = "--device",
                 .value = options.device,
                 .limit = policy.devices.size()});
}

ExitCode run_all(const ExportOptions& options) {
    const auto known = exporting::settings_table(options.target);
    if (!known) return report_error(known.error());
    if (!options.account_file.empty()) {
        return report_error({.code = ErrorCode::kInvalidArgument,
                             .message = "is of one policy; the head of each file counts what changed",
                             .where = "--account"});
    }
    const auto targets = exporting::targets();
    const auto target = std::ranges::find(targets, options.target, &exporting::TargetSummary::name);
    return run_batch(
        {.inputs = options.policy_files,
         .done = "exported",
         .ending = std::string(target->ending),
         .recipe = fmt::format("heapwright {} export {} {}", kVersion, options.target,
                               options.device ? std::to_string(*options.device) : "all"),
         .takes = model::DocumentKind::kPolicy,
         .make = [&](const std::string& text, const std::string& name) { return export_devices(options, text, name); }},
        options.output);
}

ExitCode run(const ExportOptions& options) {
    if (!options.list && (options.policy_files.empty() || options.target.empty())) {
        return report_error({.code = ErrorCode::kInvalidArgument,
                             .message = "needs a policy and --target, or --list",
                             .where = "export"});
    }
    if (!options.list && is_batch(options.policy_files)) return run_all(options);
    const auto text = options.list ? list(options) : export_file(options);
    if (!text) return report_error(text.error());
    const auto written = write_output(*text, options.output.file);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_export_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("export", "Writes a policy as an engine's or allocator's configuration");
    auto options = std::make_shared<ExportOptions>();
    command->add_option("POLICY", options->policy_files,
                        "A policy, as 'advise' writes it. Of several, or of a folder's, -o names the folder of the "
                        "files, one a policy and device, whose batch.json tells what became of each");
    command->add_option("-t,--target", options->target, "The engine or allocator; --list names them");
    command->add_option("-d,--device", options->device, "The device's index in the policy, from 0")
        ->transform(whole_number());
    command->add_flag("--list", options->list, "List the targets, or with --target the settings of one");
    command
        ->add_option("--account", options->account_file,
                     "Write what was set from which number, clamped, not expressible and left out into this file")
        ->check(writable_file());
    add_output_options(*command, options->output, true);
    add_answer_options(*command, options->output);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
