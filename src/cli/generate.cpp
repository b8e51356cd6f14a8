#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/option_tree.hpp"
#include "cli/output.hpp"
#include "cli/shell_completion.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::cli {
namespace {

Result<std::string> generate(const CLI::App& program, const std::string& what, const std::string& date) {
    const ProgramEntry tree = option_tree(program);
    if (what == "bash") return bash_completion(tree);
    if (what == "zsh") return zsh_completion(tree);
    if (what == "fish") return fish_completion(tree);
    if (what == "man") return manual_page(tree, kVersion, date);
    return fail(ErrorCode::kInvalidArgument, "bash, zsh, fish and man can be generated, not " + what, "generate");
}

}  // namespace

void add_generate_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("generate", "Prints a completion file or the manual page");
    command->group("");
    auto what = std::make_shared<std::string>();
    auto date = std::make_shared<std::string>("1970-01-01");
    auto output = std::make_shared<OutputOptions>();
    command->add_option("WHAT", *what, "bash, zsh, fish or man")->required();
    command->add_option("--date", *date, "The date that the manual page carries");
    add_output_options(*command, *output);
    command->callback([=, &program, &exit_code] {
        const auto text = generate(program, *what, *date);
        if (!text) {
            exit_code = report_error(text.error());
            return;
        }
        if (const auto written = write_output(*text, output->file); !written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
