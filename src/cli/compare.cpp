#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/compare_stage.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "compare/cluster.hpp"
#include "compare/compare.hpp"
#include "compare/documents.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

struct CompareOptions {
    std::vector<std::string> files;
    std::vector<std::string> baselines;
    bool by_device = false;
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<std::pair<std::string, std::string>> across;
    std::string allow_file;
    std::string today;
    bool strict = false;
    std::string write_baseline;
    std::string workload = "general-engine";
    bool no_impact = false;
    bool no_cost = false;
    std::vector<std::string> fail_on;
    compare::NoiseOptions noise;
    std::string form = "text";
    std::vector<std::string> write;
    bool all = false;
    bool cluster = false;
    double waste = 0.05;
    OutputOptions output;
};

// Every probe of the baseline's driver; of a folder every report below it.
Result<std::vector<compare::LoadedDocument>> load_baselines(const CompareOptions& options) {
    std::vector<compare::LoadedDocument> probes;
    for (const std::string& path : options.baselines) {
        if (!is_folder(path_of(path))) {
            HEAPWRIGHT_ASSIGN(compare::LoadedDocument document, load_document(path));
            probes.push_back(std::move(document));
            continue;
        }
        HEAPWRIGHT_ASSIGN(compare::ReportSource source, compare::ReportSource::open({path}));
        while (auto sourced = source.next()) {
            if (!sourced->text) return tl::unexpected(sourced->text.error());
            HEAPWRIGHT_ASSIGN(const model::DocumentKind kind, model::document_kind(*sourced->text, sourced->name));
            if (kind != model::DocumentKind::kReport) continue;
            HEAPWRIGHT_ASSIGN(compare::LoadedDocument document, compare::load_document(*sourced->text, sourced->name));
            probes.push_back(std::move(document));
        }
    }
    if (probes.empty() && !options.baselines.empty())
        return fail(ErrorCode::kInvalidArgument, "holds no report", options.baselines.front());
    return probes;
}

Result<std::vector<compare::LoadedDocument>> load_all(const CompareOptions& options) {
    std::vector<std::string> files = options.files;
    std::vector<compare::LoadedDocument> documents;
    for (const std::string& file : files) {
        HEAPWRIGHT_ASSIGN(compare::LoadedDocument document, load_document(file));
        documents.push_back(std::move(document));
    }
    return documents;
}

Status compare_pairs(const CompareOptions& options, const std::vector<compare::LoadedDocument>& documents,
                     const compare::CompareOptions& how, model::Comparison& comparison) {
    if (options.by_device) {
        HEAPWRIGHT_ASSIGN(comparison.documents, compare::compare_by_device(documents, how));
    } else {
        for (std::size_t index = 1; index < documents.size(); ++index) {
            HEAPWRIGHT_ASSIGN(auto result, compare::compare_documents(documents.front(), documents[index], how));
            comparison.documents.push_back(std::move(result));
        }
    }
    HEAPWRIGHT_TRY(add_pairs(options.pairs, {}, compare::compare_documents, how, comparison));
    return add_pairs(options.across, {}, compare::compare_across, how, comparison);
}

// Bounds and probes that did nothing.
void add_notes(const CompareOptions& options, std::span<const compare::FailOn> fail_on,
               const std::vector<compare::LoadedDocument>& documents,
               std::span<const compare::LoadedDocument> further_probes, model::Comparison& comparison) {
    for (const std::string& file : compare::unused_probes(documents.front(), further_probes)) {
        comparison.allow_list.push_back(
            {.file = file, .statement = "not used: it holds no device of the first baseline with the same driver"});
    }
    if (fail_on.empty() || !options.pairs.empty() || !options.across.empty()) return;
    std::vector<std::string> paths;
    for (const compare::LoadedDocument& document : documents)
        std::ranges::move(compare::paths_of(document, !options.no_cost), std::back_inserter(paths));
    for (const std::string& pattern : compare::without_match(fail_on, paths)) {
        comparison.allow_list.push_back(
            {.file = "--fail-on", .statement = fmt::format("\"{}\" matches nothing in these documents", pattern)});
    }
}

Result<model::Comparison> compare_files(const CompareOptions& options) {
    HEAPWRIGHT_ASSIGN(auto probes, load_baselines(options));
    HEAPWRIGHT_ASSIGN(auto documents, load_all(options));
    // The first probe stands for the driver; the others say how far its costs vary.
    if (!probes.empty()) {
        documents.insert(documents.begin(), std::move(probes.front()));
        probes.erase(probes.begin());
    }
    model::Comparison comparison = empty_comparison();
    if (!options.write_baseline.empty()) {
        HEAPWRIGHT_TRY(write_output(model::write(compare::baseline_of(documents)), options.write_baseline));
    }
    if (documents.size() < 2 && options.pairs.empty() && options.across.empty()) {
        if (!options.write_baseline.empty()) return comparison;
        return fail(ErrorCode::kInvalidArgument, "two documents are needed: a baseline and another", "compare");
    }
    HEAPWRIGHT_ASSIGN(auto allow_list, load_allow_list(options.allow_file, options.today));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(options.workload, options.output));
    std::vector<compare::FailOn> fail_on;
    for (const std::string& text : options.fail_on) {
        HEAPWRIGHT_ASSIGN(compare::FailOn bound, compare::parse_fail_on(text));
        fail_on.push_back(std::move(bound));
    }
    HEAPWRIGHT_TRY(compare_pairs(options, documents,
                                 {.noise = options.noise,
                                  .costs = !options.no_cost,
                                  .further_probes = probes,
                                  .fail_on = fail_on,
                                  .allow_list = allow_list ? &*allow_list : nullptr,
                                  .workload = options.no_impact ? nullptr : &workload},
                                 comparison));
    if (allow_list) comparison.allow_list = allow_list->notes();
    if (!documents.empty()) add_notes(options, fail_on, documents, probes, comparison);
    return comparison;
}

Result<model::Comparison> cluster_files(const CompareOptions& options) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(options.workload, options.output));
    Progress progress(options.output);
    model::Comparison comparison = empty_comparison();
    HEAPWRIGHT_ASSIGN(
        comparison.clusters,
        compare::cluster_reports(options.files,
                                 {.workload = options.no_impact ? nullptr : &workload,
                                  .allowed_waste = options.waste,
                                  .threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16),
                                  .progress = [&](std::uint64_t reports) {
                                      constexpr std::uint64_t kEvery = 100;
                                      if (reports % kEvery == 0) progress.show(fmt::format("{} reports", reports), 0);
                                  }}));
    return comparison;
}

// CI reads files and annotations: those that were asked for hold the reason. A person reads standard error.
ExitCode say_why_not(const CompareOptions& options, const Error& error) {
    std::vector<std::string> files = options.write;
    const std::string form = options.output.json ? "json" : options.form;
    if (form != "text") files.push_back(form + "=" + (options.output.file.empty() ? "-" : options.output.file));
    if (const auto written = write_no_comparison(error, files); !written) print_error(written.error());
    return report_error(error);
}

ExitCode run(const CompareOptions& options) {
    const auto comparison = options.cluster ? cluster_files(options) : compare_files(options);
    if (!comparison) return say_why_not(options, comparison.error());
    const ComparisonForms forms{
        .strict = options.strict, .all = options.all, .has_step_summary = has_step_summary(options.write)};
    ComparisonForms shown = forms;
    shown.one_screen = options.output.file.empty() && standard_output_is_terminal() && !options.output.verbose &&
                       !options.output.text && !options.all;
    const auto text = render_comparison(*comparison, options.output.json ? "json" : options.form, shown);
    if (!text) return report_error(text.error());
    const bool only_baseline = comparison->documents.empty() && !comparison->clusters;
    // The files first: they outlive a standard output that takes nothing.
    Status written = write_comparison_files(*comparison, options.write, forms);
    if (!only_baseline || options.form != "text" || options.output.json) {
        const Status shown_there = write_output(*text, options.output.file);
        if (written) written = shown_there;
    }
    if (!written) return report_error(written.error());
    if (comparison->clusters) {
        const auto& skipped = comparison->clusters->skipped;
        for (const model::SkippedFile& file : skipped)
            print_note(fmt::format("skipped: {}", file.reason), options.output);
        if (!skipped.empty()) {
            print_note(counted(skipped.size(), "document is no report that can be read and was skipped",
                               "documents are no reports that can be read and were skipped"),
                       options.output);
        }
        return options.strict && !skipped.empty() ? ExitCode::kUsage : ExitCode::kGood;
    }
    const compare::Outcome outcome = compare::outcome_of(*comparison);
    if (!only_baseline) print_note(summary(outcome), options.output);
    return outcome.fails(options.strict) ? ExitCode::kFailed : ExitCode::kGood;
}

void add_pairing_options(CLI::App& command, CompareOptions& options) {
    command
        .add_option("--baseline", options.baselines,
                    "Compare every document with this one (default: the first); repeated, or a folder: several "
                    "probes of one driver, whose spread is the noise of its costs")
        ->allow_extra_args(false);
    command.add_flag("--by-device", options.by_device,
                     "Compare every device with the first document that holds it; a device that only one holds is no "
                     "difference");
    command.add_option("--pair", options.pairs, "Also compare these two documents, the baseline first (repeatable)")
        ->type_name("FILE FILE");
    command
        .add_option("--across", options.across,
                    "Also compare the first devices of two documents, whatever they are; their differences are "
                    "shown and none fails (repeatable)")
        ->type_name("FILE FILE");
    command
        .add_option("--write-baseline", options.write_baseline,
                    "Write all devices of the documents into one report without what differs from run to run")
        ->check(writable_file());
}

void add_cluster_options(CLI::App& command, CompareOptions& options) {
    CLI::Option* cluster =
        command.add_flag("--cluster", options.cluster,
                         "Group the reports of these folders and NDJSON files by allocation behaviour instead, and "
                         "find the fewest policies that serve all; of a folder every *.json, *.ndjson and *.jsonl "
                         "below it is taken, but for hidden files and folders and node_modules");
    for (const char* of_pairs :
         {"--baseline", "--by-device", "--pair", "--across", "--write-baseline", "--allow", "--all"})
        cluster->excludes(command.get_option(of_pairs));
    command
        .add_option("--waste", options.waste,
                    "With --cluster: how much more a shared policy may waste than a group's own, as a share of the "
                    "bytes in use")
        ->check(number_between(0, 1000))
        ->capture_default_str();
}

}  // namespace

void add_compare_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("compare", "Says what differs between reports, policies or validations");
    auto options = std::make_shared<CompareOptions>();
    command->add_option("FILES", options->files,
                        "Documents, the baseline first; with --cluster folders, NDJSON files and reports");
    add_pairing_options(*command, *options);
    CLI::Option* allow =
        command->add_option("--allow", options->allow_file, "TOML file of known differences, [[allow]] entries");
    command->add_option("--today", options->today, "Judge expiry dates by this day, as 2027-01-31 (default: today)")
        ->needs(allow);
    command->add_flag("--strict", options->strict,
                      "Improvements and additions that no entry allows fail too, as do unused and expired entries; "
                      "with --cluster, files that had to be skipped");
    add_workload_option(*command, options->workload);
    command->add_flag("--no-impact", options->no_impact, "Do not simulate what differences mean to a policy");
    command
        ->add_option("--fail-on", options->fail_on,
                     "Fail when a value falls below or rises above this share of the baseline's, as "
                     "'/heaps/*/size_bytes<0.5' (for short 'heap_size<0.5'), or differs at all, as '/identity/name' "
                     "(repeatable)")
        ->type_name("PATH<RATIO")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const auto good = compare::parse_fail_on(text);
                return good ? std::string() : to_string(good.error());
            },
            ""));
    command->add_flag("--no-cost", options->no_cost, "Compare no measured costs of memory");
    command
        ->add_option("--false-alarm-rate", options->noise.false_alarm_rate,
                     "Chance of a false alarm over all measured costs of a device")
        ->check(number_between(0, 1))
        ->capture_default_str();
    command
        ->add_option("--least-ratio", options->noise.least_ratio,
                     "Factor by which the measured costs of two runs of one build may differ; an alarm needs more")
        ->check(number_between(1, 1000))
        ->capture_default_str();
    command->add_option("-f,--format", options->form, "Form of the output")
        ->check(CLI::IsMember(comparison_form_names()))
        ->capture_default_str();
    command
        ->add_option("--write", options->write,
                     "Also write this form into a file, as junit=FILE or sarif=FILE (repeatable)")
        ->check(CLI::Validator(
            [](const std::string& entry) {
                const Status good = check_comparison_file(entry);
                return good ? std::string() : to_string(good.error());
            },
            ""));
    command->add_flag("--all", options->all, "In text, list expected differences too");
    add_cluster_options(*command, *options);
    add_output_options(*command, options->output);
    add_answer_options(*command, options->output);
    command->footer(
        "Exit codes: 0 nothing regressed (same, expected, improved, new or inconclusive), 1 something regressed, is "
        "missing or changed, or --strict found an improvement, an addition or a stale allow-list entry, 2 wrong usage, "
        "bad input, whose files of --write say why nothing was compared, or an output that takes nothing (with "
        "--cluster --strict also a skipped file), 3 with --cluster no readable report, 4 interrupted.");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
