// Every command of the program: one function a command, one file a function. Each adds its subcommand to the program
// and, when that is the one called, leaves its exit code in `exit_code`.
#pragma once

#include "cli/exit_code.hpp"

namespace CLI {
class App;
}

namespace heapwright::cli {

void add_devices_command(CLI::App& program, ExitCode& exit_code);
void add_probe_command(CLI::App& program, ExitCode& exit_code);
void add_import_command(CLI::App& program, ExitCode& exit_code);
void add_advise_command(CLI::App& program, ExitCode& exit_code);
void add_validate_command(CLI::App& program, ExitCode& exit_code);
void add_what_if_command(CLI::App& program, ExitCode& exit_code);
void add_run_command(CLI::App& program, ExitCode& exit_code);
void add_compare_command(CLI::App& program, ExitCode& exit_code);
void add_matrix_command(CLI::App& program, ExitCode& exit_code);
// Where the program was built with SQLite (HEAPWRIGHT_HAS_STORE).
void add_store_command(CLI::App& program, ExitCode& exit_code);
void add_report_command(CLI::App& program, ExitCode& exit_code);
void add_explain_command(CLI::App& program, ExitCode& exit_code);
void add_export_command(CLI::App& program, ExitCode& exit_code);
void add_reproduce_command(CLI::App& program, ExitCode& exit_code);
void add_schema_command(CLI::App& program, ExitCode& exit_code);
void add_workload_command(CLI::App& program, ExitCode& exit_code);

// Hidden: the child process that opens a driver.
void add_worker_command(CLI::App& program, ExitCode& exit_code);

// Hidden: the manual page and the shells' completions, from the program's own options.
void add_generate_command(CLI::App& program, ExitCode& exit_code);

}  // namespace heapwright::cli
