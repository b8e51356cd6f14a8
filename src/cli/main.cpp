#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/interrupt.hpp"
#include "core/system.hpp"
#include "core/text.hpp"
#include "heapwright_generated/version.hpp"

namespace {

// The innermost command that was called.
const CLI::App* called_command(const CLI::App* program) {
    for (auto called = program->get_subcommands(); !called.empty(); called = program->get_subcommands())
        program = called.front();
    return program;
}

// "; the nearest is ..." for a misspelt option or command.
std::string nearest_hint(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known;
    if (word.starts_with("-")) {
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    } else {
        for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
            if (!child->get_group().empty()) known.push_back(child->get_name());
    }
    const std::vector<std::string_view> words(known.begin(), known.end());
    return heapwright::nearest_word_hint(word.substr(0, word.find('=')), words);
}

// What CLI11 misses, and the words that it could not place: a misspelt command is among them.
// Each ends with the nearest word that the program knows.
std::string usage_error(const CLI::App* program, const CLI::Error& error) {
    std::string text = std::string("heapwright: ") + error.what();
    const std::vector<std::string> left = program->remaining(true);
    if (error.get_name() == "RequiredError" && !left.empty()) text += "; not expected: " + CLI::detail::join(left, " ");
    const CLI::App* command = called_command(program);
    if (!left.empty()) text += nearest_hint(*command, left.front());
    const std::string help = command == program ? "heapwright --help" : "heapwright help " + command->get_name();
    return heapwright::printable_lines(text) + "\nHelp: " + help + "\n";
}

// What somebody sees who does not know the program yet.
constexpr std::string_view kWelcome =
    "heapwright probes a GPU's memory, computes an allocation policy from that, and proves it there.\n"
    "\n"
    "  heapwright devices                               which devices there are\n"
    "  heapwright run -o results                        probe, advise and validate the first of them\n"
    "  heapwright explain results/policy.json           where each number of the policy comes from\n"
    "  heapwright export results/policy.json -t vma     the policy as an allocator's configuration\n"
    "  heapwright report results/*.json -o page.html    all of it as a page\n"
    "  heapwright compare old.json new.json             what a driver changed\n"
    "  heapwright workload --example                    a workload of your own to fill in\n"
    "\n"
    "heapwright --help lists all commands, heapwright help COMMAND the options of one.\n";

// "heapwright help [COMMAND ...]" is "heapwright [COMMAND ...] --help".
std::vector<std::string> with_help(const CLI::App& program, std::vector<std::string> arguments) {
    if (arguments.empty() || arguments.front() != "help") return arguments;
    arguments.erase(arguments.begin());
    // A misspelt command is refused like everywhere.
    const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
    if (!arguments.empty() && std::ranges::none_of(commands, [&](const CLI::App* command) {
            return command->get_name() == arguments.front();
        }))
        return arguments;
    arguments.emplace_back("--help");
    return arguments;
}

// Help and version as they were asked for; or what is wrong with the words.
heapwright::cli::ExitCode show(const CLI::App& program, const CLI::Error& error) {
    using namespace heapwright::cli;
    std::ostringstream asked_for;
    std::ostringstream wrong;
    if (program.exit(error, asked_for, wrong) != 0) {
        print_usage_error(wrong.str());
        return ExitCode::kUsage;
    }
    const auto written = write_output(asked_for.str(), "");
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

int main(int argc, char** argv) {
    using namespace heapwright;
    install_interrupt_handlers();
    const cli::StandardStreams streams;

    CLI::App program("Probes GPUs, computes an allocation policy from what they say, and proves it on the device.",
                     "heapwright");
    program.set_version_flag("--version", std::string("heapwright ") + kVersion);
    program.require_subcommand(1);
    program.allow_windows_style_options(false);  // a path may begin with a slash
    program.footer(
        "Exit codes: 0 good, 1 validation failed, regression, (probe --strict) a broken specification or (advise "
        "--strict) a workload that does not fit, 2 usage, bad input or an output that takes nothing, 3 no device, or "
        "none that could be probed, "
        "advised on or validated, 4 inconclusive (a limit or a signal came first, a scenario lacked memory, the "
        "device supports none of those asked for, or a part of the workload did not run and nobody allowed that), 5 "
        "partly failed (a driver or a device crashed, hung or failed beside others, or some of many files are bad; "
        "what was reached is there). Where several hold, the first of 1, 3, 5, 4.\n"
        "Environment: HEAPWRIGHT_VULKAN_LOADER names the Vulkan loader library to use.");

    cli::ExitCode exit_code = cli::ExitCode::kGood;
    cli::add_devices_command(program, exit_code);
    cli::add_probe_command(program, exit_code);
    cli::add_import_command(program, exit_code);
    cli::add_advise_command(program, exit_code);
    cli::add_validate_command(program, exit_code);
    cli::add_what_if_command(program, exit_code);
    cli::add_run_command(program, exit_code);
    cli::add_compare_command(program, exit_code);
    cli::add_matrix_command(program, exit_code);
#ifdef HEAPWRIGHT_HAS_STORE
    cli::add_store_command(program, exit_code);
#endif
    cli::add_report_command(program, exit_code);
    cli::add_explain_command(program, exit_code);
    cli::add_export_command(program, exit_code);
    cli::add_reproduce_command(program, exit_code);
    cli::add_workload_command(program, exit_code);
    cli::add_schema_command(program, exit_code);
    cli::add_worker_command(program, exit_code);
    cli::add_generate_command(program, exit_code);
    cli::refuse_empty_values(program);
    program.failure_message(usage_error);

    try {
        const std::vector<std::string> arguments = program_arguments(argc, argv);
        if (arguments.size() == 1) {
            const auto written = cli::write_output(kWelcome, "");
            return static_cast<int>(written ? cli::ExitCode::kGood : cli::report_error(written.error()));
        }
        const std::vector<std::string> meant = with_help(program, {std::next(arguments.begin()), arguments.end()});
        program.parse(std::vector<std::string>(meant.rbegin(), meant.rend()));  // last one first
    } catch (const CLI::ParseError& error) {
        return static_cast<int>(show(program, error));
    } catch (const std::bad_alloc&) {
        cli::print_error({.code = ErrorCode::kExhausted, .message = "the machine's memory is not enough"});
        return static_cast<int>(cli::ExitCode::kNoDevice);
    } catch (const std::filesystem::filesystem_error& error) {  // a path that even its error code did not foresee
        return static_cast<int>(cli::report_error({.code = ErrorCode::kIoError, .message = error.what()}));
    }
    return static_cast<int>(exit_code);
}
