#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/what_if_device.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/selection.hpp"
#include "policy/advise.hpp"
#include "render/what_if_text.hpp"
#include "whatif/what_if.hpp"

namespace heapwright::cli {
namespace {

struct WhatIfOptions {
    std::vector<std::string> inputs;
    std::vector<double> weights;
    std::string report;
    std::string gpu;
    std::vector<std::string> selectors;
    std::vector<std::string> policies;
    std::vector<std::string> rules;
    std::vector<std::string> changes;
    std::vector<std::string> sweeps;
    std::vector<std::string> write;
    std::vector<std::string> icd_files;
    bool on_device = false;
    bool open_device = false;  // this is the child that does
    std::uint64_t time_limit_ns = 600'000'000'000;
    OutputOptions output;
};

// What engines ask first, where they ask nothing.
constexpr std::string_view kUsualRules[] = {"vma-default", "vma:64MiB", "d3d12ma-default",
                                            "fixed:64MiB", "article",   "one-each"};

Result<model::Report> report_for(const WhatIfOptions& options) {
    if (!options.gpu.empty()) {
        HEAPWRIGHT_ASSIGN(const import::KnownDevice* const device, known_gpu(options.gpu, options.output));
        if (!device->caveat.empty())
            print_note(fmt::format("{}: {}", import::title_of(*device), device->caveat), options.output);
        return import::report_of(*device);
    }
    if (options.report.empty())
        return fail(ErrorCode::kInvalidArgument, "needs the report of a device: --report FILE, or --gpu NAME",
                    "what-if");
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.report));
    return model::read_report(input.text, input.name);
}

Result<std::size_t> device_of(const model::Report& report, const WhatIfOptions& options) {
    HEAPWRIGHT_ASSIGN(const std::vector<std::size_t> chosen, model::select_in_report(options.selectors, report));
    if (chosen.size() > 1)
        print_note(fmt::format("of {} devices {} is taken; -d names another", chosen.size(),
                               report.devices[chosen.front()].identity.name),
                   options.output);
    return chosen.front();
}

// The part of a policy that is for the device.
Result<whatif::Way> way_of_file(const std::string& file, const model::DeviceReport& facts,
                                const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(file));
    HEAPWRIGHT_ASSIGN(model::Policy policy, model::read_policy(input.text, input.name));
    if (policy.devices.empty()) return fail(ErrorCode::kInvalidArgument, "the policy is for no device", input.name);
    auto own = std::ranges::find_if(policy.devices, [&](const model::DevicePolicy& device) {
        return model::same_device_and_driver(device.identity, facts.identity);
    });
    if (own == policy.devices.end()) {
        own = policy.devices.begin();
        print_note(
            fmt::format("{}: made for {}, and played on {}", input.name, own->identity.name, facts.identity.name),
            output);
    }
    if (own->memory_uses.empty())
        return fail(ErrorCode::kInvalidArgument, "the policy ranks no memory types: memory_uses is empty", input.name);
    return whatif::way_of_policy(
        input.name, fmt::format("The policy {}, made for {}.", input.name, policy.workload_name), std::move(*own));
}

struct Ways {
    std::vector<whatif::Way> rows;
    std::vector<whatif::Curve> curves;
};

Result<Ways> ways_of(const WhatIfOptions& options, const std::vector<ProgramInput>& inputs,
                     const model::DeviceReport& facts) {
    Ways ways;
    for (const std::string& file : options.policies) {
        HEAPWRIGHT_ASSIGN(whatif::Way way, way_of_file(file, facts, options.output));
        ways.rows.push_back(std::move(way));
    }
    const bool wants_article = std::ranges::count(options.rules, "article") != 0;
    const bool is_usual =
        options.policies.empty() && options.rules.empty() && options.changes.empty() && options.sweeps.empty();
    model::Workload workload;
    if (ways.rows.empty() || wants_article) {
        HEAPWRIGHT_ASSIGN(workload, inputs.front().workload());
    }
    if (ways.rows.empty()) {
        HEAPWRIGHT_ASSIGN(model::DevicePolicy advised,
                          policy::advise(facts, workload, 0, {.with_expectations = false}));
        ways.rows.push_back(whatif::way_of_policy(
            "advised", fmt::format("What heapwright advises for {} on this device.", workload.name),
            std::move(advised)));
        if (inputs.size() > 1)
            print_note(fmt::format("advised is made for {}, the first input", workload.name), options.output);
    }
    const whatif::Way base = ways.rows.front();
    // A policy that does not fit this device ranks memory types that it lacks.
    whatif::Way ranked = base;
    const whatif::Stage here{.facts = facts, .price_ns = {}};
    if (!whatif::make_player(base, here)) {
        HEAPWRIGHT_ASSIGN(workload, inputs.front().workload());
        HEAPWRIGHT_ASSIGN(model::DevicePolicy advised,
                          policy::advise(facts, workload, 0, {.with_expectations = false}));
        ranked.name = "advised";
        ranked.policy = std::make_shared<const model::DevicePolicy>(std::move(advised));
        print_note(fmt::format("{} does not fit this device: the rules take memory types as advised for it", base.name),
                   options.output);
    }
    std::vector<std::string> rules = options.rules;
    if (is_usual) {
        rules.assign(std::begin(kUsualRules), std::end(kUsualRules));
        if (std::ranges::all_of(inputs, &ProgramInput::is_dump)) rules.insert(rules.begin(), "as-dumped");
    }
    for (const std::string& rule : rules) {
        HEAPWRIGHT_ASSIGN(whatif::Way way, whatif::way_of_rule(rule, facts, workload, ranked));
        ways.rows.push_back(std::move(way));
    }
    for (const std::string& change : options.changes) {
        HEAPWRIGHT_ASSIGN(whatif::Way way, whatif::way_of_change(change, base));
        ways.rows.push_back(std::move(way));
    }
    for (const std::string& sweep : options.sweeps) {
        HEAPWRIGHT_ASSIGN(whatif::SweptWays swept, whatif::ways_of_sweep(sweep, base));
        ways.curves.push_back({.of = base.name, .swept = std::move(swept)});
    }
    return ways;
}

Result<model::WhatIf> what_if(const WhatIfOptions& options) {
    if (!options.weights.empty() && options.weights.size() != options.inputs.size())
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "there is a --weight for each input, or none",
                     .where = "what-if",
                     .value = options.weights.size(),
                     .limit = options.inputs.size()});
    std::vector<ProgramInput> inputs;
    for (const std::string& name : options.inputs) {
        HEAPWRIGHT_ASSIGN(ProgramInput input, load_program(name, options.output));
        inputs.push_back(std::move(input));
    }
    HEAPWRIGHT_ASSIGN(const model::Report report, report_for(options));
    HEAPWRIGHT_ASSIGN(const std::size_t device, device_of(report, options));
    const model::DeviceReport& facts = report.devices[device];
    if (facts.heaps.empty() || facts.memory_types.empty())
        return fail(
            ErrorCode::kNoDevice,
            fmt::format("the report holds no memory types of {}: there is nothing to play on", facts.identity.name),
            "what-if");
    HEAPWRIGHT_ASSIGN(const Ways ways, ways_of(options, inputs, facts));
    std::vector<whatif::Program> programs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        whatif::Program program = inputs[i].program(facts, *ways.rows.front().policy);
        if (!options.weights.empty()) program.weight = options.weights[i];
        programs.push_back(std::move(program));
    }
    const whatif::WhatIfRequest request{.facts = facts, .programs = programs, .ways = ways.rows, .curves = ways.curves};
    model::WhatIf played;
    if (options.open_device) {
        HEAPWRIGHT_ASSIGN(const OpenedDevice opened, open_reported_device(facts.identity, options.icd_files));
        HEAPWRIGHT_ASSIGN(played, whatif::play_on_device(request, *opened.device));
    } else {
        HEAPWRIGHT_ASSIGN(played, whatif::play_what_if(request));
    }
    played.header.tool_version = kVersion;
    played.header.sources = {{.kind = model::DocumentKind::kReport, .stable_hash = model::stable_hash(report)}};
    played.run = {.created_utc = utc_now(), .host = host_description()};
    return played;
}

// What the child is told: all but where the answer goes.
std::vector<std::string> arguments_of(const WhatIfOptions& options) {
    std::vector<std::string> arguments{"what-if"};
    const auto add = [&](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) {
            arguments.emplace_back(option);
            arguments.push_back(value);
        }
    };
    if (!options.report.empty()) add("--report", {options.report});
    if (!options.gpu.empty()) add("--gpu", {options.gpu});
    for (const double weight : options.weights) add("--weight", {fmt::format("{}", weight)});
    add("--device", options.selectors);
    add("--policy", options.policies);
    add("--rule", options.rules);
    add("--set", options.changes);
    add("--sweep", options.sweeps);
    add("--icd", options.icd_files);
    if (options.output.quiet) arguments.emplace_back("--quiet");
    arguments.emplace_back("--on-device");
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), options.inputs.begin(), options.inputs.end());
    return arguments;
}

Result<model::WhatIf> answer_of(const WhatIfOptions& options) {
    const auto of_standard_input =
        std::ranges::count(options.inputs, "-") + std::ranges::count(options.policies, "-") + (options.report == "-");
    if (of_standard_input > 1)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "- is named more than once, and standard input is read once",
                     .where = "what-if",
                     .value = static_cast<std::uint64_t>(of_standard_input),
                     .limit = 1});
    if (!options.on_device || options.open_device) return what_if(options);
    if (of_standard_input != 0)
        return fail(ErrorCode::kInvalidArgument, "--on-device reads no standard input: name a file", "what-if");
    return what_if_in_child(arguments_of(options), options.time_limit_ns, options.output);
}

constexpr std::string_view kForms[] = {"text", "markdown", "json", "csv", "curves"};

struct WrittenForm {
    std::string_view form;
    std::string_view file;
};

Result<WrittenForm> form_of(std::string_view entry) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals + 1 == entry.size())
        return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not FORM=FILE", entry));
    const WrittenForm wanted{.form = entry.substr(0, equals), .file = entry.substr(equals + 1)};
    if (std::ranges::find(kForms, wanted.form) == std::end(kForms))
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("no form \"{}\"; known are {}", wanted.form, fmt::join(kForms, ", ")));
    return wanted;
}

std::string in_form(const model::WhatIf& played, std::string_view form) {
    if (form == "json") return model::write(played);
    if (form == "markdown") return render::what_if_markdown(played);
    if (form == "csv") return render::csv_text(render::what_if_rows(played));
    if (form == "curves") return render::csv_text(render::what_if_curves(played));
    return render::what_if_text(played);
}

ExitCode run(const WhatIfOptions& options) {
    const auto played = answer_of(options);
    if (!played) return report_error(played.error());
    for (const std::string& entry : options.write) {
        const auto wanted = form_of(entry);
        if (!wanted) return report_error(wanted.error());
        const Status written = write_output(in_form(*played, wanted->form), std::string(wanted->file));
        if (!written) return report_error(written.error());
    }
    const auto written =
        give({.document = [&] { return model::write(*played); },
              .screen =
                  [&](const render::ScreenStyle& style) {
                      return render::what_if_screen(
                          *played, style, next_command("heapwright report ", " -o page.html", options.output));
                  },
              .all = [&] { return render::what_if_text(*played); }},
             options.output);
    if (!written) return report_error(written.error());
    const bool all_played =
        std::ranges::all_of(played->rows, [](const model::WhatIfRow& row) { return row.not_played.empty(); });
    return all_played ? ExitCode::kGood : ExitCode::kPartlyFailed;
}

}  // namespace

void add_what_if_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "what-if", "Plays several ways to allocate on your program and says which one is best for what");
    auto options = std::make_shared<WhatIfOptions>();
    command
        ->add_option("INPUT", options->inputs,
                     "The program: a preset, NAME@50% for one with half the resources, or a file: a workload, a trace, "
                     "a dump of VMA or D3D12MA, a recording of VMA; - is standard input. Of several the figures are "
                     "averaged")
        ->required();
    command
        ->add_option("--weight", options->weights,
                     "What an input counts for beside the others, in their order (repeatable)")
        ->allow_extra_args(false)
        ->check(number_between(0.000001, 1000000));
    CLI::Option* report =
        command->add_option("--report", options->report, "The device: a report, as 'probe' or 'import' writes it");
    command
        ->add_option("--gpu", options->gpu,
                     "The device: a GPU that you do not have, of those that 'devices --known' lists")
        ->excludes(report);
    command->add_option("-d,--device", options->selectors, "This device of the report");
    command
        ->add_option("--policy", options->policies,
                     "A way: a policy, as 'advise' writes it (repeatable). Without one what is advised for the first "
                     "input. The first way is what the others are compared with")
        ->allow_extra_args(false);
    command
        ->add_option("--rule", options->rules,
                     "A way: vma-default, vma:SIZE (its preferredLargeHeapBlockSize), d3d12ma-default, fixed:SIZE "
                     "(chunks of one size), article, one-each, as-dumped (what the dump says the program had) "
                     "(repeatable)")
        ->allow_extra_args(false);
    command
        ->add_option("--set", options->changes,
                     "A way: the first policy with a change: chunk=SIZE, first-chunk=SIZE or off, dedicated=SIZE or "
                     "off, humongous=SIZE, ahead=COUNT, or several with commas (repeatable)")
        ->allow_extra_args(false);
    command
        ->add_option("--sweep", options->sweeps,
                     "A curve: the first policy with each size of a setting, doubling: chunk=1MiB..256MiB (repeatable)")
        ->allow_extra_args(false);
    command
        ->add_option("--write", options->write,
                     "Also write a form of the answer to a file: text, markdown, json, csv (the ways), curves (CSV of "
                     "the sweeps) (repeatable)")
        ->type_name("FORM=FILE")
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](const std::string& entry) {
                const auto wanted = form_of(entry);
                return wanted ? std::string() : wanted.error().message;
            },
            ""));
    CLI::Option* on_device = command->add_flag(
        "--on-device", options->on_device,
        "Play every way on the device's own memory too, which the report must be of: its calls are timed");
    command->add_option("--icd", options->icd_files, "With --on-device: the Vulkan driver of this ICD manifest")
        ->allow_extra_args(false)
        ->needs(on_device);
    command
        ->add_option_function<double>(
            "--time-limit",
            [options](double limit) { options->time_limit_ns = static_cast<std::uint64_t>(limit * 1e9); },
            fmt::format("With --on-device: most seconds that the driver may take, for all plays together (default: {})",
                        options->time_limit_ns / 1'000'000'000))
        ->check(seconds())
        ->type_name("SECONDS")
        ->needs(on_device);
    command->add_flag(kOpenDevice, options->open_device)->group("");
    add_output_options(*command, options->output);
    add_answer_options(*command, options->output);
    command->footer(
        "Exit codes: 0 every way was played (a request that found no memory is a figure of the table), 2 wrong usage "
        "or bad input, 3 no such device for --on-device, or its driver failed, 4 the time limit came first, 5 a way "
        "could not be played.");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
