#include <CLI/CLI.hpp>

#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "heapwright/cli/argument_checks.hpp"
#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/printable.hpp"
#include "heapwright/core/system.hpp"
#include "heapwright_generated/version.hpp"

namespace {

// What CLI11 misses, and the words that it could not place: a misspelt command is among them.
std::string usage_error(const CLI::App* program, const CLI::Error& error) {
    std::string text = std::string("heapwright: ") + error.what();
    const std::vector<std::string> left = program->remaining(true);
    if (error.get_name() == "RequiredError" && !left.empty()) text += "; not expected: " + CLI::detail::join(left, " ");
    return heapwright::printable_lines(text) + "\nRun with --help for more information.\n";
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
        "--strict) a workload that does not fit, 2 usage or bad input, 3 no device or probe failed, 4 inconclusive (a "
        "limit or a signal came first, a scenario lacked memory, or the device supports none of those asked for).\n"
        "Environment: HEAPWRIGHT_VULKAN_LOADER names the Vulkan loader library to use.");

    cli::ExitCode exit_code = cli::ExitCode::kGood;
    cli::add_devices_command(program, exit_code);
    cli::add_probe_command(program, exit_code);
    cli::add_import_command(program, exit_code);
    cli::add_advise_command(program, exit_code);
    cli::add_validate_command(program, exit_code);
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
        program.parse(std::vector<std::string>(arguments.rbegin(), std::prev(arguments.rend())));  // last one first
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? 0 : static_cast<int>(cli::ExitCode::kUsage);
    } catch (const std::bad_alloc&) {
        cli::print_error({.code = ErrorCode::kExhausted, .message = "the machine's memory is not enough"});
        return static_cast<int>(cli::ExitCode::kNoDevice);
    }
    return static_cast<int>(exit_code);
}
