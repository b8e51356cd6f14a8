#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "isolate/worker.hpp"

namespace heapwright::cli {

void add_worker_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("worker", "Serves heapwright itself");
    command->group("");
    command->callback([&exit_code] {
        if (const auto done = isolate::run_worker(); !done) exit_code = report_error(done.error());
    });
}

}  // namespace heapwright::cli
